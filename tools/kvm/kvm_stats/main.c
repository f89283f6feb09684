// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats: prints, logs and exports the statistics of KVM VMs. */
#include <stdio.h>
#include <string.h>

#include "host_file/publish.h"
#include "options.h"
#include "read/read.h"
#include "serve/serve.h"
#include "top/top.h"
#include "util.h"

/* ---- without a command: the options of kvm_stat ---- */

static int run_screen(struct kvm_stat_options *options)
{
	const struct top_options top_options = {
		.filter = &options->filter,
		.sources = options->log.sources,
		.interval = options->log.interval,
		.kvm_stat = true,
		.include_past = options->include_past,
	};

	return top_run(&top_options);
}

static int command_kvm_stat(int argc, char **argv)
{
	struct kvm_stat_options options;
	int status = kvm_stat_options_parse(&options, argc, argv);

	if (status < 0 && (options.list_names || options.once))
		status = once_print(&options);
	else if (status < 0 && options.logs)
		status = log_write(&options.log);
	else if (status < 0)
		status = run_screen(&options);
	filter_free(&options.filter);
	return status;
}

/* ---- commands ---- */

static int command_help(int argc, char **argv);

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "help", command_help, "print the commands, or the options of a command" },
	{ "list", command_list, "list the VMMs, and where their statistics come from" },
	{ "log", command_log, "print a line for each interval, like vmstat, or CSV" },
	{ "publish", command_publish, "publish the statistics of this host's VMs as a file" },
	{ "query", command_query, "print the statistics of one VMM in the format of QEMU's QMP" },
	{ "read", command_read, "print the statistics of VMs and vCPUs, once or repeatedly" },
	{ "schema", command_schema, "list the available statistics: name, type, unit and size" },
	{ "serve", command_serve, "export the statistics to Prometheus, over HTTP or in a file" },
	{ "top", command_top, "show what the guests do, on the terminal" },
};

static void usage(FILE *to)
{
	size_t i;

	fputs("Usage: kvm-stats COMMAND [OPTION]...\n"
	      "       kvm-stats OPTION...\n\nCommands:\n", to);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("\nRun 'kvm-stats COMMAND --help' for the options of a command.\n"
	      "Without a command, kvm-stats accepts the options of kvm_stat:\n\n", to);
	options_help(&kvm_stat_accepted, to);
}

static bool is_help(const char *argument)
{
	return !strcmp(argument, "-h") || !strcmp(argument, "--help");
}

/* Removes --classic, or an abbreviation, from the arguments. Returns whether it was there. */
static bool take_classic(int *argc, char **argv)
{
	int i, kept = 1;

	for (i = 1; i < *argc; i++) {
		size_t len = strlen(argv[i]);

		if (len < strlen("--cl") || strncmp(argv[i], "--classic", len))
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	*argc = kept;
	return kept < i;
}

static int run_command(const char *name, int argc, char **argv)
{
	size_t i;

	if (!strcmp(name, "top") && take_classic(&argc, argv))
		return command_kvm_stat(argc, argv);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(name, commands[i].name))
			return commands[i].run(argc, argv);
	}
	complain("unknown command '%s'. Run 'kvm-stats --help' for the commands.", name);
	return STATUS_USAGE;
}

static int command_help(int argc, char **argv)
{
	char option[] = "--help";
	char *arguments[] = { argv[0], option, NULL };

	if (argc > 2) {
		complain("unexpected argument '%s'. Run 'kvm-stats help COMMAND'.", argv[2]);
		return STATUS_USAGE;
	}
	if (argc == 2 && !is_help(argv[1]))
		return run_command(argv[1], 2, arguments);
	usage(stdout);
	return STATUS_OK;
}

static int run(int argc, char **argv)
{
	char program[] = "kvm-stats";	/* how getopt_long() starts its messages */
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (is_help(name)) {
		usage(stdout);
		return STATUS_OK;
	}
	if (!strcmp(name, "-V") || !strcmp(name, "--version")) {
		puts("kvm-stats " KVM_STATS_VERSION);
		return STATUS_OK;
	}
	if (*name == '-') {
		argv[0] = program;
		return command_kvm_stat(argc, argv);
	}
	argv[1] = program;
	return run_command(name, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status;

	start_output();
	status = run(argc, argv);
	if (!flush_output() && status == STATUS_OK)
		status = STATUS_FAILED;
	return status;
}
