// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util.h"
#include "messages/fds.h"
#include "messages/name.h"
#include "messages/qmp.h"
#include "messages/sources.h"

/* Under lockdown, only read-only files in debugfs can be read. */
static void suggest_debugfs_permission(void)
{
	char text[128] = "";
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	bool known = file && fgets(text, sizeof(text), file);

	if (file)
		fclose(file);
	if (known && !strstr(text, "[none]"))
		complain("the kernel is locked down: even root cannot read most files in debugfs");
	else if (geteuid())
		complain("only root may read debugfs. Run kvm-stats as root.");
	else if (known)
		complain("A security module denies access.");
	else
		complain("the kernel may be locked down: even root cannot read most files in "
			 "debugfs");
}

const char *debugfs_reason(int err, char *buf, size_t size)
{
	switch (-err) {
	case ENODEV:
		return "debugfs is not mounted, or has no directory kvm";
	case ENOENT:
		return "debugfs has no directory for the VM of this process";
	case EDOM:
		return "debugfs has no statistics of single vCPUs";
	case EACCES:
	case EPERM:
		/* kvmstats_strerror() describes what fds need. */
		return strerror(-err);
	default:
		return kvmstats_strerror(err, buf, size);
	}
}

static void print_debugfs_error(const struct vmm *vmm)
{
	char name[VMM_NAME_SIZE], why[128];

	complain("%s: cannot read %s statistics in debugfs: %s",
		 vmm_name(vmm, name, sizeof(name)), vmm->targets ? "some" : "the",
		 debugfs_reason(vmm->debugfs_error, why, sizeof(why)));
}

void suggest_debugfs(int err)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		suggest_debugfs_permission();
		break;
	case ENODEV:
		complain("Load KVM, and try 'mount -t debugfs none /sys/kernel/debug'.");
		break;
	case EDOM:
		complain("Omit --vcpu, or add --vm.");
		break;
	}
}

/* Returns -1 if it cannot be read. */
static int paranoid_level(void)
{
	char text[16];

	return proc_read(text, sizeof(text), "sys/kernel/perf_event_paranoid") ? atoi(text) : -1;
}

/* Level 3 exists only in kernels of distributions, and CAP_PERFMON is not enough there. */
static void suggest_tracefs(void)
{
	int level = paranoid_level();
	const char *capability = level > 2 ? "CAP_SYS_ADMIN" : "CAP_PERFMON";

	if (geteuid())
		complain("Run kvm-stats as root, or grant it %s and CAP_DAC_READ_SEARCH (for "
			 "tracefs).", capability);
	else
		complain("kvm-stats needs access to tracefs, and %s. A container or a security "
			 "module may deny them.", capability);
	complain("%s is not needed if kernel.perf_event_paranoid is -1. It is %d.", capability,
		 level);
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
		suggest_tracefs();
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
	if (vmm->qmp_error)
		explain_qmp(vmm);
	if (vmm->debugfs_error) {
		print_debugfs_error(vmm);
		suggest_debugfs(vmm->debugfs_error);
	}
	if (vmm->tracepoints_error)
		explain_tracepoints(vmm->tracepoints_error);
}
