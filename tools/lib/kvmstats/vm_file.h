/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Files that contain the statistics of a VM and of all its vCPUs. */
#ifndef KVMSTATS_VM_FILE_H
#define KVMSTATS_VM_FILE_H

#include "internal.h"
#include "schemas.h"

/* Like kvmstats_file_new(), but uses the schemas in @schemas, which must outlive the file. */
int kvmstats_file_new_shared(struct kvmstats_file **file, int fd,
			     struct kvmstats_schemas *schemas);

/* Opens /dev/kvm if the kernel has KVM_STATS_NEXT. -EOPNOTSUPP: it does not. */
int kvmstats_open_kvm(void);

#endif /* KVMSTATS_VM_FILE_H */
