// SPDX-License-Identifier: GPL-2.0-only
/* Points about the statistics fds, had from outside QEMU and read past it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "clock.h"

#define STILL_TRIES	10

static int open_direct(struct session *s)
{
	int ret = direct_open(&s->vm, s->vmm.pid, -1);
	int i;

	for (i = 0; i < VMM_CPUS && !ret; i++)
		ret = direct_open(&s->vcpu[i], s->vmm.pid, i);
	return ret;
}

static enum verdict direct_missing(const struct session *s)
{
	if (s->native && s->direct_error == -EIO)
		return tap_skip("this kernel answers KVM_STATS_GETFD to the VMM only");
	tap_note("the fds of QEMU's statistics: %s", strerror(-s->direct_error));
	return FAIL;
}

enum verdict check_direct(void *ctx)
{
	struct session *s = ctx;

	s->direct_error = open_direct(s);
	return s->direct_error ? direct_missing(s) : PASS;
}

enum verdict check_ids(void *ctx)
{
	struct session *s = ctx;
	char id[64];
	bool ok;
	int i;

	if (s->direct_error)
		return direct_missing(s);

	snprintf(id, sizeof(id), "kvm-%d", s->vmm.pid);
	ok = direct_has_id(&s->vm, id);
	for (i = 0; i < VMM_CPUS; i++) {
		snprintf(id, sizeof(id), "kvm-%d/vcpu-%d", s->vmm.pid, i);
		ok &= direct_has_id(&s->vcpu[i], id);
	}
	return ok ? PASS : FAIL;
}

enum verdict check_descriptors(void *ctx)
{
	struct session *s = ctx;
	json_t *vm, *vcpu;
	bool ok;
	int i;

	if (s->direct_error)
		return direct_missing(s);

	vm = query_schemas(s, "vm", false);
	vcpu = query_schemas(s, "vcpu", false);
	ok = direct_same_schema(&s->vm, vm);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= direct_same_schema(&s->vcpu[i], vcpu);
	json_decref(vm);
	json_decref(vcpu);
	return ok ? PASS : FAIL;
}

/* Read directly, ask QEMU, read directly.  Returns QEMU's statistics or NULL. */
static json_t *sandwich(struct session *s, struct direct *direct, int vcpu)
{
	json_t *stats;
	int ret;

	ret = kvmstats_sample_read(direct->before, direct->fd);
	stats = query_one(s, vcpu, NULL);
	ret = ret ?: kvmstats_sample_read(direct->after, direct->fd);
	if (!ret)
		return stats;

	tap_note("reading the fd: %s", strerror(-ret));
	json_decref(stats);
	return NULL;
}

static bool running_between(struct session *s, struct direct *direct, int vcpu)
{
	json_t *stats = sandwich(s, direct, vcpu);
	bool ok = direct_between(direct, stats);

	json_decref(stats);
	return ok;
}

enum verdict check_running(void *ctx)
{
	struct session *s = ctx;
	bool ok;
	int i;

	if (s->direct_error)
		return direct_missing(s);

	ok = running_between(s, &s->vm, -1);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= running_between(s, &s->vcpu[i], i);
	return ok ? PASS : FAIL;
}

/*
 * Stopped, nothing runs that counts; only the host's own memory management may
 * still touch a VM.  So the values may be compared as soon as they keep still.
 */
static bool stopped_equal(struct session *s, struct direct *direct, int vcpu)
{
	int tries;

	for (tries = 0; tries < STILL_TRIES; tries++) {
		json_t *stats = sandwich(s, direct, vcpu);
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

enum verdict check_stopped_vm(void *ctx)
{
	struct session *s = ctx;

	if (s->direct_error)
		return direct_missing(s);
	return stopped_equal(s, &s->vm, -1) ? PASS : FAIL;
}

enum verdict check_stopped_vcpus(void *ctx)
{
	struct session *s = ctx;
	bool ok = true;
	int i;

	if (s->direct_error)
		return direct_missing(s);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= stopped_equal(s, &s->vcpu[i], i);
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

enum verdict check_outlives(void *ctx)
{
	struct session *s = ctx;
	bool ok;
	int i;

	if (s->direct_error)
		return direct_missing(s);
	if (s->vmm.pid) {
		tap_note("QEMU is still there");
		return FAIL;
	}
	ok = outlives(&s->vm);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= outlives(&s->vcpu[i]);
	return ok ? PASS : FAIL;
}

enum verdict check_no_capability(void *ctx)
{
	int ret = kvmstats_supported();

	(void)ctx;
	if (ret)
		tap_note("capability: 0 expected, found %d", ret);
	return ret ? FAIL : PASS;
}
