/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef QMP_BUILT_IN_H
#define QMP_BUILT_IN_H

#include <stdbool.h>

/* Whether kvm-stats was built with jansson, which QMP needs. */
bool qmp_is_built_in(void);

#endif /* QMP_BUILT_IN_H */
