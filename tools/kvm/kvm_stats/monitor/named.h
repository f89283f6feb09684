/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MONITOR_NAMED_H
#define MONITOR_NAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A process that the user selected by PID. */
struct named_process {
	pid_t pid;
	int err;			/* why it is not watched: -errno; -ENODEV: it has no VM */
	bool ended;
};

struct named_processes {
	struct named_process *process;
	size_t count;
};

/* Returns 0 or -ENOMEM. */
int named_init(struct named_processes *named, const pid_t *pid, size_t count);
void named_free(struct named_processes *named);

/* Whether the user selected processes, and all of them have ended. */
bool named_all_ended(const struct named_processes *named);

#endif /* MONITOR_NAMED_H */
