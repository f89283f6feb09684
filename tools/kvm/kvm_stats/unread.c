// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc.h"
#include "unread.h"
#include "util.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/* ---- what lets kvm-stats read the fds of other processes ---- */

/* Returns the number after @key in /proc/PID/status, such as "\nUid:", or -1. */
static long long status_number(pid_t pid, const char *key)
{
	char text[1024], *at = NULL;

	if (proc_read(text, sizeof(text), "%d/status", (int)pid))
		at = strstr(text, key);
	return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* Returns the value of a file in /proc/sys/kernel, or @missing if it cannot be read. */
static int sysctl_value(const char *name, int missing)
{
	char text[16];

	return proc_read(text, sizeof(text), "sys/kernel/%s", name) ? atoi(text) : missing;
}

/* The system call needs no fd, unlike /proc/self/status: the limit of open files may be reached. */
static bool has_capability(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

/* With KVM_STATS_NEXT, a single capability suffices if /dev/kvm can be opened. */
static bool needs_perfmon(void)
{
	int capabilities = kvmstats_capabilities();

	return capabilities > 0 && capabilities & KVMSTATS_CAPABILITY_NEXT &&
	       !has_capability(CAP_PERFMON);
}

/*
 * Reading the fds of any process needs two capabilities: to trace it, and to list its fds. On a
 * kernel with KVM_STATS_NEXT, CAP_PERFMON and access to /dev/kvm suffice. Returns the
 * capabilities that kvm-stats lacks, or NULL.
 */
static const char *missing_capabilities(void)
{
	bool lists = has_capability(CAP_DAC_READ_SEARCH) || has_capability(CAP_DAC_OVERRIDE);

	if (needs_perfmon())
		return "CAP_PERFMON";
	if (has_capability(CAP_SYS_PTRACE))
		return lists ? NULL : "CAP_DAC_READ_SEARCH";
	return lists ? "CAP_SYS_PTRACE" : "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH";
}

static bool may_list_fds(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The same for one process: if its fds can already be listed, CAP_SYS_PTRACE is enough. */
static const char *missing_capabilities_for(pid_t pid)
{
	const char *missing = missing_capabilities();

	if (missing && !needs_perfmon() && may_list_fds(pid))
		return has_capability(CAP_SYS_PTRACE) ? NULL : "CAP_SYS_PTRACE";
	return missing;
}

int kvm_error(void)
{
	int err = kvmstats_capabilities();

	return err == -ENOENT || err == -ENODEV || err == -ENXIO ? err : 0;
}

bool explain_proc(void)
{
	struct stat st;

	/* With hidepid=2, CAP_SYS_PTRACE shows all processes. access() would not use it. */
	if (access("/proc/self", F_OK))
		complain("/proc is not mounted. Run 'mount -t proc none /proc'.");
	else if (stat("/proc/1", &st))
		complain("/proc is mounted with hidepid, and hides the processes of other users.");
	else
		return false;
	return true;
}

static void suggest_root(const char *missing)
{
	complain("Run kvm-stats as root, or grant it %s.", missing);
	if (has_capability(CAP_PERFMON) && kvmstats_capabilities() == -EACCES)
		complain("CAP_PERFMON needs access to /dev/kvm: add the user to its group.");
}

/* ---- names of VMMs ---- */

#define VMM_NAME_SIZE	384

const char *vmm_name(const struct vmm *vmm)
{
	static char buf[VMM_NAME_SIZE];
	char comm[64], guest[256];

	sanitize(vmm->comm, comm, sizeof(comm));
	if (!vmm->kvm)
		return "the whole machine";
	if (!vmm->pid)
		return vmm->guest;
	if (vmm->guest)
		snprintf(buf, sizeof(buf), "PID %d (%s), guest \"%s\"%s", (int)vmm->pid, comm,
			 sanitize(vmm->guest, guest, sizeof(guest)), vmm_name_mark(vmm));
	else
		snprintf(buf, sizeof(buf), "PID %d (%s)", (int)vmm->pid, comm);
	return buf;
}

const char *vmm_summary(const struct vmm *vmm)
{
	static char buf[320];

	snprintf(buf, sizeof(buf), "%zu VM%s, %zu vCPU%s; source: %s", vmm->vms, plural(vmm->vms),
		 vmm->vcpus, plural(vmm->vcpus), origins_text(vmm_origins(vmm)));
	return buf;
}

/* An entry of a list: 4711 "web" */
static void short_name(const struct vmm *vmm, char *buf, size_t size)
{
	char name[128];

	if (!vmm->pid)
		snprintf(buf, size, "%s", vmm->guest);
	else if (vmm->guest)
		snprintf(buf, size, "%d \"%s\"", (int)vmm->pid,
			 sanitize(vmm->guest, name, sizeof(name)));
	else
		snprintf(buf, size, "%d (%s)", (int)vmm->pid,
			 sanitize(vmm->comm, name, sizeof(name)));
}

/*
 * ---- messages about several VMMs ----
 *
 * If many VMMs have the same message, it is printed once, with their process IDs and guests.
 */

/* More VMMs than this with the same message are a group. */
#define MAX_SINGLE	3
#define LIST_COLUMNS	64

/* Initialize it with zeros. The VMMs must remain until grouped_print(). */
struct grouped {
	struct grouped_message {
		const struct vmm *vmm;
		char text[256];
		bool printed;
	} *message;
	size_t messages;
	size_t capacity;
};

static void print_single(const struct grouped_message *message)
{
	complain("%s: %s", vmm_name(message->vmm), message->text);
}

static void __attribute__((__format__(__printf__, 3, 4)))
grouped_add(struct grouped *grouped, const struct vmm *vmm, const char *format, ...)
{
	struct grouped_message message = { .vmm = vmm };
	struct grouped_message *more;
	va_list args;

	va_start(args, format);
	vsnprintf(message.text, sizeof(message.text), format, args);
	va_end(args);
	more = array_grow(grouped->message, grouped->messages, &grouped->capacity, sizeof(*more));
	if (!more) {
		print_single(&message);
		return;
	}
	grouped->message = more;
	more[grouped->messages++] = message;
}

static size_t count_same(const struct grouped *grouped, const char *text)
{
	size_t same = 0;
	size_t i;

	for (i = 0; i < grouped->messages; i++)
		same += !strcmp(grouped->message[i].text, text);
	return same;
}

/* Adds an entry to the list in @line, and starts a new line if this one is full. */
static void add_to_list(char *line, size_t size, const struct vmm *vmm)
{
	char entry[VMM_NAME_SIZE];

	short_name(vmm, entry, sizeof(entry));
	if (*line && strlen(line) + strlen(entry) > LIST_COLUMNS) {
		complain("    %s,", line);
		*line = '\0';
	}
	snprintf(line + strlen(line), size - strlen(line), "%s%s", *line ? ", " : "", entry);
}

static void print_group(struct grouped *grouped, const char *text, size_t count)
{
	char line[LIST_COLUMNS + VMM_NAME_SIZE] = "";
	size_t i;

	complain("%s. This applies to %zu VMMs:", text, count);
	for (i = 0; i < grouped->messages; i++) {
		struct grouped_message *message = &grouped->message[i];

		if (strcmp(message->text, text))
			continue;
		message->printed = true;
		add_to_list(line, sizeof(line), message->vmm);
	}
	complain("    %s", line);
}

/* Prints the messages in the order in which they were added, and removes them. */
static void grouped_print(struct grouped *grouped)
{
	size_t i;

	for (i = 0; i < grouped->messages; i++) {
		struct grouped_message *message = &grouped->message[i];
		size_t same = message->printed ? 0 : count_same(grouped, message->text);

		if (same > MAX_SINGLE)
			print_group(grouped, message->text, same);
		else if (same)
			print_single(message);
	}
	free(grouped->message);
	*grouped = (struct grouped){ 0 };
}

/* ---- statistics fds ---- */

/* Yama can refuse to duplicate fds (EPERM), but not to list them (EACCES). */
static void explain_permission(pid_t pid, int err)
{
	long long uid = status_number(pid, "\nUid:");
	long long own = geteuid();
	int scope = err == -EPERM ? sysctl_value("yama/ptrace_scope", 0) : 0;
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
	long long tgid = status_number(pid, "\nTgid:");

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

static void suggest_fds(pid_t pid, int err)
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

void explain_pid(pid_t pid, int err)
{
	if (err == -EINVAL) {
		explain_invalid(pid);
		return;
	}
	complain("PID %d: cannot open statistics: %s", (int)pid, error_text(err));
	suggest_fds(pid, err);
}

/* ---- QMP ---- */

static const char *qmp_reason(const struct vmm *vmm, char *buf, size_t size)
{
	char path[QMP_PATH_SIZE];
	const char *reason = qmp_error_text(vmm->unread.qmp_error);

	if (vmm->qmp_socket)
		snprintf(buf, size, "%s: %s", sanitize(vmm->qmp_socket, path, sizeof(path)),
			 reason);
	else
		snprintf(buf, size, "%s", reason);
	return buf;
}

static void suggest_qmp(int err)
{
	switch (-err) {
	case ENXIO:
		complain("Start QEMU with -qmp unix:PATH,server=on,wait=off, or name its socket "
			 "with --qmp=PATH.");
		complain("The QMP socket of a guest of libvirt serves libvirt only.");
		break;
	case EACCES:
	case EPERM:
		complain("Run kvm-stats as root, or as the user that QEMU runs as.");
		break;
	case EBUSY:
		complain("QEMU serves one program at a time on each QMP socket. Start QEMU with "
			 "another -qmp for kvm-stats.");
		break;
	}
}

/* ---- debugfs and tracepoints ---- */

/* Under lockdown, only read-only files in debugfs can be read. */
static void suggest_debugfs_permission(void)
{
	char text[128];
	bool known = proc_read(text, sizeof(text), "../sys/kernel/security/lockdown");

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

static const char *debugfs_reason(int err)
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
		/* error_text() describes what fds need. */
		return strerror(-err);
	default:
		return error_text(err);
	}
}

static void suggest_debugfs(int err)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		suggest_debugfs_permission();
		break;
	case ENODEV:
		complain("Run 'mount -t debugfs none /sys/kernel/debug' as root. If a kernel or a "
			 "container forbids debugfs, 'kvm-stats top' still shows CPU times and "
			 "memory, and 'kvm-stats serve' exports them.");
		break;
	case EDOM:
		complain("Omit --vcpu, or add --vm.");
		break;
	}
}

/* Level 3 exists only in kernels of distributions, and CAP_PERFMON is not enough there. */
static void suggest_tracefs(void)
{
	int level = sysctl_value("perf_event_paranoid", -1);
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
		complain("cannot count tracepoints: %s", error_text(err));
	}
}

/* ---- the search for VMMs ---- */

/* The message names at most as many processes. */
#define MAX_NAMED	5

static void print_denied(pid_t pid)
{
	char comm[64], name[64];

	if (!proc_read(comm, sizeof(comm), "%d/comm", (int)pid))
		return;
	comm[strcspn(comm, "\n")] = '\0';
	complain("    PID %d (%s), UID %lld", (int)pid, sanitize(comm, name, sizeof(name)),
		 status_number(pid, "\nUid:"));
}

void explain_denied(const struct monitor *monitor)
{
	const char *missing;
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
	missing = missing_capabilities();
	if (missing)
		suggest_root(missing);
	else
		complain("A user namespace or a security module denies access.");
}

const char *denied_text(const struct monitor *monitor)
{
	const char *missing = missing_capabilities();
	static char buf[192];

	snprintf(buf, sizeof(buf), "kvm-stats has no permission to inspect %zu process%s. Run as "
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
			 "Virtualization must be enabled in the firmware or, in a VM, by its "
			 "host.");
	return true;
}

bool explain_no_kvm_yet(const struct monitor *monitor)
{
	return !kernel_has_kvm() && explain_no_kvm(monitor);
}

void explain_search_error(const struct monitor *monitor)
{
	if (!monitor->search_error)
		return;
	complain("cannot search for new VMMs: %s", error_text(monitor->search_error));
	if (monitor->search_error == -ENOENT)
		explain_proc();
	if (monitor->search_error == -EMFILE)
		complain("Raise the limit (ulimit -n), or select fewer VMMs with -p or -g.");
}

/* ---- what has been reported ---- */

enum reason { REASON_FDS, REASON_QMP, REASON_DEBUGFS, REASON_TRACEPOINTS };

#define MAX_REASONS	64

/* What has been printed once, in addition to vmm->reported. */
static struct {
	struct {
		enum reason reason;
		int err;
	} reason[MAX_REASONS];
	size_t reasons;
	bool search;		/* why the search for VMMs fails */
	bool offered_qmp;	/* the advice to add --qmp */
	bool kcmp;		/* that fds cannot be compared */
} printed;

/* Returns true the first time for each error. */
static bool is_first(enum reason reason, int err)
{
	size_t i;

	for (i = 0; i < printed.reasons; i++) {
		if (printed.reason[i].reason == reason && printed.reason[i].err == err)
			return false;
	}
	if (i < MAX_REASONS) {
		printed.reason[i].reason = reason;
		printed.reason[i].err = err;
		printed.reasons++;
	}
	return true;
}

/* Prints the advice on the errors that were printed for the first time, from @reasons on. */
static void suggest_from(size_t reasons, void (*suggest)(int err))
{
	for (; reasons < printed.reasons; reasons++)
		suggest(printed.reason[reasons].err);
}

static bool has_new_fds(const struct vmm *vmm)
{
	const struct unread *unread = &vmm->unread, *reported = &vmm->reported;

	return unread->count && (unread->count != reported->count ||
				 unread->fd_error != reported->fd_error ||
				 strcmp(unread->label, reported->label));
}

static void add_fds(struct grouped *messages, const struct vmm *vmm)
{
	size_t others = vmm->unread.count - 1;
	const char *why = error_text(vmm->unread.fd_error);
	char more[48] = "";

	if (others)
		snprintf(more, sizeof(more), " and %zu other%s", others, plural(others));
	if (!vmm->targets)
		grouped_add(messages, vmm, "cannot open statistics: %s", why);
	else if (vmm_has_sums(vmm))
		grouped_add(messages, vmm,
			    "cannot open statistics fds, and uses sums in debugfs: %s", why);
	else
		grouped_add(messages, vmm, "cannot open the statistics of %s%s: %s",
			    vmm->unread.label, more, why);
}

static void report_fds(const struct monitor *monitor)
{
	struct grouped messages = { 0 };
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (has_new_fds(monitor->vmm[i]))
			add_fds(&messages, monitor->vmm[i]);
	}
	grouped_print(&messages);
	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		int err = vmm->unread.fd_error;

		if (has_new_fds(vmm) && (!vmm->targets || err != -EIO) &&
		    is_first(REASON_FDS, err))
			suggest_fds(vmm->pid, err);
	}
}

/* An error that is not the first of its kind is interesting if nothing of the VMM can be read. */
static void report_qmp(const struct monitor *monitor)
{
	struct grouped messages = { 0 };
	size_t i, reasons = printed.reasons;
	char why[2 * QMP_PATH_SIZE];

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		int err = vmm->unread.qmp_error;

		if (err && err != vmm->reported.qmp_error &&
		    (is_first(REASON_QMP, err) || !vmm->targets))
			grouped_add(&messages, vmm, "cannot read statistics over QMP: %s",
				    qmp_reason(vmm, why, sizeof(why)));
	}
	grouped_print(&messages);
	suggest_from(reasons, suggest_qmp);
}

/* If fds cannot be opened, debugfs is only the second choice: its error is reported once. */
static void report_debugfs(const struct monitor *monitor)
{
	struct grouped messages = { 0 };
	size_t i, reasons = printed.reasons;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		int err = vmm->unread.debugfs_error;

		if (err && err != vmm->reported.debugfs_error &&
		    (is_first(REASON_DEBUGFS, err) || !vmm->unread.count))
			grouped_add(&messages, vmm, "cannot read %s statistics in debugfs: %s",
				    vmm->targets ? "some" : "the", debugfs_reason(err));
	}
	grouped_print(&messages);
	suggest_from(reasons, suggest_debugfs);
}

/* Offers --qmp for fds that only QEMU can open, or that kvm-stats has no permission for. */
static void offer_qmp(const struct monitor *monitor)
{
	char path[128], name[128];
	size_t i;

	for (i = 0; !printed.offered_qmp && i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		int err = vmm->unread.fd_error;

		if (monitor->options.filter->qmp || !vmm->kvm || !has_new_fds(vmm) ||
		    (err != -EIO && err != -EPERM))
			continue;
		qmp_find_path(vmm, path, sizeof(path));
		if (!*path)
			continue;
		complain("QEMU listens for QMP on %s. Add --qmp to ask it for the statistics.",
			 sanitize(path, name, sizeof(name)));
		printed.offered_qmp = true;
	}
}

static void report_tracepoints(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		int err = monitor->vmm[i]->unread.tracepoints_error;

		if (err && is_first(REASON_TRACEPOINTS, err))
			explain_tracepoints(err);
	}
}

/* The process holds the lock of its address space, or one that needs it hangs. */
static void report_names(const struct monitor *monitor)
{
	struct grouped messages = { 0 };
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		int err = vmm->unread.name_error;

		if (err && !vmm->reported.name_error)
			grouped_add(&messages, vmm,
				    "cannot read the command line: %s. Until that is possible, the "
				    "guest has %s", err == -ETIMEDOUT ?
				    "the process hangs, see /proc/PID/task/*/stack" :
				    error_text(err),
				    vmm->guest ? "the name of its cgroup" : "no name");
	}
	grouped_print(&messages);
}

static void report_sources(const struct monitor *monitor)
{
	report_names(monitor);
	report_fds(monitor);
	report_qmp(monitor);
	report_debugfs(monitor);
	report_tracepoints(monitor);
}

void explain_sources(const struct vmm *vmm)
{
	struct vmm copy = *vmm, *list = &copy;
	const struct monitor monitor = { .vmm = &list, .vmms = 1 };

	/* As if nothing had been printed. */
	copy.reported = (struct unread){ 0 };
	printed.reasons = 0;
	report_sources(&monitor);
}

static void report_kcmp(const struct vmm *vmm)
{
	if (printed.kcmp || !vmm->kvm || kvmstats_vmm_distinct(vmm->kvm))
		return;
	complain("%s: only the VM with the lowest fd is read: fds cannot be compared",
		 vmm_name(vmm));
	complain("Use a kernel with kcmp(), and no seccomp filter that refuses it.");
	printed.kcmp = true;
}

bool report_unread(const struct monitor *monitor)
{
	bool good = !monitor->search_error;
	size_t i;

	/* Later changes of the search are events. */
	if (!printed.search)
		explain_search_error(monitor);
	printed.search = true;
	for (i = 0; i < monitor->vmms; i++) {
		report_kcmp(monitor->vmm[i]);
		good &= !vmm_fails(monitor->vmm[i], monitor->options.filter);
	}
	report_sources(monitor);
	offer_qmp(monitor);
	for (i = 0; i < monitor->vmms; i++)
		monitor->vmm[i]->reported = monitor->vmm[i]->unread;
	return good;
}
