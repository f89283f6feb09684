/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * File descriptors for clients.
 *
 * A monitor opens as many as there are vCPUs, up to the limit. Some are held while it
 * does, and are free again when clients are accepted: without any the HTTP library would
 * try in vain, again and again.
 */
#ifndef SERVE_FD_RESERVE_H
#define SERVE_FD_RESERVE_H

#include <stddef.h>

#define MAX_RESERVED	40

struct fd_reserve {
	int fd[MAX_RESERVED];
	size_t count;
};

/* Takes what @clients have not got of them already. */
void fd_reserve_fill(struct fd_reserve *reserve, size_t clients);
void fd_reserve_release(struct fd_reserve *reserve);

#endif /* SERVE_FD_RESERVE_H */
