// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test what a process without privileges can do with statistics, VM and vCPU fds that it holds,
 * what lockdown leaves accessible, and that the statistics of a new VM do not show the previous
 * content of their memory.
 *
 * Test which processes can open the statistics of all VMs with KVM_STATS_NEXT: those that have
 * CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace, also under lockdown. Neither other
 * capabilities, nor access to /dev/kvm, nor root in another user namespace suffice.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/stat.h>

#include "kvm_stats_checks.h"
#include "kvm_stats_open.h"
#include "lib/run.h"
#include "lib/vm_dir.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/* Lockdown denies access to this file because it is writable. */
#define DEBUGFS_FILE		"/sys/kernel/debug/kvm/halt_wakeup"
#define LOCKDOWN		"/sys/kernel/security/lockdown"
#define PIPES			200
#define NEW_VMS			32	/* more than KVM has freed vCPUs in its cache */
#define KVM_GROUP		36
#define UNPRIVILEGED_UID	65534

/* Another process, which runs as root and has passed its fds on to this process. */
static struct stats_vmm vmm;

/* Gives up all privileges of the calling process. */
static void become_unprivileged(void)
{
	if (setgroups(0, NULL) || setgid(UNPRIVILEGED_UID) || setuid(UNPRIVILEGED_UID))
		fail("setuid: %s", strerror(errno));
}

static const char *set_up(struct stats_target *target)
{
	must(stats_vmm_start(&vmm));
	target->fd = vmm.fds[stats_target_kind(target, STATS_FD_VM_STATS,
					       STATS_FD_VCPU_STATS)];
	target->getfd_fd = vmm.fds[stats_target_kind(target, STATS_FD_VM,
						     STATS_FD_VCPU)];
	must(stats_file_load(&target->file, target->fd));
	become_unprivileged();
	return NULL;
}

/* ---- fds that the process holds ---- */

/* Tries to open the inode a second time, which would give a separate or writable file. */
static const char *reopens_nothing(struct stats_target *target)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR };
	char path[64];
	size_t i;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
	for (i = 0; i < ARRAY_SIZE(modes); i++)
		must(stats_refused(path, open(path, modes[i] | O_CLOEXEC), EACCES));
	return NULL;
}

static const char *gets_statistics(struct stats_target *target)
{
	int fd;

	must(stats_getfd(target->getfd_fd, &fd));
	return stats_still_reads(target, fd, vmm.pid);
}

/* The VM and vCPU fds refuse other requests, because the VM belongs to another process. */
static const char *gets_nothing_else(struct stats_target *target)
{
	static const unsigned long requests[] = {
		KVM_CREATE_VCPU, KVM_CHECK_EXTENSION, KVM_RUN, _IO(0xAE, 0xff),
		_IO(0xAF, 0xce),	/* not KVM's, with the number of KVM_STATS_GETFD */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(requests); i++)
		must(stats_refused("another ioctl", ioctl(target->getfd_fd, requests[i], 9), EIO));
	return NULL;
}

static const struct stats_check unprivileged[] = {
	STATS_CHECK("reads_held_fd", stats_read_whole),
	STATS_CHECK("reopens_nothing", reopens_nothing),
	STATS_CHECK("gets_statistics_of_held_fd", gets_statistics),
	STATS_CHECK("gets_nothing_else_of_held_fd", gets_nothing_else),
};

/* ---- memory ---- */

/*
 * Fills kernel memory with a pattern, through pipes, and frees half of it. The other half stays
 * in use, so that the freed pages do not merge into large blocks. The kernel takes memory from the
 * smallest blocks that suffice, so the next VMs get these pages.
 */
static void dirty_memory(void)
{
	static char pattern[16 * 4096];	/* the size of a pipe */
	int pipes[PIPES][2], i;

	memset(pattern, 0xa5, sizeof(pattern));
	for (i = 0; i < PIPES; i++) {
		if (pipe2(pipes[i], O_CLOEXEC | O_NONBLOCK) ||
		    write(pipes[i][1], pattern, sizeof(pattern)) < 0)
			fail("pipe %d: %s", i, strerror(errno));
	}
	for (i = 0; i < PIPES; i += 2) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

/* The creation of a VM and a vCPU causes only a few events, so the values are small. */
static void values_are_small(const struct stats_file *file)
{
	size_t at;

	for (at = file->header.data_offset; at < file->size; at += sizeof(uint64_t)) {
		uint64_t value;

		memcpy(&value, file->bytes + at, sizeof(value));
		if (value > 10000)
			fail("the value at %zu of a new file is %#llx", at,
			     (unsigned long long)value);
	}
}

/* The VMs exist until this process ends, so no VM gets memory that another one has released. */
static const char *new_values_are_clean(struct stats_target *target)
{
	int which = stats_target_kind(target, STATS_FD_VM_STATS, STATS_FD_VCPU_STATS);
	int fds[STATS_NUM_FDS], i;
	struct stats_file file;

	dirty_memory();
	for (i = 0; i < NEW_VMS; i++) {
		must(stats_bare_vm(fds));
		must(stats_file_load(&file, fds[which]));
		values_are_small(&file);
	}
	return NULL;
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
	if (!locked_down())
		return stats_skip("this kernel is not locked down");
	must(stats_vmm_start(&vmm));
	must(stats_still_reads(target, vmm.fds[STATS_FD_VM_STATS], vmm.pid));
	return stats_refused(DEBUGFS_FILE " under lockdown",
			     open(DEBUGFS_FILE, O_RDONLY | O_CLOEXEC), EPERM);
}

static const struct stats_check lockdown[] = {
	STATS_CHECK("fds_answer_under_lockdown", answers_under_lockdown),
};

/* ---- KVM_STATS_NEXT ---- */

/* Creates a VM, and opens /dev/kvm as root. One check changes the group of /dev/kvm. */
static const char *set_up_next(struct stats_target *target)
{
	static int fds[STATS_NUM_FDS];

	if (!getenv("BOOT_VARIANT"))
		return stats_skip("changes /dev/kvm; runs with BOOT_VARIANT only");
	if (!kernel_has_stats_open())
		return stats_skip(NO_STATS_OPEN);
	target->getfd_fd = stats_open_kvm();
	return stats_bare_vm(fds);
}

/* The first VM may be of an earlier test case, whose process the kernel is ending. */
static const char *expect(struct stats_target *target, int error)
{
	struct stats_vm_file file;
	const char *message;
	uint64_t vm = 0;
	char byte;
	int fd;

	do {
		fd = stats_open_next(target->getfd_fd, &vm);
		if (error)
			return stats_refused("KVM_STATS_NEXT", fd, error);
		if (fd < 0)
			return stats_fail("KVM_STATS_NEXT: %s", strerror(errno));
		message = stats_vm_file_load(&file, fd);
	} while (message && pread(fd, &byte, 1, 0) < 0 && errno == ENODEV);
	return message;
}

/* Becomes another user that has only the capability @cap. */
static void keep_only(unsigned int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	prctl(PR_SET_KEEPCAPS, 1);
	become_unprivileged();
	data[cap / 32].permitted = 1u << cap % 32;
	data[cap / 32].effective = data[cap / 32].permitted;
	if (syscall(SYS_capset, &header, data))
		fail("capset: %s", strerror(errno));
}

static const char *root(struct stats_target *target)
{
	return expect(target, 0);
}

static const char *allowed_with(struct stats_target *target)
{
	keep_only(target->arg);
	return expect(target, 0);
}

static const char *refused_with(struct stats_target *target)
{
	keep_only(target->arg);
	return expect(target, EPERM);
}

static const char *holder_of_fd(struct stats_target *target)
{
	become_unprivileged();
	return expect(target, EPERM);
}

/* A member of the group of /dev/kvm can open it, as VMMs do. */
static const char *member_of_group(struct stats_target *target)
{
	const gid_t group = KVM_GROUP;
	struct stat old;

	if (stat("/dev/kvm", &old) || chown("/dev/kvm", 0, KVM_GROUP) || chmod("/dev/kvm", 0660) ||
	    setgroups(1, &group) || setgid(UNPRIVILEGED_UID) || setuid(UNPRIVILEGED_UID))
		return stats_fail("cannot become a member of the group: %s", strerror(errno));
	target->getfd_fd = stats_open_kvm();
	if (target->getfd_fd < 0)
		return stats_fail("/dev/kvm: %s", strerror(errno));
	return expect(target, EPERM);
}

static const char *root_of_namespace(struct stats_target *target)
{
	static const char map[] = "0 0 1";
	int fd;

	if (unshare(CLONE_NEWUSER))
		return stats_skip("unshare: %s", strerror(errno));
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	if (write(fd, map, strlen(map)) < 0 || geteuid())
		fail("the user is not root of the namespace: %s", strerror(errno));
	return expect(target, EPERM);
}

static const struct stats_check next[] = {
	STATS_CHECK("root_may", root),
	STATS_CHECK("cap_perfmon_may", allowed_with, .arg = CAP_PERFMON),
	STATS_CHECK("cap_sys_admin_may", allowed_with, .arg = CAP_SYS_ADMIN),
	STATS_CHECK("cap_sys_ptrace_may_not", refused_with, .arg = CAP_SYS_PTRACE),
	STATS_CHECK("cap_dac_override_may_not", refused_with, .arg = CAP_DAC_OVERRIDE),
	STATS_CHECK("holder_of_kvm_fd_may_not", holder_of_fd),
	STATS_CHECK("member_of_group_may_not", member_of_group),
	STATS_CHECK("root_of_user_namespace_may_not", root_of_namespace),
};

static const struct stats_suite suites[] = {
	STATS_SUITE("vm", -1, unprivileged, set_up),
	STATS_SUITE("vcpu", STATS_VCPU_ID, unprivileged, set_up),
	STATS_SUITE("vm", -1, memory, NULL),
	STATS_SUITE("vcpu", STATS_VCPU_ID, memory, NULL),
	STATS_SUITE("vm", -1, lockdown, set_up_vm),
	STATS_SUITE("next", -1, next, set_up_next),
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
