// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats list */
#include <getopt.h>
#include <stdio.h>

#include "command.h"
#include "output.h"
#include "require.h"

static void usage(FILE *to)
{
	fputs("Usage: kvm-stats list [OPTION]...\n"
	      "\n"
	      "Shows the processes that have KVM VMs. NUMBERS says where their statistics\n"
	      "come from: opened (by kvm-stats), taken (fds that the VMM keeps open; taken:1/3\n"
	      "if for one of three VMs and vCPUs only), debugfs, or none, with reasons on standard\n"
	      "error.\n"
	      "\n"
	      FILTER_HELP
	      "  -h, --help          this text\n", to);
}

static void numbers_text(const struct vmm *vmm, char *text, size_t size)
{
	enum origin origin;

	if (!vmm->targets) {
		snprintf(text, size, "none");
		return;
	}
	origin = vmm->target[0]->origin;
	if (!vmm->missing || origin == ORIGIN_DEBUGFS)
		snprintf(text, size, "%s", origin_name(origin));
	else
		snprintf(text, size, "%s:%zu/%zu", origin_name(origin), vmm->targets,
			 vmm->targets + vmm->missing);
}

static void print_vmm(const struct vmm *vmm)
{
	char comm[64], name[256], numbers[64];

	numbers_text(vmm, numbers, sizeof(numbers));
	printf("%10d  %-15s  %4zu  %5zu  %-9s  %s\n", (int)vmm->pid,
	       sanitize(vmm->comm, comm, sizeof(comm)), vmm->vms, vmm->vcpus, numbers,
	       vmm->guest ? sanitize(vmm->guest, name, sizeof(name)) : "-");
}

/* VMMs whose numbers cannot be had are shown as well. */
static int list(const struct monitor *monitor)
{
	size_t i;

	if (!require_vmms(monitor))
		return monitor->named_count || monitor->options.filter->guests ?
		       STATUS_FAILED : STATUS_OK;
	printf("%10s  %-15s  %4s  %5s  %-9s  %s\n",
	       "PID", "VMM", "VMS", "VCPUS", "NUMBERS", "GUEST");
	for (i = 0; i < monitor->vmms; i++)
		print_vmm(monitor->vmm[i]);
	report_missing(monitor);
	return STATUS_OK;
}

static int parse(int argc, char **argv, struct filter *filter)
{
	static const struct option options[] = {
		FILTER_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, FILTER_LETTERS "h", options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			return STATUS_OK;
		}
		if (option == '?') {
			usage(stderr);
			return STATUS_USAGE;
		}
		if (!filter_option(filter, option, optarg))
			return STATUS_USAGE;
	}
	return require_no_arguments(argc, argv) ? -1 : STATUS_USAGE;
}

int command_list(int argc, char **argv)
{
	struct filter filter = { 0 };
	struct monitor_options watched = { .filter = &filter };
	struct monitor *monitor;
	int status = parse(argc, argv, &filter);

	if (status < 0) {
		monitor = require_monitor(&watched);
		status = monitor ? list(monitor) : STATUS_FAILED;
		monitor_close(monitor);
	}
	filter_free(&filter);
	return status;
}
