// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "options/number.h"
#include "util.h"

bool parse_seconds(const char *option, const char *text, double min, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end != text && !*end && seconds >= min && seconds <= MAX_SECONDS) {
		*ns = (uint64_t)(seconds * 1e9 + 0.5);
		return true;
	}
	complain("%s must be a number of seconds from %g to %g, not '%s'", option, min,
		 MAX_SECONDS, text);
	return false;
}

bool parse_count(const char *option, const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (!errno && *text >= '0' && *text <= '9' && !*end && *count)
		return true;
	complain("%s must be a number of intervals above 0, not '%s'", option, text);
	return false;
}
