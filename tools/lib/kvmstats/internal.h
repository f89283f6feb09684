/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Declarations that the library's files share. They are not part of its interface. */
#ifndef KVMSTATS_INTERNAL_H
#define KVMSTATS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/kvm_stats.h>

#include "kvmstats.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* schema.c: the header and the descriptors of a statistics file */

struct kvmstats_stat {
	const struct kvmstats_schema *schema;
	const char *name;		/* points into schema->desc */
	uint32_t flags;
	int exponent;
	unsigned int size;		/* number of values */
	uint32_t offset;		/* in bytes, from the start of the data block */
	uint32_t bucket_size;
};

struct kvmstats_schema {
	struct kvm_stats_header header;
	bool records;			/* of the vCPUs in the file of their VM */
	char *desc;			/* the descriptor block, as read from the file */
	size_t desc_size;		/* in bytes */
	struct kvmstats_stat *stat;
	size_t data_size;		/* in bytes */
};

/*
 * The largest descriptor block or data block that the library accepts, in bytes. It is far
 * larger than that of any kernel, and small enough to allocate without concern.
 */
#define KVMSTATS_MAX_BLOCK	16777216u

/*
 * Reads the schema of a statistics file, or, if @records is set, the one of the vCPUs in it.
 * -ENODATA: the file does not contain vCPUs.
 */
int kvmstats_schema_read_part(struct kvmstats_schema **schema, int fd, bool records);

/* Reads and checks where a file has its vCPUs. -ENODATA: it does not contain any. */
int kvmstats_read_vcpus(int fd, struct kvm_stats_header *header, struct kvm_stats_vcpus *vcpus);

size_t kvmstats_schema_data_size(const struct kvmstats_schema *schema);
uint32_t kvmstats_schema_data_offset(const struct kvmstats_schema *schema);

/* sample.c */

/* Copies @values, which are those of @schema, to the sample. -EINVAL: it has another schema. */
int kvmstats_sample_copy(struct kvmstats_sample *sample, const struct kvmstats_schema *schema,
			 const void *values, uint64_t time);

/* file.c: reads that retry until they are complete */

/* Fills @buf from @offset. Returns 0, -EPROTO if the file ends early, or -errno. */
int kvmstats_pread_all(int fd, void *buf, size_t size, uint64_t offset);

/*
 * Reads at most @max bytes of /proc/@pid/@name into a new, NUL-terminated buffer and stores the
 * number of bytes in @len. The caller frees @text. Returns 0, -ESRCH if there is no such
 * process, or -errno.
 */
int kvmstats_read_proc(pid_t pid, const char *name, size_t max, char **text, size_t *len);

/* fds.c: the KVM fds of a process, as /proc/PID/fd names them */

struct kvmstats_fd {
	int fd;
	enum kvmstats_kind kind;
	bool stats;		/* a statistics fd, not a VM or vCPU fd */
	int vcpu;		/* vCPU ID, -1 for VMs */
};

/*
 * Parses the target of a /proc/PID/fd link, such as "anon_inode:kvm-vcpu:0". Returns false if
 * the link is not of a KVM fd. Does not set @entry->fd.
 */
bool kvmstats_fds_parse(const char *link, struct kvmstats_fd *entry);

struct kvmstats_fds {
	struct kvmstats_fd *fd;
	size_t count;
	size_t capacity;
};

/*
 * Stores all KVM fds of process @pid in @fds, replacing what it contained. The order is: VMs
 * before vCPUs, vCPUs by ID, VM and vCPU fds before their statistics fds, then by fd number.
 * Returns 0 (also if there are no KVM fds) or -errno. @fds must be zeroed before the first
 * call; later calls reuse its memory.
 */
int kvmstats_fds_scan(struct kvmstats_fds *fds, pid_t pid);

/*
 * Returns 0, -ENOENT if /proc is not mounted, or -EACCES if it hides the processes of other users,
 * as PID 1. The mount option hidepid does that.
 */
int kvmstats_check_proc(void);

/* Returns 1 if process @pid holds a VM or vCPU fd, 0 if it holds none, or -errno. */
int kvmstats_fds_has_vm(pid_t pid);

/*
 * Removes duplicates: of the fds that refer to the same open file, the one with the lowest
 * number remains. Returns 1, or 0 if the kernel cannot compare files.
 */
int kvmstats_fds_distinct(struct kvmstats_fds *fds, pid_t pid);
int kvmstats_fds_copy(struct kvmstats_fds *to, const struct kvmstats_fds *from);
bool kvmstats_fds_equal(const struct kvmstats_fds *a, const struct kvmstats_fds *b);
void kvmstats_fds_free(struct kvmstats_fds *fds);

/* vmm.c */

/*
 * Checks quickly, with two calls of stat(), whether kvmstats_vmm_refresh() is necessary.
 * Returns 1 if the number of threads of the process has changed since its fds were last
 * listed, or, on Linux 6.2 and later, the number of its fds. Returns 0 if neither has changed.
 * Does not detect changes of VMs that keep both numbers. -ESRCH: the process has ended.
 */
int kvmstats_vmm_glance(const struct kvmstats_vmm *vmm);

/* remote_fd.c: fds of other processes. All functions return -errno on failure. */

/*
 * Duplicates fd @entry of the process into this process. Returns -ESTALE if the process has
 * closed the fd or uses its number for something else.
 */
int kvmstats_dup_fd(int pidfd, const struct kvmstats_fd *entry);

/* Opens the statistics of the VM or vCPU whose fd in the process is @entry. */
int kvmstats_dup_and_open(int pidfd, const struct kvmstats_fd *entry);

/*
 * Opens the statistics of the VM whose fd in the process is @entry, and of all its vCPUs.
 * -EOPNOTSUPP: the kernel does not have KVM_STATS_OPEN.
 */
int kvmstats_dup_and_open_all(int pidfd, const struct kvmstats_fd *entry);

/* Opens the statistics of the VM or vCPU fd @kvm_fd of this process. */
int kvmstats_open_stats(int kvm_fd);

int kvmstats_pidfd_open(pid_t pid);
int kvmstats_pidfd_alive(int pidfd);

#endif /* KVMSTATS_INTERNAL_H */
