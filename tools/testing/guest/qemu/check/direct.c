// SPDX-License-Identifier: GPL-2.0-only
/* Checks that compare the statistics fds of QEMU with its answers. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "qemu/check/checks.h"

#define MAX_TRIES	10

static int open_direct(struct session *s)
{
	int ret = direct_open(&s->vm, s->vmm.pid, -1);
	int i;

	for (i = 0; i < VMM_CPUS && !ret; i++)
		ret = direct_open(&s->vcpu[i], s->vmm.pid, i);
	return ret;
}

static enum verdict skip_or_fail(const struct session *s)
{
	if ((s->native || s->unpatched) && s->direct_error == -EIO)
		return skip("on this kernel only the VMM can use KVM_STATS_GETFD");
	note("cannot open the statistics fds of QEMU: %s", strerror(-s->direct_error));
	return FAIL;
}

enum verdict check_direct(void *ctx)
{
	struct session *s = ctx;

	s->direct_error = open_direct(s);
	return s->direct_error ? skip_or_fail(s) : PASS;
}

enum verdict check_ids(void *ctx)
{
	struct session *s = ctx;
	char id[64];
	bool ok;
	int i;

	if (s->direct_error)
		return skip_or_fail(s);

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
		return skip_or_fail(s);

	vm = query_schemas(s, "vm", false);
	vcpu = query_schemas(s, "vcpu", false);
	ok = direct_same_schema(&s->vm, vm);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= direct_same_schema(&s->vcpu[i], vcpu);
	json_decref(vm);
	json_decref(vcpu);
	return ok ? PASS : FAIL;
}

/* Queries QEMU between two direct reads. Returns the statistics of QEMU, or NULL. */
static json_t *query_between_reads(struct session *s, struct direct *direct, int vcpu)
{
	json_t *stats;
	int ret;

	ret = kvmstats_sample_read(direct->before, direct->fd);
	stats = query_one(s, vcpu, NULL);
	ret = ret ?: kvmstats_sample_read(direct->after, direct->fd);
	if (!ret)
		return stats;

	note("cannot read the fd: %s", strerror(-ret));
	json_decref(stats);
	return NULL;
}

static bool running_between(struct session *s, struct direct *direct, int vcpu)
{
	json_t *stats = query_between_reads(s, direct, vcpu);
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
		return skip_or_fail(s);

	ok = running_between(s, &s->vm, -1);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= running_between(s, &s->vcpu[i], i);
	return ok ? PASS : FAIL;
}

/*
 * The guest is stopped, but the memory management of the kernel may still change a few values.
 * So this compares only samples between which no value changed.
 */
static bool stopped_equal(struct session *s, struct direct *direct, int vcpu)
{
	int tries;

	for (tries = 0; tries < MAX_TRIES; tries++) {
		json_t *stats = query_between_reads(s, direct, vcpu);
		bool compared = !stats || direct_unchanged(direct);
		bool ok = compared && direct_equal(direct, stats);

		json_decref(stats);
		if (compared)
			return ok;
		ms_sleep(100);
	}
	note("vcpu %d: the values of the stopped guest keep changing", vcpu);
	return false;
}

enum verdict check_stopped_vm(void *ctx)
{
	struct session *s = ctx;

	if (s->direct_error)
		return skip_or_fail(s);
	return stopped_equal(s, &s->vm, -1) ? PASS : FAIL;
}

enum verdict check_stopped_vcpus(void *ctx)
{
	struct session *s = ctx;
	bool ok = true;
	int i;

	if (s->direct_error)
		return skip_or_fail(s);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= stopped_equal(s, &s->vcpu[i], i);
	return ok ? PASS : FAIL;
}

/* QEMU has quit, so the fd is the only reference to the statistics. */
static bool still_reads(struct direct *direct)
{
	int ret = kvmstats_sample_read(direct->after, direct->fd);

	if (!ret)
		return direct_grown(direct);
	note("cannot read the fd after QEMU has quit: %s", strerror(-ret));
	return false;
}

enum verdict check_outlives(void *ctx)
{
	struct session *s = ctx;
	bool ok;
	int i;

	if (s->direct_error)
		return skip_or_fail(s);
	if (s->vmm.pid) {
		note("QEMU still runs");
		return FAIL;
	}
	ok = still_reads(&s->vm);
	for (i = 0; i < VMM_CPUS; i++)
		ok &= still_reads(&s->vcpu[i]);
	return ok ? PASS : FAIL;
}

enum verdict check_no_capability(void *ctx)
{
	int ret = kvmstats_capabilities();

	(void)ctx;
	if (ret)
		note("capability: 0 expected, found %d", ret);
	return ret ? FAIL : PASS;
}
