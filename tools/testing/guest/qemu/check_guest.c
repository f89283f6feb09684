// SPDX-License-Identifier: GPL-2.0-only
/* Points about QEMU and its guest: they start, stop, move and end. */
#include <inttypes.h>
#include <string.h>

#include "answer.h"
#include "checks.h"
#include "clock.h"

#define BOOT_SECONDS	600	/* under KASAN, in an emulated host that shares its CPUs */
#define MOVE_SECONDS	300
#define QUIT_SECONDS	120

#define MARKER		"stats-guest: ready"

enum verdict check_greeting(void *ctx)
{
	struct session *s = ctx;
	json_t *version;

	if (s->qmp.error[0]) {
		tap_note("%s", s->qmp.error);
		vmm_diagnose(&s->vmm);
		return FAIL;
	}
	version = json_object_get(json_object_get(s->qmp.greeting, "QMP"), "version");
	version = json_object_get(version, "qemu");
	tap_note("QEMU %lld.%lld", json_integer_value(json_object_get(version, "major")),
		 json_integer_value(json_object_get(version, "minor")));
	return json_object_get(version, "major") ? PASS : FAIL;
}

enum verdict check_uses_kvm(void *ctx)
{
	struct session *s = ctx;
	json_t *answer = ask(s, "query-kvm", NULL);
	bool ok = json_is_true(json_object_get(answer, "enabled"));

	json_decref(answer);
	return ok ? PASS : FAIL;
}

enum verdict check_cpus(void *ctx)
{
	struct session *s = ctx;

	s->cpus = ask(s, "query-cpus-fast", NULL);
	if (json_array_size(s->cpus) == VMM_CPUS)
		return PASS;
	tap_note("%d CPUs expected, found %zu", VMM_CPUS, json_array_size(s->cpus));
	return FAIL;
}

enum verdict check_boots(void *ctx)
{
	struct session *s = ctx;
	long long start = ms_now();

	s->booted = vmm_wait_serial(&s->vmm, MARKER, s->native ? 5 : BOOT_SECONDS);
	if (s->booted) {
		tap_note("the guest was up after %lld ms", ms_now() - start);
		return PASS;
	}
	if (s->native)
		return tap_skip("this machine's KVM does not get it to user space in 5 s");
	tap_note("'%s' expected on the serial port within %d s", MARKER, BOOT_SECONDS);
	vmm_diagnose(&s->vmm);
	return FAIL;
}

enum verdict check_quits(void *ctx)
{
	struct session *s = ctx;
	json_t *answer = ask(s, "quit", NULL);
	int status = vmm_wait_exit(&s->vmm, QUIT_SECONDS);

	json_decref(answer);
	if (answer && status == 0)
		return PASS;
	tap_note("exit status 0 expected within %d s, found wait status %d", QUIT_SECONDS, status);
	vmm_diagnose(&s->vmm);
	return FAIL;
}

static enum verdict run_state(struct session *s, const char *command, const char *state)
{
	json_t *done = ask(s, command, NULL);
	json_t *answer = ask(s, "query-status", NULL);
	const char *status = json_string_value(json_object_get(answer, "status")) ?: "nothing";
	bool ok = done && !strcmp(status, state);

	if (!ok)
		tap_note("status %s expected, found %s", state, status);
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

/* What the guest's init does all the time, on each of its CPUs. */
static const char * const moving[] = {
	"exits", "halt_exits", "io_exits", "pf_fixed",
};

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

static bool cpu_moves(struct session *s, int vcpu)
{
	long long start = ms_now();
	long long deadline = start + MOVE_SECONDS * 1000LL;
	json_t *from = query_one(s, vcpu, NULL);
	bool ok;

	for (;;) {
		bool last = !ms_until(deadline);
		json_t *to;

		ms_sleep(500);
		to = query_one(s, vcpu, NULL);
		ok = moved(from, to, last);
		json_decref(to);
		if (ok || last || !to)
			break;
	}
	json_decref(from);
	tap_note("CPU %d moved after %lld ms", vcpu, ms_now() - start);
	return ok;
}

enum verdict check_moves(void *ctx)
{
	struct session *s = ctx;
	bool ok = true;
	int i;

	if (s->native && !s->booted)
		return tap_skip("the guest has not booted");
	for (i = 0; i < VMM_CPUS; i++)
		ok &= cpu_moves(s, i);
	if (!ok)
		vmm_diagnose(&s->vmm);
	return ok ? PASS : FAIL;
}
