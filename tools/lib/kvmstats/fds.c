// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * KVM's fds: recognizes those of this process by the names that the kernel gives them in
 * /proc/self/fd, and opens statistics with them and with /dev/kvm.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/kvm.h>

#include "internal.h"

#define VCPU_PREFIX		"anon_inode:kvm-vcpu:"
#define VCPU_STATS_PREFIX	"anon_inode:kvm-vcpu-stats:"

/* ---- /dev/kvm, and the files of all VMs ---- */

/* Sets @capabilities to 0 if it fails. */
static int open_kvm(int *capabilities)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int ret;

	*capabilities = 0;
	if (kvm < 0)
		return -errno;
	ret = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);
	if (ret > 0)
		*capabilities = ret;
	return kvm;
}

int kvmstats_capabilities(void)
{
	int capabilities;
	int kvm = open_kvm(&capabilities);

	if (kvm < 0)
		return kvm;
	close(kvm);
	return capabilities;
}

int kvmstats_open_kvm(void)
{
	int capabilities;
	int kvm = open_kvm(&capabilities);

	if (kvm < 0 || capabilities & KVM_STATS_CAP_NEXT)
		return kvm;
	close(kvm);
	return -EOPNOTSUPP;
}

int kvmstats_next_open(int kvm, uint64_t *vm)
{
	struct kvm_stats_next next = { .vm = *vm };

	if (ioctl(kvm, KVM_STATS_NEXT, &next))
		return errno == EINVAL || errno == ENOTTY ? -EOPNOTSUPP : -errno;
	*vm = next.vm;
	return next.fd;
}

/* ---- fds of this process ---- */

struct kvmstats_fd {
	enum kvmstats_kind kind;
	bool stats;		/* a statistics fd, not a VM or vCPU fd */
	int vcpu;		/* vCPU ID, -1 for VMs */
};

static int parse_number(const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 0 || n > INT_MAX)
		return -1;
	return (int)n;
}

static bool parse_vcpu(const char *link, const char *prefix, struct kvmstats_fd *entry)
{
	size_t len = strlen(prefix);

	if (strncmp(link, prefix, len))
		return false;
	entry->kind = KVMSTATS_KIND_VCPU;
	entry->vcpu = parse_number(link + len);
	return entry->vcpu >= 0;
}

/*
 * Parses the target of a link such as "anon_inode:kvm-vcpu:0". Returns false if it is not that of a
 * KVM fd.
 */
static bool parse_link(const char *link, struct kvmstats_fd *entry)
{
	entry->kind = KVMSTATS_KIND_VM;
	entry->vcpu = -1;
	entry->stats = !strcmp(link, "anon_inode:kvm-vm-stats");
	if (entry->stats || !strcmp(link, "anon_inode:kvm-vm"))
		return true;
	entry->stats = !strncmp(link, VCPU_STATS_PREFIX, strlen(VCPU_STATS_PREFIX));
	return parse_vcpu(link, entry->stats ? VCPU_STATS_PREFIX : VCPU_PREFIX, entry);
}

/* Returns -EPROTO if it is not a KVM fd. */
static int identify(int fd, struct kvmstats_fd *entry)
{
	char path[32], link[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, link, sizeof(link));
	if (n < 0)
		return errno == ENOENT && fcntl(fd, F_GETFD) < 0 ? -EBADF : -errno;
	if ((size_t)n == sizeof(link))
		return -EPROTO;
	link[n] = '\0';
	return parse_link(link, entry) ? 0 : -EPROTO;
}

int kvmstats_fd_describe(int fd, enum kvmstats_kind *kind, int *vcpu, int *stats)
{
	struct kvmstats_fd entry = { 0 };
	int err = identify(fd, &entry);

	if (err)
		return err;
	if (kind)
		*kind = entry.kind;
	if (vcpu)
		*vcpu = entry.vcpu;
	if (stats)
		*stats = entry.stats;
	return 0;
}

/*
 * EIO has two meanings. A kernel without binary statistics returns it for every ioctl of a
 * process other than the VMM. A kernel with binary statistics returns it if it opens them for
 * the VMM only. The capability distinguishes the two.
 */
static int open_error(int err)
{
	if (err == ENOTTY || err == EINVAL)
		return -EOPNOTSUPP;
	if (err == EIO && kvmstats_capabilities() == 0)
		return -EOPNOTSUPP;
	return -err;
}

static int open_stats(int kvm_fd)
{
	int fd = ioctl(kvm_fd, KVM_STATS_GETFD, NULL);

	if (fd < 0)
		return open_error(errno);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

int kvmstats_fd_open(int fd)
{
	struct kvmstats_fd entry = { 0 };
	int err = identify(fd, &entry);
	int copy;

	if (err)
		return err;
	if (!entry.stats)
		return open_stats(fd);
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? -errno : copy;
}
