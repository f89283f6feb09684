// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats without a command: accepts the options of kvm_stat. */
#include <stdio.h>

#include "commands/command.h"
#include "commands/once.h"
#include "log/log.h"
#include "notice.h"
#include "options/status.h"

static int write_log(const struct kvm_stat_options *options, struct monitor *monitor)
{
	const struct log_options log_options = {
		.filter = &options->filter,
		.file = options->file,
		.csv = options->csv,
		.skip_zero = options->skip_zero,
		.kvm_stat_stamps = true,
		.interval = options->delay,
		.count = options->count,
	};

	return log_write(&log_options, monitor);
}

static int run_monitor(const struct kvm_stat_options *options)
{
	struct monitor_options monitor_options = {
		.filter = &options->filter,
		.sources = options->sources,
	};
	struct monitor *monitor = require_monitor(&monitor_options);
	int status = STATUS_FAILED;

	if (!monitor)
		return status;
	if (options->list_names)
		status = names_print(monitor);
	else if (options->once)
		status = once_print(options, monitor);
	else
		status = write_log(options, monitor);
	monitor_close(monitor);
	return status;
}

static const char usage[] =
	"Usage: kvm-stats [OPTION]...\n"
	"\n"
	"These options have the same meaning as those of kvm_stat.\n"
	"\n"
	KVM_STAT_HELP
	"\n"
	"Run 'kvm-stats --help' for the commands.\n";

int command_kvm_stat(int argc, char **argv)
{
	struct kvm_stat_options options;
	int status;

	kvm_stat_options_init(&options);
	status = kvm_stat_options_parse(&options, argc, argv, NULL, usage);
	if (status < 0 && (options.list_names || options.once || options.log))
		status = run_monitor(&options);
	else if (status < 0)
		status = kvm_stat_run(&options);
	kvm_stat_options_free(&options);
	return status;
}
