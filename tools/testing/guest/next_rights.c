// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test which processes can open the statistics of all VMs with KVM_STATS_NEXT: those that have
 * CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace, also under lockdown. Neither other
 * capabilities, nor access to /dev/kvm, nor root in another user namespace suffice.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/stat.h>

#include "kvm_stats_open.h"
#include "lib/run_suites.h"
#include "lib/unprivileged.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

#define KVM_GROUP	36

/* Creates a VM, and opens /dev/kvm as root. */
static const char *set_up(struct stats_target *target)
{
	static int fds[STATS_NUM_FDS];

	target->getfd_fd = stats_open_kvm();
	return stats_bare_vm(fds);
}

static const char *expect(struct stats_target *target, int error)
{
	uint64_t vm = 0;
	int fd = stats_open_next(target->getfd_fd, &vm, 0);
	struct stats_vm_file file;

	if (error)
		return stats_refused("KVM_STATS_NEXT", fd, error);
	if (fd < 0)
		return stats_fail("KVM_STATS_NEXT: %s", strerror(errno));
	return stats_vm_file_load(&file, fd);
}

/* Becomes another user that has only the capability @cap. */
static const char *keep_only(unsigned int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	const char *message;

	prctl(PR_SET_KEEPCAPS, 1);
	message = become_unprivileged();
	data[cap / 32].permitted = 1u << cap % 32;
	data[cap / 32].effective = data[cap / 32].permitted;
	if (!message && syscall(SYS_capset, &header, data))
		message = stats_fail("capset: %s", strerror(errno));
	return message;
}

static const char *root(struct stats_target *target)
{
	return expect(target, 0);
}

static const char *allowed_with(struct stats_target *target)
{
	const char *message = keep_only(target->arg);

	return message ? message : expect(target, 0);
}

static const char *refused_with(struct stats_target *target)
{
	const char *message = keep_only(target->arg);

	return message ? message : expect(target, EPERM);
}

static const char *holder_of_fd(struct stats_target *target)
{
	const char *message = become_unprivileged();

	return message ? message : expect(target, EPERM);
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

static const char *write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : write(fd, text, strlen(text));

	close(fd);
	return size == (ssize_t)strlen(text) ? NULL : stats_fail("%s: %s", path, strerror(errno));
}

static const char *root_of_namespace(struct stats_target *target)
{
	const char *message;

	if (unshare(CLONE_NEWUSER))
		return stats_skip("unshare: %s", strerror(errno));
	message = write_file("/proc/self/uid_map", "0 0 1");
	if (!message && geteuid())
		message = stats_fail("the user is not root of the namespace");
	return message ? message : expect(target, EPERM);
}

static const struct stats_check checks[] = {
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
	{ "next", -1, checks, ARRAY_SIZE(checks), set_up },
};

int main(void)
{
	int kvm = stats_open_kvm();

	if (geteuid() || !getenv("BOOT_VARIANT"))
		return tap_skip_all("changes /dev/kvm; runs as root and with BOOT_VARIANT only");
	if (!(ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD) & KVM_STATS_CAP_NEXT))
		return tap_skip_all("this kernel does not have KVM_STATS_NEXT");
	run_suites(suites, ARRAY_SIZE(suites));
	return tap_end();
}
