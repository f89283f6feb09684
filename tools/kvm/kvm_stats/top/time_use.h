/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page of a guest or of a vCPU shows of exit statistics: times, and classes of exits. */
#ifndef TOP_TIME_USE_H
#define TOP_TIME_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/monitor.h"
#include "top/exits.h"
#include "top/scope.h"
#include "top/vcpu_times.h"

struct class_use {
	char name[EXIT_NAME_SIZE];
	double rate;		/* exits per second */
	double ns;		/* their time, in ns per second */
	double percent;		/* of the time of the vCPUs */
};

struct time_use {
	struct vcpu_times times;
	/* The classes in which exits have occurred, those with the most time first. */
	struct class_use class[EXIT_KINDS];
	size_t classes;
};

/* Gets the use of the last interval. Returns false if there is not enough memory. */
bool time_use_get(struct time_use *use, struct exit_stats_list *list,
		  const struct monitor *monitor, const struct top_scope *scope);

#endif /* TOP_TIME_USE_H */
