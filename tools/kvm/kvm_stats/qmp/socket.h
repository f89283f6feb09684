/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the QMP sockets of a VMM, and connects to them. */
#ifndef QMP_SOCKET_H
#define QMP_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A Unix socket. A path of the VMM's command line belongs to the VMM's file system. */
struct qmp_socket {
	char *path;
	bool from_vmm;
};

struct qmp_sockets {
	struct qmp_socket *socket;
	size_t count;
};

/*
 * Adds the QMP sockets of process @pid that are on its command line: those of -qmp, and of -mon
 * with -chardev, if QEMU listens there. Returns 0 or -errno.
 */
int qmp_sockets_of_vmm(struct qmp_sockets *sockets, pid_t pid);

/*
 * Adds the socket that the user named: in @path, %g is the name of the guest, and %p the process
 * ID. Adds none if @guest is not suitable. Returns 0 or -ENOMEM.
 */
int qmp_sockets_add(struct qmp_sockets *sockets, const char *path, pid_t pid, const char *guest);

void qmp_sockets_free(struct qmp_sockets *sockets);

/*
 * Connects to a socket that process @pid listens on. Returns a nonblocking fd, or -errno. -EREMOTE:
 * another process listens there. -EBUSY: too many programs wait for a connection.
 */
int qmp_connect(const struct qmp_socket *socket, pid_t pid);

#endif /* QMP_SOCKET_H */
