/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fake origins: VMs whose files KVM_STATS_NEXT opens, and processes below a fake /proc.
 *
 * The linker replaces pread(), clock_gettime() and the functions that open files by those here.
 */
#ifndef FAKE_VMS_H
#define FAKE_VMS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "guest_files.h"
#include "image.h"
#include "internal.h"

#define VMS		3
#define MAX_FD		128

/* The VMs have the numbers 1 to VMS. */
static bool alive[VMS + 1];
static size_t vcpus[VMS + 1];
static pid_t creator[VMS + 1];
static uint64_t vm_value[VMS + 1];	/* the second value of the VM; the first is its number */
static const struct vm_image *damaged;	/* what files contain instead, with this size */
static size_t damaged_size;
static int damaged_vm;			/* the VM whose file that is, 0: all */
static int next_error;			/* of kvmstats_open_kvm() */
static int device = -1;			/* the fd that it returned the last time */
static int shortage;			/* of kvmstats_next_open(), for VMs from number 2 on */
static uint64_t short_lived;		/* the VM that ends when its file is opened */
static int cut_reads;			/* how many reads return one value less */
static int vm_of_fd[MAX_FD];		/* the VM whose file the fd was the last time */

int __wrap_kvmstats_open_kvm(void)
{
	if (next_error)
		return next_error;
	device = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return device;
}

int __wrap_kvmstats_next_open(int kvm, uint64_t *vm)
{
	uint64_t number = *vm;
	int fd;

	(void)kvm;
	if (shortage == -EPERM)
		return shortage;
	while (++number <= VMS && !alive[number])
		;
	if (number > VMS)
		return -ENOENT;
	if (shortage && number > 1)
		return shortage;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fd >= MAX_FD)
		exit(1);
	vm_of_fd[fd] = (int)number;
	*vm = number;
	alive[number] &= number != short_lived;
	return fd;
}

static inline ssize_t read_vm(int vm, void *buf, size_t size, off_t offset)
{
	size_t end = offsetof(struct vm_image, record) + vcpus[vm] * sizeof(struct vm_image_record);
	struct vm_image image;

	if (!alive[vm]) {
		errno = ENODEV;
		return -1;
	}
	vm_image_init(&image);
	snprintf(image.id, sizeof(image.id), "kvm-%d", (int)creator[vm]);
	image.value[0] = (uint64_t)vm;
	image.value[1] = vm_value[vm];
	if (damaged && (!damaged_vm || vm == damaged_vm)) {
		image = *damaged;
		end = damaged_size;
	}
	if ((size_t)offset >= end)
		return 0;
	if (size > end - (size_t)offset)
		size = end - (size_t)offset;
	if (cut_reads && size > sizeof(image.value)) {
		cut_reads--;
		size -= 8;
	}
	memcpy(buf, (const char *)&image + offset, size);
	return (ssize_t)size;
}

ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t offset)
{
	struct iovec iovec = { .iov_base = buf, .iov_len = size };

	if (fd >= 0 && fd < MAX_FD && vm_of_fd[fd])
		return read_vm(vm_of_fd[fd], buf, size, offset);
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
	for (vm = first; vm <= last; vm++) {
		alive[vm] = true;
		creator[vm] = pid;
		vcpus[vm] = VM_IMAGE_VCPUS;
	}
}

static inline size_t open_files_of(int vm)
{
	size_t count = 0;
	int fd;

	for (fd = 0; fd < MAX_FD; fd++)
		count += vm_of_fd[fd] == vm && fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* ---- processes ---- */

static struct guest_files fake_proc;

static char state = 'S';		/* of the processes that put_stat() makes */

/* The times are in ticks. @tid 0: the process itself */
static inline void put_stat(pid_t pid, pid_t tid, const char *comm, long threads, long start,
			    long guest)
{
	char path[64];

	if (tid)
		snprintf(path, sizeof(path), "%d/task/%d/stat", (int)pid, (int)tid);
	else
		snprintf(path, sizeof(path), "%d/stat", (int)pid);
	guest_files_task(&fake_proc, path, &(struct guest_task){
		.name = comm, .state = state, .threads = threads, .start = start, .guest = guest });
}

static inline void remove_process(pid_t pid)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%d", fake_proc.dir, (int)pid);
	remove_folder(path);
}

static inline void start_fake_proc(void)
{
	if (guest_files_make(&fake_proc))
		exit(1);
	kvmstats_places.proc = fake_proc.dir;
	kvmstats_places.file = "/nonexistent/host.pin";
	kvmstats_places.socket = "/nonexistent/host.sock";
	put_stat(1, 0, "init", 1, 10, 0);
}

#endif /* FAKE_VMS_H */
