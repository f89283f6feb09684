// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/family.h"

struct known_set {
	enum kind kind;
	const struct stat_set *set;
};

enum kind kind_of(const struct target *target)
{
	if (target->origin == ORIGIN_DEBUGFS)
		return KIND_DEBUGFS;
	if (target->origin == ORIGIN_TRACEPOINTS)
		return KIND_TRACEPOINT;
	return target->scope == SCOPE_VCPU ? KIND_VCPU : KIND_VM;
}

/* ---- members ---- */

/* A statistic that is to be added to a family. */
struct addition {
	enum kind kind;
	const struct stat_set *set;
	const struct kvmstats_stat *stat;
	const struct exit_class *class;		/* NULL: none */
};

static int add_member(struct family *family, const struct addition *addition)
{
	struct member *more = reallocarray(family->member, family->members + 1, sizeof(*more));
	int err;

	if (!more)
		return -ENOMEM;
	family->member = more;
	err = member_init(&more[family->members], addition->set, addition->stat, family->type,
			  addition->class);
	if (!err)
		family->members++;
	return err;
}

static bool is_class(const struct member *member, const struct exit_class *class)
{
	if (!class || !member->class)
		return !class && !member->class;
	return strlen(member->class) == class->length &&
	       !memcmp(member->class, class->name, class->length);
}

static const struct member *find_member(const struct family *family,
					const struct addition *addition)
{
	size_t i;

	for (i = 0; i < family->members; i++) {
		const struct member *member = &family->member[i];

		if (member->set == addition->set && is_class(member, addition->class))
			return member;
	}
	return NULL;
}

/* ---- families ---- */

static void free_family(struct family *family)
{
	while (family->members)
		member_free(&family->member[--family->members]);
	free(family->member);
	free(family->name);
	free(family->help);
	free(family);
}

static struct family *new_family(const struct addition *addition)
{
	struct family *family = calloc(1, sizeof(*family));

	if (!family)
		return NULL;
	family->kind = addition->kind;
	family->by_class = addition->class;
	family->exits = is_exit_stat(addition->set->schema, addition->stat);
	family->type = stat_family_type(addition->stat);
	family->unit = stat_family_unit(addition->stat);
	family->name = stat_family_name(addition->kind, addition->stat, addition->class);
	family->help = stat_family_help(addition->kind, addition->stat, addition->class);
	if (family->name && family->help)
		return family;
	free_family(family);
	return NULL;
}

static int insert(struct families *families, struct family *family)
{
	struct family **more = reallocarray(families->family, families->count + 1,
					    sizeof(*more));
	int err;

	if (!more)
		return -ENOMEM;
	families->family = more;
	err = registry_add(&families->names, family->name, family->type, family);
	/* The registry can refer to the family even after an error, so keep it. */
	families->family[families->count++] = family;
	return err;
}

static bool same_family(const struct family *a, const struct family *b)
{
	return a->type == b->type && a->kind == b->kind && a->unit == b->unit &&
	       a->by_class == b->by_class && !strcmp(a->name, b->name);
}

/*
 * Adds @family with its first member. Returns 1 if @families owns it now, 0 if its name
 * conflicts with another family, or -ENOMEM.
 */
static int start_family(struct families *families, struct family *family,
			const struct addition *addition)
{
	int err = registry_available(&families->names, family->name,
				     family->type);

	if (err <= 0) {
		families->left_out += !err;
		return err;
	}
	err = add_member(family, addition);
	if (!err)
		err = insert(families, family);
	return err ? err : 1;
}

/*
 * Adds the statistic to @known, which has the same name, type and unit. A second statistic of the
 * same set is left out, unless it is of another class. Returns 0 or -ENOMEM.
 */
static int join_family(struct families *families, struct family *known,
		       const struct addition *addition)
{
	const struct member *member = find_member(known, addition);

	if (!member)
		return add_member(known, addition);
	families->left_out += member->stat != addition->stat;
	return 0;
}

static int add_stat(struct families *families, enum kind kind, const struct stat_set *set,
		    const struct kvmstats_stat *stat)
{
	struct addition addition = { .kind = kind, .set = set, .stat = stat };
	struct exit_class class;
	struct family *family, *known;
	int ret;

	if (exit_class_of(set->schema, stat, &class))
		addition.class = &class;
	family = new_family(&addition);
	if (!family)
		return -ENOMEM;
	known = registry_find(&families->names, family->name);
	if (known && same_family(known, family))
		ret = join_family(families, known, &addition);
	else
		ret = start_family(families, family, &addition);
	if (!families->count || families->family[families->count - 1] != family)
		free_family(family);
	return ret < 0 ? ret : 0;
}

static bool is_known(const struct families *families, enum kind kind, const struct stat_set *set)
{
	size_t i;

	for (i = 0; i < families->known_count; i++) {
		if (families->known[i].kind == kind && families->known[i].set == set)
			return true;
	}
	return false;
}

int families_reserve(struct families *families, const char *name)
{
	return registry_add(&families->names, name, FAMILY_GAUGE, NULL);
}

int families_add(struct families *families, enum kind kind, const struct stat_set *set)
{
	struct known_set *more;
	size_t i;
	int err = 0;

	if (is_known(families, kind, set))
		return 0;
	more = reallocarray(families->known, families->known_count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	families->known = more;
	for (i = 0; !err && i < set->stats; i++) {
		if (kind != KIND_VCPU || !kvmstats_stat_is_hist(set->stat[i]))
			err = add_stat(families, kind, set, set->stat[i]);
	}
	if (!err)
		families->known[families->known_count++] = (struct known_set){ kind, set };
	return err;
}

void families_free(struct families *families)
{
	while (families->count)
		free_family(families->family[--families->count]);
	free(families->family);
	free(families->known);
	registry_free(&families->names);
	*families = (struct families){ 0 };
}
