// SPDX-License-Identifier: GPL-2.0-only
/*
 * The binary interface of KVM's statistics fd, as far as it can be seen without
 * running a guest: on every architecture and, where there is such a thing, as a
 * 32-bit process on a 64-bit kernel.
 *
 * On a kernel without the interface (BOOT_VARIANT=unpatched) the test is that
 * this is said clearly.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include <dirent.h>
#include <pthread.h>

#include "fail_nth.h"
#include "kvm_stats_checks.h"
#include "nobody.h"
#include "suites.h"
#include "uring.h"

/* The capability */

static const char *capability(int expected)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	int on_kvm = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);
	int on_vm = ioctl(vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD);

	close(vm);
	close(kvm);
	if (on_kvm != expected)
		return stats_fail("/dev/kvm answers %d, expected %d", on_kvm,
				  expected);
	if (on_vm != expected)
		return stats_fail("the VM answers %d, expected %d", on_vm,
				  expected);
	return NULL;
}

static const char *capability_is_there(struct stats_target *target)
{
	(void)target;
	return capability(1);
}

static const char *capability_is_absent(struct stats_target *target)
{
	(void)target;
	return capability(0);
}

static const char *refused_as_unknown(int fd)
{
	if (ioctl(fd, KVM_STATS_GETFD, NULL) >= 0)
		return stats_fail("KVM_STATS_GETFD succeeds");
	if (errno != ENOTTY && errno != EINVAL)
		return stats_fail("KVM_STATS_GETFD: %s, expected it to be unknown",
				  strerror(errno));
	return NULL;
}

static const char *ioctl_is_absent(struct stats_target *target)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	int vcpu = ioctl(vm, KVM_CREATE_VCPU, STATS_VCPU_ID);

	if (vcpu < 0)
		return stats_fail("KVM_CREATE_VCPU: %s", strerror(errno));
	return refused_as_unknown(target->vcpu_id < 0 ? vm : vcpu);
}

/* Other ways to read */

static const char *splice_to_pipe(struct stats_target *target)
{
	size_t size = target->file.size, done = 0;
	const char *message = NULL;
	loff_t offset = 0;
	int ends[2];

	if (pipe(ends))
		return stats_fail("pipe: %s", strerror(errno));
	while (!message && done < size) {
		uint8_t buf[4096];
		ssize_t moved = splice(target->fd, &offset, ends[1], NULL,
				       sizeof(buf), 0);

		if (moved <= 0)
			return stats_fail("splice at %zu gives %zd: %s", done,
					  moved, strerror(errno));
		message = stats_same(target, buf, read(ends[0], buf, moved), done,
				     moved);
		done += moved;
	}
	if (!message && splice(target->fd, &offset, ends[1], NULL, 8, 0))
		return stats_fail("splice at the end does not give 0");
	return message;
}

static int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int count = 0;

	while (dir && readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* io_uring punts what could wait to a worker, which is a thread of ours. */
static const char *uring_workers_show(struct uring *ring, int fd)
{
	int before = count_threads();
	uint8_t buf[8];
	int result;

	if (uring_submit_read(ring, fd, buf, sizeof(buf), 0, IOSQE_ASYNC) ||
	    uring_wait(ring, &result))
		return stats_fail("an asynchronous read: %s", strerror(errno));
	return count_threads() > before ? NULL :
	       stats_skip("io_uring's workers are no threads of the process here");
}

static const char *uring_completes_inline(struct stats_target *target)
{
	uint8_t buf[target->file.size];
	int before = count_threads();
	const char *message;
	struct uring ring;
	bool at_once;
	int error, result;

	error = uring_open(&ring);
	if (error)
		return stats_skip("no io_uring: %s", strerror(-error));

	error = uring_submit_read(&ring, target->fd, buf, sizeof(buf), 0, 0);
	if (error)
		return stats_fail("io_uring_enter: %s", strerror(-error));
	at_once = uring_completed(&ring, &result);
	if (count_threads() > before)
		return stats_fail("the read was given to a worker thread");
	if (!at_once)
		return stats_fail("the read was not complete after io_uring_enter");
	if (result < 0)
		return stats_fail("the read: %s", strerror(-result));
	message = stats_same(target, buf, result, 0, sizeof(buf));
	return message ? message : uring_workers_show(&ring, target->fd);
}

/* Want of memory */

static const char *open_without_memory(struct stats_target *target,
				       unsigned int nth, enum fail_kind *failed)
{
	const char *message = NULL;
	int fd;

	if (fail_nth_arm(nth))
		return stats_fail("fail-nth: %s", strerror(errno));
	fd = ioctl(target->getfd_fd, KVM_STATS_GETFD, NULL);
	*failed = fail_nth_disarm();

	if (fd < 0 && (errno != ENOMEM || *failed == FAIL_NONE))
		message = stats_fail("allocation %u fails: %s, expected: %s", nth,
				     strerror(errno), strerror(ENOMEM));
	if (fd >= 0)
		close(fd);
	return message;
}

/* Every allocation of the ioctl fails once; nothing is lost by that. */
static const char *enomem(struct stats_target *target)
{
	enum fail_kind failed = FAIL_NONE;
	unsigned int nth = 0;
	const char *message;
	int lowest, fd;

	if (fail_nth_open())
		return stats_skip("no fault injection: " FAIL_NTH_KNOBS ": %s",
				  strerror(errno));
	lowest = dup(target->fd);
	close(lowest);
	do
		message = open_without_memory(target, ++nth, &failed);
	while (!message && failed != FAIL_NONE);
	if (message)
		return message;
	if (nth == 1)
		return stats_fail("no allocation of the ioctl could be made to fail");

	message = stats_getfd(target->getfd_fd, &fd);
	if (message)
		return message;
	return fd == lowest ? NULL :
	       stats_fail("the fd after %u failures is %d, expected %d", nth - 1, fd,
			  lowest);
}

/* Copies may fail; they are counted with the allocations. */
static const char *read_allocates_nothing(struct stats_target *target)
{
	uint8_t buf[target->file.size];
	enum fail_kind failed;
	unsigned int nth = 0;
	ssize_t got;

	if (fail_nth_open())
		return stats_skip("no fault injection: " FAIL_NTH_KNOBS ": %s",
				  strerror(errno));
	memset(buf, 0, sizeof(buf));	/* no page of it is to be had any more */
	do {
		if (fail_nth_arm(++nth))
			return stats_fail("fail-nth: %s", strerror(errno));
		got = pread(target->fd, buf, sizeof(buf), 0);
		failed = fail_nth_disarm();
	} while (failed == FAIL_COPY);
	if (failed != FAIL_NONE)
		return stats_fail("a read allocated memory");
	return stats_same(target, buf, got, 0, sizeof(buf));
}

/* Other holders */

static const char *as_nobody_read(struct stats_target *target)
{
	const char *message = become_nobody();

	return message ? message : stats_read_whole(target);
}

static const char *as_nobody_open(struct stats_target *target)
{
	const char *message = become_nobody();
	int fd;

	if (!message)
		message = stats_getfd(target->getfd_fd, &fd);
	return message ? message : stats_still_reads(target, fd, getppid());
}

static const char *read_by_nobody(struct stats_target *target)
{
	if (geteuid())
		return stats_skip("only root can become another user");
	return stats_in_child(target, as_nobody_read);
}

static const char *opened_by_nobody(struct stats_target *target)
{
	if (geteuid())
		return stats_skip("only root can become another user");
	return stats_in_child(target, as_nobody_open);
}

static void *create_vcpu(void *arg)
{
	int *fds = arg;

	fds[STATS_FD_VCPU] = ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU,
				   STATS_VCPU_ID + 1);
	return NULL;
}

/* The id names the VM's process, whichever thread creates the vCPU. */
static const char *id_from_other_thread(struct stats_target *target)
{
	struct stats_target other = {
		.vcpu_id = STATS_VCPU_ID + 1,
		.file = target->file,
	};
	const char *message;
	int fds[STATS_NUM_FDS];
	pthread_t thread;
	int fd;

	message = stats_bare_vm(fds);
	if (message)
		return message;
	close(fds[STATS_FD_VCPU]);
	if (pthread_create(&thread, NULL, create_vcpu, fds))
		return stats_fail("pthread_create failed");
	pthread_join(thread, NULL);
	message = stats_getfd(fds[STATS_FD_VCPU], &fd);
	return message ? message : stats_still_reads(&other, fd, getpid());
}

/* More fds than any table starts with, and all of them work. */
static const char *many_fds(struct stats_target *target)
{
	int fds[200];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		const char *message = stats_getfd(target->getfd_fd, &fds[i]);

		if (message)
			return message;
	}
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		uint8_t buf[64];
		const char *message;

		message = stats_same(target, buf, pread(fds[i], buf, 64, 8), 8, 64);
		if (message)
			return message;
		close(fds[i]);
	}
	return NULL;
}

/* Threads that share a file position, as with a regular file */

#define NUM_READERS	4
#define NUM_ROUNDS	50

struct reader {
	pthread_t thread;
	int fd;
	size_t size;
};

static void *read_values_to_end(void *arg)
{
	struct reader *reader = arg;
	uint8_t buf[8];
	ssize_t copied;

	while ((copied = read(reader->fd, buf, sizeof(buf))) > 0)
		reader->size += copied;
	return NULL;
}

/* Together the readers get each byte once, so the sizes add up to the file's. */
static const char *round_of_readers(struct stats_target *target)
{
	struct reader readers[NUM_READERS] = {};
	size_t i, sum = 0;

	if (lseek(target->fd, 0, SEEK_SET))
		return stats_fail("lseek: %s", strerror(errno));
	for (i = 0; i < NUM_READERS; i++) {
		readers[i].fd = target->fd;
		if (pthread_create(&readers[i].thread, NULL, read_values_to_end,
				   &readers[i]))
			return stats_fail("pthread_create failed");
	}
	for (i = 0; i < NUM_READERS; i++) {
		pthread_join(readers[i].thread, NULL);
		sum += readers[i].size;
	}
	if (sum != target->file.size)
		return stats_fail("%d threads read %zu bytes, expected %zu",
				  NUM_READERS, sum, target->file.size);
	return NULL;
}

static const char *shared_position(struct stats_target *target)
{
	const char *message = NULL;
	int i;

	for (i = 0; i < NUM_ROUNDS && !message; i++)
		message = round_of_readers(target);
	return message;
}

/* Suites */

static const char *set_up(struct stats_target *target)
{
	static int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (message)
		return message;
	target->getfd_fd = fds[stats_target_kind(target, STATS_FD_VM,
						 STATS_FD_VCPU)];
	target->fd = fds[stats_target_kind(target, STATS_FD_VM_STATS,
					   STATS_FD_VCPU_STATS)];
	return stats_file_load(&target->file, target->fd);
}

static const struct stats_check absence[] = {
	STATS_CHECK("capability_is_absent", capability_is_absent),
	STATS_CHECK("ioctl_is_unknown", ioctl_is_absent),
};

static const struct stats_check presence[] = {
	STATS_CHECK("capability", capability_is_there),
};

static const struct stats_check more[] = {
	STATS_CHECK("splice_to_pipe", splice_to_pipe),
	STATS_CHECK("io_uring_completes_inline", uring_completes_inline),
	STATS_CHECK("enomem", enomem),
	STATS_CHECK("read_allocates_nothing", read_allocates_nothing),
	STATS_CHECK("read_by_another_user", read_by_nobody),
	STATS_CHECK("opened_by_another_user", opened_by_nobody),
	STATS_CHECK("many_fds", many_fds),
	STATS_CHECK("shared_position", shared_position),
};

static const struct stats_check vcpu_only[] = {
	STATS_CHECK("id_if_created_by_another_thread", id_from_other_thread),
};

#define SUITE(kind, id, table, num_checks, set_up_suite)		\
	{ .name = kind, .vcpu_id = id, .checks = table,			\
	  .num = num_checks, .setup = set_up_suite }

static const struct stats_suite without_interface[] = {
	SUITE("vm", -1, absence, ARRAY_SIZE(absence), NULL),
	SUITE("vcpu", STATS_VCPU_ID, absence, ARRAY_SIZE(absence), NULL),
};

static const struct stats_suite with_interface[] = {
	SUITE("kvm", -1, presence, ARRAY_SIZE(presence), NULL),
	SUITE("vm", -1, stats_checks, ARRAY_SIZE(stats_checks), set_up),
	SUITE("vcpu", STATS_VCPU_ID, stats_checks, ARRAY_SIZE(stats_checks), set_up),
	SUITE("vm", -1, more, ARRAY_SIZE(more), set_up),
	SUITE("vcpu", STATS_VCPU_ID, more, ARRAY_SIZE(more), set_up),
	SUITE("vcpu", STATS_VCPU_ID, vcpu_only, ARRAY_SIZE(vcpu_only), set_up),
};

/* For the table of all boots. */
static void tell_descriptors(void)
{
	struct stats_file file;
	int fds[STATS_NUM_FDS];

	if (stats_bare_vm(fds))
		return;
	if (!stats_file_load(&file, fds[STATS_FD_VM_STATS]))
		printf("# vm: %u descriptors\n", file.header.num_desc);
	if (!stats_file_load(&file, fds[STATS_FD_VCPU_STATS]))
		printf("# vcpu: %u descriptors\n", file.header.num_desc);
}

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");

	if (!variant && access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (!variant && capability(1))
		return tap_skip_all("this kernel lacks KVM_CAP_STATS_BINARY_FD");

	if (variant && !strcmp(variant, "unpatched"))
		run_suites(without_interface, ARRAY_SIZE(without_interface));
	else
		run_suites(with_interface, ARRAY_SIZE(with_interface));
	tell_descriptors();
	return tap_end();
}
