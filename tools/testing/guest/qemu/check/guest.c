// SPDX-License-Identifier: GPL-2.0-only
/* Checks that QEMU and its guest start, run, stop and end. */
#include <inttypes.h>
#include <string.h>

#include "lib/clock.h"
#include "qemu/answer.h"
#include "qemu/check/checks.h"

#define BOOT_SECONDS	600	/* with KASAN, in an emulated machine that shares its CPUs */
#define GROWTH_SECONDS	300
#define QUIT_SECONDS	120

#define MARKER		"stats-guest: ready"

enum verdict check_greeting(void *ctx)
{
	struct session *s = ctx;
	json_t *version;

	if (s->qmp.error[0]) {
		note("%s", s->qmp.error);
		vmm_diagnose(&s->vmm);
		return FAIL;
	}
	version = json_object_get(json_object_get(s->qmp.greeting, "QMP"), "version");
	version = json_object_get(version, "qemu");
	note("QEMU %lld.%lld", json_integer_value(json_object_get(version, "major")),
	     json_integer_value(json_object_get(version, "minor")));
	return json_object_get(version, "major") ? PASS : FAIL;
}

enum verdict check_uses_kvm(void *ctx)
{
	struct session *s = ctx;
	json_t *answer = query(s, "query-kvm", NULL);
	bool ok = json_is_true(json_object_get(answer, "enabled"));

	json_decref(answer);
	return ok ? PASS : FAIL;
}

enum verdict check_cpus(void *ctx)
{
	struct session *s = ctx;

	s->cpus = query(s, "query-cpus-fast", NULL);
	if (json_array_size(s->cpus) == VMM_CPUS)
		return PASS;
	note("%d CPUs expected, found %zu", VMM_CPUS, json_array_size(s->cpus));
	return FAIL;
}

enum verdict check_boots(void *ctx)
{
	struct session *s = ctx;
	long long start = ms_now();

	s->booted = vmm_wait_serial(&s->vmm, MARKER, s->native ? 5 : BOOT_SECONDS);
	if (s->booted) {
		note("the guest booted within %lld ms", ms_now() - start);
		return PASS;
	}
	if (s->native)
		return skip("the guest does not boot within 5 s on this build host");
	note("'%s' expected on the serial port within %d s", MARKER, BOOT_SECONDS);
	vmm_diagnose(&s->vmm);
	return FAIL;
}

enum verdict check_quits(void *ctx)
{
	struct session *s = ctx;
	json_t *answer = query(s, "quit", NULL);
	int status = vmm_wait_exit(&s->vmm, QUIT_SECONDS);

	json_decref(answer);
	if (answer && status == 0)
		return PASS;
	note("exit status 0 expected within %d s, found wait status %d", QUIT_SECONDS, status);
	vmm_diagnose(&s->vmm);
	return FAIL;
}

static enum verdict run_state(struct session *s, const char *command, const char *state)
{
	json_t *done = query(s, command, NULL);
	json_t *answer = query(s, "query-status", NULL);
	const char *status = json_string_value(json_object_get(answer, "status")) ?: "nothing";
	bool ok = done && !strcmp(status, state);

	if (!ok)
		note("status %s expected, found %s", state, status);
	json_decref(done);
	json_decref(answer);
	return ok ? PASS : FAIL;
}

enum verdict check_stop(void *ctx)
{
	return run_state(ctx, "stop", "paused");
}

enum verdict check_cont(void *ctx)
{
	return run_state(ctx, "cont", "running");
}

/* The init process of the guest makes these grow on each CPU. */
static const char * const growing[] = {
	"exits", "halt_exits", "io_exits", "pf_fixed",
};

static bool all_grew(const json_t *from, const json_t *to, bool verbose)
{
	bool ok = from && to;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(growing); i++) {
		uint64_t a = 0, b = 0;

		answer_value(answer_find(from, growing[i]), 0, &a);
		answer_value(answer_find(to, growing[i]), 0, &b);
		if (b > a)
			continue;
		ok = false;
		if (verbose)
			note("%s did not grow: it was %llu, then %llu", growing[i],
			     (unsigned long long)a, (unsigned long long)b);
	}
	return ok;
}

static bool stats_of_cpu_grow(struct session *s, int vcpu)
{
	long long start = ms_now();
	long long deadline = start + GROWTH_SECONDS * 1000LL;
	json_t *from = query_one(s, vcpu, NULL);
	bool ok;

	for (;;) {
		bool last = !ms_until(deadline);
		json_t *to;

		ms_sleep(500);
		to = query_one(s, vcpu, NULL);
		ok = all_grew(from, to, last);
		json_decref(to);
		if (ok || last || !to)
			break;
	}
	json_decref(from);
	note("CPU %d: checked for %lld ms", vcpu, ms_now() - start);
	return ok;
}

enum verdict check_growth(void *ctx)
{
	struct session *s = ctx;
	bool ok = true;
	int i;

	if (s->native && !s->booted)
		return skip("the guest has not booted");
	for (i = 0; i < VMM_CPUS; i++)
		ok &= stats_of_cpu_grow(s, i);
	if (!ok)
		vmm_diagnose(&s->vmm);
	return ok ? PASS : FAIL;
}
