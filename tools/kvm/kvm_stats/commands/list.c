// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats list */
#include <stdio.h>

#include "base/output.h"
#include "commands/command.h"
#include "messages/require.h"
#include "options/filter.h"
#include "options/options.h"
#include "options/status.h"

static const char usage[] =
	"Usage: kvm-stats list [OPTION]...\n"
	"\n"
	"Lists the processes that run VMs. SOURCE says where their statistics come from:\n"
	"  opened     statistics fds that kvm-stats opened\n"
	"  taken      copies of statistics fds that the VMM keeps open\n"
	"  taken:1/3  the same, but only for one of three VMs and vCPUs\n"
	"  debugfs    files in debugfs\n"
	"  none       they cannot be read; standard error says why\n"
	"\n"
	FILTER_HELP
	"  -h, --help          print this help\n";

static void source_text(const struct vmm *vmm, char *text, size_t size)
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
	char comm[64], name[256], source[64];

	source_text(vmm, source, sizeof(source));
	printf("%10d  %-15s  %4zu  %5zu  %-9s  %s\n", (int)vmm->pid,
	       sanitize(vmm->comm, comm, sizeof(comm)), vmm->vms, vmm->vcpus, source,
	       vmm->guest ? sanitize(vmm->guest, name, sizeof(name)) : "-");
}

/* VMMs whose statistics cannot be read are listed, too. */
static int list(const struct monitor *monitor)
{
	size_t i;

	if (!require_vmms(monitor))
		return monitor->named.count || monitor->options.filter->guests ?
		       STATUS_FAILED : STATUS_OK;
	printf("%10s  %-15s  %4s  %5s  %-9s  %s\n",
	       "PID", "VMM", "VMS", "VCPUS", "SOURCE", "GUEST");
	for (i = 0; i < monitor->vmms; i++)
		print_vmm(monitor->vmm[i]);
	report_missing(monitor);
	return STATUS_OK;
}

static bool set_option(int option, const char *value, void *filter)
{
	return filter_option(filter, option, value);
}

int command_list(int argc, char **argv)
{
	static const struct option table[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static const struct command_options accepted = {
		.letters = "h", .table = table, .usage = usage, .set = set_option,
	};
	struct filter filter = { 0 };
	struct monitor_options options = { .filter = &filter };
	struct monitor *monitor;
	int status = options_parse(argc, argv, &accepted, &filter);

	if (status < 0) {
		monitor = require_monitor(&options);
		status = monitor ? list(monitor) : STATUS_FAILED;
		monitor_close(monitor);
	}
	filter_free(&filter);
	return status;
}
