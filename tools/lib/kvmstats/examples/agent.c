/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * An agent finds all VMs of the machine and prints the exits per second of their vCPUs.
 *
 * usage: agent [SECONDS]
 *
 * SECONDS is the time between the two samples of a vCPU, 1 by default.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <kvmstats.h>

struct vcpu {
	int fd;
	struct kvmstats_schema *schema;
	struct kvmstats_sample *before;
	struct kvmstats_sample *after;
};

static void vcpu_close(struct vcpu *vcpu)
{
	kvmstats_sample_free(vcpu->before);
	kvmstats_sample_free(vcpu->after);
	kvmstats_schema_free(vcpu->schema);
	if (vcpu->fd >= 0)
		close(vcpu->fd);
}

static int vcpu_open(struct vcpu *vcpu, const struct kvmstats_target *target)
{
	int err;

	*vcpu = (struct vcpu){ .fd = kvmstats_target_open(target, NULL) };
	if (vcpu->fd < 0)
		return vcpu->fd;
	err = kvmstats_schema_read(&vcpu->schema, vcpu->fd);
	if (!err)
		err = kvmstats_sample_new(&vcpu->before, vcpu->schema);
	if (!err)
		err = kvmstats_sample_new(&vcpu->after, vcpu->schema);
	return err;
}

/* Measures the exits per second for @seconds. Returns 0 or -errno. */
static int exit_rate(const struct kvmstats_target *target, unsigned int seconds, double *rate)
{
	const struct kvmstats_stat *exits;
	struct vcpu vcpu;
	int err = vcpu_open(&vcpu, target);

	if (!err)
		err = kvmstats_sample_read(vcpu.before, vcpu.fd);
	if (!err) {
		sleep(seconds);
		err = kvmstats_sample_read(vcpu.after, vcpu.fd);
	}
	/* The statistics differ between kernels and architectures: find this one by its name. */
	exits = err ? NULL : kvmstats_schema_find(vcpu.schema, "exits");
	if (exits)
		err = kvmstats_rate(vcpu.before, vcpu.after, exits, 0, rate);
	vcpu_close(&vcpu);
	return err;
}

static void print_vmm(const struct kvmstats_vmm *vmm, unsigned int seconds)
{
	const char *guest = kvmstats_vmm_guest(vmm);
	size_t i;

	printf("%d %s (%s): %zu vCPUs\n", (int)kvmstats_vmm_pid(vmm), kvmstats_vmm_comm(vmm),
	       guest ? guest : "no name", kvmstats_vmm_vcpus(vmm));
	for (i = 0; i < kvmstats_vmm_targets(vmm); i++) {
		const struct kvmstats_target *target = kvmstats_vmm_target(vmm, i);
		char buf[128];
		double rate = 0;
		int err;

		if (kvmstats_target_kind(target) != KVMSTATS_VCPU)
			continue;
		err = exit_rate(target, seconds, &rate);
		if (err)
			printf("  vcpu%d: %s\n", kvmstats_target_vcpu(target),
			       kvmstats_strerror(err, buf, sizeof(buf)));
		else
			printf("  vcpu%d: %.0f exits/s\n", kvmstats_target_vcpu(target), rate);
	}
}

static int print_process(pid_t pid, int err, void *arg)
{
	struct kvmstats_vmm *vmm;

	if (!err)
		err = kvmstats_vmm_open(&vmm, pid);
	if (err)
		return 0;	/* it has ended, or we may not inspect it */
	print_vmm(vmm, *(unsigned int *)arg);
	kvmstats_vmm_close(vmm);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	char buf[128];
	int err = kvmstats_vmm_find(print_process, &seconds);

	if (err)
		fprintf(stderr, "/proc: %s\n", kvmstats_strerror(err, buf, sizeof(buf)));
	return err != 0;
}
