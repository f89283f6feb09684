/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names that families have taken: their own, and with each suffix that their samples
 * have, or may have.  A name with two meanings would make the whole exposition invalid.
 */
#ifndef OPENMETRICS_TAKEN_H
#define OPENMETRICS_TAKEN_H

struct family;

struct taken_names {
	void *root;
};

/* Of whom it is; NULL: of nobody. */
struct family *names_find(struct taken_names *names, const char *name);

/* 1: none of those that @family would take is taken, 0: one is, -ENOMEM. */
int names_are_free(struct taken_names *names, const struct family *family);

/* 0 or -ENOMEM.  @family has to live as long as @names. */
int names_take(struct taken_names *names, struct family *family);
void names_free(struct taken_names *names);

#endif /* OPENMETRICS_TAKEN_H */
