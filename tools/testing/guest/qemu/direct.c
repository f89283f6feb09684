// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "qemu/answer.h"
#include "qemu/check/table.h"
#include "qemu/direct.h"

/* The names that QEMU uses for types and units, in the order of their numbers. */
static const char * const types[] = {
	"cumulative", "instant", "peak", "linear-histogram", "log2-histogram",
};

static const char * const units[] = { "", "bytes", "seconds", "cycles", "boolean" };

/* A value in the first sample, in the answer of QEMU after it, and in the second sample. */
struct triple {
	uint64_t before;
	uint64_t qemu;
	uint64_t after;
};

/* The order of @fds is that of kvmstats_fds_scan(): statistics fds are after VM and vCPU fds. */
static int open_target(const struct kvmstats_fds *fds, int pidfd, int vcpu)
{
	int ret = -ENOENT;
	size_t i;

	for (i = 0; i < fds->count; i++) {
		if (fds->fd[i].vcpu != vcpu)
			continue;
		ret = kvmstats_dup_and_open(pidfd, &fds->fd[i]);
		/* A mainline kernel opens statistics for QEMU only, which may hold them. */
		if (ret != -EIO)
			break;
	}
	return ret;
}

int direct_open(struct direct *direct, pid_t pid, int vcpu)
{
	struct kvmstats_fds fds = { 0 };
	int pidfd = kvmstats_pidfd_open(pid);
	int ret;

	*direct = DIRECT_NONE;

	if (pidfd < 0)
		return pidfd;
	ret = kvmstats_fds_scan(&fds, pid);
	if (!ret)
		ret = open_target(&fds, pidfd, vcpu);
	kvmstats_fds_free(&fds);
	close(pidfd);
	if (ret < 0)
		return ret;

	direct->fd = ret;
	return kvmstats_schema_read(&direct->schema, direct->fd) ?:
	       kvmstats_sample_new(&direct->before, direct->schema) ?:
	       kvmstats_sample_new(&direct->after, direct->schema);
}

void direct_close(struct direct *direct)
{
	if (direct->fd >= 0)
		close(direct->fd);
	kvmstats_sample_free(direct->before);
	kvmstats_sample_free(direct->after);
	kvmstats_schema_free(direct->schema);
	*direct = DIRECT_NONE;
}

bool direct_has_id(const struct direct *direct, const char *id)
{
	char found[128];
	int ret = kvmstats_schema_id(direct->schema, direct->fd, found, sizeof(found));

	if (ret < 0) {
		note("reading the id: %s", strerror(-ret));
		return false;
	}
	if (strcmp(found, id)) {
		note("expected the id '%s', found '%s'", id, found);
		return false;
	}
	return true;
}

/* QEMU omits the unit of a statistic without unit, and the base if the exponent is 0. */
static bool same_schema(const struct kvmstats_stat *stat, const json_t *schema)
{
	const char *type = json_string_value(json_object_get(schema, "type")) ?: "";
	const char *unit = json_string_value(json_object_get(schema, "unit")) ?: "";
	json_int_t base = json_integer_value(json_object_get(schema, "base"));
	json_int_t exponent = json_integer_value(json_object_get(schema, "exponent"));
	json_int_t bucket = json_integer_value(json_object_get(schema, "bucket-size"));
	int expected_base = kvmstats_stat_base(stat) == KVMSTATS_BASE_POW10 ? 10 : 2;

	if (!kvmstats_stat_exponent(stat))
		expected_base = 0;

	if (kvmstats_stat_type(stat) <= KVMSTATS_TYPE_LOG_HIST &&
	    kvmstats_stat_unit(stat) <= KVMSTATS_UNIT_BOOLEAN &&
	    !strcmp(type, types[kvmstats_stat_type(stat)]) &&
	    !strcmp(unit, units[kvmstats_stat_unit(stat)]) &&
	    base == expected_base && exponent == kvmstats_stat_exponent(stat) &&
	    bucket == kvmstats_stat_bucket_size(stat))
		return true;

	note("%s: descriptor flags %#x exponent %d, QEMU reports %s '%s' base %lld exponent %lld",
	     kvmstats_stat_name(stat), kvmstats_stat_flags(stat), kvmstats_stat_exponent(stat),
	     type, unit, (long long)base, (long long)exponent);
	return false;
}

bool direct_same_schema(const struct direct *direct, const json_t *schemas)
{
	size_t count = kvmstats_schema_count(direct->schema);
	bool ok = count == json_array_size(schemas);
	size_t i;

	if (!ok)
		note("%zu descriptors, %zu schemas", count, json_array_size(schemas));

	for (i = 0; i < count; i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(direct->schema, i);
		const json_t *schema = answer_find(schemas, kvmstats_stat_name(stat));

		if (!schema)
			note("%s: QEMU has no schema for it", kvmstats_stat_name(stat));
		ok &= schema && same_schema(stat, schema);
	}
	return ok;
}

static bool grows(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) != KVMSTATS_TYPE_INSTANT;
}

/* Does @holds return true for each value? @stats is NULL if no values of QEMU are needed. */
static bool all_values(const struct direct *direct, const json_t *stats,
		       bool (*holds)(const struct kvmstats_stat *, const struct triple *))
{
	size_t count = kvmstats_schema_count(direct->schema);
	bool ok = count > 0;
	unsigned int n;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(direct->schema, i);
		const json_t *answer = answer_find(stats, kvmstats_stat_name(stat));
		struct triple v = { 0 };

		if (stats && answer_size(answer) != kvmstats_stat_size(stat)) {
			note("%s: %u values expected, QEMU reports %zu", kvmstats_stat_name(stat),
			     kvmstats_stat_size(stat), answer_size(answer));
			ok = false;
			continue;
		}
		for (n = 0; n < kvmstats_stat_size(stat); n++) {
			if (kvmstats_sample_value(direct->before, stat, n, &v.before) ||
			    kvmstats_sample_value(direct->after, stat, n, &v.after) ||
			    (stats && !answer_value(answer, n, &v.qemu)) ||
			    !holds(stat, &v))
				ok = false;
		}
	}
	return ok;
}

static bool unchanged(const struct kvmstats_stat *stat, const struct triple *v)
{
	(void)stat;
	return v->before == v->after;
}

static bool equal(const struct kvmstats_stat *stat, const struct triple *v)
{
	if (v->before == v->qemu)
		return true;
	note("%s: %llu read from the fd, %llu from QEMU", kvmstats_stat_name(stat),
	     (unsigned long long)v->before, (unsigned long long)v->qemu);
	return false;
}

static bool between(const struct kvmstats_stat *stat, const struct triple *v)
{
	if (!grows(stat) || (v->before <= v->qemu && v->qemu <= v->after))
		return true;
	note("%s: %llu read from the fd, then %llu from QEMU, then %llu from the fd",
	     kvmstats_stat_name(stat), (unsigned long long)v->before,
	     (unsigned long long)v->qemu, (unsigned long long)v->after);
	return false;
}

static bool grown(const struct kvmstats_stat *stat, const struct triple *v)
{
	if (!grows(stat) || v->before <= v->after)
		return true;
	note("%s: fell from %llu to %llu", kvmstats_stat_name(stat),
	     (unsigned long long)v->before, (unsigned long long)v->after);
	return false;
}

bool direct_unchanged(const struct direct *direct)
{
	return all_values(direct, NULL, unchanged);
}

bool direct_equal(const struct direct *direct, const json_t *stats)
{
	return stats && all_values(direct, stats, equal);
}

bool direct_between(const struct direct *direct, const json_t *stats)
{
	return stats && all_values(direct, stats, between);
}

bool direct_grown(const struct direct *direct)
{
	return all_values(direct, NULL, grown);
}
