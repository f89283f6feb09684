/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names that are in use: each family's name, also with every suffix that its samples can
 * have. If two families shared one of these names, the whole exposition would be invalid.
 */
#ifndef OPENMETRICS_REGISTRY_H
#define OPENMETRICS_REGISTRY_H

#include "openmetrics/name.h"

struct family;

struct name_registry {
	void *root;
};

/* Returns the family that uses @name, or NULL if no family does. */
struct family *registry_find(struct name_registry *registry, const char *name);

/* Returns 1 if all names that a family needs are free, 0 if one is in use, or -ENOMEM. */
int registry_available(struct name_registry *registry, const char *name,
		       enum family_type type);

/* Returns 0 or -ENOMEM. @family must live as long as @registry, also after -ENOMEM. */
int registry_add(struct name_registry *registry, const char *name, enum family_type type,
		 struct family *family);
void registry_free(struct name_registry *registry);

#endif /* OPENMETRICS_REGISTRY_H */
