/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * libkvmstats: read the binary statistics of KVM VMs and vCPUs
 *
 * A VMM opens the statistics of its own VM and vCPUs with kvmstats_fd_open(), and passes the fds
 * to kvmstats_schema_read() and kvmstats_sample_read(). An agent reads all VMs of the machine, or
 * those of some processes, with kvmstats_monitor_open() and kvmstats_monitor_sample().
 *
 * The manual page kvmstats(3) describes the functions, their errors, and the use of threads.
 *
 * A function that returns int and can fail returns a negative errno value on failure. Unless its
 * comment says otherwise, it returns 0 on success. A function that makes an object stores NULL on
 * failure. The program frees what it has made; objects and strings that a function returns as const
 * belong to the object that the function was called for. The functions that free an object accept
 * NULL. All fds have the close-on-exec flag set. Times are in nanoseconds of CLOCK_MONOTONIC.
 *
 * Later versions can add functions and enumerators. A program ignores enumerators that it does not
 * know.
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

/*
 * Describes the error @err, which can be positive or negative. Returns @buf, or a constant string.
 */
const char *kvmstats_strerror(int err, char *buf, size_t size);

/* The ioctls for statistics, as bits of kvmstats_capabilities(). */
enum kvmstats_capability {
	KVMSTATS_CAPABILITY_GETFD = 1,	/* KVM_STATS_GETFD: a file for each VM and vCPU */
	KVMSTATS_CAPABILITY_OPEN = 2,	/* KVM_STATS_OPEN: a file for a VM and its vCPUs */
	KVMSTATS_CAPABILITY_NEXT = 4,	/* KVM_STATS_NEXT: the files of all VMs of the machine */
};

/* Returns which of these ioctls KVM has, possibly 0, or -errno if /dev/kvm is unusable. */
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

/*
 * Reads and checks the header and the descriptors of the statistics file @fd, which can come
 * from an untrusted process. The schema does not keep @fd.
 */
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
 * Makes a schema of @count statistics, for samples that kvmstats_sample_set() fills. The values
 * are in the order of @desc, without gaps. @desc_size is sizeof(struct kvmstats_desc). @desc and
 * its names are copied.
 */
int kvmstats_schema_make(struct kvmstats_schema **schema, const struct kvmstats_desc *desc,
			 size_t count, size_t desc_size);

/* Stores the ID from the statistics file in @buf: "kvm-<pid>" or "kvm-<pid>/vcpu-<id>". */
int kvmstats_schema_id(const struct kvmstats_schema *schema, int fd, char *buf, size_t size);

/* Returns the number of statistics. */
size_t kvmstats_schema_count(const struct kvmstats_schema *schema);

/* Return statistic @i or the one called @name, or NULL. The statistic belongs to the schema. */
const struct kvmstats_stat *kvmstats_schema_stat(const struct kvmstats_schema *schema, size_t i);
const struct kvmstats_stat *kvmstats_schema_find(const struct kvmstats_schema *schema,
						 const char *name);

/* The fields of the statistic's descriptor. The offset is in bytes. */
const char *kvmstats_stat_name(const struct kvmstats_stat *stat);
uint32_t kvmstats_stat_flags(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_type(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_unit(const struct kvmstats_stat *stat);
unsigned int kvmstats_stat_base(const struct kvmstats_stat *stat);
int kvmstats_stat_exponent(const struct kvmstats_stat *stat);
/* Returns the number of values. So far only histograms have more than one. */
unsigned int kvmstats_stat_size(const struct kvmstats_stat *stat);
uint32_t kvmstats_stat_offset(const struct kvmstats_stat *stat);
uint32_t kvmstats_stat_bucket_size(const struct kvmstats_stat *stat);

/* Returns 1 for a linear or logarithmic histogram, 0 for any other type. */
int kvmstats_stat_is_hist(const struct kvmstats_stat *stat);

/*
 * Stores the smallest and the largest value that bucket @n of a histogram counts. @max is
 * UINT64_MAX if the bucket has no upper limit.
 */
int kvmstats_stat_bucket(const struct kvmstats_stat *stat, unsigned int n,
			 uint64_t *min, uint64_t *max);

/* Return a name like "cumulative", "seconds" or "pow10", or NULL if the number is unknown. */
const char *kvmstats_type_name(unsigned int type);
const char *kvmstats_unit_name(unsigned int unit);
const char *kvmstats_base_name(unsigned int base);

/* Write the unit of raw values, such as "ns" or "KiB", or a value in whole units, as "1.5". */
int kvmstats_stat_unit_text(const struct kvmstats_stat *stat, char *buf, size_t size);
int kvmstats_stat_scale(const struct kvmstats_stat *stat, uint64_t value, char *buf, size_t size);

/* Returns a sentence that describes the statistic @name of VMs or of vCPUs, or NULL. */
const char *kvmstats_stat_help(const char *name, enum kvmstats_kind kind);

/* ---- samples: the values at one time ---- */

struct kvmstats_sample;

/* Allocates memory for one set of values. @schema must outlive the sample. */
int kvmstats_sample_new(struct kvmstats_sample **sample, const struct kvmstats_schema *schema);
void kvmstats_sample_free(struct kvmstats_sample *sample);

/*
 * Reads all values from @fd, normally with one call of pread(), and records the time. @fd must
 * have the sample's schema. After an error the sample is empty.
 */
int kvmstats_sample_read(struct kvmstats_sample *sample, int fd);

/* Copies @count values, in the order of their offsets, to the sample. @time must not be 0. */
int kvmstats_sample_set(struct kvmstats_sample *sample, const uint64_t *values, size_t count,
			uint64_t time);

/* Returns the time of the values, 0 if the sample is empty. */
uint64_t kvmstats_sample_time(const struct kvmstats_sample *sample);

/* Stores value @n of @stat in @value. */
int kvmstats_sample_value(const struct kvmstats_sample *sample, const struct kvmstats_stat *stat,
			  unsigned int n, uint64_t *value);

/*
 * Returns an array of all values of @stat, which the next read of the sample overwrites. The values
 * of all statistics are in one block, in which kvmstats_stat_offset() locates them. Returns NULL if
 * the sample is empty or @stat belongs to another schema.
 */
const uint64_t *kvmstats_sample_values(const struct kvmstats_sample *sample,
				       const struct kvmstats_stat *stat);

/* Store by how much value @n of @stat has grown between two samples, in total or per second. */
int kvmstats_delta(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		   const struct kvmstats_stat *stat, unsigned int n, uint64_t *delta);
int kvmstats_rate(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		  const struct kvmstats_stat *stat, unsigned int n, double *per_second);

/* ---- fds of this process: its own, inherited ones, and those received over a socket ---- */

/*
 * Identifies @fd. Stores in @kind whether it belongs to a VM or a vCPU, in @vcpu the ID of the
 * vCPU (-1 for a VM), and in @stats 1 for a statistics fd, 0 for a VM or vCPU fd. The pointers can
 * be NULL.
 */
int kvmstats_fd_describe(int fd, enum kvmstats_kind *kind, int *vcpu, int *stats);

/*
 * Returns a statistics fd for @fd, which is a VM, vCPU or statistics fd. The caller closes the
 * new fd; @fd remains open.
 */
int kvmstats_fd_open(int fd);

/* The largest number of fds in a message. */
#define KVMSTATS_MAX_FDS	253

/*
 * Sends @count fds in one message over the Unix socket @socket. The fds remain open in the
 * caller. On a stream socket messages are not merged.
 */
int kvmstats_fd_send(int socket, const int *fd, size_t count);

/*
 * Receives the fds of one message into @fd, which has space for @max. Returns their number, or
 * 0 at the end of the stream. The caller closes the fds. They are not checked: use
 * kvmstats_fd_describe() or kvmstats_schema_read() to find out what they are.
 */
int kvmstats_fd_receive(int socket, int *fd, size_t max);

/* ---- monitors: all VMs of the machine, as they start, change and end ---- */

struct kvmstats_monitor;
struct kvmstats_vmm;		/* a process that has VMs */
struct kvmstats_target;		/* a VM or a vCPU of a VMM */

enum kvmstats_event {
	KVMSTATS_EVENT_APPEARED,	/* a VMM is watched now */
	KVMSTATS_EVENT_CHANGED,		/* VMs or vCPUs were added, removed, or can be read now */
	KVMSTATS_EVENT_SCANNED,		/* a VMM was examined again, and has not changed */
	KVMSTATS_EVENT_ENDED,		/* the process, or its last VM */
	KVMSTATS_EVENT_SEARCH_FAILED,	/* see kvmstats_monitor_search_error() */
	KVMSTATS_EVENT_SEARCH_WORKS,	/* it no longer fails */
};

/*
 * Members that are 0 or NULL have no effect, except for @size.
 *
 * @selects_vmm and @selects_target return 1 to watch a VMM, and to read a VM or vCPU, or 0.
 * @event reports what the functions find that update the list of VMMs. Its @vmm is NULL for events
 * of the search. After KVMSTATS_EVENT_ENDED, @vmm is freed. These functions must not call functions
 * that change the monitor.
 */
struct kvmstats_monitor_options {
	size_t size;			/* sizeof(struct kvmstats_monitor_options) */
	const pid_t *pid;		/* watch only these processes */
	size_t pids;
	int (*selects_vmm)(const struct kvmstats_vmm *vmm, void *arg);
	int (*selects_target)(const struct kvmstats_target *target, void *arg);
	void (*event)(enum kvmstats_event event, const struct kvmstats_vmm *vmm, void *arg);
	void *arg;			/* passed to the functions above */
};

/*
 * Makes a monitor, which finds VMMs, keeps the statistics fds of their VMs and vCPUs open, and
 * reads them all. It knows no VMM before the first kvmstats_monitor_refresh() or
 * kvmstats_monitor_sample(). @options can be NULL.
 */
int kvmstats_monitor_open(struct kvmstats_monitor **monitor,
			  const struct kvmstats_monitor_options *options);
void kvmstats_monitor_close(struct kvmstats_monitor *monitor);

/* Updates the list of VMMs. A failed search for new VMMs is not an error. */
int kvmstats_monitor_refresh(struct kvmstats_monitor *monitor);

/*
 * Updates the list of VMMs, and reads a sample of each VM and vCPU. A VM or vCPU that cannot be
 * read is not an error: see kvmstats_target_error().
 */
int kvmstats_monitor_sample(struct kvmstats_monitor *monitor);

/*
 * Waits until @deadline, and releases VMMs and VMs that end in the meantime. -EINTR: a signal has
 * arrived. -ESRCH: all processes of options->pid have ended.
 */
int kvmstats_monitor_wait(struct kvmstats_monitor *monitor, uint64_t deadline);

/*
 * Returns an fd for poll(), which is readable when a VMM or a VM has ended. Call
 * kvmstats_monitor_refresh() then. Do not close it.
 */
int kvmstats_monitor_fd(const struct kvmstats_monitor *monitor);

/* Returns when the last sample began, or 0. */
uint64_t kvmstats_monitor_time(const struct kvmstats_monitor *monitor);

/*
 * Return how many processes cannot be examined, because the caller lacks permission, and the PID of
 * number @i of them, or 0. VMMs can be among them. PID 1 stands for those that /proc hides.
 */
size_t kvmstats_monitor_denied(const struct kvmstats_monitor *monitor);
pid_t kvmstats_monitor_denied_pid(const struct kvmstats_monitor *monitor, size_t i);

/* Returns why the search for new VMMs fails (-errno), or 0. It is repeated each second. */
int kvmstats_monitor_search_error(const struct kvmstats_monitor *monitor);

/*
 * Returns why process @pid of options->pid is not watched (-errno), or 0. -ESRCH: it has ended,
 * and will not be watched again. -EINVAL: @pid is not in options->pid.
 */
int kvmstats_monitor_pid_error(const struct kvmstats_monitor *monitor, pid_t pid);

/*
 * Returns VMM @i, in the order of PIDs, or NULL. It lives until kvmstats_monitor_refresh(),
 * kvmstats_monitor_sample() or kvmstats_monitor_wait() finds that the VMM has ended.
 */
size_t kvmstats_monitor_vmms(const struct kvmstats_monitor *monitor);
const struct kvmstats_vmm *kvmstats_monitor_vmm(const struct kvmstats_monitor *monitor, size_t i);

/* Returns 0 if a VM was found with KVM_STATS_NEXT whose process is not known. */
pid_t kvmstats_vmm_pid(const struct kvmstats_vmm *vmm);

/* Returns the command name, as in /proc/PID/comm, or "?" if the caller may not read it. */
const char *kvmstats_vmm_comm(const struct kvmstats_vmm *vmm);

/*
 * Returns the guest name from QEMU's option -name, or NULL. For another VMM, returns its option
 * --id, or the path of the socket of its option --api-sock, --api-socket or --socket. If the
 * process is not known, returns "vm N", the kernel's number of the VM.
 */
const char *kvmstats_vmm_guest(const struct kvmstats_vmm *vmm);

/* Returns the UUID of the guest from QEMU's option -uuid, in lower case, or NULL. */
const char *kvmstats_vmm_uuid(const struct kvmstats_vmm *vmm);

/*
 * The number of VMs and of vCPUs of the process. A process that holds vCPU fds but no VM fd
 * counts as one VM.
 */
size_t kvmstats_vmm_vms(const struct kvmstats_vmm *vmm);
size_t kvmstats_vmm_vcpus(const struct kvmstats_vmm *vmm);

/*
 * Returns 1 if duplicates of VM and vCPU fds were recognized as such, 0 if open files cannot be
 * compared: the kernel lacks kcmp(), or refuses it. In that case the process counts as one VM, that
 * of its lowest VM fd, because no VM may count twice.
 */
int kvmstats_vmm_distinct(const struct kvmstats_vmm *vmm);

/*
 * Returns target @i, or NULL. VMs are first, then vCPUs by ID. A target lives until the monitor
 * finds that its VM or vCPU is gone, which it reports as KVMSTATS_EVENT_CHANGED or
 * KVMSTATS_EVENT_ENDED.
 */
size_t kvmstats_vmm_targets(const struct kvmstats_vmm *vmm);
const struct kvmstats_target *kvmstats_vmm_target(const struct kvmstats_vmm *vmm, size_t i);

enum kvmstats_kind kvmstats_target_kind(const struct kvmstats_target *target);

/* Returns the ID of the vCPU, -1 for a VM. */
int kvmstats_target_vcpu(const struct kvmstats_target *target);

/*
 * Returns the index of the VM within its VMM, from 0. Returns -1 for a vCPU of a VMM with
 * several VMs if the kernel does not report which VM a vCPU belongs to.
 */
int kvmstats_target_vm(const struct kvmstats_target *target);

/*
 * Returns the kernel's number of the VM, which is not used again while KVM's module is loaded.
 * Returns 0 if it is not known: KVM_STATS_NEXT is necessary to find it.
 */
uint64_t kvmstats_target_number(const struct kvmstats_target *target);

/* Returns the number, in the VMM, of the fd that opens the statistics, -1 if it is not known. */
int kvmstats_target_fd(const struct kvmstats_target *target);

/*
 * Returns 0, or why the statistics cannot be read. -ENODEV: the VM has ended, and the next
 * kvmstats_monitor_refresh() removes the target. -ECANCELED: options->selects_target did not select
 * it.
 */
int kvmstats_target_error(const struct kvmstats_target *target);

enum kvmstats_origin {
	KVMSTATS_ORIGIN_OPENED,		/* opened with KVM_STATS_GETFD on the VMM's VM or vCPU fd */
	KVMSTATS_ORIGIN_DUPLICATED,	/* duplicated from a statistics fd that the VMM holds */
	KVMSTATS_ORIGIN_NEXT,		/* part of the file of the VM, of KVM_STATS_NEXT */
	KVMSTATS_ORIGIN_OPEN,		/* the same, of KVM_STATS_OPEN on the VMM's VM fd */
};

/*
 * Return how the statistics were opened, their schema, the last sample and the one before.
 * While kvmstats_target_error() is not 0, the latter three return NULL. The monitor owns the
 * schema and the samples, and the next kvmstats_monitor_sample() changes the samples.
 */
enum kvmstats_origin kvmstats_target_origin(const struct kvmstats_target *target);
const struct kvmstats_schema *kvmstats_target_schema(const struct kvmstats_target *target);
const struct kvmstats_sample *kvmstats_target_now(const struct kvmstats_target *target);
const struct kvmstats_sample *kvmstats_target_before(const struct kvmstats_target *target);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* KVMSTATS_H */
