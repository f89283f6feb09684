/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read the statistics of a vCPU or a VM and find them by name. Functions that return false or NULL
 * have called fail().
 */
#ifndef VCPU_STATS_H
#define VCPU_STATS_H

#include <linux/kvm.h>

#include "kvm_stats_file.h"
#include "lib/failure.h"

/* The statistics before and after an action. */
struct outcome {
	struct stats_file before;
	struct stats_file after;
};

/* Frees what @stats had before, which must be all zeros at first. */
bool read_stats(int owner, struct stats_file *stats);

const struct kvm_stats_desc *find_desc(const struct stats_file *stats, const char *name);

/* Returns value @n of a statistic. */
uint64_t value_at(const struct stats_file *stats, const struct kvm_stats_desc *desc,
		  unsigned int n);

/* Stores the first value of the statistic @name. */
bool value_of(const struct stats_file *stats, const char *name, uint64_t *value);

/* Stores by how much the first value of the statistic @name has changed. */
bool change_of(const struct outcome *outcome, const char *name, uint64_t *by);

/* Returns the number of amounts that the histogram @name has counted, 0 if it does not exist. */
uint64_t counted(const struct outcome *outcome, const char *name);

#endif /* VCPU_STATS_H */
