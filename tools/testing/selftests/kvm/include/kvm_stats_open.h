/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open files with KVM_STATS_OPEN and KVM_STATS_NEXT, and find the parts of a
 * file that contains the vCPUs of its VM.
 */
#ifndef SELFTEST_KVM_STATS_OPEN_H
#define SELFTEST_KVM_STATS_OPEN_H

#include "kvm_stats_vmm.h"

#define STATS_VCPUS_SIZE	32
#define STATS_RECORD_SIZE	16

/* A file with vCPUs. */
struct stats_vm_file {
	struct stats_file file;
	struct kvm_stats_vcpus vcpus;
	uint32_t num_records;
};

/* Loads the file.  Fails if its parts do not follow each other without gaps. */
const char *stats_vm_file_load(struct stats_vm_file *file, int fd);
void stats_vm_file_free(struct stats_vm_file *file);

/* Returns the record with the index @i, which must be in the file. */
struct kvm_stats_record stats_vm_file_record(const struct stats_vm_file *file,
					     uint32_t i);

/* Returns the values of the record, record_size - data_offset bytes. */
const uint8_t *stats_vm_file_values(const struct stats_vm_file *file,
				    uint32_t i);

int stats_open_kvm(void);
const char *stats_open(int vm_fd, int *fd);

/*
 * Opens the VM after the VM with the number @vm.  On success, @vm is the number
 * of the opened VM.  Returns the fd, or -1 and sets errno.
 */
int stats_open_next(int kvm_fd, uint64_t *vm);

/* Opens the VM with the highest number, which is the one created last. */
const char *stats_open_last(uint64_t *vm, int *fd);

#endif /* SELFTEST_KVM_STATS_OPEN_H */
