/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands above the samples of a family, in which the formats differ. */
#ifndef OPENMETRICS_HEAD_H
#define OPENMETRICS_HEAD_H

#include "openmetrics.h"
#include "openmetrics_family.h"

struct head {
	const char *name;	/* of the family: without _total, _info */
	enum family_type type;
	const char *unit;	/* or NULL */
	const char *help;
};

struct head_writer {
	enum exposition_format format;
	struct text *text;
};

void put_head(const struct head_writer *to, const struct head *head);

#endif /* OPENMETRICS_HEAD_H */
