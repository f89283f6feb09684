/* SPDX-License-Identifier: GPL-2.0-only */
/* What kvm_stat does with its options. */
#ifndef KVM_STAT_H
#define KVM_STAT_H

#include "kvm_stat_options.h"

/* Parses, and then lists names, prints once, or logs.  Returns the exit status. */
int kvm_stat_run(struct kvm_stat_options *options, int argc, char **argv, void (*usage)(void));

#endif /* KVM_STAT_H */
