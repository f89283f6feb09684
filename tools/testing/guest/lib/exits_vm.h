/* SPDX-License-Identifier: GPL-2.0-only */
/* VMs with exit statistics, for programs that do not include <linux/kvm.h>. */
#ifndef GUEST_EXITS_VM_H
#define GUEST_EXITS_VM_H

/* Return the fd of a new VM with exit statistics, or -1 if the kernel does not have them. */
int create_vm_with_exits(void);

#endif /* GUEST_EXITS_VM_H */
