// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count what KVM's statistics cost, with the TSC.  Under emulation with -icount shift=0, the TSC is
 * the number of executed instructions.  Each row of the table is printed as a test case of TAP,
 * "ok N - TITLE: VALUE".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <x86intrin.h>

#include "bench.h"

#define WARM_UP		64	/* rounds that fill the caches of the allocators, for example */
#define ROUNDS		301	/* odd, so that the median is a count */
#define MANY_VCPUS	1024
#define VCPUS_PER_VM	256	/* 5.10 allows 288 */
#define MANY_VMS	(MANY_VCPUS / VCPUS_PER_VM)
#define SLAB_SIZE	"/sys/kernel/slab/kvm_vcpu/object_size"

static int kvm, vm, vcpu;
static char buf[1 << 20] __attribute__((aligned(64)));

int must(int result, const char *what)
{
	if (result >= 0)
		return result;
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- counting ---- */

static uint64_t now(void)
{
	_mm_lfence();
	return __rdtsc();
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* All operations are called in the same way, so that the cost of the call can be subtracted. */
__attribute__((noinline, noclone))
static uint64_t median(long (*run)(void), void (*after)(long result))
{
	static uint64_t counts[WARM_UP + ROUNDS];
	int i;

	for (i = 0; i < WARM_UP + ROUNDS; i++) {
		uint64_t start = now();
		long result = run();

		counts[i] = now() - start;
		errno = -result;
		must(result, "a counted operation");
		if (after)
			after(result);
	}
	qsort(counts + WARM_UP, ROUNDS, sizeof(counts[0]), compare);
	return counts[WARM_UP + ROUNDS / 2];
}

static long do_nothing(void)
{
	return 0;
}

double count(long (*run)(void), void (*after)(long result))
{
	double overhead = median(do_nothing, NULL);

	return median(run, after) - overhead;
}

static long get_parent(void)
{
	return kernel_call(SYS_getppid, 0, 0, 0, 0);
}

static double count_syscall(long unused)
{
	return count(get_parent, NULL);
}

/* ---- opening ---- */

static int target;
static struct kvm_stats_open no_flags;
static struct kvm_stats_next next;

static long get_file(void)
{
	return kernel_call(SYS_ioctl, target, KVM_GET_STATS_FD, 0, 0);
}

static long open_file(void)
{
	return kernel_call(SYS_ioctl, vm, KVM_STATS_OPEN, (long)&no_flags, 0);
}

static long find_next(void)
{
	next.vm = 0;
	return kernel_call(SYS_ioctl, kvm, KVM_STATS_NEXT, (long)&next, 0);
}

static void close_result(long result)
{
	close(result);
}

static void close_next(long unused)
{
	close(next.fd);
}

static double count_getfd(long of_vcpu)
{
	target = of_vcpu ? vcpu : vm;
	return count(get_file, close_result);
}

static double count_open(long unused)
{
	return count(open_file, close_result);
}

static double count_next(long unused)
{
	return count(find_next, close_next);
}

/* ---- reading ---- */

enum reading { ALL_OF_VM, ALL_OF_VCPU, HEAD_OF_VCPU };	/* or a number of bytes */

static int files[MANY_VCPUS], num_files;
static uint32_t offset, size;

/* Expect @size bytes of each vCPU's file, and any number of bytes of VMs' files. */
static long read_files(void)
{
	long result = 0, total = 0;
	int i;

	for (i = 0; i < num_files; i++, total += result) {
		result = kernel_call(SYS_pread64, files[i], (long)buf, size, offset);
		if (result <= 0 || (result != size && size < sizeof(buf)))
			return result < 0 ? result : -ENODATA;
	}
	return total;
}

static long read_file(void)
{
	return kernel_call(SYS_pread64, files[0], (long)buf, size, offset);
}

static void check_size(long result)
{
	errno = ENODATA;
	must(result == size ? 0 : -1, "pread() of fewer bytes than expected");
}

/* Open the statistics file of the VM or vCPU, and choose all its values. */
static int open_values(int fd)
{
	const struct kvm_stats_header *header = (void *)buf;
	int file = must(ioctl(fd, KVM_GET_STATS_FD, 0), "KVM_STATS_GETFD");

	size = must(pread(file, buf, sizeof(buf), 0), "pread()") - header->data_offset;
	offset = header->data_offset;
	return file;
}

/* Open the file of a VM with its vCPUs, and choose all that follows its descriptors. */
static int open_whole(int fd)
{
	const struct kvm_stats_header *header = (void *)buf;
	int file = must(ioctl(fd, KVM_STATS_OPEN, &no_flags), "KVM_STATS_OPEN");

	must(pread(file, buf, sizeof(*header), 0), "pread()");
	offset = header->data_offset;
	size = sizeof(buf);
	return file;
}

static double count_read(long reading)
{
	double result;

	files[0] = open_values(reading == ALL_OF_VM ? vm : vcpu);
	if (reading == HEAD_OF_VCPU) {
		size = offset;
		offset = 0;
	} else if (reading > HEAD_OF_VCPU) {
		size = reading;
	}
	result = count(read_file, check_size);
	close(files[0]);
	return result;
}

static double count_bytes(long unused)
{
	close(open_values(vcpu));
	return size;
}

/* Read many vCPUs, as a monitor does, through their files or those of their VMs. */
static double count_many(long whole)
{
	static int vms[MANY_VMS], vcpus[MANY_VCPUS];
	struct rlimit limit = { 4 * MANY_VCPUS, 4 * MANY_VCPUS };
	int i;

	must(setrlimit(RLIMIT_NOFILE, &limit), "RLIMIT_NOFILE");
	for (i = 0; i < MANY_VCPUS && !vcpus[MANY_VCPUS - 1]; i++) {
		int *of = &vms[i / VCPUS_PER_VM];

		if (i % VCPUS_PER_VM == 0)
			*of = must(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
		vcpus[i] = must(ioctl(*of, KVM_CREATE_VCPU, i % VCPUS_PER_VM), "KVM_CREATE_VCPU");
	}
	num_files = whole ? MANY_VMS : MANY_VCPUS;
	for (i = 0; i < num_files; i++)
		files[i] = whole ? open_whole(vms[i]) : open_values(vcpus[i]);
	return count(read_files, NULL) / MANY_VCPUS;
}

/* ---- context switches: two threads of this machine's only CPU wake each other ---- */

static int question[2], answer[2];

static void *answer_all(void *unused)
{
	char byte;

	while (kernel_call(SYS_read, question[0], (long)&byte, 1, 0) == 1)
		must(write(answer[1], &byte, 1), "write() to a pipe");
	return NULL;
}

static long ask(void)
{
	char byte = 0;
	long result = kernel_call(SYS_write, question[1], (long)&byte, 1, 0);

	return result < 0 ? result : kernel_call(SYS_read, answer[0], (long)&byte, 1, 0);
}

static double count_switches(long unused)
{
	pthread_t thread;
	double result;

	must(pipe(question), "pipe()");
	must(pipe(answer), "pipe()");
	must(-pthread_create(&thread, NULL, answer_all, NULL), "pthread_create()");
	result = count(ask, NULL) / 2;
	close(question[1]);
	pthread_join(thread, NULL);
	return result;
}

/* ---- recording by perf ---- */

#define PERF_PAGES	256

/*
 * Open a tracepoint with what `perf record` stores of each event. Nobody reads the buffer, so the
 * kernel overwrites the oldest samples.
 */
static void record_tracepoint(const char *name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
		.write_backward = 1,
	};
	char path[128], number[16] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/kvm/%s/id", name);
	fd = must(open(path, O_RDONLY), path);
	must(read(fd, number, sizeof(number) - 1), path);
	close(fd);
	attr.config = atoi(number);
	fd = must(syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC), name);
	must(mmap(NULL, (PERF_PAGES + 1) * sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0) ==
	     MAP_FAILED ? -1 : 0, "the buffer of perf");
}

static void record_exits(void)
{
	record_tracepoint("kvm_entry");
	record_tracepoint("kvm_exit");
	record_tracepoint("kvm_userspace_exit");
	record_tracepoint("kvm_vcpu_wakeup");
}

static double count_vcpu_memory(long unused)
{
	int file = must(open(SLAB_SIZE, O_RDONLY), SLAB_SIZE);

	must(read(file, buf, 64), SLAB_SIZE);
	close(file);
	return atoi(buf);
}

/* ---- the table ---- */

enum needs { NOTHING, GETFD = KVM_STATS_CAP_GETFD, OPEN = KVM_STATS_CAP_OPEN,
	     NEXT = KVM_STATS_CAP_NEXT };

static const struct row {
	const char *title;
	enum needs needs;
	double (*value)(long argument);
	long argument;
} rows[] = {
	{ "getppid(), which does almost nothing", NOTHING, count_syscall },
	{ "KVM_STATS_GETFD of a VM", GETFD, count_getfd, false },
	{ "KVM_STATS_GETFD of a vCPU", GETFD, count_getfd, true },
	{ "KVM_STATS_OPEN", OPEN, count_open },
	{ "KVM_STATS_NEXT", NEXT, count_next },
	{ "pread() of 8 bytes of a vCPU's values", GETFD, count_read, 8 },
	{ "pread() of 64 bytes of a vCPU's values", GETFD, count_read, 64 },
	{ "pread() of all values of a vCPU", GETFD, count_read, ALL_OF_VCPU },
	{ "bytes of these values", GETFD, count_bytes },
	{ "pread() of all values of a VM", GETFD, count_read, ALL_OF_VM },
	{ "pread() of header, id and descriptors of a vCPU", GETFD, count_read, HEAD_OF_VCPU },
	{ "1,024 vCPUs, pread() of each one's file, per vCPU", GETFD, count_many, false },
	{ "1,024 vCPUs in 4 VMs, pread() of each VM's file, per vCPU", OPEN, count_many, true },
	{ "OUT: exit to user space and back", NOTHING, count_out },
	{ "CPUID: exit that is handled in the kernel", NOTHING, count_cpuid },
	{ "SWITCH: context switch from thread to thread", NOTHING, count_switches },
	{ "bytes of memory of a vCPU", NOTHING, count_vcpu_memory },
	{ "kvm-stats log, 512 VMs of 8 vCPUs: start, and 3 samples", NEXT, sample, SAMPLE_START },
	{ "each further sample", NEXT, sample, SAMPLE_INSTRUCTIONS },
	{ "system calls of a sample", NEXT, sample, SAMPLE_CALLS },
};

#define NUM_ROWS	((int)(sizeof(rows) / sizeof(rows[0])))

static void print_row(int i, int supported)
{
	const struct row *row = &rows[i];

	if ((supported & row->needs) == row->needs)
		printf("ok %d - %s: %.10g\n", i + 1, row->title, row->value(row->argument));
	else
		printf("ok %d - %s # SKIP this kernel cannot do it\n", i + 1, row->title);
	fflush(stdout);
}

/*
 * With an argument, only the rows whose titles contain it. With a second one, while perf records
 * exits.
 */
int main(int argc, char **argv)
{
	int supported, i;

	kvm = must(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");
	vm = must(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
	vcpu = must(ioctl(vm, KVM_CREATE_VCPU, 0), "KVM_CREATE_VCPU");
	supported = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD);
	if (argc > 2)
		record_exits();
	printf("1..%d\n", NUM_ROWS);
	for (i = 0; i < NUM_ROWS; i++) {
		if (argc < 2 || strstr(rows[i].title, argv[1]))
			print_row(i, supported);
	}
	return 0;
}
