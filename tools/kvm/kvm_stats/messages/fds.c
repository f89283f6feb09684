// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util.h"
#include "kvmstats.h"
#include "messages/access.h"
#include "messages/fds.h"

/* Yama can refuse to duplicate fds (EPERM), but not to list them (EACCES). */
static void explain_permission(pid_t pid, int err)
{
	long long uid = process_status_number(pid, "Uid");
	long long own = geteuid();
	int scope = err == -EPERM ? yama_scope() : 0;
	const char *missing = missing_capabilities_for(pid);

	if (explain_proc()) {
		if (missing)
			suggest_root(missing);
	} else if (scope >= 3) {
		complain("kernel.yama.ptrace_scope is %d: no process may read fds of another one.",
			 scope);
		complain("Set it to 0 for the next boot, and reboot.");
	} else if (!missing) {
		complain("CAP_SYS_PTRACE does not apply to PID %d.", (int)pid);
		complain("It is in another user namespace, or a security module denies access.");
	} else if (has_capability(CAP_SYS_PTRACE)) {
		complain("kvm-stats has CAP_SYS_PTRACE, but lacks %s.", missing);
		suggest_root(missing);
	} else if (uid >= 0 && uid != own) {
		complain("PID %d belongs to UID %lld, and kvm-stats runs as UID %lld.", (int)pid,
			 uid, own);
		complain("Run kvm-stats as root or as UID %lld, or grant it %s.", uid, missing);
	} else if (scope) {
		complain("kernel.yama.ptrace_scope is %d, not 0.", scope);
		suggest_root(missing);
	} else {
		complain("PID %d has capabilities that kvm-stats lacks, or is not dumpable.",
			 (int)pid);
		suggest_root(missing);
	}
}

static void explain_invalid(pid_t pid)
{
	long long tgid = process_status_number(pid, "Tgid");

	if (tgid > 0 && tgid != pid)
		complain("%d is a thread of process %lld. Use -p %lld.", (int)pid, tgid, tgid);
	else
		complain("%d is not a process ID. Run 'kvm-stats list' for the IDs of VMMs.",
			 (int)pid);
}

static void explain_not_own(void)
{
	int capabilities = kvmstats_capabilities();

	complain("Use a VMM that keeps statistics fds open (QEMU 8.1 and later, for vCPUs).");
	complain("A kernel with the kvm-stats patches does not need that.");
	if (capabilities < 0)
		complain("cannot check whether this kernel has KVM statistics: /dev/kvm: %s",
			 strerror(-capabilities));
}

void suggest_fds(pid_t pid, int err)
{
	switch (-err) {
	case ENODEV:
	case ESRCH:
		complain("Run 'kvm-stats list' for the processes that have VMs.");
		break;
	case EACCES:
	case EPERM:
		explain_permission(pid, err);
		break;
	case EOPNOTSUPP:
		complain("Use Linux 5.14 or later, or Linux 5.10 with the kvm-stats patches.");
		break;
	case EIO:
		explain_not_own();
		break;
	case EMFILE:
		complain("Each vCPU needs an open file.");
		complain("Raise the limit (ulimit -n), or select fewer vCPUs with --vcpu.");
		break;
	case ESTALE:
		complain("the VMM may be adding or removing vCPUs. Try again.");
		break;
	}
}

void explain_fds(pid_t pid, const char *label, int err)
{
	char buf[128];

	if (err == -EINVAL) {
		explain_invalid(pid);
		return;
	}
	complain("PID %d: cannot open statistics%s%s: %s", (int)pid, label ? " of " : "",
		 label ? label : "", kvmstats_strerror(err, buf, sizeof(buf)));
	suggest_fds(pid, err);
}
