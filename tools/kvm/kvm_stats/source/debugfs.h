/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of VMs in debugfs. */
#ifndef SOURCE_DEBUGFS_H
#define SOURCE_DEBUGFS_H

#include "targets/source.h"

/* All files: the sums over the vCPUs of each VM, and the statistics of the VM. */
extern const struct source source_debugfs;

/* Only the statistics of the VM, for VMMs whose vCPUs other sources read. */
extern const struct source source_debugfs_vm;

/* Reads this directory instead of kvm/ in debugfs, for tests. @path must stay valid. */
void debugfs_set_path(const char *path);

#endif /* SOURCE_DEBUGFS_H */
