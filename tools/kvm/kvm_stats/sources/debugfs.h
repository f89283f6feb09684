/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of VMs in debugfs. */
#ifndef SOURCES_DEBUGFS_H
#define SOURCES_DEBUGFS_H

#include "targets/source.h"

extern const struct source source_debugfs;

#endif /* SOURCES_DEBUGFS_H */
