/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * libkvmstats: read the binary statistics of KVM VMs and vCPUs
 *
 * A VMM opens the statistics of its own VM with KVM_STATS_GETFD and passes the fd to
 * kvmstats_schema_read(). An agent reads all VMs of the machine with kvmstats_monitor_open() and
 * kvmstats_monitor_sample(). An agent that needs one VMM only can open its statistics with
 * kvmstats_vmm_open() and kvmstats_target_open().
 *
 * Errors: a function that returns int and can fail returns a negative errno value on failure.
 * Unless its comment says otherwise, it returns 0 on success. Each comment lists the errors that
 * have a special meaning; other errors are those of the system calls. A function that makes an
 * object stores NULL on failure.
 *
 * Ownership: the program frees the objects that it has made with kvmstats_*_open(), _read(),
 * _make() and _new(). Objects and strings that a function returns as const belong to the object
 * that the function was called for, unless its comment says otherwise. The functions that free
 * an object accept NULL. All fds have the close-on-exec flag set.
 *
 * Threads: any thread can use an object, but only one thread at a time. What belongs to an object
 * is part of it: a watch and its samples are part of the monitor. Several threads can use a
 * schema at the same time, for example for samples of their own.
 *
 * The library prints nothing and has no global state. It does not install signal handlers, and
 * starts no threads. Times are in nanoseconds of CLOCK_MONOTONIC.
 *
 * Later versions can add functions, enumerators, and members at the end of structures. A program
 * ignores enumerators that it does not know.
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

/* ---- version ---- */

/* Combines the numbers of a version, so that versions can be compared. */
#define KVMSTATS_MAKE_VERSION(major, minor, patch)	((major) << 16 | (minor) << 8 | (patch))

/* The version of this header, as numbers and as a string */
#define KVMSTATS_VERSION_MAJOR	1
#define KVMSTATS_VERSION_MINOR	0
#define KVMSTATS_VERSION_PATCH	0
#define KVMSTATS_VERSION	"1.0"

#define KVMSTATS_VERSION_NUMBER								\
	KVMSTATS_MAKE_VERSION(KVMSTATS_VERSION_MAJOR, KVMSTATS_VERSION_MINOR,		\
			      KVMSTATS_VERSION_PATCH)

/*
 * Returns the version of the library that the program runs with, as KVMSTATS_MAKE_VERSION()
 * combines it. It can be later than that of the header that the program was compiled with.
 */
unsigned int kvmstats_version(void);

/* ---- errors ---- */

/*
 * Describes the error @err that a function of this library has returned. @err can be positive
 * or negative. Returns @buf, or a constant string. The caller does not free it.
 */
const char *kvmstats_strerror(int err, char *buf, size_t size);

/* ---- VMMs ---- */

struct kvmstats_vmm;
struct kvmstats_target;

/*
 * Calls @fn for each process that holds fds of KVM VMs or vCPUs, with @err 0, and for each
 * process whose fds cannot be listed, with @err set to the error. If /proc hides processes, PID 1
 * stands for all of them, with -EACCES. If @fn returns a value other than 0, the search ends and
 * returns that value. Otherwise returns 0 or -errno. -ENOENT: /proc is not mounted.
 */
int kvmstats_vmm_find(int (*fn)(pid_t pid, int err, void *arg), void *arg);

/*
 * Lists the VMs and vCPUs of process @pid. The object refers to the process by a pidfd, so it
 * never confuses it with a later process that has the same PID.
 *
 * -ESRCH: there is no such process. -EINVAL: @pid is not the ID of a process; it may be the ID
 * of a thread. -EACCES: the caller may not list the fds of the process. -ENODEV: the process
 * holds no VM or vCPU fds.
 */
int kvmstats_vmm_open(struct kvmstats_vmm **vmm, pid_t pid);
void kvmstats_vmm_close(struct kvmstats_vmm *vmm);

/*
 * Lists the VMs and vCPUs of the process again. Returns 1 if the list of KVM fds has changed;
 * all earlier targets of @vmm are then freed. Returns 0 if it has not changed.
 *
 * The list contains the number and the type of each fd, and the vCPU ID. If the process has
 * closed an fd and opened one of the same type under the same number, the change cannot be
 * detected; kvmstats_target_open() then opens the statistics of the new VM or vCPU.
 *
 * -ENODEV: the process holds no VM or vCPU fds any more, and @vmm has no targets now. After
 * any other error the targets are unchanged.
 */
int kvmstats_vmm_refresh(struct kvmstats_vmm *vmm);

/*
 * Returns 1 while the process exists, 0 after it has ended. Close all statistics fds of its VMs
 * then: the kernel cannot free its data structures of a VM while a statistics fd is open.
 */
int kvmstats_vmm_alive(const struct kvmstats_vmm *vmm);

/*
 * Returns a pidfd that polls as readable when the process has ended. Do not close it. Returns -1 if
 * the process is not known.
 */
int kvmstats_vmm_pidfd(const struct kvmstats_vmm *vmm);

/* Returns 0 if a monitor has found a VM with KVM_STATS_NEXT whose process is not known. */
pid_t kvmstats_vmm_pid(const struct kvmstats_vmm *vmm);

/* Returns the command name, as in /proc/PID/comm, or "?" if the caller may not read it. */
const char *kvmstats_vmm_comm(const struct kvmstats_vmm *vmm);

/*
 * Returns the guest name from QEMU's option -name, or NULL. For another VMM, returns its option
 * --id, or the path of the socket of its option --api-sock, --api-socket or --socket. If the
 * process is not known, returns "vm N", the kernel's number of the VM.
 */
const char *kvmstats_vmm_guest(const struct kvmstats_vmm *vmm);

/*
 * Returns the UUID of the guest from QEMU's option -uuid, in lower case, or NULL. libvirt passes
 * the UUID of the domain.
 */
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

/* ---- targets: the VMs and vCPUs of a VMM ---- */

enum kvmstats_kind {
	KVMSTATS_KIND_VM,
	KVMSTATS_KIND_VCPU,
};

enum kvmstats_origin {
	KVMSTATS_ORIGIN_OPENED,		/* opened with KVM_STATS_GETFD on the VMM's VM or vCPU fd */
	KVMSTATS_ORIGIN_DUPLICATED,	/* duplicated from a statistics fd that the VMM holds */
	KVMSTATS_ORIGIN_NEXT,		/* part of the file of the VM, of KVM_STATS_NEXT */
	KVMSTATS_ORIGIN_OPEN,		/* the same, of KVM_STATS_OPEN on the VMM's VM fd */
};

/*
 * Returns target @i, or NULL if @i is not less than kvmstats_vmm_targets(). VMs are first, then
 * vCPUs by ID. Targets belong to @vmm, and live until a refresh returns 1 or -ENODEV.
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
 * Returns 0 if it is not known: only monitors that use KVM_STATS_NEXT know it.
 */
uint64_t kvmstats_target_number(const struct kvmstats_target *target);

/*
 * Returns the number, in the VMM, of the fd that kvmstats_target_open() uses. If a monitor reads
 * the target from the file of its VM, returns that of the VM fd, or -1 if it is not known.
 */
int kvmstats_target_fd(const struct kvmstats_target *target);

/*
 * Returns a statistics fd of @target. The caller closes it. If @origin is not NULL, stores in it
 * how the fd was obtained.
 *
 * -ESRCH: the VMM has ended. -EPERM: the caller may not duplicate fds of the VMM.
 * -EOPNOTSUPP: the kernel has no binary statistics. -EIO: the kernel opens statistics for the
 * VMM only, and the VMM holds no statistics fd. -ESTALE: the VMM has closed the fd since its
 * fds were listed. -ENXIO: a monitor reads the target from the file of its VM.
 */
int kvmstats_target_open(const struct kvmstats_target *target, enum kvmstats_origin *origin);

/* Returns 1 if KVM has binary statistics, 0 if not, or -errno if /dev/kvm is unusable. */
int kvmstats_supported(void);

/* The ioctls for statistics, as bits of kvmstats_capabilities(). */
enum kvmstats_capability {
	KVMSTATS_CAPABILITY_GETFD = 1,	/* KVM_STATS_GETFD: a file for each VM and vCPU */
	KVMSTATS_CAPABILITY_OPEN = 2,	/* KVM_STATS_OPEN: a file for a VM and its vCPUs */
	KVMSTATS_CAPABILITY_NEXT = 4,	/* KVM_STATS_NEXT: the files of all VMs of the machine */
};

/* Returns which of these ioctls KVM has, possibly 0, or -errno if /dev/kvm is unusable. */
int kvmstats_capabilities(void);

/* ---- fds of this process: its own, inherited ones, and those received over a socket ---- */

/*
 * Identifies @fd. Stores in @kind whether it belongs to a VM or a vCPU, in @vcpu the ID of the
 * vCPU (-1 for a VM), and in @stats 1 for a statistics fd, 0 for a VM or vCPU fd. Nothing is
 * stored in pointers that are NULL.
 *
 * -EBADF: @fd is not open. -EPROTO: @fd is not a KVM fd of these types.
 */
int kvmstats_fd_describe(int fd, enum kvmstats_kind *kind, int *vcpu, int *stats);

/*
 * Returns a statistics fd for @fd, which is a VM, vCPU or statistics fd. The caller closes the
 * new fd; @fd remains open.
 *
 * Errors of kvmstats_fd_describe(), and: -EOPNOTSUPP: the kernel has no binary statistics.
 * -EIO: the kernel opens statistics only for the process that created the VM.
 */
int kvmstats_fd_open(int fd);

/*
 * Returns an fd of the file with the statistics of a VM and of all its vCPUs, which
 * kvmstats_file_new() describes. @vm_fd is the VM fd. The caller closes the new fd. The file does
 * not keep the VM: when it ends, poll() reports POLLHUP, also if no events are requested.
 *
 * -EOPNOTSUPP: the kernel does not have KVM_STATS_OPEN, or @vm_fd is not a VM fd.
 */
int kvmstats_fd_open_all(int vm_fd);

/*
 * Opens such a file of the VM with the lowest number above *@vm, and stores its number there. Call
 * it in a loop that starts with 0 for all VMs of the machine. @kvm is an fd of /dev/kvm. The caller
 * closes the new fd.
 *
 * -ENOENT: there is no other VM. -EPERM: the caller lacks CAP_PERFMON in the initial user
 * namespace. -EOPNOTSUPP: the kernel does not have KVM_STATS_NEXT.
 */
int kvmstats_next_open(int kvm, uint64_t *vm);

/* The largest number of fds in a message. */
#define KVMSTATS_MAX_FDS	253

/*
 * Sends @count fds in one message over the Unix socket @socket. The fds remain open in the
 * caller. On a stream socket messages are not merged.
 *
 * -EINVAL: @count is 0 or larger than KVMSTATS_MAX_FDS.
 */
int kvmstats_fd_send(int socket, const int *fd, size_t count);

/*
 * Receives the fds of one message into @fd, which has room for @max. Returns their number, or
 * 0 at the end of the stream. The caller closes the fds. They are not checked: use
 * kvmstats_fd_describe() or kvmstats_schema_read() to find out what they are.
 *
 * -EOVERFLOW: the message has more than @max fds, or more than this process may open. All fds
 * of the message have been closed.
 */
int kvmstats_fd_receive(int socket, int *fd, size_t max);

/* ---- schemas ---- */

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
 *
 * -EPROTO: the file contradicts itself or ends early. -EOVERFLOW: a size in the file exceeds
 * the limits of the library.
 */
int kvmstats_schema_read(struct kvmstats_schema **schema, int fd);
void kvmstats_schema_free(struct kvmstats_schema *schema);

/*
 * Describes a statistic whose values do not come from a statistics fd. Set members that are not
 * used to 0: later versions of the library can add members at the end.
 */
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
 * are in the order of @desc, without gaps. @desc_size is sizeof(struct kvmstats_desc), from which
 * the library recognizes the version of the structure. @desc and its names are copied.
 *
 * -EINVAL: a statistic has no name, no values, or a field that no statistics file could
 * contain, or @desc_size is too small. -E2BIG: @desc has members that this version of the library
 * does not know. -EOVERFLOW: the values take more than 16 MiB.
 */
int kvmstats_schema_make(struct kvmstats_schema **schema, const struct kvmstats_desc *desc,
			 size_t count, size_t desc_size);

/*
 * Returns 1 if the statistics file @fd has this schema, 0 if it has another one.
 *
 * Usually all VMs of a machine have the same schema, and all vCPUs have the same schema, so a
 * program needs few schemas. But later kernels can have differences. So do not choose a schema by
 * the kind of target: find out with this function.
 */
int kvmstats_schema_same(const struct kvmstats_schema *schema, int fd);

/*
 * Stores the ID from the statistics file @fd in @buf: "kvm-<pid>" or "kvm-<pid>/vcpu-<id>".
 * -EPROTO: the ID is not a line of text. -EOVERFLOW: it does not fit in @size bytes.
 */
int kvmstats_schema_id(const struct kvmstats_schema *schema, int fd, char *buf, size_t size);

/* Returns the flags of the file's header. Bit 0: the file also contains the vCPUs of the VM. */
uint32_t kvmstats_schema_flags(const struct kvmstats_schema *schema);

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

/* Return a name like "cumulative", "seconds" or "pow10", or NULL if the number is unknown. */
const char *kvmstats_type_name(unsigned int type);
const char *kvmstats_unit_name(unsigned int unit);
const char *kvmstats_base_name(unsigned int base);

/*
 * Returns a sentence that describes the statistic @name of VMs or of vCPUs, or NULL if the
 * reference of this version of the library does not have the statistic. A few statistics have
 * different meanings on different architectures: the sentence is that for the architecture that
 * the library was built for. The string is constant.
 */
const char *kvmstats_stat_help(const char *name, enum kvmstats_kind kind);

/* Returns 1 for a linear or logarithmic histogram, 0 for any other type. */
int kvmstats_stat_is_hist(const struct kvmstats_stat *stat);

/*
 * Writes the unit of raw values to @buf, such as "ns", "KiB", "cycles", "boolean" or "". If the
 * unit has no short form, the text is a product like "s*10^-4"; unknown units and bases appear
 * in it as numbers. Returns the length of the text. -EOVERFLOW: it does not fit in @size bytes.
 */
int kvmstats_stat_unit_text(const struct kvmstats_stat *stat, char *buf, size_t size);

/*
 * Converts @value to seconds, bytes or whatever the unit is, and writes the exact decimal number
 * to @buf. Returns the length of the text. -EOVERFLOW: it does not fit in @size bytes. -EINVAL:
 * the base of @stat is unknown.
 */
int kvmstats_stat_scale(const struct kvmstats_stat *stat, uint64_t value, char *buf, size_t size);

/*
 * Stores the smallest and the largest value that bucket @n of a histogram counts. @max is
 * UINT64_MAX if the bucket has no upper limit. -EINVAL: @stat is not a histogram. -ERANGE:
 * there is no such bucket, or no 64-bit value belongs to it.
 */
int kvmstats_stat_bucket(const struct kvmstats_stat *stat, unsigned int n,
			 uint64_t *min, uint64_t *max);

/* ---- samples ---- */

struct kvmstats_sample;

/* Allocates memory for one set of values. @schema must outlive the sample. */
int kvmstats_sample_new(struct kvmstats_sample **sample, const struct kvmstats_schema *schema);
void kvmstats_sample_free(struct kvmstats_sample *sample);

/*
 * Reads all values from @fd, normally with one call of pread(), and records the time. @fd must
 * have the sample's schema. -EPROTO: the file ends early. After an error the sample is empty.
 */
int kvmstats_sample_read(struct kvmstats_sample *sample, int fd);

/*
 * Copies @count values to the sample, in the order of their offsets. @time is their time in
 * nanoseconds of CLOCK_MONOTONIC. -EINVAL: the schema has another number of values, or @time
 * is 0.
 */
int kvmstats_sample_set(struct kvmstats_sample *sample, const uint64_t *values, size_t count,
			uint64_t time);

/* Returns the time of the values in nanoseconds of CLOCK_MONOTONIC, 0 if the sample is empty. */
uint64_t kvmstats_sample_time(const struct kvmstats_sample *sample);

/*
 * Stores value @n of @stat in @value. -ENODATA: the sample is empty. -EINVAL: @stat belongs to
 * another schema. -ERANGE: @stat has no value @n.
 */
int kvmstats_sample_value(const struct kvmstats_sample *sample, const struct kvmstats_stat *stat,
			  unsigned int n, uint64_t *value);

/*
 * Returns an array of all values of @stat, for programs that add up many values. The next read of
 * the sample overwrites it. The values of all statistics are
 * in one block, in which kvmstats_stat_offset() locates them. Returns NULL if the sample is
 * empty or @stat belongs to another schema.
 */
const uint64_t *kvmstats_sample_values(const struct kvmstats_sample *sample,
				       const struct kvmstats_stat *stat);

/*
 * Stores by how much value @n of @stat has grown between two samples, in total or per second.
 *
 * Errors of kvmstats_sample_value(), and: -EINVAL: the statistic is neither cumulative nor a
 * histogram. -ESTALE: the value has decreased because it was cleared. -EAGAIN: the samples have
 * the same time, or are in the wrong order.
 */
int kvmstats_delta(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		   const struct kvmstats_stat *stat, unsigned int n, uint64_t *delta);
int kvmstats_rate(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		  const struct kvmstats_stat *stat, unsigned int n, double *per_second);

/* ---- files with the statistics of a VM and of all its vCPUs ---- */

struct kvmstats_file;

/*
 * Reads and checks the header and the descriptors of @fd, a file of kvmstats_fd_open_all() or
 * kvmstats_next_open(). The object does not keep @fd. It can be used for another file if both of
 * its schemas are kvmstats_schema_same() there.
 *
 * -ENODATA: the file does not contain vCPUs. -EPROTO: the file contradicts itself or ends early.
 * -EOVERFLOW: a size in the file exceeds the limits of the library.
 */
int kvmstats_file_new(struct kvmstats_file **file, int fd);
void kvmstats_file_free(struct kvmstats_file *file);

/* Returns the kernel's number of the VM, 0 for a file of kvmstats_fd_open_all(). */
uint64_t kvmstats_file_vm(const struct kvmstats_file *file);

/* Returns the schema of the VM or that of its vCPUs. It belongs to @file. */
const struct kvmstats_schema *kvmstats_file_schema(const struct kvmstats_file *file,
						   enum kvmstats_kind kind);

/* Returns the distance in bytes between the records of two vCPUs. */
size_t kvmstats_file_record_size(const struct kvmstats_file *file);

/*
 * Reads the values of the VM and of all its vCPUs from @fd, normally with one call of pread(), and
 * records the time. It finds new vCPUs. -ENODEV: the VM has ended. -EPROTO: the file contradicts
 * itself. After an error the object has no values.
 */
int kvmstats_file_read(struct kvmstats_file *file, int fd);

/* Returns how many vCPUs the last read has found, in the order of their creation. */
size_t kvmstats_file_vcpus(const struct kvmstats_file *file);

/* Returns the ID of vCPU @i, or -ERANGE. */
int kvmstats_file_vcpu(const struct kvmstats_file *file, size_t i);

/*
 * Copy the values of the VM, or those of vCPU @i, to a sample of the schema that
 * kvmstats_file_schema() returns. -ENODATA: the file has not been read. -ERANGE: there is no vCPU
 * @i. -EINVAL: the sample has another schema.
 */
int kvmstats_file_vm_sample(const struct kvmstats_file *file, struct kvmstats_sample *sample);
int kvmstats_file_vcpu_sample(const struct kvmstats_file *file, size_t i,
			      struct kvmstats_sample *sample);

/* ---- monitors: all VMs of the machine, as they start, change and end ---- */

struct kvmstats_monitor;
struct kvmstats_watch;		/* a VMM that a monitor watches */
struct kvmstats_reader;		/* one of its VMs and vCPUs */

enum kvmstats_event {
	KVMSTATS_EVENT_APPEARED,	/* a VMM is watched now */
	KVMSTATS_EVENT_CHANGED,		/* VMs or vCPUs were added, removed, or can be read now */
	KVMSTATS_EVENT_SCANNED,		/* a VMM was examined again, and has not changed */
	KVMSTATS_EVENT_ENDED,		/* the process, or its last VM */
	KVMSTATS_EVENT_SEARCH_FAILED,	/* see kvmstats_monitor_search_error() */
	KVMSTATS_EVENT_SEARCH_WORKS,	/* it no longer fails */
};

/*
 * Members that are 0 or NULL have no effect.
 *
 * @selects_vmm and @selects_target return 1 to watch a VMM, and to read a VM or vCPU, or 0.
 * @event reports what the functions find that update the list of VMMs. Its @watch is NULL for
 * events of the search. After KVMSTATS_EVENT_ENDED, @watch is freed. These functions must not call
 * functions that change the monitor.
 */
struct kvmstats_monitor_options {
	size_t size;			/* sizeof(struct kvmstats_monitor_options) */
	const pid_t *pid;		/* watch only these processes */
	size_t pids;
	int (*selects_vmm)(const struct kvmstats_vmm *vmm, void *arg);
	int (*selects_target)(const struct kvmstats_target *target, void *arg);
	void (*event)(enum kvmstats_event event, const struct kvmstats_watch *watch, void *arg);
	void *arg;			/* passed to the functions above */
};

/*
 * Makes a monitor, which finds VMMs, keeps the statistics fds of their VMs and vCPUs open, and
 * reads them all. It knows no VMM before the first kvmstats_monitor_refresh() or
 * kvmstats_monitor_sample(). @options can be NULL.
 *
 * If the kernel has KVM_STATS_NEXT, and the caller has CAP_PERFMON and can open /dev/kvm, the
 * monitor finds VMs with it. Otherwise it examines processes, and opens VMs with KVM_STATS_OPEN if
 * the kernel has that. In both cases it needs an fd for each VM and VMM. With other kernels it
 * needs an fd for each VM, vCPU and VMM: raise RLIMIT_NOFILE for machines with hundreds of vCPUs.
 *
 * -EINVAL: options->size is too small. -E2BIG: @options has members that this version of the
 * library does not know, and that are not 0.
 */
int kvmstats_monitor_open(struct kvmstats_monitor **monitor,
			  const struct kvmstats_monitor_options *options);
void kvmstats_monitor_close(struct kvmstats_monitor *monitor);

/*
 * Updates the list of VMMs. A new VMM is found within two seconds. A VMM that has ended is
 * released at once, and so is a VM if the kernel reports its end. A new vCPU is found within one
 * second if the VMM starts a thread for it, other changes within five seconds. On machines with
 * thousands of vCPUs this takes longer, because the CPU time for scans is limited. A failed search
 * for new VMMs is not an error: see kvmstats_monitor_search_error().
 */
int kvmstats_monitor_refresh(struct kvmstats_monitor *monitor);

/*
 * Updates the list of VMMs, and reads a sample of each VM and vCPU. A VM or vCPU that cannot be
 * read is not an error: see kvmstats_reader_error().
 */
int kvmstats_monitor_sample(struct kvmstats_monitor *monitor);

/*
 * Waits until @deadline, in nanoseconds of CLOCK_MONOTONIC, and releases VMMs and VMs that end in
 * the meantime. -EINTR: a signal has arrived. -ESRCH: all processes of options->pid have ended.
 */
int kvmstats_monitor_wait(struct kvmstats_monitor *monitor, uint64_t deadline);

/*
 * Returns an fd for poll(), which is readable when a VMM or a VM has ended. Call
 * kvmstats_monitor_refresh() then. Do not close it.
 */
int kvmstats_monitor_fd(const struct kvmstats_monitor *monitor);

/* Returns when the last sample began, in nanoseconds of CLOCK_MONOTONIC, or 0. */
uint64_t kvmstats_monitor_time(const struct kvmstats_monitor *monitor);

/*
 * Returns how many processes cannot be examined, because the caller lacks permission. VMMs can be
 * among them. Those that /proc hides count as one.
 */
size_t kvmstats_monitor_denied(const struct kvmstats_monitor *monitor);

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
size_t kvmstats_monitor_watches(const struct kvmstats_monitor *monitor);
const struct kvmstats_watch *kvmstats_monitor_watch(const struct kvmstats_monitor *monitor,
						    size_t i);
const struct kvmstats_vmm *kvmstats_watch_vmm(const struct kvmstats_watch *watch);

/*
 * Returns reader @i of a VMM, or NULL. There is one for each selected target, in the same order.
 * A reader lives until the monitor finds that its VM or vCPU is gone, which it reports as
 * KVMSTATS_EVENT_CHANGED or KVMSTATS_EVENT_ENDED.
 */
size_t kvmstats_watch_readers(const struct kvmstats_watch *watch);
const struct kvmstats_reader *kvmstats_watch_reader(const struct kvmstats_watch *watch, size_t i);

/* Returns the VM or vCPU. The target lives until the next call of kvmstats_monitor_refresh(). */
const struct kvmstats_target *kvmstats_reader_target(const struct kvmstats_reader *reader);

/*
 * Returns 0, or why the statistics cannot be read: an error of kvmstats_target_open(). -ENODEV: the
 * VM has ended, and the next kvmstats_monitor_refresh() removes the reader.
 */
int kvmstats_reader_error(const struct kvmstats_reader *reader);

/*
 * Return how the statistics fd was obtained, its schema, the last sample and the one before.
 * While kvmstats_reader_error() is not 0, the latter three return NULL. The monitor owns the
 * schema and the samples, and the next kvmstats_monitor_sample() changes the samples.
 */
enum kvmstats_origin kvmstats_reader_origin(const struct kvmstats_reader *reader);
const struct kvmstats_schema *kvmstats_reader_schema(const struct kvmstats_reader *reader);
const struct kvmstats_sample *kvmstats_reader_now(const struct kvmstats_reader *reader);
const struct kvmstats_sample *kvmstats_reader_before(const struct kvmstats_reader *reader);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* KVMSTATS_H */
