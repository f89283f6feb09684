/* SPDX-License-Identifier: GPL-2.0-only */
/* What QEMU answers to query-stats and query-stats-schemas, taken apart. */
#ifndef QEMU_ANSWER_H
#define QEMU_ANSWER_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

/* "name" of a statistic or schema, "" if it has none. */
const char *answer_name(const json_t *stat);

/* The element called @name of an array of statistics or schemas, or NULL. */
json_t *answer_find(const json_t *stats, const char *name);

/* The "stats" of the result whose @key is @value; NULL: none, or several. */
json_t *answer_stats(const json_t *results, const char *key, const char *value);

/*
 * Value @n of a statistic, in the order of the kernel; booleans count 0 and 1.  False: it has no such
 * value, or not a number.
 */
bool answer_value(const json_t *stat, size_t n, uint64_t *value);

/* How many values it has. */
size_t answer_size(const json_t *stat);

/* Both arrays have the same names, each once; notes those that differ. */
bool answer_same_names(const json_t *a, const json_t *b);

/* A schema's type, unit, base and exponent are those that its name demands. */
bool answer_right_schema(const json_t *schema);

/* A statistic's value is of the JSON type that its schema demands. */
bool answer_right_value(const json_t *stat, const json_t *schema);

#endif /* QEMU_ANSWER_H */
