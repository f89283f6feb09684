/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * libkvmstats: read the binary statistics of KVM VMs and vCPUs
 *
 * A VMM opens the statistics of its own VM and vCPUs with kvmstats_fd_open(), and passes the fds
 * to kvmstats_schema_read() and kvmstats_sample_read(). An agent reads all VMs of the host with
 * kvmstats_host_open() and kvmstats_host_read(). It never opens the fds of other processes.
 *
 * The manual page kvmstats(3) describes the functions, what they return, their errors, lifetimes,
 * and the use of threads. Functions that return int return -errno if they fail.
 */
#ifndef KVMSTATS_H
#define KVMSTATS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

const char *kvmstats_strerror(int err, char *buf, size_t size);

/* The ioctls for statistics, as bits of kvmstats_capabilities(). */
enum kvmstats_capability {
	KVMSTATS_CAPABILITY_GETFD = 1,	/* KVM_STATS_GETFD: a file for each VM and vCPU */
	KVMSTATS_CAPABILITY_OPEN = 2,	/* KVM_STATS_OPEN: a file for a VM and its vCPUs */
	KVMSTATS_CAPABILITY_NEXT = 4,	/* KVM_STATS_NEXT: the files of all VMs of the machine */
};

int kvmstats_capabilities(void);

enum kvmstats_kind {
	KVMSTATS_KIND_VM,
	KVMSTATS_KIND_VCPU,
};

/* ---- schemas: the statistics in a file ---- */

struct kvmstats_schema;
struct kvmstats_stat;

/*
 * The kernel's numbers of types, units and bases. Later kernels may have others than those
 * named here.
 */
enum kvmstats_type {
	KVMSTATS_TYPE_CUMULATIVE,
	KVMSTATS_TYPE_INSTANT,
	KVMSTATS_TYPE_PEAK,
	KVMSTATS_TYPE_LINEAR_HIST,
	KVMSTATS_TYPE_LOG_HIST,
};

enum kvmstats_unit {
	KVMSTATS_UNIT_NONE,
	KVMSTATS_UNIT_BYTES,
	KVMSTATS_UNIT_SECONDS,
	KVMSTATS_UNIT_CYCLES,
	KVMSTATS_UNIT_BOOLEAN,
};

enum kvmstats_base {
	KVMSTATS_BASE_POW10,
	KVMSTATS_BASE_POW2,
};

/* The file @fd can come from an untrusted process. The schema does not keep @fd. */
int kvmstats_schema_read(struct kvmstats_schema **schema, int fd);
void kvmstats_schema_free(struct kvmstats_schema *schema);

/* Describes a statistic whose values do not come from a statistics fd. */
struct kvmstats_desc {
	const char *name;
	enum kvmstats_type type;
	enum kvmstats_unit unit;
	enum kvmstats_base base;
	int exponent;
	unsigned int size;	/* number of values, at most 65535 */
	uint32_t bucket_size;	/* for linear histograms */
};

/*
 * For samples that kvmstats_sample_set() fills. @desc_size is sizeof(struct kvmstats_desc), and the
 * distance between descriptors: structs of earlier and later versions of this header are accepted,
 * later ones if the members that this version does not know are 0.
 */
int kvmstats_schema_make(struct kvmstats_schema **schema, const struct kvmstats_desc *desc,
			 size_t count, size_t desc_size);

size_t kvmstats_schema_count(const struct kvmstats_schema *schema);
const struct kvmstats_stat *kvmstats_schema_stat(const struct kvmstats_schema *schema, size_t i);
const struct kvmstats_stat *kvmstats_schema_find(const struct kvmstats_schema *schema,
						 const char *name);

/* The fields of the statistic's descriptor. The size is the number of values. */
const char *kvmstats_stat_name(const struct kvmstats_stat *stat);
uint32_t kvmstats_stat_flags(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_type(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_unit(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_base(const struct kvmstats_stat *stat);
int kvmstats_stat_exponent(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_size(const struct kvmstats_stat *stat);
uint32_t kvmstats_stat_offset(const struct kvmstats_stat *stat);
uint32_t kvmstats_stat_bucket_size(const struct kvmstats_stat *stat);

int kvmstats_stat_is_hist(const struct kvmstats_stat *stat);
int kvmstats_stat_bucket(const struct kvmstats_stat *stat, unsigned int n,
			 uint64_t *min, uint64_t *max);

/* Return a name like "cumulative", "seconds" or "pow10", or NULL if the number is unknown. */
const char *kvmstats_type_name(unsigned int type);
const char *kvmstats_unit_name(unsigned int unit);
const char *kvmstats_base_name(unsigned int base);

/* Write the unit of raw values, such as "ns" or "KiB", or a value in whole units, as "1.5". */
int kvmstats_stat_unit_text(const struct kvmstats_stat *stat, char *buf, size_t size);
int kvmstats_stat_scale(const struct kvmstats_stat *stat, uint64_t value, char *buf, size_t size);

/* Returns a sentence that describes the statistic, or NULL. */
const char *kvmstats_stat_help(const char *name, enum kvmstats_kind kind);

/* ---- samples: the values at one time ---- */

struct kvmstats_sample;

/* @schema must outlive the sample. */
int kvmstats_sample_new(struct kvmstats_sample **sample, const struct kvmstats_schema *schema);
void kvmstats_sample_free(struct kvmstats_sample *sample);

/* @fd must have the sample's schema. */
int kvmstats_sample_read(struct kvmstats_sample *sample, int fd);
int kvmstats_sample_set(struct kvmstats_sample *sample, const uint64_t *values, size_t count,
			uint64_t time);

/* Returns 0 if the sample is empty. */
uint64_t kvmstats_sample_time(const struct kvmstats_sample *sample);
int kvmstats_sample_value(const struct kvmstats_sample *sample, const struct kvmstats_stat *stat,
			  unsigned int n, uint64_t *value);

/* Returns all values of @stat. The next read of the sample overwrites them. */
const uint64_t *kvmstats_sample_values(const struct kvmstats_sample *sample,
				       const struct kvmstats_stat *stat);

/* Store by how much value @n of @stat has grown, in total or per second. */
int kvmstats_delta(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		   const struct kvmstats_stat *stat, unsigned int n, uint64_t *delta);
int kvmstats_rate(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		  const struct kvmstats_stat *stat, unsigned int n, double *per_second);

/* ---- fds of this process ---- */

/* @vcpu is -1 for a VM, @stats 1 for a statistics fd. The pointers can be NULL. */
int kvmstats_fd_describe(int fd, enum kvmstats_kind *kind, int *vcpu, int *stats);

/* Returns a statistics fd for @fd, which is a VM, vCPU or statistics fd. */
int kvmstats_fd_open(int fd);

/* ---- hosts: all VMs and vCPUs, from one pass to the next ---- */

/* Where kvm-stats-publish(8) puts the host file, and the socket that serves it to others */
#define KVMSTATS_HOST_FILE	"/run/kvm-stats/host.pin"
#define KVMSTATS_HOST_SOCKET	"/run/kvm-stats/host.sock"

struct kvmstats_host;
struct kvmstats_host_vm;
struct kvmstats_host_vcpu;
struct kvmstats_vmm;		/* a process that has VMs */

/* Where a pass comes from, the best one first. */
enum kvmstats_origin {
	KVMSTATS_ORIGIN_FILE,	/* the host file, see kvm-stats-host-file(5) */
	KVMSTATS_ORIGIN_NEXT,	/* the files of all VMs, of KVM_STATS_NEXT */
	KVMSTATS_ORIGIN_PROC,	/* processes that run guests, from /proc: without statistics */
};

/*
 * Opens the published file, its socket or a copy. @path NULL: each pass comes from the best origin
 * that works then: the published file, its socket, KVM_STATS_NEXT, or /proc.
 */
int kvmstats_host_open(struct kvmstats_host **host, const char *path);

/* Reads passes from @fd one after the other. Does not close it. */
int kvmstats_host_open_fd(struct kvmstats_host **host, int fd);

/*
 * Later passes of @host, which was opened with @path NULL, come from @open_pass, or from the best
 * origin if it is NULL. It returns an fd that has one pass, which the library closes, or -errno:
 * for a BPF iterator that is not pinned. @arg is passed to it. VMMs that both have remain.
 */
void kvmstats_host_use_passes(struct kvmstats_host *host, int (*open_pass)(void *arg), void *arg);
void kvmstats_host_close(struct kvmstats_host *host);

/*
 * Reads the next pass. -ENODATA: that was the last one. -EAGAIN: the pass is not complete.
 * -ESTALE: the file must be published again. After an error, the VMs are those of the last pass.
 */
int kvmstats_host_read(struct kvmstats_host *host);

/*
 * Returns the last pass as a host file, in this machine's byte order, wherever it came from. NULL
 * before the first one. Valid until the next pass.
 */
const void *kvmstats_host_pass(const struct kvmstats_host *host, size_t *size);

/* Returns where the last pass came from. Before the first pass: where it is expected from. */
enum kvmstats_origin kvmstats_host_origin(const struct kvmstats_host *host);

/*
 * Returns why the last kvmstats_host_read() did not use @origin, or why an origin that it used does
 * not have all VMs: -errno, or 0. Origins after the one that was used have 0.
 */
int kvmstats_host_error(const struct kvmstats_host *host, enum kvmstats_origin origin);

/* Return when the last pass began, in ns: of CLOCK_MONOTONIC, CLOCK_BOOTTIME, on its host. */
uint64_t kvmstats_host_time(const struct kvmstats_host *host);
uint64_t kvmstats_host_boottime(const struct kvmstats_host *host);

/* Returns the instance of KVM's module, which is the inode of its folder in sysfs, or 0. */
uint64_t kvmstats_host_instance(const struct kvmstats_host *host);

/* Whether the PIDs are not those that this process sees in /proc. */
int kvmstats_host_is_nested(const struct kvmstats_host *host);

/*
 * Return the statistics that VMs and vCPUs have. NULL before the first pass. Without any statistics
 * if the origin is /proc. A later pass can have other schemas, but none is freed before the host is
 * closed. VMs, vCPUs and samples are valid until the next pass.
 */
const struct kvmstats_schema *kvmstats_host_schema(const struct kvmstats_host *host,
						   enum kvmstats_kind kind);

/* VMs are in no particular order. */
size_t kvmstats_host_vms(const struct kvmstats_host *host);
const struct kvmstats_host_vm *kvmstats_host_vm(const struct kvmstats_host *host, size_t i);

/* Returns what identifies the VM as long as the origin is the same and publishes the same file. */
uint64_t kvmstats_host_vm_id(const struct kvmstats_host_vm *vm);
pid_t kvmstats_host_vm_pid(const struct kvmstats_host_vm *vm);

/* Returns when the process started, in ns of CLOCK_BOOTTIME, or 0. */
uint64_t kvmstats_host_vm_start_time(const struct kvmstats_host_vm *vm);

/* Whether the process that created the VM has ended, and others keep the VM. */
int kvmstats_host_vm_is_orphan(const struct kvmstats_host_vm *vm);

/* Return the last sample, and the one of the pass before, or NULL. */
const struct kvmstats_sample *kvmstats_host_vm_now(const struct kvmstats_host_vm *vm);
const struct kvmstats_sample *kvmstats_host_vm_before(const struct kvmstats_host_vm *vm);

/* vCPUs are in the order of their IDs. */
size_t kvmstats_host_vm_vcpus(const struct kvmstats_host_vm *vm);
const struct kvmstats_host_vcpu *kvmstats_host_vm_vcpu(const struct kvmstats_host_vm *vm, size_t i);

int kvmstats_host_vcpu_id(const struct kvmstats_host_vcpu *vcpu);

/* Returns the thread that runs the vCPU, or 0 if none has run it. */
pid_t kvmstats_host_vcpu_tid(const struct kvmstats_host_vcpu *vcpu);
const struct kvmstats_sample *kvmstats_host_vcpu_now(const struct kvmstats_host_vcpu *vcpu);
const struct kvmstats_sample *kvmstats_host_vcpu_before(const struct kvmstats_host_vcpu *vcpu);

/* Returns for how long the thread has been waiting for a CPU, in ns, or 0 if it is not waiting. */
uint64_t kvmstats_host_vcpu_waiting(const struct kvmstats_host *host,
				    const struct kvmstats_host_vcpu *vcpu);

/*
 * VMMs are processes that have VMs, in the order of PIDs. A VMM exists, at the same address, as
 * long as passes have a VM of the process.
 */
size_t kvmstats_host_vmms(const struct kvmstats_host *host);
const struct kvmstats_vmm *kvmstats_host_vmm(const struct kvmstats_host *host, size_t i);

pid_t kvmstats_vmm_pid(const struct kvmstats_vmm *vmm);
uint64_t kvmstats_vmm_start_time(const struct kvmstats_vmm *vmm);
int kvmstats_vmm_is_orphan(const struct kvmstats_vmm *vmm);

/* Return the command name, "?" if it is not known, the name of the guest, and its UUID, or NULL. */
const char *kvmstats_vmm_comm(const struct kvmstats_vmm *vmm);
const char *kvmstats_vmm_guest(const struct kvmstats_vmm *vmm);
const char *kvmstats_vmm_uuid(const struct kvmstats_vmm *vmm);

/* Returns the systemd scope or else the cgroup of a VMM that does not name its guest, or NULL. */
const char *kvmstats_vmm_cgroup(const struct kvmstats_vmm *vmm);

/*
 * Returns why the names are not final, or 0. -ETIMEDOUT: the process hangs, so that its command
 * line cannot be read yet. The name is that which its cgroup gives the guest, or NULL. -EACCES:
 * /proc hides the process. -ESRCH: it has ended. -EREMOTE: the PID is not one of this machine, or
 * not one of this PID namespace.
 */
int kvmstats_vmm_name_error(const struct kvmstats_vmm *vmm);

/* VMs are in the order of their identities. Valid until the next pass. */
size_t kvmstats_vmm_vms(const struct kvmstats_vmm *vmm);
const struct kvmstats_host_vm *kvmstats_vmm_vm(const struct kvmstats_vmm *vmm, size_t i);

/* Returns the number of vCPUs of all VMs of the VMM. */
size_t kvmstats_vmm_vcpus(const struct kvmstats_vmm *vmm);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* KVMSTATS_H */
