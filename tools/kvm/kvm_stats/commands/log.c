// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats log */
#include <stdio.h>

#include "commands/command.h"
#include "commands/kvm_stat.h"

static const char usage[] =
	"Usage: kvm-stats log [OPTION]...\n"
	"\n"
	"Prints after each interval how much each statistic grew, summed over all VMs and\n"
	"vCPUs.\n"
	"\n"
	KVM_STAT_HELP;

int command_log(int argc, char **argv)
{
	struct kvm_stat_options options;

	kvm_stat_options_init(&options);
	options.log = true;
	return kvm_stat_run(&options, argc, argv, usage);
}
