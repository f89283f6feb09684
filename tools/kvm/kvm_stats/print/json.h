/* SPDX-License-Identifier: GPL-2.0-only */
/* VMMs and their statistics as JSON on standard output, one line for all VMMs. */
#ifndef PRINT_JSON_H
#define PRINT_JSON_H

#include <stdbool.h>

#include "model.h"
#include "sums.h"

/* Prints a string in quotes. Characters that utf8_is_harmless() rejects are escaped. */
void json_print_string(const char *text);

/* Prints the value of @row, or an array if it has several. */
void json_print_value(const struct row *row);

/* Prints the VMMs, without statistics. */
void json_print_vmms(const struct monitor *monitor);

/* Prints the time, and the statistics of all VMMs; with @rates, also their growth per second. */
void json_print_values(const struct monitor *monitor, bool rates);

#endif /* PRINT_JSON_H */
