// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics_family.h"
#include "openmetrics_taken.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* What a family's samples may be called, and what may not be called so then. */
static const char * const suffixes[][6] = {
	[FAMILY_COUNTER] = { "", "_total", "_created" },
	[FAMILY_GAUGE] = { "" },
	[FAMILY_HISTOGRAM] = { "", "_bucket", "_sum", "_count", "_created" },
	[FAMILY_INFO] = { "", "_info" },
	[FAMILY_UNKNOWN] = { "" },
};

struct taken_name {
	char *name;
	struct family *family;
};

static int by_name(const void *a, const void *b)
{
	const struct taken_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct taken_name *find_taken(struct taken_names *names, const char *name)
{
	struct taken_name key = { .name = (char *)name };
	struct taken_name **found = tfind(&key, &names->root, by_name);

	return found ? *found : NULL;
}

static void free_name(void *node)
{
	struct taken_name *taken = node;

	free(taken->name);
	free(taken);
}

static int take_name(struct taken_names *names, struct family *family, const char *suffix)
{
	struct taken_name *taken = calloc(1, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	taken->family = family;
	if (asprintf(&taken->name, "%s%s", family->name, suffix) < 0)
		taken->name = NULL;
	if (taken->name && tsearch(taken, &names->root, by_name))
		return 0;
	free_name(taken);
	return -ENOMEM;
}

int names_are_free(struct taken_names *names, const struct family *family)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes[0]) && suffixes[family->type][i]; i++) {
		char *name;
		bool taken;

		if (asprintf(&name, "%s%s", family->name, suffixes[family->type][i]) < 0)
			return -ENOMEM;
		taken = find_taken(names, name);
		free(name);
		if (taken)
			return 0;
	}
	return 1;
}

int names_take(struct taken_names *names, struct family *family)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(suffixes[0]) && suffixes[family->type][i]; i++)
		err = take_name(names, family, suffixes[family->type][i]);
	return err;
}

struct family *names_find(struct taken_names *names, const char *name)
{
	struct taken_name *taken = find_taken(names, name);

	return taken ? taken->family : NULL;
}

void names_free(struct taken_names *names)
{
	tdestroy(names->root, free_name);
	names->root = NULL;
}
