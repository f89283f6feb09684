/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A monitor with fake VMMs, for tests of expositions. The Makefile replaces the functions of the
 * library's host by those here.
 */
#ifndef FAKE_VMMS_H
#define FAKE_VMMS_H

#include <stdio.h>
#include <stdlib.h>

#include "proc.h"
#include "serve/serve.h"

static struct filter filter;
static struct monitor monitor = {
	.options.filter = &filter, .options.processes = PROCESSES_ALL,
	.sets.filter = &filter, .has_values = true,
	.time = SECOND,
};

/* Where the statistics seem to come from */
static enum kvmstats_origin fake_origin;

struct fake_target {
	struct target target;
	struct kvmstats_sample *sample[2];	/* target.now and target.before, in any order */
};

static void fail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static struct vmm *add_vmm(pid_t pid, const char *guest, size_t vms, size_t vcpus)
{
	static uint64_t ids;
	struct vmm *vmm = calloc(1, sizeof(*vmm));
	struct vmm **more = realloc(monitor.vmm, (monitor.vmms + 1) * sizeof(*more));

	if (!vmm || !more)
		fail("out of memory");
	vmm->id = ++ids;
	vmm->pid = pid;
	vmm->comm = "qemu-system-x86";
	vmm->guest = guest;
	vmm->vms = vms;
	vmm->vcpus = vcpus;
	vmm->kvm = (const struct kvmstats_vmm *)vmm;	/* the functions below know */
	monitor.vmm = more;
	monitor.vmm[monitor.vmms++] = vmm;
	return vmm;
}

/* Adds a VM, or a vCPU if @vcpu is not negative. It has no values. */
static struct fake_target *add_target(struct vmm *vmm, const struct stat_set *set, int vm, int vcpu)
{
	struct fake_target *fake = calloc(1, sizeof(*fake));
	struct target **more = realloc(vmm->target, (vmm->targets + 1) * sizeof(*more));

	if (!fake || !more || kvmstats_sample_new(&fake->sample[0], set->schema) ||
	    kvmstats_sample_new(&fake->sample[1], set->schema))
		fail("out of memory");
	fake->target = (struct target){
		.scope = vcpu < 0 ? SCOPE_VM : SCOPE_VCPU, .vm = vm, .vcpu = vcpu, .vmm = vmm,
		.set = set, .now = fake->sample[0], .before = fake->sample[1],
	};
	vmm->target = more;
	vmm->target[vmm->targets++] = &fake->target;
	return fake;
}

/* Makes @values those of the last sample. */
static void set_values(struct fake_target *fake, const uint64_t *values, uint64_t time)
{
	struct kvmstats_sample *oldest = fake->sample[1];

	fake->sample[1] = fake->sample[0];
	fake->sample[0] = oldest;
	fake->target.now = fake->sample[0];
	fake->target.before = fake->sample[1];
	if (kvmstats_sample_set(oldest, values, fake->target.set->values, time))
		fail("values cannot be set");
}

static inline void free_fake_vmm(struct vmm *vmm)
{
	while (vmm->targets) {
		struct fake_target *fake = (struct fake_target *)vmm->target[--vmm->targets];

		kvmstats_sample_free(fake->sample[0]);
		kvmstats_sample_free(fake->sample[1]);
		free(fake);
	}
	free(vmm->target);
	process_free(&vmm->process);
	free(vmm);
}

bool __wrap_process_update_vmm(struct process *process, const struct processes *processes,
			       const struct kvmstats_host *host, const struct kvmstats_vmm *kvm);
bool __wrap_process_update_vmm(struct process *process, const struct processes *processes,
			       const struct kvmstats_host *host, const struct kvmstats_vmm *kvm)
{
	const struct vmm *vmm = (const struct vmm *)kvm;
	struct process_vcpu vcpu[16];
	size_t vcpus = 0, i;

	for (i = 0; i < vmm->targets; i++) {
		const struct target *target = vmm->target[i];

		if (target->scope == SCOPE_VCPU)
			vcpu[vcpus++] = (struct process_vcpu){
				.id = target->vcpu, .tid = target->tid, .sample = target->now,
			};
	}
	return process_update(process, processes, vcpu, vcpus);
}

/* Returns that of the last VMM that has one. */
const struct kvmstats_schema *__wrap_kvmstats_host_schema(const struct kvmstats_host *host,
							  enum kvmstats_kind kind);
const struct kvmstats_schema *__wrap_kvmstats_host_schema(const struct kvmstats_host *host,
							  enum kvmstats_kind kind)
{
	const struct stat_set *set = NULL;
	size_t i = monitor.vmms;

	while (!set && i--)
		set = vmm_set(monitor.vmm[i],
			      kind == KVMSTATS_KIND_VM ? SCOPE_VM : SCOPE_VCPU);
	return set ? set->schema : NULL;
}

enum kvmstats_origin __wrap_kvmstats_host_origin(const struct kvmstats_host *host);
enum kvmstats_origin __wrap_kvmstats_host_origin(const struct kvmstats_host *host)
{
	return fake_origin;
}

#endif /* FAKE_VMMS_H */
