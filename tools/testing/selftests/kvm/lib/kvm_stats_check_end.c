// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of KVM_STATS_OPEN and KVM_STATS_NEXT do not hold their VM: the end of the
 * VM, which must not wait for any reader.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/epoll.h>

#include <linux/userfaultfd.h>

#include "kvm_stats_check_open.h"

#define END_SECONDS	20	/* limit for the end of a VM, for slow machines */
#define NUM_READERS	10
#define NUM_ROUNDS	5
#define NUM_PAGES	16	/* more than the file has */

/* All that holds the VM. */
static int holders[STATS_NUM_FDS];

static bool use_next;

/* Opens the VM, which is the one created last. */
static const char *observe(int vm_fd, int *fd)
{
	uint64_t vm;

	return use_next ? stats_open_last(&vm, fd) : stats_open(vm_fd, fd);
}

const char *stats_set_up_end_open(struct stats_target *target)
{
	const char *message = stats_bare_vm(holders);

	target->getfd_fd = holders[STATS_FD_VM];
	if (!message)
		message = observe(target->getfd_fd, &target->fd);
	return message ? message : stats_file_load(&target->file, target->fd);
}

const char *stats_set_up_end_next(struct stats_target *target)
{
	use_next = true;
	return stats_set_up_end_open(target);
}

static const char *is_over(int fd)
{
	uint8_t byte;

	return stats_refused("pread() after the end of the VM",
			     pread(fd, &byte, 1, 0), ENODEV);
}

static const char *end_vm(struct stats_target *target)
{
	stats_must_end_in(END_SECONDS, "the VM was destroyed");
	stats_close_fds(holders);
	stats_must_end_in(0, "");
	return is_over(target->fd);
}

static void *end_later(void *arg)
{
	usleep(100000);
	stats_close_fds(holders);
	return arg;
}

static const char *start(void *(*run)(void *arg), void *arg, pthread_t *thread)
{
	return pthread_create(thread, NULL, run, arg) ?
	       stats_fail("cannot create a thread") : NULL;
}

/* What a program notices */

static const char *reads_fail(struct stats_target *target)
{
	const char *message = end_vm(target);
	off_t size = target->file.size;
	uint8_t buf[64];

	if (!message)
		message = stats_refused("read()", read(target->fd, buf, 64),
					ENODEV);
	if (!message)
		message = stats_refused("pread() at the old end",
					pread(target->fd, buf, 64, size), ENODEV);
	if (!message)
		message = stats_refused("lseek() to the end",
					lseek(target->fd, 0, SEEK_END), ENODEV);
	if (!message && (lseek(target->fd, 8, SEEK_SET) != 8 ||
			 lseek(target->fd, size, SEEK_CUR) != size + 8))
		message = stats_fail("lseek() from the start or the position failed: %s",
				     strerror(errno));
	return message;
}

static const char *check_poll(int fd, short events, short expected)
{
	struct pollfd pollfd = { .fd = fd, .events = events };
	int ready = poll(&pollfd, 1, 0);

	return ready == !!expected && pollfd.revents == expected ? NULL :
	       stats_fail("poll() for %#x reports %#x, expected %#x", events,
			  pollfd.revents, expected);
}

static const char *polls(struct stats_target *target)
{
	const short all = POLLIN | POLLPRI | POLLOUT | POLLRDNORM;
	const char *message;

	message = check_poll(target->fd, all, POLLIN | POLLRDNORM);
	if (!message)
		message = check_poll(target->fd, 0, 0);
	if (!message)
		message = check_poll(holders[STATS_FD_VM_STATS],
				     POLLIN | POLLRDNORM, POLLIN | POLLRDNORM);
	if (!message)
		message = end_vm(target);
	if (!message)
		message = check_poll(target->fd, all, POLLHUP);
	return message ? message : check_poll(target->fd, 0, POLLHUP);
}

static const char *wakes_poll(struct stats_target *target)
{
	struct pollfd pollfd = { .fd = target->fd };
	pthread_t thread;
	const char *message = start(end_later, NULL, &thread);

	if (!message && poll(&pollfd, 1, END_SECONDS * 1000) != 1)
		message = stats_fail("poll() did not wake up");
	return message;
}

static const char *expect_event(int epoll, uint32_t expected)
{
	struct epoll_event event = { 0 };
	int timeout = expected == EPOLLHUP ? END_SECONDS * 1000 : 0;
	int ready = epoll_wait(epoll, &event, 1, timeout);

	return ready == !!expected && event.events == expected ? NULL :
	       stats_fail("epoll_wait() returned %d and %#x, expected %#x",
			  ready, event.events, expected);
}

/* Two observers of one VM each use EPOLLEXCLUSIVE.  It must wake both. */
static const char *wakes_epoll(struct stats_target *target)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLET | EPOLLEXCLUSIVE,
	};
	int i, fds[2] = { target->fd }, epolls[2];
	const char *message = observe(target->getfd_fd, &fds[1]);
	pthread_t thread;

	for (i = 0; i < 2 && !message; i++) {
		epolls[i] = epoll_create1(EPOLL_CLOEXEC);
		if (epoll_ctl(epolls[i], EPOLL_CTL_ADD, fds[i], &event))
			return stats_fail("EPOLL_CTL_ADD failed: %s",
					  strerror(errno));
		message = expect_event(epolls[i], EPOLLIN);
		if (!message)
			message = expect_event(epolls[i], 0);
	}
	if (!message)
		message = start(end_later, NULL, &thread);
	for (i = 0; i < 2 && !message; i++)
		message = expect_event(epolls[i], EPOLLHUP);
	return message;
}

static const char *check_fdinfo(struct stats_target *target)
{
	const char *message = end_vm(target);
	char info[STATS_FDINFO_SIZE], id[STATS_NAME_SIZE];

	if (!message)
		message = stats_read_fdinfo(target->fd, info);
	stats_target_id(target, getpid(), id);
	if (!message)
		message = stats_fdinfo_has(info, "kvm-stats-target", "vm+vcpus");
	if (!message)
		message = stats_fdinfo_has(info, "kvm-stats-id", id);
	return !message && strstr(info, "kvm-stats-size") ?
	       stats_fail("fdinfo has a size") : message;
}

/* What holds the VM */

static const char *held_by_each_fd(struct stats_target *target)
{
	int i;

	for (i = 0; i < STATS_NUM_FDS; i++) {
		if (lseek(target->fd, 0, SEEK_END) != (off_t)target->file.size)
			return stats_fail("the VM ended before fd %d was closed",
					  i);
		close(holders[i]);
		holders[i] = -1;
	}
	return is_over(target->fd);
}

static const char *nothing_is_left(struct stats_target *target)
{
	uint64_t vm;
	int fd;
	const char *skip = stats_open_last(&vm, &fd), *message;
	char dir[64];
	bool visible;

	snprintf(dir, sizeof(dir), "/sys/kernel/debug/kvm/%d-%d", getpid(),
		 holders[STATS_FD_VM]);
	visible = !access(dir, F_OK);
	message = end_vm(target);
	if (!message && visible && !access(dir, F_OK))
		message = stats_fail("%s still exists", dir);
	if (message || skip)
		return message ? message : skip;
	vm--;
	return stats_refused("KVM_STATS_NEXT",
			     stats_open_next(stats_open_kvm(), &vm), ENOENT);
}

/* The observer, which is another process, closes its file last. */
static const char *killed_vmm(struct stats_target *target)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int fd;

	if (!message)
		message = observe(vmm.fds[STATS_FD_VM], &fd);
	if (message)
		return message;
	stats_close_fds(vmm.fds);
	if (lseek(fd, 0, SEEK_END) != (off_t)target->file.size)
		return stats_fail("the file is not complete while the VMM lives");
	stats_vmm_kill(&vmm);
	message = is_over(fd);
	close(fd);
	return message ? message : stats_reuse_memory();
}

/* Readers */

/* Returns the error of the first read that fails, or 0 if one returns nothing. */
static void *read_until_end(void *arg)
{
	struct stats_target *target = arg;
	uint8_t buf[target->file.size];
	ssize_t got;

	do {
		got = pread(target->fd, buf, sizeof(buf), 0);
	} while (got > 0);
	return (void *)(uintptr_t)(got ? errno : 0);
}

static const char *ends_while_read(struct stats_target *target)
{
	pthread_t readers[NUM_READERS];
	const char *message = NULL;
	int round, i;
	void *error;

	for (round = 0; round < NUM_ROUNDS && !message; round++) {
		for (i = 0; i < NUM_READERS && !message; i++)
			message = start(read_until_end, target, &readers[i]);
		usleep(20000);
		if (!message)
			message = end_vm(target);
		for (i = 0; i < NUM_READERS && !message; i++) {
			pthread_join(readers[i], &error);
			if ((uintptr_t)error != ENODEV)
				message = stats_fail("a reader ended with: %s",
						     strerror((uintptr_t)error));
		}
		if (!message)
			message = stats_set_up_end_open(target);
	}
	return message;
}

/* The process stops itself when it no longer holds the VM. */
static pid_t fork_reader(struct stats_target *target)
{
	pid_t reader = fork();

	if (!reader) {
		stats_close_fds(holders);
		raise(SIGSTOP);
		_exit((uintptr_t)read_until_end(target) != ENODEV);
	}
	waitpid(reader, NULL, WUNTRACED);
	return reader;
}

static const char *reader_is_stopped(struct stats_target *target)
{
	pid_t reader = fork_reader(target);
	const char *message;
	int status;

	kill(reader, SIGCONT);
	usleep(20000);
	kill(reader, SIGSTOP);
	waitpid(reader, &status, WUNTRACED);
	message = end_vm(target);
	kill(reader, SIGCONT);
	waitpid(reader, &status, 0);
	return !message && status ?
	       stats_fail("the reader ended with the status %#x", status) : message;
}

/* Returns the number of bytes. */
static void *read_once(void *arg)
{
	struct stats_target *target = arg;

	return (void *)(intptr_t)pread(target->fd, target->machine,
				       target->file.size, 0);
}

/* Maps memory to target->machine that is absent until UFFDIO_ZEROPAGE. */
static const char *map_absent(struct stats_target *target, int *uffd,
			      struct uffdio_register *area)
{
	struct uffdio_api api = { .api = UFFD_API };

	area->range.len = NUM_PAGES * sysconf(_SC_PAGESIZE);
	area->mode = UFFDIO_REGISTER_MODE_MISSING;
	target->machine = mmap(NULL, area->range.len, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area->range.start = (uintptr_t)target->machine;
	*uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (*uffd < 0 || ioctl(*uffd, UFFDIO_API, &api) ||
	    ioctl(*uffd, UFFDIO_REGISTER, area))
		return stats_skip("no userfaultfd: %s", strerror(errno));
	return NULL;
}

/* The end cuts the read, which returns what it had loaded before. */
static const char *reader_waits_for_memory(struct stats_target *target)
{
	struct uffdio_register area = { 0 };
	struct uffdio_zeropage zero = { 0 };
	struct uffd_msg fault;
	pthread_t thread;
	int uffd;
	const char *message = map_absent(target, &uffd, &area);
	void *result = NULL;
	intptr_t got;

	stats_must_end_in(END_SECONDS, "a read waits for memory");
	if (!message)
		message = start(read_once, target, &thread);
	if (!message && read(uffd, &fault, sizeof(fault)) != sizeof(fault))
		message = stats_fail("no page fault: %s", strerror(errno));
	if (!message)
		message = end_vm(target);
	if (message)
		return message;
	zero.range = area.range;
	ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
	pthread_join(thread, &result);
	got = (intptr_t)result;
	return got > 0 && (size_t)got < target->file.size &&
	       !memcmp(target->machine, target->file.bytes, got) ? NULL :
	       stats_fail("the read returned %td, or wrong bytes", got);
}

const struct stats_check stats_end_checks[] = {
	STATS_CHECK("reads_fail", reads_fail),
	STATS_CHECK("poll", polls),
	STATS_CHECK("wakes_poll", wakes_poll),
	STATS_CHECK("wakes_epoll", wakes_epoll),
	STATS_CHECK("fdinfo", check_fdinfo),
	STATS_CHECK("held_by_each_fd", held_by_each_fd),
	STATS_CHECK("nothing_is_left", nothing_is_left),
	STATS_CHECK("vmm_is_killed", killed_vmm),
	STATS_CHECK("ends_while_read", ends_while_read),
	STATS_CHECK("reader_is_stopped", reader_is_stopped),
	STATS_CHECK("reader_waits_for_memory", reader_waits_for_memory),
};
