// SPDX-License-Identifier: GPL-2.0-only
/* Replaces the full screens if ncurses is not available. */
#include "base/output.h"
#include "classic/classic.h"
#include "options/status.h"
#include "top/top.h"

static int refuse(void)
{
	complain("top is not available: this kvm-stats was built without ncurses. Use 'kvm-stats "
		 "log', or build kvm-stats again with ncurses (Debian: libncurses-dev).");
	return STATUS_FAILED;
}

int classic_run(struct kvm_stat_options *options)
{
	(void)options;
	return refuse();
}

int top_run(struct top_options *options)
{
	(void)options;
	return refuse();
}
