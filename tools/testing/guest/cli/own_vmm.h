/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VMM, a child of this program, that knows nothing of kvm-stats: it keeps no statistics fd
 * open.  What it reads from its own ones in passing is what kvm-stats must print.
 */
#ifndef CLI_OWN_VMM_H
#define CLI_OWN_VMM_H

#include <stdint.h>
#include <sys/types.h>

#define VCPUS		2

struct numbers {
	int err;
	uint64_t exits[VCPUS];
	uint64_t io_exits[VCPUS];
};

struct own_vmm {
	pid_t pid;
	int command;	/* 's' stops the vCPUs and asks for numbers, 'g' goes on */
	int answer;
};

/* 0 or -errno. */
int own_vmm_start(struct own_vmm *vmm);

/* They have run for a while by then; where the kernel has no statistics, it is an error. */
int own_vmm_stop_vcpus(const struct own_vmm *vmm, struct numbers *numbers);
void own_vmm_go_on(const struct own_vmm *vmm);
void own_vmm_kill(const struct own_vmm *vmm);

#endif /* CLI_OWN_VMM_H */
