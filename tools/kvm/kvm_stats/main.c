// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats: prints, logs and exports the statistics of KVM VMs. */
#include <stdio.h>
#include <string.h>

#include "host_file/publish.h"
#include "options.h"
#include "read/read.h"
#include "record/record.h"
#include "serve/serve.h"
#include "top/top.h"
#include "util.h"
#include "why/why.h"

static int command_help(int argc, char **argv);

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;		/* NULL: not in the list that --help prints */
} commands[] = {
	{ "help", command_help, "print the commands, or the options of a command" },
	{ "list", command_list, "list the guests, and where their statistics come from" },
	{ "log", command_log, "print what each guest does in each interval, like vmstat, or CSV" },
	{ "publish", command_publish, "publish the statistics of this host's VMs as a file" },
	{ "query", command_query, NULL },
	{ "read", command_read, "print the statistics of VMs and vCPUs, once or repeatedly" },
	{ "record", command_record, "record what the guests do, to examine it later" },
	{ "schema", command_schema, NULL },
	{ "serve", command_serve, "export the statistics to Prometheus, over HTTP or in a file" },
	{ "top", command_top, "show what the guests do, on the terminal" },
	{ "why", command_why, "say why guests are slow, with evidence and what to do" },
};

static void usage(FILE *to)
{
	size_t i;

	fputs("Usage: kvm-stats COMMAND [OPTION]...\n\nCommands:\n", to);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (commands[i].summary)
			fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
	}
	fputs("\nRun 'kvm-stats COMMAND --help' for the options of a command.\n", to);
}

static bool is_help(const char *argument)
{
	return !strcmp(argument, "-h") || !strcmp(argument, "--help");
}

static int run_command(const char *name, int argc, char **argv)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(name, commands[i].name))
			return commands[i].run(argc, argv);
	}
	complain("unknown command '%s'. Run 'kvm-stats --help' for the commands.%s", name,
		 *name == '-' ? " For the options of kvm_stat, run the program kvm_stat." : "");
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

static int dispatch(int argc, char **argv)
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
	argv[1] = program;
	return run_command(name, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status;

	start_output();
	status = dispatch(argc, argv);
	if (!flush_output() && status == STATUS_OK)
		status = STATUS_FAILED;
	return status;
}
