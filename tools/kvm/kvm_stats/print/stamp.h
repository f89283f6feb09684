/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PRINT_STAMP_H
#define PRINT_STAMP_H

#include <stdint.h>

#define STAMP_SIZE	40

/*
 * Writes a time of CLOCK_MONOTONIC, in ns, as local time with its zone to @buf, which has
 * STAMP_SIZE bytes: "2026-11-23T18:30:05.250+01:00" (RFC 3339). Returns @buf.
 */
const char *stamp_of(uint64_t time, char *buf);

/* The same in the form of kvm_stat: "2026-11-23 18:30:05" */
const char *stamp_of_kvm_stat(uint64_t time, char *buf);

#endif /* PRINT_STAMP_H */
