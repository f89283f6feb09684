// SPDX-License-Identifier: GPL-2.0-only
/* Checks of query-stats and its filters. */
#include "qemu/answer.h"
#include "qemu/check/checks.h"

static const char * const vm_names[] = {
	"max_mmu_page_hash_collisions", "mmu_shadow_zapped", "nx_lpage_splits", "remote_tlb_flush",
};

static const char * const vcpu_names[] = {
	"exits", "halt_attempted_poll", "halt_exits", "halt_poll_success_ns", "io_exits",
	"irq_injections", "irq_window_exits", "mmio_exits", "pf_fixed",
};

static bool has_names(const json_t *stats, const char * const *names, size_t count)
{
	bool ok = stats;
	size_t i;

	for (i = 0; i < count; i++) {
		if (answer_find(stats, names[i]))
			continue;
		note("%s expected, not found", names[i]);
		ok = false;
	}
	return ok;
}

enum verdict check_vm(void *ctx)
{
	json_t *stats = query_one(ctx, -1, NULL);
	bool ok = has_names(stats, vm_names, ARRAY_SIZE(vm_names));

	json_decref(stats);
	return ok ? PASS : FAIL;
}

enum verdict check_vcpus(void *ctx)
{
	struct session *s = ctx;
	json_t *results = query_stats(s, "vcpu", NULL, NULL);
	bool ok = json_array_size(results) == VMM_CPUS;
	json_t *cpu;
	size_t i;

	if (!ok)
		note("%d results expected, found %zu", VMM_CPUS, json_array_size(results));

	json_array_foreach(s->cpus, i, cpu) {
		const char *path = json_string_value(json_object_get(cpu, "qom-path"));

		ok &= has_names(answer_stats(results, "qom-path", path), vcpu_names,
				ARRAY_SIZE(vcpu_names));
	}
	json_decref(results);
	return ok ? PASS : FAIL;
}

static json_t *provider_kvm(void)
{
	return json_pack("[{s:s}]", "provider", "kvm");
}

static enum verdict same_by_provider(struct session *s, int vcpu)
{
	json_t *all = query_one(s, vcpu, NULL);
	json_t *kvm = query_one(s, vcpu, provider_kvm());
	bool ok = answer_same_names(all, kvm);

	json_decref(all);
	json_decref(kvm);
	return ok ? PASS : FAIL;
}

enum verdict check_vm_provider(void *ctx)
{
	return same_by_provider(ctx, -1);
}

enum verdict check_vcpu_provider(void *ctx)
{
	return same_by_provider(ctx, 1);
}

/* A filter of two names and an unknown third one must return exactly the two statistics. */
static enum verdict only_named(struct session *s, int vcpu, const char *a, const char *b)
{
	json_t *filter = json_pack("[{s:s, s:[s, s, s]}]", "provider", "kvm",
				   "names", a, "nonexistent", b);
	json_t *stats = query_one(s, vcpu, filter);
	bool ok = json_array_size(stats) == 2 && answer_find(stats, a) && answer_find(stats, b);

	if (!ok)
		note("%s and %s expected, found %zu statistics", a, b, json_array_size(stats));
	json_decref(stats);
	return ok ? PASS : FAIL;
}

enum verdict check_vm_names(void *ctx)
{
	return only_named(ctx, -1, "remote_tlb_flush", "nx_lpage_splits");
}

enum verdict check_vcpu_names(void *ctx)
{
	return only_named(ctx, 1, "exits", "halt_poll_fail_ns");
}

/* query_one() requires exactly one result, with the path of the filter. */
enum verdict check_vcpu_paths(void *ctx)
{
	bool ok = true;
	int i;

	for (i = 0; i < VMM_CPUS; i++) {
		json_t *stats = query_one(ctx, i, NULL);

		ok &= has_names(stats, vcpu_names, ARRAY_SIZE(vcpu_names));
		json_decref(stats);
	}
	return ok ? PASS : FAIL;
}

enum verdict check_unknown_name(void *ctx)
{
	static const char * const targets[] = { "vm", "vcpu" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		json_t *filter = json_pack("[{s:s, s:[s]}]", "provider", "kvm",
					   "names", "nonexistent");

		if (expect_empty(query_stats(ctx, targets[i], NULL, filter)) != PASS)
			return FAIL;
	}
	return PASS;
}

enum verdict check_unknown_vcpu(void *ctx)
{
	return expect_empty(query_stats(ctx, "vcpu", json_pack("[s]", "/machine/none"), NULL));
}

enum verdict check_no_provider(void *ctx)
{
	return expect_empty(query_stats(ctx, "vm", NULL, json_array()));
}

enum verdict check_unknown_provider(void *ctx)
{
	json_t *args = json_pack("{s:s, s:[{s:s}]}", "target", "vm",
				 "providers", "provider", "nonexistent");

	return expect_refused(ctx, "query-stats", args);
}

enum verdict check_vm_nothing(void *ctx)
{
	return expect_empty(query_stats(ctx, "vm", NULL, NULL));
}

enum verdict check_vcpu_nothing(void *ctx)
{
	return expect_empty(query_stats(ctx, "vcpu", NULL, NULL));
}
