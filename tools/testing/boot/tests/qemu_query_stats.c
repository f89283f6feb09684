// SPDX-License-Identifier: GPL-2.0-only
/*
 * A real client: an unmodified QEMU, with a real guest, is asked for KVM's
 * statistics over QMP, and its answers are held against the statistics fds.
 *
 * On the unpatched kernel the same QEMU has nothing to answer.
 */
/* sources: qemu/[a-z]*.c ../../../lib/kvmstats/[a-z]*.c */
/* libs: -ljansson */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/answer.h"
#include "qemu/clock.h"
#include "qemu/direct.h"
#include "qemu/qmp.h"
#include "qemu/tap.h"
#include "qemu/vmm.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define BOOT_SECONDS	120	/* of a guest whose host is emulated */
#define MOVE_SECONDS	30
#define QUIT_SECONDS	30
#define STILL_TRIES	10

#define MARKER		"stats-guest: ready"

struct query_test {
	bool native;		/* on the build machine, not in a boot */
	struct vmm_config config;
	struct vmm vmm;
	struct qmp qmp;
	bool booted;
	json_t *cpus;		/* query-cpus-fast */
	struct direct vm;
	struct direct vcpu[VMM_CPUS];
	int direct_error;	/* why there are none, -errno */
};

/* ---- asking ---- */

static json_t *ask(struct query_test *t, const char *command, json_t *args)
{
	json_t *ret = qmp_call(&t->qmp, command, args);

	if (!ret)
		tap_note("%s: %s", command, t->qmp.error);
	return ret;
}

/* query-stats; @vcpus and @providers are filters, consumed, NULL for none. */
static json_t *query_stats(struct query_test *t, const char *target, json_t *vcpus,
			   json_t *providers)
{
	return ask(t, "query-stats", json_pack("{s:s, s:o*, s:o*}", "target", target,
					       "vcpus", vcpus, "providers", providers));
}

/* query-stats of one target: its statistics alone.  @vcpu -1 is the VM. */
static json_t *query_one(struct query_test *t, int vcpu, json_t *providers)
{
	const char *path = NULL;
	json_t *results, *stats;

	if (vcpu < 0) {
		results = query_stats(t, "vm", NULL, providers);
		stats = answer_stats(results, "provider", "kvm");
	} else {
		path = json_string_value(json_object_get(json_array_get(t->cpus, vcpu),
							 "qom-path"));
		results = query_stats(t, "vcpu", json_pack("[s]", path ?: ""), providers);
		stats = answer_stats(results, "qom-path", path ?: "");
	}
	if (json_array_size(results) != 1)
		stats = NULL;
	if (!stats)
		tap_note("one answer with statistics expected, found %zu answers",
			 json_array_size(results));

	json_incref(stats);
	json_decref(results);
	return stats;
}

static json_t *provider_kvm(void)
{
	return json_pack("[{s:s}]", "provider", "kvm");
}

/* query-stats-schemas of one target. */
static json_t *schemas_of(struct query_test *t, const char *target, bool by_provider)
{
	json_t *args = by_provider ? json_pack("{s:s}", "provider", "kvm") : NULL;
	json_t *results = ask(t, "query-stats-schemas", args);
	json_t *schemas = answer_stats(results, "target", target);

	if (!schemas)
		tap_note("one set of schemas for target %s expected, found none", target);

	json_incref(schemas);
	json_decref(results);
	return schemas;
}

/* @answer, consumed, has to be an empty array. */
static enum verdict empty(json_t *answer)
{
	bool ok = json_is_array(answer) && !json_array_size(answer);

	if (answer && !ok)
		tap_note("[] expected, found %zu results", json_array_size(answer));
	json_decref(answer);
	return ok ? PASS : FAIL;
}

/* QEMU has to refuse @command because of the provider. */
static enum verdict refused(struct query_test *t, const char *command, json_t *args)
{
	json_t *answer = qmp_call(&t->qmp, command, args);
	bool ok = !answer && strstr(t->qmp.error, "provider");

	if (!ok)
		tap_note("an error about the provider expected, found %s",
			 answer ? "an answer" : t->qmp.error);
	json_decref(answer);
	return ok ? PASS : FAIL;
}

/* ---- QEMU and its guest ---- */

static enum verdict check_greeting(void *ctx)
{
	struct query_test *t = ctx;
	json_t *version;

	if (t->qmp.error[0]) {
		tap_note("%s", t->qmp.error);
		vmm_diagnose(&t->vmm);
		return FAIL;
	}
	version = json_object_get(json_object_get(t->qmp.greeting, "QMP"), "version");
	version = json_object_get(version, "qemu");
	tap_note("QEMU %lld.%lld", json_integer_value(json_object_get(version, "major")),
		 json_integer_value(json_object_get(version, "minor")));
	return json_object_get(version, "major") ? PASS : FAIL;
}

static enum verdict check_uses_kvm(void *ctx)
{
	struct query_test *t = ctx;
	json_t *answer = ask(t, "query-kvm", NULL);
	bool ok = json_is_true(json_object_get(answer, "enabled"));

	json_decref(answer);
	return ok ? PASS : FAIL;
}

static enum verdict check_cpus(void *ctx)
{
	struct query_test *t = ctx;

	t->cpus = ask(t, "query-cpus-fast", NULL);
	if (json_array_size(t->cpus) == VMM_CPUS)
		return PASS;
	tap_note("%d CPUs expected, found %zu", VMM_CPUS, json_array_size(t->cpus));
	return FAIL;
}

static enum verdict check_boots(void *ctx)
{
	struct query_test *t = ctx;
	long long start = ms_now();

	t->booted = vmm_wait_serial(&t->vmm, MARKER, t->native ? 5 : BOOT_SECONDS);
	if (t->booted) {
		tap_note("the guest was up after %lld ms", ms_now() - start);
		return PASS;
	}
	if (t->native)
		return tap_skip("this machine's KVM does not get it to user space in 5 s");
	tap_note("'%s' expected on the serial port within %d s", MARKER, BOOT_SECONDS);
	vmm_diagnose(&t->vmm);
	return FAIL;
}

static enum verdict check_quits(void *ctx)
{
	struct query_test *t = ctx;
	json_t *answer = ask(t, "quit", NULL);
	int status = vmm_wait_exit(&t->vmm, QUIT_SECONDS);

	json_decref(answer);
	if (answer && status == 0)
		return PASS;
	tap_note("exit status 0 expected within %d s, found wait status %d", QUIT_SECONDS, status);
	vmm_diagnose(&t->vmm);
	return FAIL;
}

/* ---- query-stats ---- */

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
		tap_note("%s expected, not found", names[i]);
		ok = false;
	}
	return ok;
}

static enum verdict check_vm(void *ctx)
{
	json_t *stats = query_one(ctx, -1, NULL);
	bool ok = has_names(stats, vm_names, ARRAY_SIZE(vm_names));

	json_decref(stats);
	return ok ? PASS : FAIL;
}

static enum verdict check_vcpus(void *ctx)
{
	struct query_test *t = ctx;
	json_t *results = query_stats(t, "vcpu", NULL, NULL);
	bool ok = json_array_size(results) == VMM_CPUS;
	json_t *cpu;
	size_t i;

	if (!ok)
		tap_note("%d answers expected, found %zu", VMM_CPUS, json_array_size(results));

	json_array_foreach(t->cpus, i, cpu) {
		const char *path = json_string_value(json_object_get(cpu, "qom-path"));

		ok &= has_names(answer_stats(results, "qom-path", path), vcpu_names,
				ARRAY_SIZE(vcpu_names));
	}
	json_decref(results);
	return ok ? PASS : FAIL;
}

static enum verdict same_by_provider(struct query_test *t, int vcpu)
{
	json_t *all = query_one(t, vcpu, NULL);
	json_t *kvm = query_one(t, vcpu, provider_kvm());
	bool ok = answer_same_names(all, kvm);

	json_decref(all);
	json_decref(kvm);
	return ok ? PASS : FAIL;
}

static enum verdict check_vm_provider(void *ctx)
{
	return same_by_provider(ctx, -1);
}

static enum verdict check_vcpu_provider(void *ctx)
{
	return same_by_provider(ctx, 1);
}

/* Two names and a third that nobody has: the two come back, and no more. */
static enum verdict only_named(struct query_test *t, int vcpu, const char *a, const char *b)
{
	json_t *filter = json_pack("[{s:s, s:[s, s, s]}]", "provider", "kvm",
				   "names", a, "nonesuch", b);
	json_t *stats = query_one(t, vcpu, filter);
	bool ok = json_array_size(stats) == 2 && answer_find(stats, a) && answer_find(stats, b);

	if (!ok)
		tap_note("%s and %s expected, found %zu statistics", a, b, json_array_size(stats));
	json_decref(stats);
	return ok ? PASS : FAIL;
}

static enum verdict check_vm_names(void *ctx)
{
	return only_named(ctx, -1, "remote_tlb_flush", "nx_lpage_splits");
}

static enum verdict check_vcpu_names(void *ctx)
{
	return only_named(ctx, 1, "exits", "halt_poll_fail_ns");
}

/* query_one() wants exactly one answer, with the path that it asked for. */
static enum verdict check_vcpu_paths(void *ctx)
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

static enum verdict check_unknown_name(void *ctx)
{
	static const char * const targets[] = { "vm", "vcpu" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		json_t *filter = json_pack("[{s:s, s:[s]}]", "provider", "kvm",
					   "names", "nonesuch");

		if (empty(query_stats(ctx, targets[i], NULL, filter)) != PASS)
			return FAIL;
	}
	return PASS;
}

static enum verdict check_unknown_vcpu(void *ctx)
{
	return empty(query_stats(ctx, "vcpu", json_pack("[s]", "/machine/nonesuch"), NULL));
}

static enum verdict check_no_provider(void *ctx)
{
	return empty(query_stats(ctx, "vm", NULL, json_array()));
}

static enum verdict check_unknown_provider(void *ctx)
{
	return refused(ctx, "query-stats", json_pack("{s:s, s:[{s:s}]}", "target", "vm",
						     "providers", "provider", "nonesuch"));
}

/* ---- query-stats-schemas ---- */

static enum verdict named_alike(struct query_test *t, const char *target, int vcpu)
{
	json_t *schemas = schemas_of(t, target, false);
	json_t *stats = query_one(t, vcpu, NULL);
	bool ok = answer_same_names(schemas, stats);

	json_decref(schemas);
	json_decref(stats);
	return ok ? PASS : FAIL;
}

static enum verdict check_vm_schemas(void *ctx)
{
	return named_alike(ctx, "vm", -1);
}

static enum verdict check_vcpu_schemas(void *ctx)
{
	return named_alike(ctx, "vcpu", 0);
}

static enum verdict check_schemas_provider(void *ctx)
{
	static const char * const targets[] = { "vm", "vcpu" };
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		json_t *all = schemas_of(ctx, targets[i], false);
		json_t *kvm = schemas_of(ctx, targets[i], true);

		ok &= all && json_equal(all, kvm);
		json_decref(all);
		json_decref(kvm);
	}
	return ok ? PASS : FAIL;
}

static enum verdict check_schemas_unknown_provider(void *ctx)
{
	return refused(ctx, "query-stats-schemas", json_pack("{s:s}", "provider", "nonesuch"));
}

static enum verdict right_schemas(struct query_test *t, const char *target)
{
	json_t *schemas = schemas_of(t, target, false);
	bool ok = json_array_size(schemas);
	json_t *schema;
	size_t i;

	json_array_foreach(schemas, i, schema)
		ok &= answer_right_schema(schema);
	json_decref(schemas);
	return ok ? PASS : FAIL;
}

static enum verdict check_vm_types(void *ctx)
{
	return right_schemas(ctx, "vm");
}

static enum verdict check_vcpu_types(void *ctx)
{
	return right_schemas(ctx, "vcpu");
}

static bool right_values(struct query_test *t, const char *target, int vcpu)
{
	json_t *schemas = schemas_of(t, target, false);
	json_t *stats = query_one(t, vcpu, NULL);
	bool ok = json_array_size(stats);
	json_t *stat;
	size_t i;

	json_array_foreach(stats, i, stat)
		ok &= answer_right_value(stat, answer_find(schemas, answer_name(stat)));
	json_decref(schemas);
	json_decref(stats);
	return ok;
}

static enum verdict check_values(void *ctx)
{
	bool ok = right_values(ctx, "vm", -1);

	ok &= right_values(ctx, "vcpu", 0);
	return ok ? PASS : FAIL;
}

/* ---- the fds, read past QEMU ---- */

static int open_direct(struct query_test *t)
{
	int ret = direct_open(&t->vm, t->vmm.pid, -1);
	int i;

	for (i = 0; i < VMM_CPUS && !ret; i++)
		ret = direct_open(&t->vcpu[i], t->vmm.pid, i);
	return ret;
}

static void close_direct(struct query_test *t)
{
	int i;

	direct_close(&t->vm);
	for (i = 0; i < VMM_CPUS; i++)
		direct_close(&t->vcpu[i]);
}

static enum verdict direct_missing(const struct query_test *t)
{
	if (t->native && t->direct_error == -EIO)
		return tap_skip("this kernel answers KVM_STATS_GETFD to the VMM only");
	tap_note("the fds of QEMU's statistics: %s", strerror(-t->direct_error));
	return FAIL;
}

static enum verdict check_direct(void *ctx)
{
	struct query_test *t = ctx;

	t->direct_error = open_direct(t);
	return t->direct_error ? direct_missing(t) : PASS;
}

static enum verdict check_ids(void *ctx)
{
	struct query_test *t = ctx;
	char id[64];
	bool ok;
	int i;

	if (t->direct_error)
		return direct_missing(t);

	snprintf(id, sizeof(id), "kvm-%d", t->vmm.pid);
	ok = direct_has_id(&t->vm, id);
	for (i = 0; i < VMM_CPUS; i++) {
		snprintf(id, sizeof(id), "kvm-%d/vcpu-%d", t->vmm.pid, i);
		ok &= direct_has_id(&t->vcpu[i], id);
	}
	return ok ? PASS : FAIL;
}

static enum verdict check_descriptors(void *ctx)
{
	struct query_test *t = ctx;
	json_t *vm, *vcpu;
	bool ok;
	int i;

	if (t->direct_error)
		return direct_missing(t);

	vm = schemas_of(t, "vm", false);
	vcpu = schemas_of(t, "vcpu", false);
	ok = direct_same_schema(&t->vm, vm);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= direct_same_schema(&t->vcpu[i], vcpu);
	json_decref(vm);
	json_decref(vcpu);
	return ok ? PASS : FAIL;
}

/* Read directly, ask QEMU, read directly.  Returns QEMU's statistics or NULL. */
static json_t *sandwich(struct query_test *t, struct direct *direct, int vcpu)
{
	json_t *stats;
	int ret;

	ret = kvmstats_sample_read(direct->before, direct->fd);
	stats = query_one(t, vcpu, NULL);
	ret = ret ?: kvmstats_sample_read(direct->after, direct->fd);
	if (!ret)
		return stats;

	tap_note("reading the fd: %s", strerror(-ret));
	json_decref(stats);
	return NULL;
}

static bool running_between(struct query_test *t, struct direct *direct, int vcpu)
{
	json_t *stats = sandwich(t, direct, vcpu);
	bool ok = direct_between(direct, stats);

	json_decref(stats);
	return ok;
}

static enum verdict check_running(void *ctx)
{
	struct query_test *t = ctx;
	bool ok;
	int i;

	if (t->direct_error)
		return direct_missing(t);

	ok = running_between(t, &t->vm, -1);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= running_between(t, &t->vcpu[i], i);
	return ok ? PASS : FAIL;
}

/*
 * Stopped, nothing runs that counts; only the host's own memory management may
 * still touch a VM.  So the values may be compared as soon as they keep still.
 */
static bool stopped_equal(struct query_test *t, struct direct *direct, int vcpu)
{
	int tries;

	for (tries = 0; tries < STILL_TRIES; tries++) {
		json_t *stats = sandwich(t, direct, vcpu);
		bool compared = !stats || direct_still(direct);
		bool ok = compared && direct_equal(direct, stats);

		json_decref(stats);
		if (compared)
			return ok;
		ms_sleep(100);
	}
	tap_note("vcpu %d: the values of the stopped guest keep changing", vcpu);
	return false;
}

static enum verdict check_stopped_vm(void *ctx)
{
	struct query_test *t = ctx;

	if (t->direct_error)
		return direct_missing(t);
	return stopped_equal(t, &t->vm, -1) ? PASS : FAIL;
}

static enum verdict check_stopped_vcpus(void *ctx)
{
	struct query_test *t = ctx;
	bool ok = true;
	int i;

	if (t->direct_error)
		return direct_missing(t);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= stopped_equal(t, &t->vcpu[i], i);
	return ok ? PASS : FAIL;
}

/* QEMU has quit by now: what the fd reads is kept alive by the fd alone. */
static bool outlives(struct direct *direct)
{
	int ret = kvmstats_sample_read(direct->after, direct->fd);

	if (!ret)
		return direct_grown(direct);
	tap_note("reading the fd after QEMU has quit: %s", strerror(-ret));
	return false;
}

static enum verdict check_outlives(void *ctx)
{
	struct query_test *t = ctx;
	bool ok;
	int i;

	if (t->direct_error)
		return direct_missing(t);
	if (t->vmm.pid) {
		tap_note("QEMU is still there");
		return FAIL;
	}
	ok = outlives(&t->vm);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= outlives(&t->vcpu[i]);
	return ok ? PASS : FAIL;
}

/* ---- stopping and moving ---- */

static enum verdict run_state(struct query_test *t, const char *command, const char *state)
{
	json_t *done = ask(t, command, NULL);
	json_t *answer = ask(t, "query-status", NULL);
	const char *status = json_string_value(json_object_get(answer, "status")) ?: "nothing";
	bool ok = done && !strcmp(status, state);

	if (!ok)
		tap_note("status %s expected, found %s", state, status);
	json_decref(done);
	json_decref(answer);
	return ok ? PASS : FAIL;
}

static enum verdict check_stop(void *ctx)
{
	return run_state(ctx, "stop", "paused");
}

static enum verdict check_cont(void *ctx)
{
	return run_state(ctx, "cont", "running");
}

/* What the guest's init does all the time, on each of its CPUs. */
static const char * const moving[] = { "exits", "io_exits", "halt_exits", "mmio_exits" };

static bool moved(const json_t *from, const json_t *to, bool say)
{
	bool ok = from && to;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(moving); i++) {
		uint64_t a = 0, b = 0;

		answer_value(answer_find(from, moving[i]), 0, &a);
		answer_value(answer_find(to, moving[i]), 0, &b);
		if (b > a)
			continue;
		ok = false;
		if (say)
			tap_note("%s stayed at %llu, then %llu", moving[i], (unsigned long long)a,
				 (unsigned long long)b);
	}
	return ok;
}

static bool cpu_moves(struct query_test *t, int vcpu)
{
	long long deadline = ms_now() + MOVE_SECONDS * 1000LL;
	json_t *from = query_one(t, vcpu, NULL);
	bool ok;

	for (;;) {
		bool last = !ms_until(deadline);
		json_t *to;

		ms_sleep(500);
		to = query_one(t, vcpu, NULL);
		ok = moved(from, to, last);
		json_decref(to);
		if (ok || last || !to)
			break;
	}
	json_decref(from);
	return ok;
}

static enum verdict check_moves(void *ctx)
{
	struct query_test *t = ctx;
	bool ok = true;
	int i;

	if (t->native && !t->booted)
		return tap_skip("the guest has not booted");
	for (i = 0; i < VMM_CPUS; i++)
		ok &= cpu_moves(t, i);
	return ok ? PASS : FAIL;
}

/* ---- the human monitor ---- */

/* The text of a monitor command, to free. */
static char *monitor_text(struct query_test *t, const char *command)
{
	json_t *answer = ask(t, "human-monitor-command",
			     json_pack("{s:s}", "command-line", command));
	const char *text = json_string_value(answer);
	char *copy = text ? strdup(text) : NULL;

	json_decref(answer);
	return copy;
}

/* "    NAME (TYPE, UNIT): VALUE" is in @text for the number that @stat is. */
static bool monitor_has(const char *text, const json_t *stat, const json_t *schema)
{
	const char *type = json_string_value(json_object_get(schema, "type")) ?: "";
	const char *at, *value;
	char start[128];
	uint64_t number;

	snprintf(start, sizeof(start), "\n    %s (%s", answer_name(stat), type);
	at = strstr(text, start);
	value = at ? strstr(at, "): ") : NULL;
	if (!value) {
		tap_note("a line '%s...' expected, not found", start + 1);
		return false;
	}
	if (!json_is_integer(json_object_get(stat, "value")))
		return true;
	if (answer_value(stat, 0, &number) && strtoull(value + 3, NULL, 10) == number)
		return true;
	tap_note("%s: %llu expected, found %.24s", answer_name(stat), (unsigned long long)number,
		 value + 3);
	return false;
}

/* Of the stopped guest, so that both answers are about the same numbers. */
static enum verdict monitor_agrees(struct query_test *t, const char *target, int vcpu)
{
	char command[32];
	json_t *schemas = schemas_of(t, target, false);
	json_t *stats = query_one(t, vcpu, NULL);
	bool ok = json_array_size(stats);
	json_t *stat;
	char *text;
	size_t i;

	snprintf(command, sizeof(command), "info stats %s", target);
	text = monitor_text(t, command);
	if (!text || strncmp(text, "provider: kvm", 13)) {
		tap_note("'provider: kvm' expected first, found '%.40s'", text ?: "");
		ok = false;
	} else {
		json_array_foreach(stats, i, stat)
			ok &= monitor_has(text, stat, answer_find(schemas, answer_name(stat)));
	}
	free(text);
	json_decref(schemas);
	json_decref(stats);
	return ok ? PASS : FAIL;
}

static enum verdict check_monitor_vm(void *ctx)
{
	return monitor_agrees(ctx, "vm", -1);
}

static enum verdict check_monitor_vcpu(void *ctx)
{
	return monitor_agrees(ctx, "vcpu", 0);
}

/* ---- the unpatched kernel ---- */

static enum verdict check_no_capability(void *ctx)
{
	int ret = kvmstats_supported();

	(void)ctx;
	if (ret)
		tap_note("capability: 0 expected, found %d", ret);
	return ret ? FAIL : PASS;
}

static enum verdict check_vm_nothing(void *ctx)
{
	return empty(query_stats(ctx, "vm", NULL, NULL));
}

static enum verdict check_vcpu_nothing(void *ctx)
{
	return empty(query_stats(ctx, "vcpu", NULL, NULL));
}

static enum verdict check_schemas_nothing(void *ctx)
{
	return empty(ask(ctx, "query-stats-schemas", NULL));
}

static enum verdict check_monitor_nothing(void *ctx)
{
	char *text = monitor_text(ctx, "info stats vm");
	bool ok = text && !*text;

	if (text && !ok)
		tap_note("nothing expected, found '%.60s'", text);
	free(text);
	return ok ? PASS : FAIL;
}

/* ---- the tables ---- */

static const struct point with_stats[] = {
	{ "QEMU greets over QMP", check_greeting },
	{ "QEMU runs its guest with KVM", check_uses_kvm },
	{ "query-cpus-fast: each CPU is there", check_cpus },
	{ "the guest boots", check_boots },

	{ "query-stats vm: one answer, with the VM's statistics", check_vm },
	{ "query-stats vcpu: one answer per CPU", check_vcpus },
	{ "query-stats vm, provider kvm: the same statistics", check_vm_provider },
	{ "query-stats vcpu, provider kvm: the same statistics", check_vcpu_provider },
	{ "query-stats vm, names: these and no others", check_vm_names },
	{ "query-stats vcpu, names: these and no others", check_vcpu_names },
	{ "query-stats vcpu, vcpus: this CPU and no other", check_vcpu_paths },
	{ "query-stats, unknown name: []", check_unknown_name },
	{ "query-stats vcpu, unknown CPU: []", check_unknown_vcpu },
	{ "query-stats, no provider: []", check_no_provider },
	{ "query-stats, unknown provider: refused", check_unknown_provider },

	{ "query-stats-schemas: the VM's statistics have one each", check_vm_schemas },
	{ "query-stats-schemas: the vCPUs' statistics have one each", check_vcpu_schemas },
	{ "query-stats-schemas, provider kvm: the same schemas", check_schemas_provider },
	{ "query-stats-schemas, unknown provider: refused", check_schemas_unknown_provider },
	{ "query-stats-schemas vm: types, units and exponents", check_vm_types },
	{ "query-stats-schemas vcpu: types, units and exponents", check_vcpu_types },
	{ "values are what their schemas promise", check_values },

	{ "QEMU's statistics fds are had from outside QEMU", check_direct },
	{ "ids name QEMU and the vCPU", check_ids },
	{ "descriptors and schemas say the same", check_descriptors },
	{ "running: QEMU's values lie between two direct reads", check_running },
	{ "running: exits, I/O, MMIO and halts move on each CPU", check_moves },
	{ "the guest stops", check_stop },
	{ "stopped: the VM's values equal a direct read", check_stopped_vm },
	{ "stopped: the vCPUs' values equal a direct read", check_stopped_vcpus },
	{ "stopped: 'info stats vm' has the same values", check_monitor_vm },
	{ "stopped: 'info stats vcpu' has the same values", check_monitor_vcpu },
	{ "the guest continues", check_cont },
	{ "continued: QEMU's values lie between two direct reads", check_running },
	{ "QEMU quits, with statistics fds open elsewhere", check_quits },
	{ "the fds still read after QEMU has gone, nothing lost", check_outlives },
};

static const struct point without_stats[] = {
	{ "QEMU greets over QMP", check_greeting },
	{ "QEMU runs its guest with KVM", check_uses_kvm },
	{ "the guest boots", check_boots },
	{ "the capability is absent", check_no_capability },
	{ "query-stats vm: []", check_vm_nothing },
	{ "query-stats vcpu: []", check_vcpu_nothing },
	{ "query-stats-schemas: []", check_schemas_nothing },
	{ "'info stats vm': nothing", check_monitor_nothing },
	{ "QEMU quits", check_quits },
};

static const char *setting(const char *name, const char *preset)
{
	const char *value = getenv(name) ?: preset;

	if (value)
		return value;
	fprintf(stderr, "qemu_query_stats: %s is not set; expected a path below $BOOT_HOST\n",
		name);
	exit(2);
}

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");
	struct query_test t = { .native = !variant };
	size_t failed;
	int ret;
	int i;

	t.vm = DIRECT_NONE;
	for (i = 0; i < VMM_CPUS; i++)
		t.vcpu[i] = DIRECT_NONE;

	t.config.host = setting("BOOT_HOST", NULL);
	t.config.kernel = setting("BOOT_KERNEL", NULL);
	t.config.initrd = setting("BOOT_GUEST_INITRD", NULL);
	t.config.qemu = setting("BOOT_QEMU", "/usr/bin/qemu-system-x86_64");

	ret = vmm_start(&t.vmm, &t.config);
	if (ret) {
		printf("Bail out! starting QEMU: %s\n", strerror(-ret));
		return 1;
	}
	qmp_open(&t.qmp, t.vmm.qmp);

	if (variant && !strcmp(variant, "unpatched"))
		failed = tap_run(without_stats, ARRAY_SIZE(without_stats), &t);
	else
		failed = tap_run(with_stats, ARRAY_SIZE(with_stats), &t);

	close_direct(&t);
	json_decref(t.cpus);
	qmp_close(&t.qmp);
	vmm_stop(&t.vmm);
	return failed ? 1 : 0;
}
