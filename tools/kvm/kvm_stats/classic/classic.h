/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLASSIC_CLASSIC_H
#define CLASSIC_CLASSIC_H

#include "options/kvm_stat.h"

/*
 * The screen of kvm_stat, with its keys: 'kvm-stats top --classic', and 'kvm-stats' with the
 * options of kvm_stat. Runs until the user quits. Returns the exit status.
 */
int classic_run(struct kvm_stat_options *options);

#endif /* CLASSIC_CLASSIC_H */
