/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
#ifndef KVMSTATS_HELP_H
#define KVMSTATS_HELP_H

#include "kvmstats.h"

/*
 * Returns a sentence that describes the statistic @name of VMs or of vCPUs, or NULL if the
 * reference of this version of the library does not have the statistic. A few statistics have
 * different meanings on different architectures: the sentence is that for the architecture that
 * the library was built for.
 */
const char *kvmstats_stat_help(const char *name, enum kvmstats_kind kind);

#endif /* KVMSTATS_HELP_H */
