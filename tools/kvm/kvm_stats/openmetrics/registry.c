// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "openmetrics/registry.h"

/*
 * The suffixes that OpenMetrics reserves for each type of family, whether or not the family
 * has samples with this suffix.
 */
static const char * const suffixes[][6] = {
	[FAMILY_COUNTER] = { "", "_total", "_created" },
	[FAMILY_GAUGE] = { "" },
	[FAMILY_HISTOGRAM] = { "", "_bucket", "_sum", "_count", "_created" },
	[FAMILY_INFO] = { "", "_info" },
	[FAMILY_UNKNOWN] = { "" },
};

struct registered_name {
	char *name;
	struct family *family;
};

static int compare_names(const void *a, const void *b)
{
	const struct registered_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct registered_name *find_registered(struct name_registry *registry, const char *name)
{
	struct registered_name key = { .name = (char *)name };
	struct registered_name **found = tfind(&key, &registry->root, compare_names);

	return found ? *found : NULL;
}

static void free_name(void *node)
{
	struct registered_name *registered = node;

	free(registered->name);
	free(registered);
}

static int register_name(struct name_registry *registry, const char *name, const char *suffix,
			 struct family *family)
{
	struct registered_name *registered = calloc(1, sizeof(*registered));

	if (!registered)
		return -ENOMEM;
	registered->family = family;
	if (asprintf(&registered->name, "%s%s", name, suffix) < 0)
		registered->name = NULL;
	if (registered->name && tsearch(registered, &registry->root, compare_names))
		return 0;
	free_name(registered);
	return -ENOMEM;
}

int registry_available(struct name_registry *registry, const char *name,
		       enum family_type type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes[0]) && suffixes[type][i]; i++) {
		char *full;
		bool found;

		if (asprintf(&full, "%s%s", name, suffixes[type][i]) < 0)
			return -ENOMEM;
		found = find_registered(registry, full);
		free(full);
		if (found)
			return 0;
	}
	return 1;
}

int registry_add(struct name_registry *registry, const char *name, enum family_type type,
		 struct family *family)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(suffixes[0]) && suffixes[type][i]; i++)
		err = register_name(registry, name, suffixes[type][i], family);
	return err;
}

struct family *registry_find(struct name_registry *registry, const char *name)
{
	struct registered_name *found = find_registered(registry, name);

	return found ? found->family : NULL;
}

void registry_free(struct name_registry *registry)
{
	tdestroy(registry->root, free_name);
	registry->root = NULL;
}
