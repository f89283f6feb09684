/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics fds: one for each VM, or one for each VM and vCPU. They have types and units. */
#ifndef SOURCE_FD_H
#define SOURCE_FD_H

#include "targets/source.h"

extern const struct source source_fd;

#endif /* SOURCE_FD_H */
