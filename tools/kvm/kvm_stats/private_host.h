/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host file that only this process can read, for root without a published one. Nothing of it
 * remains after the process ends. It is in the folder host_file/.
 */
#ifndef PRIVATE_HOST_H
#define PRIVATE_HOST_H

#include <stdbool.h>
#include <sys/types.h>

#include "message.h"

struct private_host;

/* Which vCPUs have statistics of exits */
enum counted_exits { EXITS_OF_NONE, EXITS_OF_CHOSEN, EXITS_OF_ALL };

#if HAVE_BPF
/*
 * Loads the file, if this process has the capabilities for it. Returns NULL if not, or if it fails;
 * only then sets @why.
 */
struct private_host *private_host_open(enum counted_exits exits, struct message *why);

/* Adds a VMM to those that are chosen, or removes it. */
void private_host_choose(struct private_host *host, pid_t pid, bool chosen);

/* For kvmstats_host_use_passes(): @arg is the private host. */
int private_host_pass(void *arg);
void private_host_close(struct private_host *host);
#else
static inline struct private_host *private_host_open(enum counted_exits exits, struct message *why)
{
	return NULL;
}

static inline void private_host_choose(struct private_host *host, pid_t pid, bool chosen) { }
static inline int private_host_pass(void *arg) { return -1; }
static inline void private_host_close(struct private_host *host) { }
#endif

#endif /* PRIVATE_HOST_H */
