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
#include "host_format.h"
#include "kvmstats.h"

struct kvmstats_reader;

/* Whether @err means that the caller itself lacks memory or fds. */
static inline bool is_resource_shortage(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

/* For functions that compare for qsort() */
static inline int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

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
	char *desc;			/* the descriptor block, as read from the file */
	size_t desc_size;		/* in bytes */
	struct kvmstats_stat *stat;
	size_t data_size;		/* in bytes */
};

/*
 * The largest descriptor block, data block or record that the library accepts, in bytes. It is far
 * larger than that of any kernel, and small enough to allocate without concern.
 */
#define KVMSTATS_MAX_BLOCK	16777216u

/* Fills @buf from @offset. Returns 0, -EPROTO if the file ends early, or -errno. */
int kvmstats_pread_all(int fd, void *buf, size_t size, uint64_t offset);

/*
 * Reads and checks where the file of a VM has its vCPUs, which have records after the values of the
 * VM. -ENODATA: it does not contain any.
 */
int kvmstats_read_vcpus(int fd, struct kvm_stats_header *header, struct kvm_stats_vcpus *vcpus);

/*
 * Makes a schema of @count descriptors of @desc_size bytes each, which is more than that of struct
 * kvm_stats_desc. The descriptors have this machine's byte order.
 */
int kvmstats_schema_parse(struct kvmstats_schema **schema, const void *descs, size_t count,
			  size_t desc_size);

/* ---- sample.c: values and their growth ---- */

struct kvmstats_sample {
	const struct kvmstats_schema *schema;
	uint64_t time;			/* 0 while the sample is empty */
	const uint64_t *data;		/* behind the sample, or in a pass */
};

/* ---- fds.c: fds of this process, and those that /dev/kvm opens ---- */

/* Opens /dev/kvm if the kernel has KVM_STATS_NEXT. -EOPNOTSUPP: it does not. */
int kvmstats_open_kvm(void);

/*
 * Opens the file of the VM with the lowest number above *@vm, and stores its number there. @kvm
 * is an fd of kvmstats_open_kvm(). -ENOENT: there is no other VM. -EPERM: the caller lacks
 * CAP_PERFMON in the initial user namespace.
 */
int kvmstats_next_open(int kvm, uint64_t *vm);

/* ---- pass.c: the records of all VMs and vCPUs at one time ---- */

/* How long to wait for what sends the host file over a socket. systemd may have to start it. */
#define KVMSTATS_SOCKET_TIME	(3 * SECOND)

/* How long a pass may take that comes from a socket or from the kernel */
#define KVMSTATS_PASS_TIME	(60 * SECOND)

struct kvmstats_pass {
	char *data;			/* in this machine's byte order up to @end */
	size_t size;			/* of the memory */
	size_t used;			/* bytes read or written; 0: nothing, or it was taken */
	size_t end;			/* of the whole records that were checked */
	bool swapped;			/* the host has the other byte order */
	uint32_t vms, vcpus;		/* records that were added */
};

/* Where passes are read from. */
struct kvmstats_stream {
	int fd;
	bool has_one_pass;		/* the fd is opened for each pass */
	size_t rest_size;
	/* What was read behind the last pass: part of a record's head, and what one read returns */
	char rest[sizeof(struct kvm_host_record) + 65536];
};

/*
 * Reads a pass and checks all of its records, but not their values. If read() fails, the next call
 * continues with this pass.
 */
int kvmstats_pass_read(struct kvmstats_pass *pass, struct kvmstats_stream *stream);

/*
 * Starts to write a pass. Sets the times, offsets and sizes in a copy of @header, which has the
 * other members. @descs are its descriptors.
 */
int kvmstats_pass_start(struct kvmstats_pass *pass, const struct kvm_host_header *header,
			const void *descs);

/* Adds a record of zeros. Returns it, valid until the next one is added, or NULL. */
void *kvmstats_pass_add(struct kvmstats_pass *pass, enum kvm_host_type type, size_t size,
			uint64_t vm);

/* Adds the end, and checks the pass as if it had been read. */
int kvmstats_pass_finish(struct kvmstats_pass *pass);

/* ---- host.c: VMs and vCPUs. The records and the samples are in the data of the pass ---- */

struct kvmstats_host_vcpu {
	const struct kvm_host_vcpu *record;
	struct kvmstats_sample now;
	const struct kvmstats_host_vcpu *before;	/* in the pass before, or NULL */
};

struct kvmstats_host_vm {
	const struct kvm_host_vm *record;
	struct kvmstats_sample now;
	const struct kvmstats_host_vm *before;
	struct kvmstats_host_vcpu *vcpu;	/* in the order of their IDs */
	size_t vcpus;
};

/* ---- next.c: a pass over the files of all VMs, of KVM_STATS_NEXT ---- */

struct kvmstats_next_vm;

struct kvmstats_next {
	struct kvmstats_next_vm *vm;	/* in the order of their numbers */
	size_t vms;
	size_t capacity;
	uint64_t last_vm;		/* number of the last VM that was opened */
	uint64_t session;
	struct kvm_host_header header;	/* what it says about the descriptors */
	char *descs;			/* which all VMs have */
	char *buffer;			/* for the values of a VM and its vCPUs */
	size_t buffer_size;
	int skipped;			/* why the file of a VM is not used: -errno, or 0 */
	int error;			/* why the last pass does not have all VMs: -errno, or 0 */
};

/* Adds the file of a VM. Owns @fd from now on, also after a failure. */
int kvmstats_next_add(struct kvmstats_next *next, int fd, uint64_t number);

/* Writes a pass over the files that were added. Drops those of VMs that have ended. */
int kvmstats_next_write_files(struct kvmstats_next *next, struct kvmstats_pass *pass);

/*
 * Adds the files of new VMs, and writes a pass. -EOPNOTSUPP, -EPERM, -EACCES, -ENOENT: this is not
 * possible here.
 */
int kvmstats_next_write(struct kvmstats_next *next, struct kvmstats_pass *pass);

/* Closes all files. The next pass opens them again. */
void kvmstats_next_close(struct kvmstats_next *next);

/* ---- processes.c: what /proc shows to all users ---- */

/* Where the library looks for files. Only tests change it. */
struct kvmstats_places {
	const char *file, *socket;	/* the published host file */
	const char *proc;
};

extern struct kvmstats_places kvmstats_places;

#define KVMSTATS_COMM_SIZE	64

/* A process or thread, as its file stat describes it. Times are in ns. */
struct kvmstats_task {
	char comm[KVMSTATS_COMM_SIZE];
	char state;
	uint64_t start_time;		/* after boot, rounded down to ticks */
	uint64_t guest_time;		/* of a process: of all its threads */
	long threads;
};

/*
 * Reads the process or, if @tid is not 0, its thread. -ESRCH: there is no such process, or /proc
 * hides it.
 */
int kvmstats_task_read(struct kvmstats_task *task, pid_t pid, pid_t tid);

/* Returns why /proc does not have the process: -EACCES if it hides it, or -ESRCH. */
int kvmstats_why_missing(pid_t pid);

/* Rounds the time since boot down, as /proc/PID/stat does. */
uint64_t kvmstats_round_to_ticks(uint64_t ns);

struct kvmstats_process;

struct kvmstats_processes {
	struct kvmstats_process *process;	/* in the order of PIDs */
	size_t count;
	uint64_t next_scan;		/* when all processes are due */
	int error;			/* why VMMs may be missing: -errno, or 0 */
};

/* Writes a pass without values: a VM for each process that runs guests, and their threads. */
int kvmstats_processes_write(struct kvmstats_processes *processes, struct kvmstats_pass *pass);
void kvmstats_processes_free(struct kvmstats_processes *processes);

/* ---- vmm.c: the processes that have the VMs of a pass, and their names ---- */

struct kvmstats_vmms {
	struct kvmstats_vmm **vmm;
	size_t count;
	const struct kvmstats_host_vm **vm;	/* of the first VMM, of the second, and so on */
};

/* Groups the @count VMs of a pass by process. After -ENOMEM, @vmms is unchanged. */
int kvmstats_vmms_update(struct kvmstats_vmms *vmms, const struct kvmstats_host_vm *vm,
			 size_t count);

/* Reads the names that are not known yet. @reader is NULL if the PIDs are not those of /proc. */
void kvmstats_vmms_name(const struct kvmstats_vmms *vmms, struct kvmstats_reader *reader);

/* Sets the names of a VMM to those in a record of a pass, of which there are record.size bytes. */
int kvmstats_vmms_take_names(const struct kvmstats_vmms *vmms, const struct kvm_host_names *names);
void kvmstats_vmms_free(struct kvmstats_vmms *vmms);

#endif /* KVMSTATS_INTERNAL_H */
