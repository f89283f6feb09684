/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_RUN_H
#define TOP_RUN_H

#include "kvm_stat_options.h"

/* Runs the interactive screen until the user quits. Returns the exit status. */
int top_run(struct kvm_stat_options *options);

#endif /* TOP_RUN_H */
