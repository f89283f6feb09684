/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * libkvmstats: read the binary statistics of KVM's VMs and vCPUs
 *
 * A VMM opens the statistics of its own VM with KVM_STATS_GETFD and hands the
 * fd to kvmstats_schema_read().  An agent finds the VMMs of the machine with
 * kvmstats_vmm_find() and gets at such fds with kvmstats_vmm_open() and
 * kvmstats_target_open().
 *
 * Functions that can fail return a negative errno value.  Nothing is printed,
 * there is no global state, and objects may be used from any thread, each
 * object from one thread at a time (a schema from many).
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

/* ---- errors ---- */

/*
 * What an error of this library means, in words: @buf, or a string that needs
 * no freeing.  Both signs are taken.
 */
const char *kvmstats_strerror(int err, char *buf, size_t size);

/* ---- VMMs ---- */

struct kvmstats_vmm;
struct kvmstats_target;

/*
 * Calls @fn for each process that holds fds of KVM VMs (@err 0), and for each
 * one that could not be looked into (@err says why).  Ends early when @fn
 * returns something else than 0, and returns that.
 */
int kvmstats_vmm_find(int (*fn)(pid_t pid, int err, void *arg), void *arg);

/*
 * Looks into process @pid.  The object remembers the process by a pidfd, not by
 * its number.  -ESRCH: no such process.  -EINVAL: not the ID of a process, it
 * may be the one of a thread.  -EACCES: not allowed to look at its fds.
 * -ENODEV: it has no fds of a VM.
 */
int kvmstats_vmm_open(struct kvmstats_vmm **vmm, pid_t pid);
void kvmstats_vmm_close(struct kvmstats_vmm *vmm);

/*
 * Looks into the process again.  1: it has other VMs, vCPUs or fds than before, and the
 * targets that were asked for are no more.  0: nothing has changed, except that an fd may
 * by now be another VM's than the one of the same number and name was: nothing tells
 * that, kvmstats_target_open() gives the one of now.  -ENODEV: it has no VM any more, and
 * no targets.  Other errors leave all as it was.
 */
int kvmstats_vmm_refresh(struct kvmstats_vmm *vmm);

/*
 * Whether kvmstats_vmm_refresh() is worth its time: 1 if the number of threads or (from
 * Linux 6.2 on) of fds is another one than then, 0 if not, -ESRCH.  Costs two stat();
 * what it does not see is a VMM that keeps both numbers while its VMs change.
 */
int kvmstats_vmm_glance(const struct kvmstats_vmm *vmm);

/*
 * 1 while the process lives, then 0: close all statistics fds of its VMs at
 * once, they keep the memory of the dead VM in the kernel.
 */
int kvmstats_vmm_alive(const struct kvmstats_vmm *vmm);

/* A pidfd, readable for poll() when the process is gone; it stays the VMM's. */
int kvmstats_vmm_pidfd(const struct kvmstats_vmm *vmm);

pid_t kvmstats_vmm_pid(const struct kvmstats_vmm *vmm);
const char *kvmstats_vmm_comm(const struct kvmstats_vmm *vmm);

/* The name given to the guest with QEMU's option -name, or NULL. */
const char *kvmstats_vmm_guest(const struct kvmstats_vmm *vmm);

/* How many VMs (as far as can be told) and vCPUs the process has. */
size_t kvmstats_vmm_vms(const struct kvmstats_vmm *vmm);
size_t kvmstats_vmm_vcpus(const struct kvmstats_vmm *vmm);

/*
 * 0 where this kernel cannot compare open files (no kcmp()): an fd that the VMM
 * has duplicated may then count as another VM.
 */
int kvmstats_vmm_distinct(const struct kvmstats_vmm *vmm);

/* ---- targets: the VMs and vCPUs of a VMM ---- */

enum kvmstats_kind {
	KVMSTATS_VM,
	KVMSTATS_VCPU,
};

enum kvmstats_origin {
	KVMSTATS_OPENED,	/* with KVM_STATS_GETFD, on the VMM's VM or vCPU fd */
	KVMSTATS_TAKEN,		/* a statistics fd that the VMM holds */
};

/* VMs first, then vCPUs by ID.  They live as long as @vmm. */
size_t kvmstats_vmm_targets(const struct kvmstats_vmm *vmm);
const struct kvmstats_target *kvmstats_vmm_target(const struct kvmstats_vmm *vmm, size_t i);

enum kvmstats_kind kvmstats_target_kind(const struct kvmstats_target *target);

/* The vCPU's ID, -1 for a VM. */
int kvmstats_target_vcpu(const struct kvmstats_target *target);

/*
 * The VM's number, from 0, within its VMM.  -1: a vCPU of a VMM with several
 * VMs.  The kernel does not tell which of them it belongs to.
 */
int kvmstats_target_vm(const struct kvmstats_target *target);

/* The number, in the VMM, of the fd that the statistics are had through. */
int kvmstats_target_fd(const struct kvmstats_target *target);

/*
 * Returns a statistics fd of @target, the caller's to close, and in @origin
 * (unless NULL) where it came from.  -ESRCH: the VMM is gone.  -EPERM: not
 * allowed to take its fds.  -EOPNOTSUPP: the kernel has no such fds.  -EIO: it
 * opens them for the VMM only, and the VMM holds none.  -ESTALE: the VMM has
 * closed the fd since it was looked at.
 */
int kvmstats_target_open(const struct kvmstats_target *target, enum kvmstats_origin *origin);

/* 1: KVM has the binary statistics.  0: it has not.  -errno: cannot ask it. */
int kvmstats_supported(void);

/* ---- fds that are handed in: one's own, inherited ones, those from a socket ---- */

/*
 * What @fd is: 0, and in @kind, @vcpu (-1 for VMs) and @stats whose it is, and whether it is
 * of the statistics and not of the VM or vCPU itself.  -EBADF: not open.  -EPROTO: neither.
 */
int kvmstats_fd_describe(int fd, enum kvmstats_kind *kind, int *vcpu, int *stats);

/*
 * A statistics fd, the caller's to close, of a VM or vCPU fd, or of what is a statistics fd
 * already.  Errors of kvmstats_fd_describe().  -EOPNOTSUPP: the kernel has no such fds.  -EIO:
 * it opens them for the process only that created the VM.
 */
int kvmstats_fd_open(int fd);

/* So many fit into a message. */
#define KVMSTATS_MAX_FDS	253

/*
 * One message over a Unix socket; they stay the caller's, too.  0 or -errno; -EINVAL: none or
 * too many.  Over a stream each message arrives by itself.
 */
int kvmstats_fd_send(int socket, const int *fd, size_t count);

/*
 * The fds of one message, the caller's to close: how many, 0 at the end of the stream, or
 * -errno.  -EOVERFLOW: more than @max, or than this process may have; none is kept.  What they
 * are is not looked at: a schema is read, and kvmstats_fd_describe() tells.
 */
int kvmstats_fd_receive(int socket, int *fd, size_t max);

/* ---- schemas ---- */

struct kvmstats_schema;
struct kvmstats_stat;

/*
 * Types, units and bases as the kernel numbers them.  Later kernels may answer
 * others than those named here.
 */
enum kvmstats_type {
	KVMSTATS_CUMULATIVE,
	KVMSTATS_INSTANT,
	KVMSTATS_PEAK,
	KVMSTATS_LINEAR_HIST,
	KVMSTATS_LOG_HIST,
};

enum kvmstats_unit {
	KVMSTATS_NONE,
	KVMSTATS_BYTES,
	KVMSTATS_SECONDS,
	KVMSTATS_CYCLES,
	KVMSTATS_BOOLEAN,
};

enum kvmstats_base {
	KVMSTATS_POW10,
	KVMSTATS_POW2,
};

/*
 * Reads and checks what @fd says about its statistics.  -EPROTO: it contradicts
 * itself or ends early.  -EOVERFLOW: it asks for more than is sensible.
 * The fd is needed no longer than for the call.
 */
int kvmstats_schema_read(struct kvmstats_schema **schema, int fd);
void kvmstats_schema_free(struct kvmstats_schema *schema);

/* What is to be known of a statistic whose numbers do not come from a statistics fd. */
struct kvmstats_desc {
	const char *name;
	enum kvmstats_type type;
	enum kvmstats_unit unit;
	enum kvmstats_base base;
	int exponent;
	unsigned int size;	/* number of values */
	uint32_t bucket_size;
};

/*
 * A schema of @count statistics, in this order and without holes, for samples that
 * kvmstats_sample_set() fills.  -EINVAL: no name, no values, or no size that a file could
 * have either.  -EOVERFLOW: more values than is sensible.
 */
int kvmstats_schema_make(struct kvmstats_schema **schema, const struct kvmstats_desc *desc,
			 size_t count);

/*
 * 1: @fd has this schema, 0: another one.  On one kernel all VMs have the same,
 * and so do all vCPUs.
 */
int kvmstats_schema_same(const struct kvmstats_schema *schema, int fd);

/* The ID in the file, "kvm-<pid>" or "kvm-<pid>/vcpu-<id>"; 0 or -errno. */
int kvmstats_schema_id(const struct kvmstats_schema *schema, int fd, char *buf, size_t size);

uint32_t kvmstats_schema_flags(const struct kvmstats_schema *schema);
size_t kvmstats_schema_count(const struct kvmstats_schema *schema);

/* A statistic lives as long as its schema; NULL if there is none like that. */
const struct kvmstats_stat *kvmstats_schema_stat(const struct kvmstats_schema *schema, size_t i);
const struct kvmstats_stat *kvmstats_schema_find(const struct kvmstats_schema *schema,
						 const char *name);

const char *kvmstats_stat_name(const struct kvmstats_stat *stat);
uint32_t kvmstats_stat_flags(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_type(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_unit(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_base(const struct kvmstats_stat *stat);
int kvmstats_stat_exponent(const struct kvmstats_stat *stat);
/* How many values it has; more than one for histograms only, so far. */
unsigned int kvmstats_stat_size(const struct kvmstats_stat *stat);
uint32_t kvmstats_stat_offset(const struct kvmstats_stat *stat);
uint32_t kvmstats_stat_bucket_size(const struct kvmstats_stat *stat);

/* "cumulative", ...; NULL for one that this library does not know. */
const char *kvmstats_type_name(unsigned int type);
const char *kvmstats_unit_name(unsigned int unit);
const char *kvmstats_base_name(unsigned int base);

/* 1: a histogram of a known type. */
int kvmstats_stat_is_hist(const struct kvmstats_stat *stat);

/*
 * The unit that raw values count: "ns", "KiB", "cycles", "boolean", ""; or put
 * together, like "s*10^-4", also of what is unknown.  Returns the length, or
 * -EOVERFLOW if it does not fit.
 */
int kvmstats_stat_unit_text(const struct kvmstats_stat *stat, char *buf, size_t size);

/*
 * @value in whole units (seconds, bytes), in decimal and exactly.  Returns the
 * length; -EOVERFLOW if it does not fit, -EINVAL for a base that is not known.
 */
int kvmstats_stat_scale(const struct kvmstats_stat *stat, uint64_t value, char *buf, size_t size);

/*
 * The smallest and the largest value that bucket @n of a histogram counts,
 * UINT64_MAX if it is open-ended.  -EINVAL: not a histogram.  -ERANGE: no such
 * bucket, or no value could get into it.
 */
int kvmstats_stat_bucket(const struct kvmstats_stat *stat, unsigned int n,
			 uint64_t *min, uint64_t *max);

/* ---- samples ---- */

struct kvmstats_sample;

/* A place for one set of values; @schema has to outlive it. */
int kvmstats_sample_new(struct kvmstats_sample **sample, const struct kvmstats_schema *schema);
void kvmstats_sample_free(struct kvmstats_sample *sample);

/* Reads all values with one pread().  @fd must have the sample's schema. */
int kvmstats_sample_read(struct kvmstats_sample *sample, int fd);

/*
 * Makes @values, @count of them in the order of their offsets, those of the sample, as of
 * @time (nanoseconds of CLOCK_MONOTONIC, not 0).  -EINVAL: that is not what the schema has.
 */
int kvmstats_sample_set(struct kvmstats_sample *sample, const uint64_t *values, size_t count,
			uint64_t time);

/* When it was read: nanoseconds of CLOCK_MONOTONIC, 0 if it was not. */
uint64_t kvmstats_sample_time(const struct kvmstats_sample *sample);

/*
 * Value @n of @stat.  -ENODATA: nothing read yet.  -EINVAL: of another schema.
 * -ERANGE: it has fewer values.
 */
int kvmstats_sample_value(const struct kvmstats_sample *sample, const struct kvmstats_stat *stat,
			  unsigned int n, uint64_t *value);

/*
 * All values of @stat, for programs that sum up many.  They live as long as the sample, and
 * its next reading overwrites them.  Those of other statistics of the sample are as far away as
 * their offsets say.  NULL: nothing read yet, or of another schema.
 */
const uint64_t *kvmstats_sample_values(const struct kvmstats_sample *sample,
				       const struct kvmstats_stat *stat);

/*
 * By how much value @n of @stat grew, and how much per second.  Errors of
 * kvmstats_sample_value(), and -EINVAL: this type of statistic does not count
 * up.  -ESTALE: it fell back, someone has cleared it.  -EAGAIN: no time passed.
 */
int kvmstats_delta(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		   const struct kvmstats_stat *stat, unsigned int n, uint64_t *delta);
int kvmstats_rate(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		  const struct kvmstats_stat *stat, unsigned int n, double *per_second);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* KVMSTATS_H */
