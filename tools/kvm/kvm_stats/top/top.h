/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_TOP_H
#define TOP_TOP_H

#include "options/kvm_stat.h"

/* Runs the interactive screen until the user quits. Returns the exit status. */
int top_run(struct kvm_stat_options *options);

#endif /* TOP_TOP_H */
