/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef QMP_ERROR_H
#define QMP_ERROR_H

#include <stddef.h>

/*
 * Describes why QMP has no statistics. @err is -errno, from a session, a source or
 * qmp_make_schema(). Returns @buf or a constant string.
 */
const char *qmp_strerror(int err, char *buf, size_t size);

#endif /* QMP_ERROR_H */
