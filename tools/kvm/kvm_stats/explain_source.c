// SPDX-License-Identifier: GPL-2.0-only
/* The sources beside the fds of a VMM. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "explain.h"
#include "monitor.h"
#include "output.h"

/* Under lockdown debugfs gives only what nobody could write to. */
static void explain_debugfs_permission(void)
{
	char text[128] = "";
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	bool known = file && fgets(text, sizeof(text), file);

	if (known ? !strstr(text, "[none]") : !geteuid())
		complain("%s down, which closes to everybody what could be written to",
			 known ? "the kernel is locked" : "perhaps the kernel is locked");
	else
		complain("debugfs is for root: run kvm-stats as root");
	if (file)
		fclose(file);
}

void explain_debugfs(const struct vmm *vmm)
{
	int err = vmm->debugfs_error;
	char buf[128];

	switch (-err) {
	case EACCES:
	case EPERM:
		complain("process %d: %s of debugfs can be read: %s", (int)vmm->pid,
			 vmm->targets ? "not all" : "nothing", strerror(-err));
		explain_debugfs_permission();
		break;
	case ENODEV:
		complain("debugfs has nothing of KVM: it is not mounted, or the kernel lacks it");
		complain("what would help: mount -t debugfs debugfs /sys/kernel/debug");
		break;
	case ENOENT:
		complain("process %d: debugfs has no directory of its VM", (int)vmm->pid);
		break;
	case EDOM:
		complain("debugfs has sums over vCPUs only: ask for the VM, without --vcpu");
		break;
	default:
		complain("process %d: debugfs: %s", (int)vmm->pid,
			 kvmstats_strerror(err, buf, sizeof(buf)));
	}
}

/* -1 if it cannot be read. */
static int perf_event_paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -1;

	if (file && fscanf(file, "%d", &level) != 1)
		level = -1;
	if (file)
		fclose(file);
	return level;
}

void explain_tracepoints(int err)
{
	char buf[128];

	switch (-err) {
	case ENODEV:
	case ENOENT:
		complain("there are no tracepoints of KVM: tracefs is not mounted, KVM is not loaded,");
		complain("or the kernel lacks CONFIG_EVENT_TRACING;");
		complain("what would help: mount -t tracefs tracefs /sys/kernel/tracing");
		break;
	case EACCES:
	case EPERM:
		complain("tracepoints cannot be counted: %s", strerror(-err));
		complain("kernel.perf_event_paranoid is %d: that takes CAP_PERFMON, and to read",
			 perf_event_paranoid());
		complain("tracefs: run kvm-stats as root");
		break;
	case EMFILE:
		complain("tracepoints: too many open files, one is needed for each event and each");
		complain("thread or CPU: choose fewer with -f, or raise the limit (ulimit -n)");
		break;
	case EDOM:
		complain("tracepoints do not tell vCPUs apart: ask without --vcpu");
		break;
	default:
		complain("tracepoints: %s", kvmstats_strerror(err, buf, sizeof(buf)));
	}
}

void explain_search_error(const struct monitor *monitor)
{
	char buf[128];

	if (!monitor->search_error)
		return;
	complain("VMMs that appear cannot be found: %s",
		 kvmstats_strerror(monitor->search_error, buf, sizeof(buf)));
	if (monitor->search_error == -EMFILE)
		complain("raise the limit (ulimit -n), or choose fewer with -p or -g");
}

void explain_sources(const struct vmm *vmm)
{
	if (vmm->fd_error)
		explain(vmm->pid, vmm->missing ? vmm->missing_label : NULL, vmm->fd_error);
	if (vmm->debugfs_error)
		explain_debugfs(vmm);
	if (vmm->tracepoints_error)
		explain_tracepoints(vmm->tracepoints_error);
}
