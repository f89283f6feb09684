/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host file that only this process can read, for root without a published one. Nothing of it
 * remains after the process ends. It is in the folder host_file/.
 */
#ifndef PRIVATE_HOST_H
#define PRIVATE_HOST_H

#include "message.h"

struct private_host;

#if HAVE_BPF
/*
 * Loads the file, if this process has the capabilities for it. Returns NULL if not, or if it fails;
 * only then sets @why.
 */
struct private_host *private_host_open(struct message *why);

/* For kvmstats_host_open_passes(): @arg is the private host. */
int private_host_pass(void *arg);
void private_host_close(struct private_host *host);
#else
static inline struct private_host *private_host_open(struct message *why)
{
	(void)why;
	return NULL;
}

static inline int private_host_pass(void *arg)
{
	(void)arg;
	return -1;
}

static inline void private_host_close(struct private_host *host)
{
	(void)host;
}
#endif

#endif /* PRIVATE_HOST_H */
