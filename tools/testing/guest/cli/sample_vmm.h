/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VMM in a child process. When it stops its vCPUs, it reads their statistics itself, for
 * comparison with kvm-stats.
 */
#ifndef CLI_SAMPLE_VMM_H
#define CLI_SAMPLE_VMM_H

#include <stdint.h>
#include <sys/types.h>

#define VCPUS		2

struct vcpu_values {
	int err;
	uint64_t exits[VCPUS];
	uint64_t io_exits[VCPUS];
};

struct sample_vmm {
	pid_t pid;
	int command;	/* pipe: 's' stops the vCPUs and requests their values, 'r' resumes them */
	int answer;	/* pipe: struct vcpu_values */
};

/*
 * Starts a VMM that keeps no statistics fd open, so that kvm-stats must open its own. Returns 0 or
 * -errno.
 */
int sample_vmm_start(struct sample_vmm *vmm);

/* Starts a VMM that keeps the statistics fds of its vCPUs open, as QEMU 8.1 and later do. */
int sample_vmm_start_with_fds(struct sample_vmm *vmm);

/*
 * Lets the vCPUs run for a while, stops them and stores their values. Returns 0 or -errno. If the
 * kernel has no statistics fds, this stops the vCPUs and returns an error.
 */
int sample_vmm_stop_vcpus(const struct sample_vmm *vmm, struct vcpu_values *values);
void sample_vmm_resume(const struct sample_vmm *vmm);
void sample_vmm_kill(const struct sample_vmm *vmm);

#endif /* CLI_SAMPLE_VMM_H */
