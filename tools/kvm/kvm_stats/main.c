// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats: shows the statistics of running KVM VMs. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "kvm_stat_options.h"
#include "output.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "list", command_list, "which processes run VMs, and whether their numbers can be had" },
	{ "log", command_log, "a line for each interval, like vmstat, or CSV" },
	{ "read", command_read, "the statistics of a VMM's VMs and vCPUs, once or over intervals" },
	{ "schema", command_schema, "what statistics there are: type, unit, number of values" },
	{ "serve", command_serve, "offers them to Prometheus, over HTTP or in a file" },
	{ "top", command_top, "what moves fastest, on the terminal" },
};

static void usage(FILE *to)
{
	size_t i;

	fputs("Usage: kvm-stats COMMAND [OPTION]...\n"
	      "       kvm-stats OPTION...\n\nCommands:\n", to);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("\n'kvm-stats COMMAND --help' shows a command's options.\n"
	      "Without a command, options are those of kvm_stat:\n\n", to);
	fputs(kvm_stat_options_help, to);
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	size_t i;

	if (!name) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(name, "-h") || !strcmp(name, "--help")) {
		usage(stdout);
		return STATUS_OK;
	}
	if (!strcmp(name, "-V") || !strcmp(name, "--version")) {
		puts("kvm-stats " KVM_STATS_VERSION);
		return STATUS_OK;
	}
	if (*name == '-')
		return command_kvm_stat(argc, argv);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(name, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	complain("no command '%s'; 'kvm-stats --help' lists them", name);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	if (!flush_output() && status == STATUS_OK)
		status = STATUS_FAILED;
	return status;
}
