/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the time of vCPUs goes, while exit statistics are on. */
#ifndef TOP_VCPU_TIMES_H
#define TOP_VCPU_TIMES_H

#include "top/exits.h"

/* At each moment a vCPU is in one of these. */
enum time_part {
	TIME_GUEST,
	TIME_EXITS,	/* KVM handles exits */
	TIME_VMM,
	TIME_HALTED,
	TIME_WAITING,	/* for a CPU */
	TIME_PARTS,
};

struct vcpu_times {
	size_t vcpus;			/* that exit statistics have counted */
	double percent[TIME_PARTS];	/* the sums over these vCPUs */
};

/* Adds the times of the last interval, if exit statistics count the target. Returns whether. */
bool vcpu_times_add(struct vcpu_times *times, const struct exit_stats *stats,
		    const struct target *target);
void vcpu_times_add_times(struct vcpu_times *times, const struct vcpu_times *other);

/* Returns a part of the mean time of the vCPUs, in percent. There must be one. */
double vcpu_times_mean(const struct vcpu_times *times, enum time_part part);

#endif /* TOP_VCPU_TIMES_H */
