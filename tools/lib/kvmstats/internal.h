/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Declarations that the library's files share. They are not part of its interface. */
#ifndef KVMSTATS_INTERNAL_H
#define KVMSTATS_INTERNAL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <linux/kvm_stats.h>

#include "basics.h"
#include "kvmstats.h"

/* Whether @err means that the caller itself lacks memory or fds. */
static inline bool is_resource_shortage(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

struct kvmstats_reader;

/* ---- schema.c: the header and the descriptors of a statistics file ---- */

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

/* Reads and checks where a file has its vCPUs. -ENODATA: it does not contain any. */
int kvmstats_read_vcpus(int fd, struct kvm_stats_header *header, struct kvm_stats_vcpus *vcpus);

/*
 * Makes a schema of @count descriptors of @desc_size bytes each, which is more than that of struct
 * kvm_stats_desc. The descriptors have this machine's byte order.
 */
int kvmstats_schema_parse(struct kvmstats_schema **schema, const void *descs, size_t count,
			  size_t desc_size);

/* The schemas in use, each stored once: usually one of all VMs, and one of all vCPUs. */
struct kvmstats_schemas {
	struct kvmstats_schema **schema;
	size_t count;
};

/* Returns 1 if the statistics file @fd has this schema, 0 if it has another one, or -errno. */
int kvmstats_schema_same(const struct kvmstats_schema *schema, int fd);

/*
 * Finds or reads the schema of the statistics fd @fd or, if @records is set, that of the vCPUs in
 * the file. Returns 0 or -errno.
 */
int kvmstats_schemas_find(struct kvmstats_schemas *schemas, int fd, bool records,
			  const struct kvmstats_schema **schema);
void kvmstats_schemas_free(struct kvmstats_schemas *schemas);

/* ---- file.c: samples, and files that contain a VM and its vCPUs ---- */

/* Fills @buf from @offset. Returns 0, -EPROTO if the file ends early, or -errno. */
int kvmstats_pread_all(int fd, void *buf, size_t size, uint64_t offset);

/*
 * A file with the statistics of a VM and, after them, a record for each of its vCPUs. It does not
 * keep the VM.
 */
struct kvmstats_file {
	int fd;				/* -1: the VM has ended */
	int vmm_fd;			/* the fd of the VM in the VMM, -1: not known */
	int err;			/* of the last read; -ENODEV: the VM has ended */
	const struct kvmstats_schema *vm;
	const struct kvmstats_schema *vcpu;
	struct kvm_stats_vcpus layout;	/* layout.vm is the number of the VM, 0: not known */
	uint32_t data_offset;		/* of the VM's values, from the start of the file */
	size_t head;			/* size of the VM's values, up to the first record */
	struct kvmstats_block *block;	/* what the last read returned */
	struct kvmstats_block *before;	/* the block of the previous read, for the next one */
	size_t vcpus;			/* number of records in @block */
	bool is_polled;			/* the monitor polls the fd for the end of the VM */
};

/*
 * Reads and checks the descriptors of the file @fd. Owns @fd from now on, also on failure.
 * @schemas must outlive the file. -ENODATA: the file does not contain vCPUs.
 */
int kvmstats_file_open(struct kvmstats_file *file, int fd, struct kvmstats_schemas *schemas);
void kvmstats_file_close(struct kvmstats_file *file);

/*
 * Reads the values of the VM and of all its vCPUs, normally with one call of pread(). Finds new
 * vCPUs. Sets file->err, and returns it. -ENODEV: the VM has ended, which is final.
 */
int kvmstats_file_read(struct kvmstats_file *file);

/* Returns the ID of vCPU @i, of file->vcpus. They are in the order of their creation. */
int kvmstats_file_vcpu(const struct kvmstats_file *file, size_t i);

struct kvmstats_sample {
	const struct kvmstats_schema *schema;
	uint64_t time;			/* 0 while the sample is empty */
	const uint64_t *data;		/* behind the sample, in @block, or in a pass of host.c */
	struct kvmstats_block *block;
};

/* Makes a sample with space for @size bytes. With 0, only kvmstats_file_sample() can fill it. */
int kvmstats_sample_alloc(struct kvmstats_sample **sample, const struct kvmstats_schema *schema,
			  size_t size);

/* Empties a sample. */
void kvmstats_sample_clear(struct kvmstats_sample *sample);

/*
 * Lets @sample have the values of the VM (@i is -1) or those of vCPU @i, also after the file is
 * read again or closed. It must have the schema file->vm or file->vcpu. Returns 0, the error of
 * the last read, or -ERANGE.
 */
int kvmstats_file_sample(const struct kvmstats_file *file, ssize_t i,
			 struct kvmstats_sample *sample);

/* ---- fds.c: the KVM fds of processes, and what they open ---- */

struct kvmstats_fd {
	int fd;
	enum kvmstats_kind kind;
	bool stats;		/* a statistics fd, not a VM or vCPU fd */
	int vcpu;		/* vCPU ID, -1 for VMs */
};

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
 * Removes duplicates: of the fds that refer to the same open file, the one with the lowest
 * number remains. Returns false if the kernel cannot compare files.
 */
bool kvmstats_fds_distinct(struct kvmstats_fds *fds, pid_t pid);
int kvmstats_fds_copy(struct kvmstats_fds *to, const struct kvmstats_fds *from);
bool kvmstats_fds_equal(const struct kvmstats_fds *a, const struct kvmstats_fds *b);

/* Returns the first VM or vCPU fd, or NULL. */
const struct kvmstats_fd *kvmstats_fds_first(const struct kvmstats_fds *fds);

/* Whether the first VM or vCPU fd of process @pid and one of process @other are the same file. */
bool kvmstats_fds_share(const struct kvmstats_fds *fds, pid_t pid,
			const struct kvmstats_fds *others, pid_t other);
void kvmstats_fds_free(struct kvmstats_fds *fds);

int kvmstats_pidfd_open(pid_t pid);
bool kvmstats_pidfd_alive(int pidfd);

/*
 * Opens the statistics of the VM or vCPU whose fd in the process is @entry, or duplicates @entry
 * if it is a statistics fd. Returns the fd or -errno. -ESTALE: the process has closed the fd or
 * uses its number for something else. -ESRCH: the process has ended. -EIO: the kernel opens
 * statistics for the VMM only.
 */
int kvmstats_dup_and_open(int pidfd, const struct kvmstats_fd *entry);

/*
 * Opens the file of the VM whose fd in the process is @entry, and of all its vCPUs.
 * -EOPNOTSUPP: the kernel does not have KVM_STATS_OPEN.
 */
int kvmstats_dup_and_open_all(int pidfd, const struct kvmstats_fd *entry);

/* Opens /dev/kvm if the kernel has KVM_STATS_NEXT. -EOPNOTSUPP: it does not. */
int kvmstats_open_kvm(void);

/*
 * Opens the file of the VM with the lowest number above *@vm, and stores its number there. @kvm
 * is an fd of kvmstats_open_kvm(). -ENOENT: there is no other VM. -EPERM: the caller lacks
 * CAP_PERFMON in the initial user namespace.
 */
int kvmstats_next_open(int kvm, uint64_t *vm);

/* ---- processes.c: files in /proc, and which processes to search for VMs ---- */

/*
 * Reads at most @max bytes of /proc/@pid/@name into a new, NUL-terminated buffer and stores the
 * number of bytes in @len. The caller frees @text. Returns 0, -ESRCH if there is no such
 * process, or -errno.
 */
int kvmstats_read_proc(pid_t pid, const char *name, size_t max, char **text, size_t *len);

/* In ticks */
struct kvmstats_times {
	uint64_t guest;		/* in guests, of all threads */
	uint64_t start;		/* when the process started */
};

/* Returns zeros for a process that does not exist. */
struct kvmstats_times kvmstats_times_of(pid_t pid);

/*
 * What can be read quickly, and usually changes when VMs or vCPUs are added or removed: the number
 * of fds or, before Linux 6.2, which does not count them, of threads.
 */
struct kvmstats_glance {
	off_t fds;
	nlink_t threads;
};

/* Returns 0, -ESRCH if there is no such process, or -errno. */
int kvmstats_glance_of(pid_t pid, struct kvmstats_glance *glance);
bool kvmstats_glance_differs(const struct kvmstats_glance *a, const struct kvmstats_glance *b);

/*
 * Returns how many files and VMs use KVM's modules, or -1 if that is not known, because KVM is a
 * part of the kernel. It changes whenever a VM is created.
 */
long kvmstats_kvm_users(void);

struct kvmstats_process;

struct kvmstats_processes {
	struct kvmstats_process *process;	/* sorted by PID */
	size_t count;
	size_t capacity;
	size_t denied;			/* processes that the caller may not examine */
	bool hidden;			/* /proc hides processes */
	long users;			/* of KVM at the last scan */
	unsigned int suspicious;	/* number of scans that look for changed processes */
};

/*
 * Calls @fn for each process that is due at @now (ns). If @fn fails because of a resource
 * shortage, the scan stops calling @fn, and the process is due again in the next scan. -EACCES and
 * -EPERM are counted. Other errors of @fn are ignored. Returns 0 or -errno.
 */
int kvmstats_processes_scan(struct kvmstats_processes *processes, uint64_t now,
			    int (*fn)(pid_t pid, void *arg), void *arg);

/* Returns the PID of the process that is number @i of those that are denied, or 0. */
pid_t kvmstats_processes_denied(const struct kvmstats_processes *processes, size_t i);

/* The process is due again in the next scan. */
void kvmstats_processes_forget(struct kvmstats_processes *processes, pid_t pid);
void kvmstats_processes_free(struct kvmstats_processes *processes);

/* ---- target.c: a VM or a vCPU, and its samples ---- */

struct kvmstats_target {
	const struct kvmstats_vmm *vmm;
	/* Which one it is. Each list of the targets sets these members again. */
	struct kvmstats_fd from;	/* from.fd is -1 if the target has no fd of its own */
	int vm;
	uint64_t number;		/* of the VM, 0: not known */
	size_t record;			/* of a vCPU in the file of its VM */
	bool ended;			/* another VM can have an fd with the same number now */
	/* How it is read */
	enum kvmstats_origin origin;
	int fd;				/* -1 if the statistics are in the file of the VM */
	int err;			/* why it cannot be read, or 0 */
	const struct kvmstats_schema *schema;
	struct kvmstats_sample *now;
	struct kvmstats_sample *before;
};

/* Opens the statistics, or opens them again. Sets target->err. */
void kvmstats_target_open(struct kvmstats_target *target, struct kvmstats_schemas *schemas);

/* Closes the statistics, which cannot be read because of @err. */
void kvmstats_target_fail(struct kvmstats_target *target, int err);
void kvmstats_target_free(struct kvmstats_target *target);

/* Makes the last sample the previous one. The file of the VM can use the memory of the oldest. */
void kvmstats_target_next(struct kvmstats_target *target);

/*
 * Reads a new sample, or takes it from the file of the VM. Returns 0, also if the target was not
 * open, or why it cannot be read any more.
 */
int kvmstats_target_sample(struct kvmstats_target *target);

/* ---- vmm.c: the VMs and vCPUs of a process, and its names ---- */

struct kvmstats_vmm {
	pid_t pid;			/* 0: not known */
	int pidfd;			/* -1: the PID is not known */
	char *comm;
	char *guest;			/* the name of the guest, or NULL */
	char *uuid;			/* of the guest, or NULL */
	char *cgroup;			/* if it is needed to name the guest, or NULL */
	char *cmdline;			/* NULL: not known */
	size_t cmdline_size;
	int name_error;			/* why the names are not final: -errno, or 0 */
	struct kvmstats_reader *reader;
	bool distinct;
	size_t vms;
	size_t vcpus;
	struct kvmstats_target **target;	/* VMs, then vCPUs by ID */
	size_t targets;
	bool changed;			/* targets were added or removed; monitor.c resets it */
	struct kvmstats_target **old;	/* while a new list is made; those taken are NULL */
	size_t olds;
	size_t cursor;			/* index in @old at which the next search starts */
	struct kvmstats_fds fds;	/* all KVM fds at the last scan, including duplicates */
	struct kvmstats_fds buffer;	/* for the next scan */
	struct kvmstats_glance glance;
	/* For files of whole VMs: */
	struct kvmstats_schemas *schemas;
	bool has_no_files;		/* the kernel does not have them */
	bool by_number;			/* opened with KVM_STATS_NEXT, not with fds of the VMM */
	struct kvmstats_file *file;	/* of each VM; empty if they cannot be opened */
	size_t files;
	/* For monitor.c: */
	bool ran;			/* the process had run a guest when it was found */
	size_t selected;		/* number of targets that the caller selects */
	bool failed;			/* one of them could not be opened */
	uint64_t next_check;
	uint64_t next_scan;		/* 0: there is a change that the scan has to handle */
};

/*
 * Lists the VMs and vCPUs of process @pid, and opens the files of the VMs if that is possible.
 * @schemas and @reader must outlive the VMM. Call kvmstats_vmm_close() also after a failure.
 *
 * -ESRCH: there is no such process. -EINVAL: @pid is not the ID of a process. -EACCES: the caller
 * may not list the fds of the process. -ENODEV: the process holds no VM or vCPU fds.
 */
int kvmstats_vmm_open(struct kvmstats_vmm *vmm, pid_t pid, struct kvmstats_schemas *schemas,
		      struct kvmstats_reader *reader);

/*
 * Makes a VMM without VMs, for files that were opened by number. @pid is the process that created
 * them, or 0 if it is not known.
 */
int kvmstats_vmm_open_by_number(struct kvmstats_vmm *vmm, pid_t pid,
				struct kvmstats_schemas *schemas, struct kvmstats_reader *reader);

/* Reads the names again if vmm->name_error is set. Returns whether they are final now. */
bool kvmstats_vmm_rename(struct kvmstats_vmm *vmm);

/* Adds the VM whose file @fd is. Owns @fd, also after a failure. */
int kvmstats_vmm_add_file(struct kvmstats_vmm *vmm, int fd);
void kvmstats_vmm_close(struct kvmstats_vmm *vmm);

/*
 * Lists the VMs and vCPUs of the process again, and sets vmm->changed. -ENODEV: the process holds
 * no VM or vCPU fds any more. -ENOMEM: there are no targets until the next call. After another
 * error the targets are unchanged.
 */
int kvmstats_vmm_refresh(struct kvmstats_vmm *vmm);

/*
 * Returns 1 if kvmstats_vmm_refresh() is necessary, because the glance has changed since the fds
 * were last listed, otherwise 0. -ESRCH: the process has ended.
 */
int kvmstats_vmm_glance(const struct kvmstats_vmm *vmm);

bool kvmstats_vmm_alive(const struct kvmstats_vmm *vmm);

/* Closes the files of VMs that have ended. kvmstats_vmm_refresh() removes their targets. */
void kvmstats_vmm_close_ended(struct kvmstats_vmm *vmm);

/*
 * Reads the files of all VMs. Returns true if the targets must be listed again: a file cannot be
 * read, or vCPUs were added.
 */
bool kvmstats_vmm_read_files(struct kvmstats_vmm *vmm);

#endif /* KVMSTATS_INTERNAL_H */
