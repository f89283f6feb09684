// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics_family.h"
#include "openmetrics_text.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Beyond that a value in whole units would be nothing but zeros. */
#define MAX_EXPONENT	64

static const struct {
	const char *prefix;
	const char *whose;
} kinds[] = {
	[KIND_VM] = { "kvm_vm_", "of a VM" },
	[KIND_VCPU] = { "kvm_vcpu_", "of a vCPU" },
	[KIND_DEBUGFS] = { "kvm_debugfs_", "of a VM and its vCPUs, from debugfs" },
	[KIND_TRACEPOINT] = { "kvm_tracepoint_", "from tracepoints" },
};

/* What a family's samples may be called, and what may not be called so then. */
static const char * const suffixes[][6] = {
	[FAMILY_COUNTER] = { "", "_total", "_created" },
	[FAMILY_GAUGE] = { "" },
	[FAMILY_HISTOGRAM] = { "", "_bucket", "_sum", "_count", "_created" },
	[FAMILY_INFO] = { "", "_info" },
	[FAMILY_UNKNOWN] = { "" },
};

struct known_set {
	enum kind kind;
	const struct stat_set *set;
};

struct taken_name {
	char *name;
	struct family *family;
};

enum kind kind_of(const struct target *target)
{
	if (target->origin == ORIGIN_DEBUGFS)
		return KIND_DEBUGFS;
	if (target->origin == ORIGIN_TRACEPOINTS)
		return KIND_TRACEPOINT;
	return target->scope == SCOPE_VCPU ? KIND_VCPU : KIND_VM;
}

/* ---- what a statistic is called ---- */

static enum family_type type_of(const struct kvmstats_stat *stat)
{
	switch (kvmstats_stat_type(stat)) {
	case KVMSTATS_CUMULATIVE:
		return FAMILY_COUNTER;
	case KVMSTATS_INSTANT:
	case KVMSTATS_PEAK:
		return FAMILY_GAUGE;
	case KVMSTATS_LINEAR_HIST:
	case KVMSTATS_LOG_HIST:
		return FAMILY_HISTOGRAM;
	default:
		return FAMILY_UNKNOWN;
	}
}

static bool can_scale(const struct kvmstats_stat *stat)
{
	return kvmstats_base_name(kvmstats_stat_base(stat)) &&
	       abs(kvmstats_stat_exponent(stat)) <= MAX_EXPONENT;
}

static const char *unit_of(const struct kvmstats_stat *stat)
{
	unsigned int unit = kvmstats_stat_unit(stat);

	if (!can_scale(stat))
		return NULL;
	if (unit == KVMSTATS_SECONDS || unit == KVMSTATS_BYTES || unit == KVMSTATS_CYCLES)
		return kvmstats_unit_name(unit);
	return NULL;
}

static bool cut_end(char *name, const char *end)
{
	size_t len = strlen(name), cut = strlen(end);

	if (len < cut || strcmp(name + len - cut, end))
		return false;
	name[len - cut] = '\0';
	return true;
}

static bool names_unit(const char *name, const char *unit)
{
	size_t len = strlen(name), cut = strlen(unit);

	return len >= cut && !strcmp(name + len - cut, unit) &&
	       (len == cut || name[len - cut - 1] == '_');
}

static void make_valid(char *name)
{
	for (; *name; name++) {
		if (!isascii((unsigned char)*name) || !isalnum((unsigned char)*name))
			*name = '_';
	}
}

/* "halt_wait_ns" of a vCPU: "kvm_vcpu_halt_wait_seconds"; NULL: no memory. */
static char *name_of(enum kind kind, const struct kvmstats_stat *stat)
{
	const char *unit = unit_of(stat);
	char *stem = strdup(kvmstats_stat_name(stat));
	char *name = NULL;

	if (!stem)
		return NULL;
	make_valid(stem);
	if (type_of(stat) == FAMILY_COUNTER)
		cut_end(stem, "_total");
	if (unit && !strcmp(unit, "seconds"))
		(void)(cut_end(stem, "_ns") || cut_end(stem, "_us") || cut_end(stem, "_ms"));
	if (unit && names_unit(stem, unit))
		unit = NULL;
	if (asprintf(&name, "%s%s%s%s", kinds[kind].prefix, stem, unit ? "_" : "",
		     unit ? unit : "") < 0)
		name = NULL;
	free(stem);
	return name;
}

static char *help_of(enum kind kind, const struct kvmstats_stat *stat)
{
	bool plain = kvmstats_stat_unit(stat) == KVMSTATS_BOOLEAN;
	char unit[64] = "", type[32] = "", *help, *at;

	if (!plain && kvmstats_stat_unit_text(stat, unit, sizeof(unit)) < 0)
		snprintf(unit, sizeof(unit), "unit %u", kvmstats_stat_unit(stat));
	if (!kvmstats_type_name(kvmstats_stat_type(stat)))
		snprintf(type, sizeof(type), ", of type %u", kvmstats_stat_type(stat));
	if (asprintf(&help, "KVM's statistic %s %s%s%s%s.", kvmstats_stat_name(stat),
		     kinds[kind].whose, type, *unit ? ", counted in " : "", unit) < 0)
		return NULL;
	/* What the formats escape in different ways. */
	for (at = help; *at; at++) {
		if (*at == '\\' || *at == '"')
			*at = '?';
	}
	return help;
}

/* ---- names that are taken ---- */

static int by_name(const void *a, const void *b)
{
	const struct taken_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct taken_name *find_name(struct families *families, char *name)
{
	struct taken_name key = { .name = name };
	struct taken_name **found = tfind(&key, &families->names, by_name);

	return found ? *found : NULL;
}

static void free_name(void *node)
{
	struct taken_name *taken = node;

	free(taken->name);
	free(taken);
}

static int take_name(struct families *families, struct family *family, const char *suffix)
{
	struct taken_name *taken = calloc(1, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	taken->family = family;
	if (asprintf(&taken->name, "%s%s", family->name, suffix) < 0)
		taken->name = NULL;
	if (taken->name && tsearch(taken, &families->names, by_name))
		return 0;
	free_name(taken);
	return -ENOMEM;
}

/* 1: none of them is taken, 0: one is. */
static int names_are_free(struct families *families, const struct family *family)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes[0]) && suffixes[family->type][i]; i++) {
		char *name;
		bool taken;

		if (asprintf(&name, "%s%s", family->name, suffixes[family->type][i]) < 0)
			return -ENOMEM;
		taken = find_name(families, name);
		free(name);
		if (taken)
			return 0;
	}
	return 1;
}

static int take_names(struct families *families, struct family *family)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(suffixes[0]) && suffixes[family->type][i]; i++)
		err = take_name(families, family, suffixes[family->type][i]);
	return err;
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

/* Values are whole numbers, so a bucket's bound is the largest one that it takes. */
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

/* The kernel sums up what it sorts into halt_wait_hist in halt_wait_ns. */
static const struct kvmstats_stat *find_sum(const struct stat_set *set,
					    const struct kvmstats_stat *hist)
{
	char *name = malloc(strlen(kvmstats_stat_name(hist)) + sizeof("_ns"));
	const struct kvmstats_stat *sum = NULL;

	if (!name)
		return NULL;
	strcpy(name, kvmstats_stat_name(hist));
	if (kvmstats_stat_unit(hist) == KVMSTATS_SECONDS && cut_end(name, "_hist"))
		sum = kvmstats_schema_find(set->schema, strcat(name, "_ns"));
	free(name);
	if (sum && kvmstats_stat_type(sum) == KVMSTATS_CUMULATIVE &&
	    kvmstats_stat_unit(sum) == KVMSTATS_SECONDS && can_scale(sum) && can_scale(hist) &&
	    kvmstats_stat_size(sum) == 1)
		return sum;
	return NULL;
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
	*member = (struct member){ .set = set, .stat = stat, .scaled = can_scale(stat) };
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
	family->type = type_of(stat);
	family->unit = unit_of(stat);
	family->name = name_of(kind, stat);
	family->help = help_of(kind, stat);
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
	err = take_names(families, family);
	/* From here on names may refer to it, so it has to stay. */
	families->family[families->count++] = family;
	return err;
}

static bool same_family(const struct family *a, const struct family *b)
{
	return a->type == b->type && a->kind == b->kind && a->unit == b->unit &&
	       !strcmp(a->name, b->name);
}

/* A new family: takes @family over, or leaves it to the caller with 0. */
static int start_family(struct families *families, struct family *family,
			const struct stat_set *set, const struct kvmstats_stat *stat)
{
	int err = names_are_free(families, family);

	if (err <= 0) {
		families->left_out += !err;
		return err;
	}
	err = add_member(family, set, stat);
	if (!err)
		err = insert(families, family);
	return err ? err : 1;
}

static int add_stat(struct families *families, enum kind kind, const struct stat_set *set,
		    const struct kvmstats_stat *stat)
{
	struct family *family = new_family(kind, stat);
	struct taken_name *taken;
	int ret = 0;

	if (!family)
		return -ENOMEM;
	taken = find_name(families, family->name);
	if (taken && same_family(taken->family, family) && !family_member(taken->family, set))
		ret = add_member(taken->family, set, stat);
	else
		ret = start_family(families, family, set, stat);
	if (!families->count || families->family[families->count - 1] != family)
		free_family(family);
	return ret < 0 ? ret : 0;
}

static bool is_known(const struct families *families, enum kind kind, const struct stat_set *set)
{
	size_t i;

	for (i = 0; i < families->knowns; i++) {
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
	more = reallocarray(families->known, families->knowns + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	families->known = more;
	families->known[families->knowns++] = (struct known_set){ kind, set };
	for (i = 0; !err && i < set->stats; i++)
		err = add_stat(families, kind, set, set->stat[i]);
	return err;
}

void families_free(struct families *families)
{
	while (families->count)
		free_family(families->family[--families->count]);
	free(families->family);
	free(families->known);
	tdestroy(families->names, free_name);
	*families = (struct families){ 0 };
}
