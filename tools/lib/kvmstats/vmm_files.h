/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * VMMs whose statistics are in one file for each VM, which also contains the vCPUs: monitors use
 * these files if the kernel has them.
 */
#ifndef KVMSTATS_VMM_FILES_H
#define KVMSTATS_VMM_FILES_H

#include "internal.h"
#include "schemas.h"

/*
 * Like kvmstats_vmm_open(), but opens the files of the VMs if that is possible. @schemas must
 * outlive the VMM.
 */
int kvmstats_vmm_open_with_files(struct kvmstats_vmm **vmm, pid_t pid,
				 struct kvmstats_schemas *schemas);

/*
 * Makes a VMM without VMs, whose files are opened by number. @pid is the process that created
 * them, or 0 if it is not known.
 */
int kvmstats_vmm_open_by_number(struct kvmstats_vmm **vmm, pid_t pid,
				struct kvmstats_schemas *schemas);

/* Adds the VM whose file @fd is. Owns @fd, also on failure. Frees all targets. */
int kvmstats_vmm_add_file(struct kvmstats_vmm *vmm, int fd);

/* Whether the files of the VMM are opened by number. */
bool kvmstats_vmm_is_by_number(const struct kvmstats_vmm *vmm);

/* Lets @epoll report the end of each VM as an event with @data. */
void kvmstats_vmm_poll_files(const struct kvmstats_vmm *vmm, int epoll, void *data);

/* Closes the files of VMs that have ended. kvmstats_vmm_refresh() removes their targets. */
void kvmstats_vmm_close_ended(struct kvmstats_vmm *vmm);

/*
 * Reads the files of all VMs, with one pread() for each. Returns true if the targets must be
 * listed again: a file cannot be read, or vCPUs were added.
 */
bool kvmstats_vmm_read_files(struct kvmstats_vmm *vmm);

/* Whether the statistics are in the file of the VM. The functions below are for such targets. */
bool kvmstats_target_in_file(const struct kvmstats_target *target);

/* Returns why the file could not be read the last time, or 0. -ENODEV: the VM has ended. */
int kvmstats_target_error(const struct kvmstats_target *target);
const struct kvmstats_schema *kvmstats_target_schema(const struct kvmstats_target *target);
enum kvmstats_origin kvmstats_target_origin(const struct kvmstats_target *target);

/* Copies what kvmstats_vmm_read_files() has read of @target. */
int kvmstats_target_sample(const struct kvmstats_target *target, struct kvmstats_sample *sample);

#endif /* KVMSTATS_VMM_FILES_H */
