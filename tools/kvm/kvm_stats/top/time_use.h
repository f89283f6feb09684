/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the time of vCPUs goes, as far as the kernel has exit statistics. */
#ifndef TOP_TIME_USE_H
#define TOP_TIME_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/monitor.h"
#include "top/exits.h"
#include "top/scope.h"

/* At each moment a vCPU is in one of these. */
enum time_part {
	TIME_GUEST,
	TIME_EXITS,	/* KVM handles exits */
	TIME_VMM,
	TIME_HALTED,
	TIME_WAITING,	/* for a CPU */
	TIME_PARTS,
};

struct exit_class {
	char name[EXIT_NAME_SIZE];
	double rate;		/* exits per second */
	double ns;		/* their time, in ns per second */
	double percent;		/* of the time of the vCPUs */
};

struct time_use {
	size_t vcpus;			/* number of vCPUs with exit statistics */
	double percent[TIME_PARTS];	/* of the time of these vCPUs */
	/* The classes in which exits have occurred, those with the most time first. */
	struct exit_class class[EXIT_KINDS];
	size_t classes;
};

/* Gets the use of the last interval. Returns false if there is not enough memory. */
bool time_use_get(struct time_use *use, struct exit_stats_list *list,
		  const struct monitor *monitor, const struct top_scope *scope);

#endif /* TOP_TIME_USE_H */
