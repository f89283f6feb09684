// SPDX-License-Identifier: GPL-2.0-only
/* In place of top where there is no ncurses to build it with. */
#include "command.h"
#include "output.h"
#include "top_run.h"

int top_run(struct kvm_stat_options *options)
{
	(void)options;
	complain("this kvm-stats was built without ncurses, so it has no top; 'kvm-stats log' goes "
		 "without");
	return STATUS_FAILED;
}

int command_top(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return top_run(NULL);
}
