// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test what a process without privileges can do with statistics, VM and vCPU fds that it
 * holds, and with fds of other processes. Test what lockdown leaves accessible, and that the
 * statistics of a new VM do not show the previous content of their memory.
 */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "kvm_stats_checks.h"
#include "lib/run_suites.h"
#include "lib/unprivileged.h"

#define DEBUGFS_KVM		"/sys/kernel/debug/kvm"
/* Lockdown denies access to this file because it is writable. */
#define DEBUGFS_FILE		DEBUGFS_KVM "/halt_wakeup"
#define NEW_OWNER		UNPRIVILEGED_UID
#define LOCKDOWN		"/sys/kernel/security/lockdown"
#define PIPES			200
#define NEW_VMS			32	/* more than KVM has freed vCPUs in its cache */

/* Another process, which runs as root and has passed its fds on to this process. */
static struct stats_vmm vmm;

static const char *set_up(struct stats_target *target)
{
	const char *message = stats_vmm_start(&vmm);

	if (message)
		return message;
	target->fd = vmm.fds[stats_target_kind(target, STATS_FD_VM_STATS,
					       STATS_FD_VCPU_STATS)];
	target->getfd_fd = vmm.fds[stats_target_kind(target, STATS_FD_VM,
						     STATS_FD_VCPU)];
	message = stats_file_load(&target->file, target->fd);
	return message ? message : become_unprivileged();
}

/* ---- fds of other processes ---- */

static const char *takes_no_fd(struct stats_target *target)
{
	int which, fd;

	(void)target;
	for (which = 0; which < STATS_NUM_FDS; which++) {
		if (!stats_vmm_take(&vmm, which, &fd))
			return stats_fail("pidfd_getfd of fd %d succeeds, expected: %s",
					  which, strerror(EPERM));
		if (errno != EPERM)
			return stats_fail("pidfd_getfd of fd %d: %s, expected: %s",
					  which, strerror(errno), strerror(EPERM));
	}
	return NULL;
}

static const char *cannot_open(const char *dir, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s/%d", vmm.pid, dir, fd);
	return stats_refused(path, open(path, O_RDONLY | O_CLOEXEC), EACCES);
}

static const char *sees_no_fd(struct stats_target *target)
{
	const char *message = NULL;
	int which;

	(void)target;
	for (which = 0; which < STATS_NUM_FDS && !message; which++) {
		message = cannot_open("fd", vmm.remote[which]);
		if (!message)
			message = cannot_open("fdinfo", vmm.remote[which]);
	}
	return message;
}

static const char *sees_no_debugfs(struct stats_target *target)
{
	(void)target;
	return stats_refused(DEBUGFS_KVM, open(DEBUGFS_KVM, O_RDONLY | O_CLOEXEC),
			     EACCES);
}

/* ---- fds that the process holds ---- */

static const char *reads(struct stats_target *target)
{
	return stats_read_whole(target);
}

/* Tries to open the inode a second time, which would give a separate or writable file. */
static const char *reopens_nothing(struct stats_target *target)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR };
	const char *message = NULL;
	char path[64];
	size_t i;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
	for (i = 0; i < ARRAY_SIZE(modes) && !message; i++)
		message = stats_refused(path, open(path, modes[i] | O_CLOEXEC), EACCES);
	return message;
}

/* Newer kernels return EOPNOTSUPP, because an anonymous inode cannot be changed there. */
static const char *change_refused(const char *what, int result)
{
	return stats_refused(what, result, errno == EOPNOTSUPP ? EOPNOTSUPP : EPERM);
}

static const char *changes_nothing(struct stats_target *target)
{
	const char *message = stats_write_refused(target);

	if (!message)
		message = stats_mmap_refused(target);
	if (!message)
		message = stats_ioctl_refused(target);
	if (!message)
		message = change_refused("fchmod", fchmod(target->fd, 0666));
	if (!message)
		message = change_refused("fchown", fchown(target->fd, NEW_OWNER, NEW_OWNER));
	return message;
}

static const char *gets_statistics(struct stats_target *target)
{
	const char *message;
	int fd;

	message = stats_getfd(target->getfd_fd, &fd);
	if (!message)
		message = stats_still_reads(target, fd, vmm.pid);
	if (!message)
		close(fd);
	return message;
}

/* The VM and vCPU fds refuse other requests, because the VM belongs to another process. */
static const char *gets_nothing_else(struct stats_target *target)
{
	static const unsigned long requests[] = {
		KVM_CREATE_VCPU, KVM_CHECK_EXTENSION, KVM_RUN, _IO(0xAE, 0xff),
	};
	const char *message = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(requests) && !message; i++)
		message = stats_refused("another ioctl",
					ioctl(target->getfd_fd, requests[i], 9), EIO);
	return message;
}

static const struct stats_check unprivileged[] = {
	STATS_CHECK("takes_no_fd_of_others", takes_no_fd),
	STATS_CHECK("sees_no_fd_of_others", sees_no_fd),
	STATS_CHECK("sees_no_debugfs", sees_no_debugfs),
	STATS_CHECK("reads_held_fd", reads),
	STATS_CHECK("reopens_nothing", reopens_nothing),
	STATS_CHECK("changes_nothing", changes_nothing),
	STATS_CHECK("gets_statistics_of_held_fd", gets_statistics),
	STATS_CHECK("gets_nothing_else_of_held_fd", gets_nothing_else),
};

/* ---- memory ---- */

/*
 * Fills kernel memory with a pattern, through pipes, and frees half of it. The other half stays
 * in use, so that the freed pages do not merge into large blocks. The kernel takes memory from the
 * smallest blocks that suffice, so the next VMs get these pages.
 */
static const char *dirty_memory(void)
{
	static char pattern[16 * 4096];	/* the size of a pipe */
	int pipes[PIPES][2], i;

	memset(pattern, 0xa5, sizeof(pattern));
	for (i = 0; i < PIPES; i++) {
		if (pipe2(pipes[i], O_CLOEXEC | O_NONBLOCK) ||
		    write(pipes[i][1], pattern, sizeof(pattern)) < 0)
			return stats_fail("pipe %d: %s", i, strerror(errno));
	}
	for (i = 0; i < PIPES; i += 2) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	return NULL;
}

/* The creation of a VM and a vCPU causes only a few events, so the values are small. */
static const char *values_are_small(const struct stats_file *file)
{
	size_t at;

	for (at = file->header.data_offset; at < file->size; at += sizeof(uint64_t)) {
		uint64_t value;

		memcpy(&value, file->bytes + at, sizeof(value));
		if (value > 10000)
			return stats_fail("the value at %zu of a new file is %#llx", at,
					  (unsigned long long)value);
	}
	return NULL;
}

/* The VMs exist until this process ends, so none of them gets the memory of another one. */
static const char *new_values_are_clean(struct stats_target *target)
{
	int which = stats_target_kind(target, STATS_FD_VM_STATS, STATS_FD_VCPU_STATS);
	const char *message = dirty_memory();
	int fds[STATS_NUM_FDS], i;

	for (i = 0; i < NEW_VMS && !message; i++) {
		struct stats_file file;

		message = stats_bare_vm(fds);
		if (!message)
			message = stats_file_load(&file, fds[which]);
		if (!message)
			message = values_are_small(&file);
	}
	return message;
}

static const struct stats_check memory[] = {
	STATS_CHECK("new_values_are_clean", new_values_are_clean),
};

/* ---- lockdown ---- */

static bool locked_down(void)
{
	FILE *file = fopen(LOCKDOWN, "re");
	char line[128] = "";

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return line[0] && !strstr(line, "[none]");
}

/* The fds work under lockdown, debugfs does not. */
static const char *answers_under_lockdown(struct stats_target *target)
{
	const char *message;

	if (!locked_down())
		return stats_skip("this kernel is not locked down");
	message = stats_vmm_start(&vmm);
	if (!message)
		message = stats_still_reads(target, vmm.fds[STATS_FD_VM_STATS], vmm.pid);
	if (message)
		return message;
	return stats_refused(DEBUGFS_FILE " under lockdown",
			     open(DEBUGFS_FILE, O_RDONLY | O_CLOEXEC), EPERM);
}

static const char *load_own_vm(struct stats_target *target)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	return message ? message : stats_file_load(&target->file, fds[STATS_FD_VM_STATS]);
}

static const struct stats_check lockdown[] = {
	STATS_CHECK("fds_answer_under_lockdown", answers_under_lockdown),
};

#define SUITE(kind, id, table, set_up_suite)	\
	{ .name = kind, .vcpu_id = id, .checks = table, .num = ARRAY_SIZE(table), \
	  .setup = set_up_suite }

static const struct stats_suite suites[] = {
	SUITE("vm", -1, unprivileged, set_up),
	SUITE("vcpu", STATS_VCPU_ID, unprivileged, set_up),
	SUITE("vm", -1, memory, NULL),
	SUITE("vcpu", STATS_VCPU_ID, memory, NULL),
	SUITE("vm", -1, lockdown, load_own_vm),
};

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");

	if (geteuid())
		return tap_skip_all("only root can create VMs and then give up its privileges");
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (variant && !strcmp(variant, "unpatched"))
		return tap_skip_all("this kernel does not have the statistics fd");

	run_suites(suites, ARRAY_SIZE(suites));
	return tap_end();
}
