// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure in TSC cycles how long a sample of all values of many vCPUs takes, in two ways that take
 * turns:
 *
 * - The read function of the series, in user space, reads files with all vCPUs of a VM. For each
 *   VM, this process also calls pread() of 8 bytes of a statistics file of the build host's
 *   kernel, because the function does not include the system call.
 * - pread() of the statistics file of each vCPU, on the build host's kernel. The vCPUs do not run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/kvm.h>

#include "measure.h"
#include "whole.h"

#define MAX_VCPUS	1024
#define VCPUS_PER_VM	256	/* 5.10 allows 288 */
#define MAX_VMS		(MAX_VCPUS / VCPUS_PER_VM)
#define ROUNDS		1001	/* odd, so that one round has the median */
#define GOAL		0.6	/* limit, as a part of the host's cycles per byte */

#ifndef KVM_CAP_BINARY_STATS_FD
#define KVM_CAP_BINARY_STATS_FD	203
#define KVM_GET_STATS_FD	_IO(KVMIO, 0xce)
#endif

static struct whole_vm *vms[MAX_VMS];	/* in user space */
static int stats[MAX_VCPUS];		/* of vCPUs of the build host's kernel */
static off_t data_offset;
static size_t data_size;
static char buf[4096 * MAX_VCPUS] __attribute__((aligned(4096)));	/* all values */
static double model[ROUNDS], host[ROUNDS];

/* The benchmark continues without this table. */
__attribute__((format(printf, 1, 2), noreturn))
static void cannot(const char *format, ...)
{
	va_list args;

	printf("A sample of many vCPUs was not measured: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(0);
}

static int checked(int fd, const char *what)
{
	if (fd < 0)
		cannot("%s: %s", what, strerror(errno));
	return fd;
}

/* The header has six numbers of 32 bits. The last one is the offset of the data. */
static void find_data(int fd)
{
	uint32_t header[6];
	ssize_t size;

	if (pread(fd, header, sizeof(header), 0) != sizeof(header))
		cannot("pread() of a header failed");
	data_offset = header[5];
	size = pread(fd, buf, sizeof(buf), data_offset);
	if (size <= 0)
		cannot("pread() of values failed");
	data_size = size;
}

static void create_host_vcpus(int kvm, int num)
{
	static int created, vm;

	for (; created < num; created++) {
		int id = created % VCPUS_PER_VM, vcpu;

		if (!id)
			vm = checked(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
		vcpu = checked(ioctl(vm, KVM_CREATE_VCPU, id), "KVM_CREATE_VCPU");
		stats[created] = checked(ioctl(vcpu, KVM_GET_STATS_FD, 0), "KVM_GET_STATS_FD");
	}
}

static void create_model(int num)
{
	int i;

	for (i = 0; num > 0; i++, num -= VCPUS_PER_VM) {
		vms[i] = whole_create(num < VCPUS_PER_VM ? num : VCPUS_PER_VM);
		if (!vms[i])
			cannot("out of memory");
	}
}

static double sample_model(int num)
{
	uint64_t start = now();
	char *to = buf;
	int i, left;

	for (i = 0, left = num; left > 0; i++, left -= VCPUS_PER_VM) {
		size_t size = whole_size(vms[i]);

		if (pread(stats[0], to, 8, data_offset) != 8 ||
		    whole_read(vms[i], to, buf + sizeof(buf) - to) != (ssize_t)size)
			cannot("a read of a VM failed");
		to += size;
	}
	return (double)(now() - start) / num;
}

static double sample_host(int num)
{
	uint64_t start = now();
	char *to = buf;
	int i;

	for (i = 0; i < num; i++, to += data_size)
		if (pread(stats[i], to, data_size, data_offset) != (ssize_t)data_size)
			cannot("a read of a vCPU failed");
	return (double)(now() - start) / num;
}

/* The cycles per byte, as a part of the host's. The files have different numbers of values. */
static double ratio(const double *rounds, double bytes)
{
	return rounds[ROUNDS / 2] / bytes / (host[ROUNDS / 2] / data_size);
}

static void print_row(const char *title, const double *rounds, double bytes, const char *goal)
{
	char range[32];

	snprintf(range, sizeof(range), "%.1f to %.1f", rounds[ROUNDS / 10],
		 rounds[ROUNDS * 9 / 10]);
	printf("  %-52s %9.1f %19s %12.3f%s\n", title, rounds[ROUNDS / 2], range,
	       ratio(rounds, bytes), goal);
}

static void measure(int kvm, int num)
{
	double bytes, result;
	char title[64], goal[64];
	int i;

	create_host_vcpus(kvm, num);
	create_model(num);
	find_data(stats[0]);
	for (i = 0; i < ROUNDS; i++) {
		model[i] = sample_model(num);
		host[i] = sample_host(num);
	}
	sort_rounds(model, ROUNDS);
	sort_rounds(host, ROUNDS);
	bytes = (double)whole_size(vms[0]) / (num < VCPUS_PER_VM ? num : VCPUS_PER_VM);
	result = ratio(model, bytes);
	snprintf(title, sizeof(title), "%d vCPUs: the series, pread() of each VM", num);
	snprintf(goal, sizeof(goal), "  7: %.4g at most %g, %s", result, GOAL,
		 result <= GOAL ? "met" : "MISSED");
	print_row(title, model, bytes, goal);
	snprintf(title, sizeof(title), "%d vCPUs: the host's kernel, pread() of each vCPU", num);
	print_row(title, host, data_size, "");
}

static void stay_on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

int main(void)
{
	struct rlimit limit = { 2 * MAX_VCPUS + 64, 2 * MAX_VCPUS + 64 };
	struct utsname name;
	int kvm;

	stay_on_one_cpu();
	setrlimit(RLIMIT_NOFILE, &limit);
	kvm = checked(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");
	if (ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) <= 0)
		cannot("the build host's kernel has no statistics fd");
	uname(&name);
	name.release[strcspn(name.release, "-")] = '\0';
	printf("Sampling all values of a vCPU, host: Linux %-11.11s %9s %19s %12s  %s\n",
	       name.release, "cycles", "80% of rounds", "bytes to host", "goal");
	measure(kvm, 64);
	measure(kvm, MAX_VCPUS);
	return 0;
}
