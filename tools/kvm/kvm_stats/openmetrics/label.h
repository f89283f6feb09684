/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPENMETRICS_LABEL_H
#define OPENMETRICS_LABEL_H

#include "base/text.h"

/*
 * Writes NAME="VALUE", after a comma if another label precedes it. Bytes that are not valid
 * UTF-8 become U+FFFD.
 */
void put_label(struct text *text, const char *name, const char *value);

#endif /* OPENMETRICS_LABEL_H */
