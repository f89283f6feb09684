/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reserves file descriptors for what is not a statistics fd: HTTP clients, the terminal, /proc.
 *
 * A monitor opens one fd for each vCPU, up to the limit of the process. The reserve holds some
 * fds while the monitor opens its own, and is released afterwards. Without a free fd, accept()
 * would fail, and the HTTP library would retry it in a busy loop.
 */
#ifndef BASE_FD_RESERVE_H
#define BASE_FD_RESERVE_H

#include <stddef.h>

#define MAX_RESERVED	40

struct fd_reserve {
	int fd[MAX_RESERVED];
	size_t count;
};

/* Fills the reserve, minus the fds that the @clients connected clients use already. */
void fd_reserve_fill(struct fd_reserve *reserve, size_t clients);
void fd_reserve_release(struct fd_reserve *reserve);

#endif /* BASE_FD_RESERVE_H */
