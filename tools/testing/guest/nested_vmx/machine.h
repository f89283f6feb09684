/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VM whose memory is this program: guest-physical, guest-virtual and host addresses are the
 * same. Its vCPU runs C code of this program in 64-bit mode, without interrupts.
 */
#ifndef NESTED_VMX_MACHINE_H
#define NESTED_VMX_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include <linux/kvm.h>

#define SELECTOR_CODE	0x08
#define SELECTOR_DATA	0x10
#define SELECTOR_TSS	0x18

struct machine {
	int kvm;
	int vm;
	int vcpu;
	struct kvm_run *run;
	size_t run_size;
};

/* The linker defines the borders of the program. */
extern char __executable_start, _end;

/* Let the vCPU execute @code(@argument). Returns NULL or an error message. */
const char *machine_create(struct machine *machine, void (*code)(), uint64_t argument);
void machine_destroy(struct machine *machine);

/* Run the vCPU until it writes to @port, and store the value. */
const char *machine_run(struct machine *machine, uint16_t port, uint8_t *value);

#endif /* NESTED_VMX_MACHINE_H */
