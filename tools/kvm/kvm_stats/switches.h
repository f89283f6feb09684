/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which threads had the CPUs for which vCPUs waited, exactly, by a BPF program at every context
 * switch of the host. It is in the folder host_file/. It runs only as long as this process.
 */
#ifndef SWITCHES_H
#define SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "message.h"

struct switches;

/* How long the thread @tid waited while another thread had the CPU */
struct taken_cpu {
	pid_t tid;
	pid_t taker;
	pid_t taker_pid;
	char name[16];			/* of the taker */
	uint64_t ns;
	uint64_t waits;			/* in which it had the CPU for some time */
};

#if HAVE_BPF
/* Returns NULL and sets @why if the program cannot be loaded. */
struct switches *switches_open(struct message *why);

/* Watches one more thread. Does nothing if it is watched, or if too many are. */
void switches_watch(struct switches *switches, pid_t tid);

/*
 * Returns the waits that have ended since the last call, by TID of the waiting thread, and sets
 * @count. They are valid until the next call.
 */
const struct taken_cpu *switches_read(struct switches *switches, size_t *count);
void switches_close(struct switches *switches);
#else
static inline struct switches *switches_open(struct message *why)
{
	message_set(why, "context switches cannot be watched: kvm-stats was built without libbpf");
	return NULL;
}

static inline void switches_watch(struct switches *switches, pid_t tid)
{
	(void)switches;
	(void)tid;
}

static inline const struct taken_cpu *switches_read(struct switches *switches, size_t *count)
{
	(void)switches;
	*count = 0;
	return NULL;
}

static inline void switches_close(struct switches *switches)
{
	(void)switches;
}
#endif

#endif /* SWITCHES_H */
