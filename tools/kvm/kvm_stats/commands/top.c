// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats top */
#include <stdio.h>

#include "base/output.h"
#include "classic/classic.h"
#include "commands/command.h"
#include "options/kvm_stat.h"
#include "options/status.h"

static const char usage[] =
	"Usage: kvm-stats top [OPTION]...\n"
	"\n"
	"Shows the statistics of VMs on the terminal and updates them periodically.\n"
	"Press 'h' there for a list of the keys.\n"
	"\n"
	KVM_STAT_HELP;

static bool check_options(const struct kvm_stat_options *options)
{
	if (!options->once && !options->log && !options->list_names)
		return true;
	complain("top does not support -1, -l, -L and -f help. Use them without the command "
		 "'top'.");
	return false;
}

int command_top(int argc, char **argv)
{
	struct kvm_stat_options options;
	int status;

	kvm_stat_options_init(&options);
	status = kvm_stat_options_parse(&options, argc, argv, usage);
	if (status < 0)
		status = check_options(&options) ? classic_run(&options) : STATUS_USAGE;
	kvm_stat_options_free(&options);
	return status;
}
