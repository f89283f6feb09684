// SPDX-License-Identifier: GPL-2.0-only
/* Replaces top if ncurses is not available. */
#include "base/output.h"
#include "options/status.h"
#include "classic/classic.h"

int classic_run(struct kvm_stat_options *options)
{
	(void)options;
	complain("top is not available: this kvm-stats was built without ncurses. Use 'kvm-stats "
		 "log', or build kvm-stats again with ncurses (Debian: libncurses-dev).");
	return STATUS_FAILED;
}
