/* SPDX-License-Identifier: GPL-2.0-only */
/* The HELP, TYPE and UNIT lines before a family's samples. They differ between the formats. */
#ifndef OPENMETRICS_METADATA_H
#define OPENMETRICS_METADATA_H

#include "openmetrics/format.h"
#include "openmetrics/name.h"

struct metadata {
	const char *name;	/* of the family, without _total or _info */
	enum family_type type;
	const char *unit;	/* NULL: no unit */
	const char *help;
};

void put_metadata(const struct exposition *to, const struct metadata *metadata);

#endif /* OPENMETRICS_METADATA_H */
