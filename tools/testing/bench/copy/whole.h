/* SPDX-License-Identifier: GPL-2.0-only */
/* VMs in user space whose statistics kvm_stats_read() of the series reads. */
#ifndef COPY_WHOLE_H
#define COPY_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct whole_vm;

/* Return a VM with @vcpus vCPUs, or NULL. No VM is destroyed. */
struct whole_vm *whole_create(int vcpus);

/* The number of bytes of all values and records. */
size_t whole_size(struct whole_vm *vm);

/* Read as pread() of the file with all vCPUs from the offset of the data does. */
ssize_t whole_read(struct whole_vm *vm, void *buf, size_t size);

#endif /* COPY_WHOLE_H */
