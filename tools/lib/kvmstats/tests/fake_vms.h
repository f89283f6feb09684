/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fake VMs, whose files a monitor opens and reads.
 *
 * The linker replaces pread(), clock_gettime() and the functions that open files by those here. A
 * fake file is the read end of a pipe: it polls as EPOLLHUP when the other end is closed.
 */
#ifndef FAKE_VMS_H
#define FAKE_VMS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "image.h"
#include "internal.h"

#define VMS		3
#define MAX_FD		128

/* The VMs have the numbers 1 to VMS. */
static bool alive[VMS + 1];
static size_t vcpus[VMS + 1];
static uint64_t vm_value[VMS + 1];	/* the second value of the VM; the first is its number */
static pid_t creator;			/* of all VMs, 0: not known */
static int vm_of_fd[3];			/* the VMs whose fds in the VMM are 1 and 2 */
static int open_error;			/* of kvmstats_dup_and_open_all() */
static int next_error;			/* of kvmstats_open_kvm() */

/* The file that each fd was the last time, and the other end of its pipe. */
static struct {
	int vm;				/* 0: none */
	int other_end;
	bool by_number;
} file[MAX_FD];

static inline void close_other_end(int fd)
{
	if (file[fd].vm && file[fd].other_end >= 0)
		close(file[fd].other_end);
	file[fd].other_end = -1;
}

static inline int open_vm(int vm, bool by_number)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) || fd[1] >= MAX_FD)
		exit(1);
	close_other_end(fd[0]);
	file[fd[0]].vm = vm;
	file[fd[0]].other_end = fd[1];
	file[fd[0]].by_number = by_number;
	return fd[0];
}

/* Tests of scans use the functions of the library. */
int __real_kvmstats_fds_scan(struct kvmstats_fds *fds, pid_t pid);
bool __real_kvmstats_fds_distinct(struct kvmstats_fds *fds, pid_t pid);
int __real_kvmstats_reader_read(struct kvmstats_reader *reader, pid_t pid, const char *name,
				char **text, size_t *size);
int __real_kvmstats_dup_and_open(int pidfd, const struct kvmstats_fd *entry);

int __wrap_kvmstats_open_kvm(void)
{
	return next_error ? next_error : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_kvmstats_next_open(int kvm, uint64_t *vm)
{
	(void)kvm;
	while (++*vm <= VMS) {
		if (alive[*vm])
			return open_vm((int)*vm, true);
	}
	return -ENOENT;
}

int __wrap_kvmstats_dup_and_open_all(int pidfd, const struct kvmstats_fd *entry)
{
	(void)pidfd;
	return open_error ? open_error : open_vm(vm_of_fd[entry->fd], false);
}

static inline ssize_t read_vm(int fd, void *buf, size_t size, off_t offset)
{
	int vm = file[fd].vm;
	size_t end = offsetof(struct vm_image, record) + vcpus[vm] * sizeof(struct vm_image_record);
	struct vm_image image;

	if (!alive[vm]) {
		errno = ENODEV;
		return -1;
	}
	vm_image_init(&image);
	image.vcpus.vm = file[fd].by_number ? (uint64_t)vm : 0;
	snprintf(image.id, sizeof(image.id), "kvm-%d", (int)creator);
	image.value[0] = (uint64_t)vm;
	image.value[1] = vm_value[vm];
	if ((size_t)offset >= end)
		return 0;
	if (size > end - (size_t)offset)
		size = end - (size_t)offset;
	memcpy(buf, (const char *)&image + offset, size);
	return (ssize_t)size;
}

ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t offset)
{
	struct iovec iovec = { .iov_base = buf, .iov_len = size };

	if (fd >= 0 && fd < MAX_FD && file[fd].vm)
		return read_vm(fd, buf, size, offset);
	return preadv(fd, &iovec, 1, offset);
}

/* The name of pread() in glibc, for files of any size. */
ssize_t __wrap_pread64(int fd, void *buf, size_t size, off_t offset)
	__attribute__((alias("__wrap_pread")));

/* Time is that of the machine, and what advance() adds. */
static uint64_t added;

static inline void advance(uint64_t ns)
{
	added += ns;
}

int __real_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int ret = __real_clock_gettime(clock, time);

	if (clock == CLOCK_MONOTONIC)
		time->tv_sec += added / SECOND;
	return ret;
}

/* The memory in use, as the sanitizer reports it */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static inline void start_vms(int first, int last, pid_t pid)
{
	int vm;

	memset(alive, 0, sizeof(alive));
	creator = pid;
	for (vm = first; vm <= last; vm++) {
		alive[vm] = true;
		vcpus[vm] = VM_IMAGE_VCPUS;
	}
}

static inline void end_vm(int vm)
{
	int fd;

	alive[vm] = false;
	for (fd = 0; fd < MAX_FD; fd++) {
		if (file[fd].vm == vm)
			close_other_end(fd);
	}
}

static inline bool is_open(int vm)
{
	int fd;

	for (fd = 0; fd < MAX_FD; fd++) {
		if (file[fd].vm == vm && fcntl(fd, F_GETFD) >= 0)
			return true;
	}
	return false;
}

#endif /* FAKE_VMS_H */
