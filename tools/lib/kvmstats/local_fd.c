// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Fds of this process: its own, inherited ones, and those received over a socket. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

static int describe(int fd, struct kvmstats_fd *entry)
{
	char path[32], link[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return errno == ENOENT && fcntl(fd, F_GETFD) < 0 ? -EBADF : -errno;
	link[n] = '\0';
	entry->fd = fd;
	return kvmstats_fds_parse(link, entry) ? 0 : -EPROTO;
}

int kvmstats_fd_describe(int fd, enum kvmstats_kind *kind, int *vcpu, int *stats)
{
	struct kvmstats_fd entry;
	int err = describe(fd, &entry);

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

int kvmstats_fd_open(int fd)
{
	struct kvmstats_fd entry;
	int err = describe(fd, &entry);
	int copy;

	if (err)
		return err;
	if (!entry.stats)
		return kvmstats_open_stats(fd);
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? -errno : copy;
}

/* Control data of one message. KVMSTATS_MAX_FDS is the kernel's limit, SCM_MAX_FD. */
union control {
	struct cmsghdr header;
	char buf[CMSG_SPACE(KVMSTATS_MAX_FDS * sizeof(int))];
};

int kvmstats_fd_send(int socket, const int *fd, size_t count)
{
	union control control = { 0 };
	char byte = 'K';
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(count * sizeof(*fd)),
	};
	struct cmsghdr *header;

	if (!count || count > KVMSTATS_MAX_FDS)
		return -EINVAL;
	header = CMSG_FIRSTHDR(&msg);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(count * sizeof(*fd));
	memcpy(CMSG_DATA(header), fd, count * sizeof(*fd));
	return sendmsg(socket, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Adds the fds of @header to @fd. Closes those that do not fit, and returns -EOVERFLOW then. */
static int add_fds(const struct cmsghdr *header, int *fd, size_t max, size_t *count)
{
	size_t sent = (header->cmsg_len - CMSG_LEN(0)) / sizeof(*fd);
	int err = 0;
	size_t i;

	for (i = 0; i < sent; i++) {
		int received;

		memcpy(&received, CMSG_DATA(header) + i * sizeof(received), sizeof(received));
		if (*count < max) {
			fd[(*count)++] = received;
		} else {
			close(received);
			err = -EOVERFLOW;
		}
	}
	return err;
}

int kvmstats_fd_receive(int socket, int *fd, size_t max)
{
	union control control;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	size_t count = 0;
	ssize_t n;
	int err = 0;

	do {
		n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	for (header = CMSG_FIRSTHDR(&msg); header; header = CMSG_NXTHDR(&msg, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		if (add_fds(header, fd, max, &count))
			err = -EOVERFLOW;
	}
	if (msg.msg_flags & MSG_CTRUNC)
		err = -EOVERFLOW;
	while (err && count)
		close(fd[--count]);
	return err ? err : (int)count;
}
