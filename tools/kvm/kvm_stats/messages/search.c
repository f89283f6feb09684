// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util.h"
#include "messages/access.h"
#include "messages/search.h"

/* The message names at most as many processes. */
#define MAX_NAMED	5

static void print_denied(pid_t pid)
{
	char comm[64], name[64];

	if (!proc_read(comm, sizeof(comm), "%d/comm", (int)pid))
		return;
	comm[strcspn(comm, "\n")] = '\0';
	complain("    PID %d (%s), UID %lld", (int)pid, sanitize(comm, name, sizeof(name)),
		 process_status_number(pid, "Uid"));
}

void explain_denied(const struct monitor *monitor)
{
	const char *missing = missing_capabilities();
	size_t i;

	if (!monitor->denied)
		return;
	if (explain_proc())
		complain("The processes that it hides can have VMs.");
	else
		complain("%zu process%s could not be examined, and can have VMs: permission denied",
			 monitor->denied, monitor->denied == 1 ? "" : "es");
	for (i = 0; i < monitor->denied && i < MAX_NAMED; i++)
		print_denied(kvmstats_monitor_denied_pid(monitor->library, i));
	if (monitor->denied > MAX_NAMED)
		complain("    and %zu more", monitor->denied - MAX_NAMED);
	if (missing)
		suggest_root(missing);
	else
		complain("A user namespace or a security module denies access.");
}

const char *denied_text(const struct monitor *monitor, char *buf, size_t size)
{
	const char *missing = missing_capabilities();

	snprintf(buf, size, "kvm-stats has no permission to inspect %zu process%s. Run as "
		 "root%s%s.", monitor->denied, monitor->denied == 1 ? "" : "es",
		 missing ? ", or grant " : "", missing ? missing : "");
	return buf;
}

static bool kernel_has_kvm(void)
{
	return !access("/sys/class/misc/kvm", F_OK);
}

bool explain_no_kvm(const struct monitor *monitor)
{
	int err = monitor->vmms ? 0 : kvm_error();

	if (!err)
		return false;
	complain("KVM is not available: /dev/kvm: %s", strerror(-err));
	if (kernel_has_kvm())
		complain("This kernel has KVM. Add the device /dev/kvm to this container or unit.");
	else
		complain("Load KVM, for example with 'modprobe kvm_intel' or 'modprobe kvm_amd'. "
			 "Virtualization must be enabled in the firmware or, in a VM, by its host.");
	return true;
}

bool explain_no_kvm_yet(const struct monitor *monitor)
{
	return !kernel_has_kvm() && explain_no_kvm(monitor);
}

void explain_search_error(const struct monitor *monitor)
{
	char buf[128];

	if (!monitor->search_error)
		return;
	complain("cannot search for new VMMs: %s",
		 kvmstats_strerror(monitor->search_error, buf, sizeof(buf)));
	if (monitor->search_error == -ENOENT)
		explain_proc();
	if (monitor->search_error == -EMFILE)
		complain("Raise the limit (ulimit -n), or select fewer VMMs with -p or -g.");
}
