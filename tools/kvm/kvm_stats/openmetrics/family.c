// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/family.h"
#include "openmetrics/text.h"

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

static void free_bounds(struct member *member)
{
	while (member->bounds)
		free(member->bound[--member->bounds]);
	free(member->bound);
}

const char *member_scale(const struct member *member, const struct kvmstats_stat *stat,
			 uint64_t value, char *buf)
{
	if (!member->scaled || kvmstats_stat_scale(stat, value, buf, SCALED_SIZE) < 0)
		snprintf(buf, SCALED_SIZE, "%" PRIu64, value);
	return buf;
}

/* le is inclusive. Values are integers, so the bound is the largest value in the bucket. */
static int make_bounds(struct member *member)
{
	unsigned int size = kvmstats_stat_size(member->stat);
	char decimal[SCALED_SIZE], canonical[CANONICAL_SIZE];
	uint64_t min, max;
	unsigned int n;

	member->bound = calloc(size, sizeof(*member->bound));
	if (!member->bound)
		return -ENOMEM;
	for (n = 0; n < size; n++) {
		if (kvmstats_stat_bucket(member->stat, n, &min, &max) || max == UINT64_MAX)
			break;
		canonical_number(member_scale(member, member->stat, max, decimal), canonical);
		member->bound[n] = strdup(canonical);
		if (!member->bound[n])
			return -ENOMEM;
		member->bounds++;
	}
	return 0;
}

static bool is_time(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_unit(stat) == KVMSTATS_SECONDS && stat_can_scale(stat);
}

static bool may_be_sum(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_CUMULATIVE &&
	       kvmstats_stat_size(stat) == 1 && is_time(stat);
}

/* halt_wait_ns, for example, is the sum of all samples of halt_wait_hist. */
static const struct kvmstats_stat *find_sum(const struct stat_set *set,
					    const struct kvmstats_stat *hist)
{
	const char *name = kvmstats_stat_name(hist);
	const char *end = strrchr(name, '_');
	const struct kvmstats_stat *sum;
	char *sum_name;

	if (!is_time(hist) || !end || strcmp(end, "_hist") ||
	    asprintf(&sum_name, "%.*s_ns", (int)(end - name), name) < 0)
		return NULL;
	sum = kvmstats_schema_find(set->schema, sum_name);
	free(sum_name);
	return sum && may_be_sum(sum) ? sum : NULL;
}

static int add_member(struct family *family, const struct stat_set *set,
		      const struct kvmstats_stat *stat)
{
	struct member *more = reallocarray(family->member, family->members + 1, sizeof(*more));
	struct member *member;
	int err;

	if (!more)
		return -ENOMEM;
	family->member = more;
	member = &more[family->members];
	*member = (struct member){ .set = set, .stat = stat, .scaled = stat_can_scale(stat) };
	if (family->type == FAMILY_HISTOGRAM) {
		member->sum = find_sum(set, stat);
		err = make_bounds(member);
		if (err) {
			free_bounds(member);
			return err;
		}
	}
	family->members++;
	return 0;
}

const struct member *family_member(const struct family *family, const struct stat_set *set)
{
	size_t i;

	for (i = 0; i < family->members; i++) {
		if (family->member[i].set == set)
			return &family->member[i];
	}
	return NULL;
}

/* ---- families ---- */

static void free_family(struct family *family)
{
	while (family->members)
		free_bounds(&family->member[--family->members]);
	free(family->member);
	free(family->name);
	free(family->help);
	free(family);
}

static struct family *new_family(enum kind kind, const struct kvmstats_stat *stat)
{
	struct family *family = calloc(1, sizeof(*family));

	if (!family)
		return NULL;
	family->kind = kind;
	family->type = stat_family_type(stat);
	family->unit = stat_family_unit(stat);
	family->name = stat_family_name(kind, stat);
	family->help = stat_family_help(kind, stat);
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
	err = registry_add(&families->names, family);
	/* The registry can refer to the family even after an error, so keep it. */
	families->family[families->count++] = family;
	return err;
}

static bool same_family(const struct family *a, const struct family *b)
{
	return a->type == b->type && a->kind == b->kind && a->unit == b->unit &&
	       !strcmp(a->name, b->name);
}

/*
 * Adds @family with its first member. Returns 1 if @families owns it now, 0 if its name
 * conflicts with another family, or -ENOMEM.
 */
static int start_family(struct families *families, struct family *family,
			const struct stat_set *set, const struct kvmstats_stat *stat)
{
	int err = registry_available(&families->names, family);

	if (err <= 0) {
		families->left_out += !err;
		return err;
	}
	err = add_member(family, set, stat);
	if (!err)
		err = insert(families, family);
	return err ? err : 1;
}

/*
 * Adds @stat to @known, which has the same name, type and unit. A second statistic of the same
 * set is left out. Returns 0 or -ENOMEM.
 */
static int join_family(struct families *families, struct family *known,
		       const struct stat_set *set, const struct kvmstats_stat *stat)
{
	const struct member *member = family_member(known, set);

	if (!member)
		return add_member(known, set, stat);
	families->left_out += member->stat != stat;
	return 0;
}

static int add_stat(struct families *families, enum kind kind, const struct stat_set *set,
		    const struct kvmstats_stat *stat)
{
	struct family *family = new_family(kind, stat);
	struct family *known;
	int ret;

	if (!family)
		return -ENOMEM;
	known = registry_find(&families->names, family->name);
	if (known && same_family(known, family))
		ret = join_family(families, known, set, stat);
	else
		ret = start_family(families, family, set, stat);
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
	for (i = 0; !err && i < set->stats; i++)
		err = add_stat(families, kind, set, set->stat[i]);
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
