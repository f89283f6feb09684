/* SPDX-License-Identifier: GPL-2.0-only */
/* QEMU's answers to query-stats, for VMs and vCPUs whose statistics fds cannot be opened. */
#ifndef SOURCE_QMP_H
#define SOURCE_QMP_H

#include "targets/source.h"

extern const struct source source_qmp;

#endif /* SOURCE_QMP_H */
