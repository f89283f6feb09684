/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Files that contain the statistics of a VM and of all its vCPUs. */
#ifndef KVMSTATS_VM_FILE_H
#define KVMSTATS_VM_FILE_H

#include "internal.h"
#include "schemas.h"

/* Like kvmstats_file_new(), but uses the schemas in @schemas, which must outlive the file. */
int kvmstats_file_new_shared(struct kvmstats_file **file, int fd,
			     struct kvmstats_schemas *schemas);

/*
 * Returns 1 if @fd is a file of the same VM with the statistics of @file, 0 if not, or -errno. The
 * file of a VM has other statistics when it is opened again after the VMM has enabled exit
 * statistics.
 */
int kvmstats_file_same(const struct kvmstats_file *file, int fd);

/* Stores the number of the VM whose file @fd is. -ENODATA: the file does not contain vCPUs. */
int kvmstats_file_number(int fd, uint64_t *vm);

/* Opens /dev/kvm if the kernel has KVM_STATS_NEXT. -EOPNOTSUPP: it does not. */
int kvmstats_open_kvm(void);

#endif /* KVMSTATS_VM_FILE_H */
