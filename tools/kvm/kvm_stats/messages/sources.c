// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "messages/fds.h"
#include "messages/sources.h"

/* Under lockdown, only read-only files in debugfs can be read. */
static void explain_debugfs_permission(void)
{
	char text[128] = "";
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	bool known = file && fgets(text, sizeof(text), file);

	if (known ? !strstr(text, "[none]") : !geteuid())
		complain("%s locked down: even root cannot read most files in debugfs",
			 known ? "the kernel is" : "the kernel may be");
	else
		complain("only root may read debugfs. Run kvm-stats as root.");
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
		complain("PID %d: cannot read %s statistics in debugfs: %s", (int)vmm->pid,
			 vmm->targets ? "some" : "the", strerror(-err));
		explain_debugfs_permission();
		break;
	case ENODEV:
		complain("debugfs is not mounted, or has no directory kvm");
		complain("Load KVM, and try 'mount -t debugfs none /sys/kernel/debug'.");
		break;
	case ENOENT:
		complain("PID %d: debugfs has no directory for the VM of this process",
			 (int)vmm->pid);
		break;
	case EDOM:
		complain("debugfs has no statistics of single vCPUs. Omit --vcpu, or add --vm.");
		break;
	default:
		complain("PID %d: cannot read the statistics in debugfs: %s", (int)vmm->pid,
			 kvmstats_strerror(err, buf, sizeof(buf)));
	}
}

/* Returns -1 if it cannot be read. */
static int paranoid_level(void)
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
		complain("found no KVM tracepoints: the kernel needs CONFIG_EVENT_TRACING");
		complain("Load KVM, and try 'mount -t tracefs none /sys/kernel/tracing'.");
		break;
	case EACCES:
	case EPERM:
		complain("cannot count tracepoints: %s", strerror(-err));
		complain("Run kvm-stats as root: it needs access to tracefs, and CAP_PERFMON.");
		complain("CAP_PERFMON is not needed if kernel.perf_event_paranoid is -1. It is %d.",
			 paranoid_level());
		break;
	case EMFILE:
		complain("cannot count tracepoints: too many open files");
		complain("Each event needs an open file for every thread or CPU.");
		complain("Select fewer events with -f, or raise the limit (ulimit -n).");
		break;
	case EDOM:
		complain("cannot count tracepoints of single vCPUs. Omit --vcpu, or add --vm.");
		break;
	default:
		complain("cannot count tracepoints: %s", kvmstats_strerror(err, buf, sizeof(buf)));
	}
}

void explain_sources(const struct vmm *vmm)
{
	if (vmm->fd_error)
		explain_fds(vmm->pid, vmm->missing ? vmm->missing_label : NULL, vmm->fd_error);
	if (vmm->debugfs_error)
		explain_debugfs(vmm);
	if (vmm->tracepoints_error)
		explain_tracepoints(vmm->tracepoints_error);
}
