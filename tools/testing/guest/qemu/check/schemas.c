// SPDX-License-Identifier: GPL-2.0-only
/* Checks of query-stats-schemas. */
#include "qemu/answer.h"
#include "qemu/check/checks.h"

static enum verdict has_same_names(struct session *s, const char *target, int vcpu)
{
	json_t *schemas = query_schemas(s, target, false);
	json_t *stats = query_one(s, vcpu, NULL);
	bool ok = answer_same_names(schemas, stats);

	json_decref(schemas);
	json_decref(stats);
	return ok ? PASS : FAIL;
}

enum verdict check_vm_schemas(void *ctx)
{
	return has_same_names(ctx, "vm", -1);
}

enum verdict check_vcpu_schemas(void *ctx)
{
	return has_same_names(ctx, "vcpu", 0);
}

enum verdict check_schemas_provider(void *ctx)
{
	static const char * const targets[] = { "vm", "vcpu" };
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		json_t *all = query_schemas(ctx, targets[i], false);
		json_t *kvm = query_schemas(ctx, targets[i], true);

		ok &= all && json_equal(all, kvm);
		json_decref(all);
		json_decref(kvm);
	}
	return ok ? PASS : FAIL;
}

enum verdict check_schemas_unknown_provider(void *ctx)
{
	json_t *args = json_pack("{s:s}", "provider", "nonexistent");

	return expect_refused(ctx, "query-stats-schemas", args);
}

static enum verdict right_schemas(struct session *s, const char *target)
{
	json_t *schemas = query_schemas(s, target, false);
	bool ok = json_array_size(schemas);
	json_t *schema;
	size_t i;

	json_array_foreach(schemas, i, schema)
		ok &= answer_right_schema(schema);
	json_decref(schemas);
	return ok ? PASS : FAIL;
}

enum verdict check_vm_types(void *ctx)
{
	return right_schemas(ctx, "vm");
}

enum verdict check_vcpu_types(void *ctx)
{
	return right_schemas(ctx, "vcpu");
}

static bool right_values(struct session *s, const char *target, int vcpu)
{
	json_t *schemas = query_schemas(s, target, false);
	json_t *stats = query_one(s, vcpu, NULL);
	bool ok = json_array_size(stats);
	json_t *stat;
	size_t i;

	json_array_foreach(stats, i, stat)
		ok &= answer_right_value(stat, answer_find(schemas, answer_name(stat)));
	json_decref(schemas);
	json_decref(stats);
	return ok;
}

enum verdict check_values(void *ctx)
{
	bool ok = right_values(ctx, "vm", -1);

	ok &= right_values(ctx, "vcpu", 0);
	return ok ? PASS : FAIL;
}

/* Since version 8.0, QEMU also has the provider cryptodev. */
enum verdict check_schemas_nothing(void *ctx)
{
	json_t *args = json_pack("{s:s}", "provider", "kvm");

	return expect_empty(query(ctx, "query-stats-schemas", args));
}
