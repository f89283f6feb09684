/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_RUN_H
#define TOP_RUN_H

#include "kvm_stat_options.h"

/* Shows what @options ask for on the terminal, until the user has enough: the status. */
int top_run(struct kvm_stat_options *options);

#endif /* TOP_RUN_H */
