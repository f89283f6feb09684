// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of the examples from the proposal of query-stats for QEMU, in the syntax of the released
 * version.
 */
#include <string.h>

#include "qemu/answer.h"
#include "qemu/check/checks.h"

/* The statistics in the examples, and their types. */
static const struct shown {
	const char *target;
	const char *name;
	const char *type;
} shown[] = {
	{ "vm",		"max_mmu_page_hash_collisions",	"peak" },
	{ "vm",		"max_mmu_rmap_size",		"peak" },
	{ "vm",		"nx_lpage_splits",		"instant" },
	{ "vcpu",	"guest_mode",			"instant" },
	{ "vcpu",	"directed_yield_successful",	"cumulative" },
	{ "vcpu",	"directed_yield_attempted",	"cumulative" },
	{ "vcpu",	"l1d_flush",			"cumulative" },
	{ "vcpu",	"exits",			"cumulative" },
};

static bool has_shown(const json_t *stats, const char *target)
{
	bool ok = stats;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		if (strcmp(shown[i].target, target) || answer_find(stats, shown[i].name))
			continue;
		note("%s expected, not found", shown[i].name);
		ok = false;
	}
	return ok;
}

static const char *cpu_path(struct session *s, int cpu)
{
	return json_string_value(json_object_get(json_array_get(s->cpus, cpu), "qom-path")) ?: "";
}

enum verdict check_document_vm(void *ctx)
{
	json_t *results = query_stats(ctx, "vm", NULL, NULL);
	bool ok = json_array_size(results) == 1 &&
		  has_shown(answer_stats(results, "provider", "kvm"), "vm");

	json_decref(results);
	return ok ? PASS : FAIL;
}

enum verdict check_document_vcpus(void *ctx)
{
	struct session *s = ctx;
	json_t *results = query_stats(s, "vcpu", NULL, NULL);
	bool ok = json_array_size(results) == VMM_CPUS;
	int i;

	for (i = 0; i < VMM_CPUS; i++)
		ok &= has_shown(answer_stats(results, "qom-path", cpu_path(s, i)), "vcpu");
	json_decref(results);
	return ok ? PASS : FAIL;
}

/* A filter of two paths and two names must return exactly these two statistics of two vCPUs. */
enum verdict check_document_filter(void *ctx)
{
	struct session *s = ctx;
	json_t *results = query_stats(s, "vcpu",
				      json_pack("[s, s]", cpu_path(s, 0), cpu_path(s, 1)),
				      json_pack("[{s:s, s:[s, s]}]", "provider", "kvm",
						"names", "l1d_flush", "exits"));
	bool ok = json_array_size(results) == 2;
	int i;

	for (i = 0; i < 2; i++) {
		const json_t *stats = answer_stats(results, "qom-path", cpu_path(s, i));

		if (json_array_size(stats) == 2 && answer_find(stats, "l1d_flush") &&
		    answer_find(stats, "exits"))
			continue;
		note("'%s': l1d_flush and exits expected, found %zu statistics",
		     cpu_path(s, i), json_array_size(stats));
		ok = false;
	}
	json_decref(results);
	return ok ? PASS : FAIL;
}

enum verdict check_document_schemas(void *ctx)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		json_t *schemas = query_schemas(ctx, shown[i].target, false);
		const json_t *schema = answer_find(schemas, shown[i].name);
		const char *type = json_string_value(json_object_get(schema, "type")) ?: "none";

		if (strcmp(type, shown[i].type)) {
			note("%s: type %s expected, found %s", shown[i].name, shown[i].type,
			     type);
			ok = false;
		}
		json_decref(schemas);
	}
	return ok ? PASS : FAIL;
}
