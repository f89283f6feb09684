/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * File descriptors for clients.
 *
 * A monitor opens as many as there are vCPUs, up to the limit. Some are held while it
 * does, and are free again when clients are accepted: without any the HTTP library would
 * try in vain, again and again.
 */
#ifndef SERVE_SPARE_H
#define SERVE_SPARE_H

#include <stddef.h>

#define MAX_SPARE	40

struct spare_files {
	int fd[MAX_SPARE];
	size_t count;
};

/* Takes what @clients have not got of them already. */
void spare_take(struct spare_files *spare, size_t clients);
void spare_release(struct spare_files *spare);

#endif /* SERVE_SPARE_H */
