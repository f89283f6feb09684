/* SPDX-License-Identifier: GPL-2.0-only */
/* What exits.c uses of exits_x86.c or exits_arm64.c. */
#ifndef EXITS_ARCH_H
#define EXITS_ARCH_H

#include "host_file/loader.h"

/* How often the guest exits before it accesses a device */
#define EXITS_CALLS	3

/* The guest that proves the programs */
struct exits_guest {
	const void *code;
	size_t size;
	uint64_t address;		/* of the code, in the guest */
	uint32_t end;			/* the exit reason of KVM_RUN at its end: the access */
	const char *calls, *access;	/* the statistics of its exits */
};

extern const struct exits_guest exits_guest;

/* Prepares the vCPU for the code. Returns 0, or -1 with errno. */
int exits_set_state(int vm, int vcpu);

/* Whether the programs know the arguments of KVM's tracepoints. Returns 0, or -1 and a message. */
int exits_find_arguments(struct loader *loader);
void exits_find_reasons(struct loader *loader);

/* Returns the name of the program for the tracepoint kvm_exit. */
const char *exits_program(const struct loader *loader);

/* Whether argument @index of a tracepoint, from 0, is a pointer to a vCPU. */
bool exits_has_vcpu(const struct btf *btf, const char *tracepoint, int index);

#endif /* EXITS_ARCH_H */
