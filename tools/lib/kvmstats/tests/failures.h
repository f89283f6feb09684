/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* The functions that host_test.c replaces, with the option --wrap of the linker. */
#ifndef FAILURES_H
#define FAILURES_H

#include <stddef.h>
#include <sys/types.h>

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

#endif /* FAILURES_H */
