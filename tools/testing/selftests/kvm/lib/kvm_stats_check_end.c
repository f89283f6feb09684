// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a VM while observers have files of it open.  These files do not hold
 * the VM, and its end does not wait for readers.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/epoll.h>

#include <linux/userfaultfd.h>

#include "kvm_stats_check_open.h"

/* The number in tools/arch/x86/include is wrong. */
#ifdef __x86_64__
#undef SYS_userfaultfd
#define SYS_userfaultfd	323
#endif

#define END_SECONDS	20	/* limit for the end of a VM, for slow machines */
#define NUM_READERS	10
#define MAP_SIZE	0x100000	/* more than the file has */

/* All fds that hold the VM. */
static int holders[STATS_NUM_FDS];

static bool use_next;

/* Opens the VM, which must be the one created last. */
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

/* What observers notice */

static const char *reads_fail(struct stats_target *target)
{
	const char *message = end_vm(target);
	off_t size = target->file.size;
	uint8_t buf[64];

	if (!message)
		message = stats_refused("read()", read(target->fd, buf, 64),
					ENODEV);
	if (!message)
		message = stats_refused("pread() at the old size",
					pread(target->fd, buf, 64, size), ENODEV);
	if (!message)
		message = stats_refused("lseek() to the end",
					lseek(target->fd, 0, SEEK_END), ENODEV);
	if (!message && (lseek(target->fd, 8, SEEK_SET) != 8 ||
			 lseek(target->fd, size, SEEK_CUR) != size + 8))
		message = stats_fail("SEEK_SET or SEEK_CUR failed: %s",
				     strerror(errno));
	return message ? message : stats_check_fdinfo(target, "vm+vcpus", 0);
}

static const char *check_poll(int fd, short events, int timeout, short expected)
{
	struct pollfd pollfd = { .fd = fd, .events = events };

	poll(&pollfd, 1, timeout);
	return pollfd.revents == expected ? NULL :
	       stats_fail("poll() for %#x returned %#x, expected %#x", events,
			  pollfd.revents, expected);
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

static const char *wakes_poll(struct stats_target *target)
{
	const short all = POLLIN | POLLPRI | POLLOUT | POLLRDNORM;
	const char *message;
	pthread_t thread;

	message = check_poll(target->fd, all, 0, POLLIN | POLLRDNORM);
	if (!message)
		message = check_poll(target->fd, 0, 0, 0);
	if (!message)
		message = check_poll(holders[STATS_FD_VM_STATS], all, 0,
				     POLLIN | POLLRDNORM);
	if (!message)
		message = start(end_later, NULL, &thread);
	stats_must_end_in(END_SECONDS, "poll() returned");
	if (!message)
		message = check_poll(target->fd, 0, -1, POLLHUP);
	return message ? message : check_poll(target->fd, all, 0, POLLHUP);
}

static const char *check_epoll(int epoll, int timeout, uint32_t expected)
{
	struct epoll_event event = { 0 };

	epoll_wait(epoll, &event, 1, timeout);
	return event.events == expected ? NULL :
	       stats_fail("epoll_wait() returned %#x, expected %#x",
			  event.events, expected);
}

/* With EPOLLEXCLUSIVE, one observer of the VM must not hide its end from another. */
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
		epoll_ctl(epolls[i], EPOLL_CTL_ADD, fds[i], &event);
		message = check_epoll(epolls[i], 0, EPOLLIN);
		if (!message)
			message = check_epoll(epolls[i], 0, 0);
	}
	if (!message)
		message = start(end_later, NULL, &thread);
	for (i = 0; i < 2 && !message; i++)
		message = check_epoll(epolls[i], END_SECONDS * 1000, EPOLLHUP);
	return message;
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
	}
	return is_over(target->fd);
}

/* Another process observes the VM, and closes its file last. */
static const char *vmm_is_killed(struct stats_target *target)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	char dir[64];
	bool visible;
	int fd;

	if (!message)
		message = observe(vmm.fds[STATS_FD_VM], &fd);
	if (message)
		return message;
	stats_close_fds(vmm.fds);
	snprintf(dir, sizeof(dir), "/sys/kernel/debug/kvm/%d-%d", vmm.pid,
		 vmm.remote[STATS_FD_VM]);
	visible = !access(dir, F_OK);
	if (lseek(fd, 0, SEEK_END) != (off_t)target->file.size)
		return stats_fail("the VM ended before its VMM was killed");
	stats_vmm_kill(&vmm);
	message = is_over(fd);
	close(fd);
	if (!message && visible && !access(dir, F_OK))
		message = stats_fail("%s still exists", dir);
	return message ? message : stats_reuse_memory();
}

/* Readers */

/* The process stops itself when it no longer holds the VM, and then reads. */
static pid_t fork_reader(struct stats_target *target)
{
	uint8_t buf[target->file.size];
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (pid) {
		waitpid(pid, NULL, WUNTRACED);
		return pid;
	}
	stats_close_fds(holders);
	raise(SIGSTOP);
	while (pread(target->fd, buf, sizeof(buf), 0) > 0)
		;
	_exit(errno);
}

static const char *ends_while_read(struct stats_target *target)
{
	pid_t readers[NUM_READERS];
	const char *message;
	int i, status;

	for (i = 0; i < NUM_READERS; i++)
		readers[i] = fork_reader(target);
	for (i = 0; i < NUM_READERS; i++)
		kill(readers[i], SIGCONT);
	usleep(20000);
	for (i = 0; i < NUM_READERS && target->arg; i++) {
		kill(readers[i], SIGSTOP);
		waitpid(readers[i], NULL, WUNTRACED);
	}
	message = end_vm(target);
	for (i = 0; i < NUM_READERS && !message; i++) {
		kill(readers[i], SIGCONT);
		waitpid(readers[i], &status, 0);
		if (WEXITSTATUS(status) != ENODEV)
			message = stats_fail("a reader ended with status %#x",
					     status);
	}
	return message;
}

static void *read_once(void *arg)
{
	struct stats_target *target = arg;
	ssize_t got = pread(target->fd, target->machine, target->file.size, 0);

	return (void *)(intptr_t)got;
}

/* The page fault of the reader is resolved after the end, which cuts the read. */
static const char *reader_waits_for_memory(struct stats_target *target)
{
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_zeropage zero = { .range.len = MAP_SIZE };
	struct uffdio_api api = { .api = UFFD_API };
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	const char *message;
	struct uffd_msg fault;
	pthread_t thread;
	void *got;

	target->machine = mmap(NULL, MAP_SIZE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	zero.range.start = (uintptr_t)target->machine;
	area.range = zero.range;
	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) ||
	    ioctl(uffd, UFFDIO_REGISTER, &area))
		return stats_skip("no userfaultfd: %s", strerror(errno));
	stats_must_end_in(END_SECONDS, "a read waits for memory");
	message = start(read_once, target, &thread);
	if (!message && read(uffd, &fault, sizeof(fault)) != sizeof(fault))
		message = stats_fail("no page fault: %s", strerror(errno));
	if (!message)
		message = end_vm(target);
	if (message)
		return message;
	ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
	pthread_join(thread, &got);
	return (intptr_t)got > 0 && (size_t)got < target->file.size &&
	       !memcmp(target->machine, target->file.bytes, (size_t)got) ? NULL :
	       stats_fail("the read returned %zd, or wrong bytes", (ssize_t)got);
}

const struct stats_check stats_end_checks[] = {
	STATS_CHECK("reads_fail", reads_fail),
	STATS_CHECK("wakes_poll", wakes_poll),
	STATS_CHECK("wakes_epoll", wakes_epoll),
	STATS_CHECK("held_by_each_fd", held_by_each_fd),
	STATS_CHECK("vmm_is_killed", vmm_is_killed),
	STATS_CHECK("ends_while_read", ends_while_read),
	STATS_CHECK("ends_while_readers_are_stopped", ends_while_read, .arg = 1),
	STATS_CHECK("reader_waits_for_memory", reader_waits_for_memory),
};
