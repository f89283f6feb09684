/* SPDX-License-Identifier: GPL-2.0-only */
/* What kvm_stat does: lists names, prints once, or logs. */
#ifndef COMMANDS_KVM_STAT_H
#define COMMANDS_KVM_STAT_H

#include "options/kvm_stat.h"

/* Parses the options and runs. Returns the exit status. */
int kvm_stat_run(struct kvm_stat_options *options, int argc, char **argv, const char *usage);

#endif /* COMMANDS_KVM_STAT_H */
