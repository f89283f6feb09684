/* SPDX-License-Identifier: GPL-2.0-only */
/* Parse the answers of QEMU to query-stats and query-stats-schemas. */
#ifndef QEMU_ANSWER_H
#define QEMU_ANSWER_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

/* Returns the "name" of a statistic or schema, or "" if it does not have one. */
const char *answer_name(const json_t *stat);

/* Returns the element called @name of an array of statistics or schemas, or NULL. */
json_t *answer_find(const json_t *stats, const char *name);

/* Returns the "stats" of the only result that has @value for @key, or NULL. */
json_t *answer_stats(const json_t *results, const char *key, const char *value);

/*
 * Stores value @n of a statistic, in the order of the kernel. Booleans are 0 and 1. Returns false
 * if there is no such value, or if it is not a number.
 */
bool answer_value(const json_t *stat, size_t n, uint64_t *value);

/* Returns the number of values. */
size_t answer_size(const json_t *stat);

/* Do both arrays have the same names, each once? Prints the differences as notes. */
bool answer_same_names(const json_t *a, const json_t *b);

/* Does the schema have the type, unit, base and exponent that its name requires? */
bool answer_right_schema(const json_t *schema);

/* Does the value have the JSON type that its schema requires? */
bool answer_right_value(const json_t *stat, const json_t *schema);

#endif /* QEMU_ANSWER_H */
