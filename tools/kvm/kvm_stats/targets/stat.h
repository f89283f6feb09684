/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TARGETS_STAT_H
#define TARGETS_STAT_H

#include <stdbool.h>
#include <stddef.h>

#include "kvmstats.h"

/* Whether the values of @stat only grow, so that differences are meaningful. */
bool stat_counts_up(const struct kvmstats_stat *stat);

/* Whether both have the same name, type, unit and number of values, wherever the values are. */
bool stat_is_like(const struct kvmstats_stat *a, const struct kvmstats_stat *b);

/* Returns the index of the first value of @stat in the block of values of a sample. */
size_t stat_index(const struct kvmstats_stat *stat);

/* The length of the parent's name: 8 for "kvm_exit(HLT)". Returns 0 if there is no parent. */
size_t stat_parent_length(const char *name);

/* Whether the statistic "exits" contains what this one counts: it is a class, such as exit_io. */
bool stat_is_in_exits(const char *name);

#endif /* TARGETS_STAT_H */
