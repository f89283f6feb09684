/* SPDX-License-Identifier: GPL-2.0-only */
/* What the guest L1 does: it is a hypervisor that runs the guest L2 with VMX. */
#ifndef NESTED_VMX_L1_H
#define NESTED_VMX_L1_H

#define L1_TIMES	13

/* The guest writes to this port to exit to user space. The value is one of enum l1_exit. */
#define L1_PORT		0x10

enum l1_exit {
	L1_FAILED,	/* VMX does not behave as L1 expects */
	L1_READY,	/* L1 is next to execute the part that is tested */
	L1_DONE,	/* L1 has executed it */
	L2_RUNS,	/* L2 wrote to the port */
};

enum l1_task {
	L1_LAUNCHES,		/* enters L2 by VMLAUNCH, L1_TIMES times */
	L1_RESUMES,		/* enters L2 by VMRESUME, L1_TIMES times */
	L1_LETS_L2_EXIT,	/* L2 exits to user space, then to L1 */
	L1_SETS_NO_CONTROLS,	/* KVM refuses the VMCS, L1_TIMES times */
	L1_SETS_NO_RFLAGS,	/* the CPU refuses the state of L2, L1_TIMES times */
	L1_LETS_L2_CRASH,	/* L2 has a triple fault, which exits to L1 */
};

/* The entry point; the argument is in RDI. Never returns. */
void l1_main(enum l1_task task);

#endif /* NESTED_VMX_L1_H */
