// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats list */
#include <stdio.h>

#include "commands/command.h"
#include "commands/listing.h"
#include "notice.h"
#include "options/filter.h"
#include "options/status.h"
#include "print/json.h"
#include "unread.h"
#include "util.h"

static const char usage[] =
	"Usage: kvm-stats list [OPTION]...\n"
	"\n"
	"Lists the processes that run VMs. SOURCE says where their statistics come from:\n"
	"  next       one statistics fd for each VM; needs CAP_PERFMON and /dev/kvm\n"
	"  open       one statistics fd for each VM, which kvm-stats opened\n"
	"  opened     one statistics fd for each VM and vCPU, which kvm-stats opened\n"
	"  taken      copies of statistics fds that the VMM keeps open\n"
	"  taken:1/3  the same, but only for one of three VMs and vCPUs\n"
	"  qmp        QMP, the monitor of QEMU\n"
	"  debugfs    files in debugfs\n"
	"  none       they cannot be read; standard error says why\n"
	"\n"
	"  -j, --json          print JSON\n"
	FILTER_HELP
	"  -h, --help          print this help\n";

static void source_text(const struct vmm *vmm, char *text, size_t size)
{
	char names[64];

	vmm_sources(vmm, names, sizeof(names));
	if (!vmm->targets || !vmm->unread.count || vmm_has_sums(vmm))
		snprintf(text, size, "%s", names);
	else
		snprintf(text, size, "%s:%zu/%zu", names, vmm->targets,
			 vmm->targets + vmm->unread.count);
}

static void print_vmm(const struct vmm *vmm)
{
	char comm[64], name[256], source[128], pid[16] = "-";

	source_text(vmm, source, sizeof(source));
	if (vmm->pid)
		snprintf(pid, sizeof(pid), "%d", (int)vmm->pid);
	printf("%10s  %-15s  %4zu  %5zu  %-9s  %s\n", pid,
	       sanitize(vmm->comm, comm, sizeof(comm)), vmm->vms, vmm->vcpus, source,
	       vmm->guest ? sanitize(vmm->guest, name, sizeof(name)) : "-");
}

static void print_table(const struct monitor *monitor)
{
	size_t i;

	printf("%10s  %-15s  %4s  %5s  %-9s  %s\n",
	       "PID", "VMM", "VMS", "VCPUS", "SOURCE", "GUEST");
	for (i = 0; i < monitor->vmms; i++)
		print_vmm(monitor->vmm[i]);
}

/* VMMs whose statistics cannot be read are listed, too. */
static int list(const struct monitor *monitor, bool json)
{
	const struct filter *filter = monitor->options.filter;
	bool exist = require_selection(monitor);

	if (json)
		json_print_vmms(monitor);
	else if (exist)
		print_table(monitor);
	if (!exist)
		return filter_names_vmms(filter) || filter->vcpus || kvm_error() ? STATUS_FAILED :
		       STATUS_OK;
	report_unread(monitor);
	explain_denied(monitor);
	return monitor->search_error ? STATUS_FAILED : STATUS_OK;
}

int command_list(int argc, char **argv)
{
	static const struct listing listing = { .command = "list", .usage = usage, .print = list };

	return listing_run(argc, argv, &listing);
}
