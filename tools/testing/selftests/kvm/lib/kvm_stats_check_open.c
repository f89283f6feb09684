// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <sys/epoll.h>

#include <linux/userfaultfd.h>

#include "kvm_stats_check_open.h"
#include "kvm_stats_file.h"

/*
 * KVM_STATS_OPEN, and the file of a VM and its vCPUs.
 */

/* The order of creation differs from that of the ids. */
#define SECOND_VCPU_ID	1

static const char *create_vcpu(int vm_fd, int id, int *fd)
{
	*fd = ioctl(vm_fd, KVM_CREATE_VCPU, id);
	return *fd >= 0 ? NULL :
	       stats_fail("KVM_CREATE_VCPU of vCPU %d failed: %s", id,
			  strerror(errno));
}

const char *stats_set_up_open(struct stats_target *target)
{
	int fds[STATS_NUM_FDS], vcpu;

	stats_must(stats_bare_vm(fds));
	stats_must(create_vcpu(fds[STATS_FD_VM], SECOND_VCPU_ID, &vcpu));
	target->getfd_fd = fds[STATS_FD_VM];
	stats_must(stats_open(target->getfd_fd, &target->fd));
	return stats_file_load(&target->file, target->fd);
}

/* The ioctl */

static const char *check_capability(struct stats_target *target)
{
	const int expected = KVM_STATS_CAP_GETFD | KVM_STATS_CAP_OPEN |
			     KVM_STATS_CAP_NEXT;
	const int fds[] = { stats_open_kvm(), target->getfd_fd };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		int mask = ioctl(fds[i], KVM_CHECK_EXTENSION,
				 KVM_CAP_STATS_BINARY_FD);

		if (mask != expected)
			return stats_fail("KVM_CHECK_EXTENSION returns %d, expected %d",
					  mask, expected);
	}
	return NULL;
}

static const char *enable_cap_refused(struct stats_target *target)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_STATS_BINARY_FD };

	for (cap.args[0] = 0; cap.args[0] < 4; cap.args[0]++)
		stats_must(stats_refused("KVM_ENABLE_CAP",
					 ioctl(target->getfd_fd, KVM_ENABLE_CAP,
					       &cap), EINVAL));
	return NULL;
}

static const char *unknown_flags(struct stats_target *target)
{
	const struct kvm_stats_open arguments[] = {
		{ .flags = 1 }, { .flags = 2 }, { .flags = 1u << 31 },
		{ .flags = -1u }, { .reserved = 1 },
		{ .reserved = 1u << 31 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(arguments); i++)
		stats_must(stats_refused("KVM_STATS_OPEN with unknown flags",
					 ioctl(target->getfd_fd, KVM_STATS_OPEN,
					       &arguments[i]), EINVAL));
	return NULL;
}

static const char *bad_argument(struct stats_target *target)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED || mprotect(map + page, page, PROT_NONE))
		return stats_fail("mmap() failed: %s", strerror(errno));
	stats_must(stats_refused("KVM_STATS_OPEN without argument",
				 ioctl(target->getfd_fd, KVM_STATS_OPEN, NULL),
				 EFAULT));
	return stats_refused("KVM_STATS_OPEN with half an argument",
			     ioctl(target->getfd_fd, KVM_STATS_OPEN,
				   map + page - 4), EFAULT);
}

/* The ioctls share a number, so each kind of fd must tell them apart. */
static const char *other_fds(struct stats_target *target)
{
	struct kvm_stats_next next = { 0 };
	struct kvm_stats_open open = { 0 };
	int kvm = stats_open_kvm(), vcpu;

	stats_must(create_vcpu(target->getfd_fd, 0, &vcpu));
	stats_must(stats_refused("KVM_STATS_OPEN on a vCPU",
				 ioctl(vcpu, KVM_STATS_OPEN, &open), ENOTTY));
	stats_must(stats_refused("KVM_STATS_NEXT on a vCPU",
				 ioctl(vcpu, KVM_STATS_NEXT, &next), ENOTTY));
	stats_must(stats_refused("KVM_STATS_NEXT on a VM",
				 ioctl(target->getfd_fd, KVM_STATS_NEXT, &next),
				 ENOTTY));
	if (ioctl(kvm, KVM_STATS_OPEN, &open) >= 0)
		return stats_fail("KVM_STATS_OPEN on /dev/kvm succeeded");
	if (ioctl(kvm, KVM_STATS_GETFD, 0) >= 0)
		return stats_fail("KVM_STATS_GETFD on /dev/kvm succeeded");
	return NULL;
}

/* The file */

static const char *check_layout(struct stats_target *target)
{
	struct stats_vm_file file;

	stats_must(stats_vm_file_load(&file, target->fd));
	if (file.num_records != 2 || file.vcpus.vm)
		return stats_fail("the file has %u records and VM number %llu, expected 2 and 0",
				  file.num_records,
				  (unsigned long long)file.vcpus.vm);
	return NULL;
}

static const char *check_id(struct stats_target *target)
{
	return stats_layout_id(target);
}

/* A program that ignores the flag of the header reads the VM's statistics. */
static const char *plain_reader(struct stats_target *target)
{
	const struct stats_file *file = &target->file;
	const struct kvm_stats_desc *desc;
	struct stats_file plain;
	uint64_t before, now;
	const char *message;
	uint32_t i;
	int fd;

	message = stats_getfd(target->getfd_fd, &fd);
	if (!message)
		message = stats_file_load(&plain, fd);
	for (i = 0; !message && (desc = stats_file_desc(&plain, i)); i++) {
		if (memcmp(desc, stats_file_desc(file, i), STATS_DESC_SIZE))
			return stats_fail("the descriptor of '%s' differs from the plain file",
					  desc->name);
		message = stats_read_value(fd, &plain, desc->name, &before);
		if (!message)
			message = stats_read_value(target->fd, file, desc->name,
						   &now);
		if (!message && now < before)
			message = stats_fail("'%s' is smaller than in the plain file",
					     desc->name);
	}
	return message || i == file->header.num_desc ? message :
	       stats_fail("the plain file has %u descriptors", i);
}

static const char *vcpu_descriptors(struct stats_target *target)
{
	struct stats_vm_file file;
	struct stats_file vcpu;
	int fds[STATS_NUM_FDS];

	stats_must(stats_bare_vm(fds));
	stats_must(stats_file_load(&vcpu, fds[STATS_FD_VCPU_STATS]));
	stats_must(stats_vm_file_load(&file, target->fd));
	if (file.vcpus.num_desc != vcpu.header.num_desc ||
	    memcmp(file.file.bytes + file.vcpus.desc_offset,
		   vcpu.bytes + vcpu.header.desc_offset,
		   vcpu.header.num_desc * STATS_DESC_SIZE))
		return stats_fail("the descriptors differ from those of a vCPU's file");
	if (file.vcpus.record_size !=
	    STATS_RECORD_SIZE + vcpu.size - vcpu.header.data_offset)
		return stats_fail("a record has %u bytes, the data of a vCPU's file %zu",
				  file.vcpus.record_size,
				  vcpu.size - vcpu.header.data_offset);
	return NULL;
}

static const char *check_record(const struct stats_vm_file *file, uint32_t i,
				uint64_t vcpu_id)
{
	struct kvm_stats_record record = stats_vm_file_record(file, i);

	if (record.vcpu_id == vcpu_id && !record.reserved)
		return NULL;
	return stats_fail("record %u is of vCPU %llu, reserved %llu, expected vCPU %llu",
			  i, (unsigned long long)record.vcpu_id,
			  (unsigned long long)record.reserved,
			  (unsigned long long)vcpu_id);
}

static const char *order_of_creation(struct stats_target *target)
{
	struct stats_vm_file file;

	stats_must(stats_vm_file_load(&file, target->fd));
	stats_must(check_record(&file, 0, STATS_VCPU_ID));
	return check_record(&file, 1, SECOND_VCPU_ID);
}

/* A file that is open shows vCPUs that are created later. */
static const char *check_grows(struct stats_target *target)
{
	off_t before = lseek(target->fd, 0, SEEK_END);
	struct stats_vm_file file;
	uint8_t byte;
	int vcpu;

	if (read(target->fd, &byte, 1))
		return stats_fail("a read at the end returned data");
	stats_must(create_vcpu(target->getfd_fd, 0, &vcpu));
	stats_must(stats_vm_file_load(&file, target->fd));
	if (file.num_records != 3)
		return stats_fail("the file has %u records, expected 3",
				  file.num_records);
	if (lseek(target->fd, 0, SEEK_END) != before + file.vcpus.record_size)
		return stats_fail("SEEK_END has not moved by the size of a record");
	if (memcmp(file.file.bytes, target->file.bytes,
		   file.file.header.data_offset))
		return stats_fail("the header, the id or a descriptor has changed");
	return check_record(&file, 2, 0);
}

static const char *no_vcpus(struct stats_target *target)
{
	int kvm = stats_open_kvm(), vm = ioctl(kvm, KVM_CREATE_VM, 0), fd;
	struct stats_vm_file file;

	(void)target;
	stats_must(stats_open(vm, &fd));
	stats_must(stats_vm_file_load(&file, fd));
	if (file.num_records)
		return stats_fail("the file has %u records, expected 0",
				  file.num_records);
	return NULL;
}

/* One read of everything that changes, to a buffer that is too large. */
static const char *one_read(struct stats_target *target)
{
	size_t offset = target->file.header.data_offset;
	size_t size = target->file.size - offset;
	uint64_t *buf = malloc(size + 4096);

	return stats_same(target, buf, pread(target->fd, buf, size + 4096, offset),
			  offset, size);
}

static const char *check_fdinfo(struct stats_target *target)
{
	return stats_check_fdinfo(target, "vm+vcpus", target->file.size);
}

/* Other processes and limits */

static const char *open_again(struct stats_target *target)
{
	struct stats_vm_file file;
	int fd;

	stats_must(stats_open(target->getfd_fd, &fd));
	stats_must(stats_vm_file_load(&file, fd));
	if (file.file.size != target->file.size ||
	    memcmp(file.file.bytes, target->file.bytes,
		   target->file.header.data_offset))
		return stats_fail("two files of the same VM differ");
	return NULL;
}

static const char *opened_by_other(struct stats_target *target)
{
	return stats_in_child(target, open_again);
}

static const char *no_free_fd(struct stats_target *target)
{
	struct kvm_stats_open open = { 0 };

	stats_limit_fds(true);
	stats_must(stats_refused("KVM_STATS_OPEN without a free fd",
				 ioctl(target->getfd_fd, KVM_STATS_OPEN, &open),
				 EMFILE));
	stats_limit_fds(false);
	return open_again(target);
}

const struct stats_check stats_open_checks[] = {
	STATS_CHECK("capability", check_capability),
	STATS_CHECK("enable_cap_refused", enable_cap_refused),
	STATS_CHECK("unknown_flags", unknown_flags),
	STATS_CHECK("bad_argument", bad_argument),
	STATS_CHECK("other_fds", other_fds),
	STATS_CHECK("layout", check_layout),
	STATS_CHECK("id", check_id),
	STATS_CHECK("plain_reader", plain_reader),
	STATS_CHECK("vcpu_descriptors", vcpu_descriptors),
	STATS_CHECK("order_of_creation", order_of_creation),
	STATS_CHECK("grows", check_grows),
	STATS_CHECK("no_vcpus", no_vcpus),
	STATS_CHECK("one_read", one_read),
	STATS_CHECK("fdinfo", check_fdinfo),
	STATS_CHECK("opened_by_other_process", opened_by_other),
	STATS_CHECK("emfile", no_free_fd),
	STATS_CHECK("read_whole", stats_read_whole),
	STATS_CHECK("read_bytewise", stats_read_bytewise),
	STATS_CHECK("pread_all_offsets", stats_pread_all_offsets),
	STATS_CHECK("pread_all_lengths", stats_pread_all_lengths),
	STATS_CHECK("pread_huge_offset", stats_pread_huge_offset),
	STATS_CHECK("pread_negative_offset", stats_pread_negative),
	STATS_CHECK("pread_keeps_position", stats_pread_keeps_position),
	STATS_CHECK("readv", stats_readv),
	STATS_CHECK("splice_refused", stats_splice_refused),
	STATS_CHECK("lseek", stats_lseek),
	STATS_CHECK("lseek_invalid", stats_lseek_invalid),
	STATS_CHECK("lseek_past_end", stats_lseek_past_end),
	STATS_CHECK("fault", stats_fault),
	STATS_CHECK("fault_midway", stats_fault_midway),
	STATS_CHECK("fault_midway_at_offset", stats_fault_midway_at),
	STATS_CHECK("write_refused", stats_write_refused),
	STATS_CHECK("mmap_refused", stats_mmap_refused),
	STATS_CHECK("ioctl_refused", stats_ioctl_refused),
	STATS_CHECK("close_on_exec", stats_cloexec),
	STATS_CHECK("read_only", stats_read_only),
	STATS_CHECK("link_name", stats_link_name),
};

/*
 * The end of a VM while observers have files of it open.  These files do not hold
 * the VM, and its end does not wait for readers.
 */

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
	stats_must(stats_bare_vm(holders));
	target->getfd_fd = holders[STATS_FD_VM];
	stats_must(observe(target->getfd_fd, &target->fd));
	return stats_file_load(&target->file, target->fd);
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
	off_t size = target->file.size;
	uint8_t buf[64];

	stats_must(end_vm(target));
	stats_must(stats_refused("read()", read(target->fd, buf, 64), ENODEV));
	stats_must(stats_refused("pread() at the old size",
				 pread(target->fd, buf, 64, size), ENODEV));
	stats_must(stats_refused("lseek() to the end",
				 lseek(target->fd, 0, SEEK_END), ENODEV));
	if (lseek(target->fd, 8, SEEK_SET) != 8 ||
	    lseek(target->fd, size, SEEK_CUR) != size + 8)
		return stats_fail("SEEK_SET or SEEK_CUR failed: %s",
				  strerror(errno));
	return stats_check_fdinfo(target, "vm+vcpus", 0);
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
	pthread_t thread;

	stats_must(check_poll(target->fd, all, 0, POLLIN | POLLRDNORM));
	stats_must(check_poll(target->fd, 0, 0, 0));
	/* This file has no ->poll. */
	stats_must(check_poll(holders[STATS_FD_VM_STATS], all, 0,
			      POLLIN | POLLOUT | POLLRDNORM));
	stats_must(start(end_later, NULL, &thread));
	stats_must_end_in(END_SECONDS, "poll() returned");
	stats_must(check_poll(target->fd, 0, -1, POLLHUP));
	return check_poll(target->fd, all, 0, POLLHUP);
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
	pthread_t thread;

	stats_must(observe(target->getfd_fd, &fds[1]));
	for (i = 0; i < 2; i++) {
		epolls[i] = epoll_create1(EPOLL_CLOEXEC);
		epoll_ctl(epolls[i], EPOLL_CTL_ADD, fds[i], &event);
		stats_must(check_epoll(epolls[i], 0, EPOLLIN));
		stats_must(check_epoll(epolls[i], 0, 0));
	}
	stats_must(start(end_later, NULL, &thread));
	for (i = 0; i < 2; i++)
		stats_must(check_epoll(epolls[i], END_SECONDS * 1000,
				       EPOLLHUP));
	return NULL;
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
	char dir[64];
	bool visible;
	int fd;

	stats_must(stats_vmm_start(&vmm));
	stats_must(observe(vmm.fds[STATS_FD_VM], &fd));
	stats_close_fds(vmm.fds);
	snprintf(dir, sizeof(dir), "/sys/kernel/debug/kvm/%d-%d", vmm.pid,
		 vmm.remote[STATS_FD_VM]);
	visible = !access(dir, F_OK);
	if (lseek(fd, 0, SEEK_END) != (off_t)target->file.size)
		return stats_fail("the VM ended before its VMM was killed");
	stats_vmm_kill(&vmm);
	stats_must(is_over(fd));
	close(fd);
	if (visible && !access(dir, F_OK))
		return stats_fail("%s still exists", dir);
	return stats_reuse_memory();
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
	stats_must(end_vm(target));
	for (i = 0; i < NUM_READERS; i++) {
		kill(readers[i], SIGCONT);
		waitpid(readers[i], &status, 0);
		if (WEXITSTATUS(status) != ENODEV)
			return stats_fail("a reader ended with status %#x",
					  status);
	}
	return NULL;
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
	stats_must(start(read_once, target, &thread));
	if (read(uffd, &fault, sizeof(fault)) != sizeof(fault))
		return stats_fail("no page fault: %s", strerror(errno));
	stats_must(end_vm(target));
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

/*
 * KVM_STATS_NEXT.
 */

#define NUM_VMS		3
#define NUM_ENDS	100
#define MANY_VMS	1024
#define NOBODY		65534

/* The numbers of the VMs that the setup creates. */
static uint64_t vms[NUM_VMS];

static const char *next_failed(uint64_t vm)
{
	return stats_fail("KVM_STATS_NEXT after VM %llu failed: %s",
			  (unsigned long long)vm, strerror(errno));
}

/*
 * Other VMs can exist, but none may be created during the checks.  The number of
 * vCPUs tells these VMs apart.
 */
const char *stats_set_up_next(struct stats_target *target)
{
	int fds[STATS_NUM_FDS], i, id;

	for (i = 0; i < NUM_VMS; i++) {
		stats_must(stats_bare_vm(fds));
		for (id = 0; id < i; id++)
			ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU, id);
		stats_must(stats_open_last(&vms[i], &target->fd));
	}
	target->getfd_fd = stats_open_kvm();
	return NULL;
}

/* Is it the file of vms[@i]? */
static const char *check_file(int fd, int i)
{
	struct stats_vm_file file;

	stats_must(stats_vm_file_load(&file, fd));
	if (file.vcpus.vm != vms[i] || file.num_records != i + 1u)
		return stats_fail("VM %llu with %u vCPUs, expected VM %llu with %d",
				  (unsigned long long)file.vcpus.vm,
				  file.num_records, (unsigned long long)vms[i],
				  i + 1);
	return NULL;
}

/* All VMs, in order, each once. */
static const char *finds_vms(struct stats_target *target)
{
	uint64_t vm = 0, before = 0;
	int fd, found = 0;

	while ((fd = stats_open_next(target->getfd_fd, &vm)) >= 0) {
		if (vm <= before)
			return stats_fail("VM %llu follows VM %llu",
					  (unsigned long long)vm,
					  (unsigned long long)before);
		stats_must(found < NUM_VMS && vm == vms[found] ?
			   check_file(fd, found++) : NULL);
		before = vm;
		close(fd);
	}
	if (errno != ENOENT)
		return next_failed(vm);
	return found == NUM_VMS ? NULL :
	       stats_fail("found %d of %d VMs", found, NUM_VMS);
}

static const char *highest_number(struct stats_target *target)
{
	uint64_t vm = UINT64_MAX;

	return stats_refused("KVM_STATS_NEXT after the highest number",
			     stats_open_next(target->getfd_fd, &vm), ENOENT);
}

static const char *next_unknown_flags(struct stats_target *target)
{
	const uint32_t values[] = { 1, 2, 1u << 31, -1u };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		struct kvm_stats_next next = { .flags = values[i] };

		stats_must(stats_refused("KVM_STATS_NEXT with unknown flags",
					 ioctl(target->getfd_fd, KVM_STATS_NEXT,
					       &next), EINVAL));
	}
	return NULL;
}

static int lowest_free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* Nothing may be opened by a call that fails, and the number must not change. */
static const char *check_failure(int kvm, struct kvm_stats_next *next, int error)
{
	int lowest = lowest_free_fd();
	uint64_t vm = next->vm;

	stats_must(stats_refused("KVM_STATS_NEXT",
				 ioctl(kvm, KVM_STATS_NEXT, next), error));
	if (next->vm != vm)
		return stats_fail("the number has changed from %llu to %llu",
				  (unsigned long long)vm,
				  (unsigned long long)next->vm);
	if (lowest_free_fd() != lowest)
		return stats_fail("fd %d is in use", lowest);
	return NULL;
}

static uint8_t *map_two_pages(size_t *page)
{
	void *map;

	*page = sysconf(_SC_PAGESIZE);
	map = mmap(NULL, 2 * *page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return map == MAP_FAILED ? NULL : map;
}

/* The argument is readable, but only its first bytes are writable. */
static const char *fault_at_end(struct stats_target *target)
{
	struct kvm_stats_next *next;
	size_t page, writable;
	uint8_t *map = map_two_pages(&page);

	if (!map)
		return stats_fail("mmap() failed: %s", strerror(errno));
	for (writable = 0; writable < sizeof(*next); writable += 4) {
		next = (void *)(map + page - writable);
		mprotect(map, 2 * page, PROT_READ | PROT_WRITE);
		*next = (struct kvm_stats_next){ .vm = vms[0] };
		mprotect(map + page, page, PROT_READ);
		stats_must(check_failure(target->getfd_fd, next, EFAULT));
	}
	return NULL;
}

/* The argument is readable, but the number is not writable. */
static const char *fault_at_start(struct stats_target *target)
{
	struct kvm_stats_next *next;
	size_t page;
	uint8_t *map = map_two_pages(&page);

	if (!map)
		return stats_fail("mmap() failed: %s", strerror(errno));
	next = (void *)(map + page - sizeof(next->vm));
	*next = (struct kvm_stats_next){ .vm = vms[0] };
	mprotect(map, page, PROT_READ);
	stats_must(check_failure(target->getfd_fd, next, EFAULT));
	return stats_refused("KVM_STATS_NEXT without argument",
			     ioctl(target->getfd_fd, KVM_STATS_NEXT, NULL),
			     EFAULT);
}

static const char *next_no_free_fd(struct stats_target *target)
{
	struct kvm_stats_next next = { .vm = vms[0] };

	stats_limit_fds(true);
	stats_must(check_failure(target->getfd_fd, &next, EMFILE));
	stats_limit_fds(false);
	if (ioctl(target->getfd_fd, KVM_STATS_NEXT, &next))
		stats_must(next_failed(vms[0]));
	return NULL;
}

/*
 * The number of the last VM that is known to be destroyed.  Not all 32-bit
 * architectures have atomic accesses to 64 bits.
 */
static unsigned long destroyed;

/* Returns NULL or what failed. */
static void *create_and_destroy(void *arg)
{
	int kvm = *(int *)arg, vm, fd, i;
	uint64_t number;

	for (i = 0; i < NUM_ENDS; i++) {
		number = vms[NUM_VMS - 1];
		vm = ioctl(kvm, KVM_CREATE_VM, 0);
		fd = stats_open_next(kvm, &number);
		if (fd < 0)
			return "KVM_STATS_NEXT did not find a new VM";
		usleep(1000);
		close(vm);
		close(fd);
		__atomic_store_n(&destroyed, number, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

/* VM @gone was destroyed before VM @vm was found.  VM @vm can end now. */
static const char *check_found(int fd, uint64_t vm, uint64_t gone)
{
	struct kvm_stats_vcpus vcpus = { 0 };
	ssize_t got = pread(fd, &vcpus, sizeof(vcpus), STATS_DESC_OFFSET);

	if (got < 0 && errno == ENODEV) {
		vcpus.vm = vm;
		__atomic_store_n(&destroyed, vm, __ATOMIC_SEQ_CST);
	}
	if (vm > gone && vcpus.vm == vm)
		return NULL;
	return stats_fail("found VM %llu after the end of VM %llu, its file has VM %llu: %s",
			  (unsigned long long)vm, (unsigned long long)gone,
			  (unsigned long long)vcpus.vm, strerror(errno));
}

static const char *vms_come_and_go(struct stats_target *target)
{
	const char *message = NULL;
	void *failure = NULL;
	pthread_t thread;
	int found = 0;

	if (pthread_create(&thread, NULL, create_and_destroy,
			   &target->getfd_fd))
		return stats_fail("cannot create a thread");
	while (!message && pthread_tryjoin_np(thread, &failure)) {
		unsigned long gone = __atomic_load_n(&destroyed, __ATOMIC_SEQ_CST);
		uint64_t vm = vms[NUM_VMS - 1];
		int fd = stats_open_next(target->getfd_fd, &vm);

		if (fd >= 0) {
			message = check_found(fd, vm, gone);
			close(fd);
			found++;
		} else if (errno != ENOENT) {
			message = next_failed(vm);
		}
	}
	return message || (found && !failure) ? message :
	       stats_fail("found %d VMs, %s", found, (char *)failure);
}

static const char *many_vms(struct stats_target *target)
{
	uint64_t vm = vms[NUM_VMS - 1], before = vm;
	int fd, num, found = 0;

	stats_limit_fds(false);
	for (num = 0; num < MANY_VMS; num++)
		if (ioctl(target->getfd_fd, KVM_CREATE_VM, 0) < 0)
			return stats_skip("cannot create VM %d: %s", num,
					  strerror(errno));
	while ((fd = stats_open_next(target->getfd_fd, &vm)) >= 0 && vm > before) {
		close(fd);
		before = vm;
		found++;
	}
	return fd < 0 && errno == ENOENT && found == num ? NULL :
	       stats_fail("found %d of %d VMs, then VM %llu after VM %llu: %s",
			  found, num, (unsigned long long)vm,
			  (unsigned long long)before, strerror(errno));
}

static const char *refused_without_privilege(struct stats_target *target)
{
	uint64_t vm = 0;

	if (!geteuid() && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
		return stats_fail("cannot become another user: %s",
				  strerror(errno));
	return stats_refused("KVM_STATS_NEXT without CAP_PERFMON",
			     stats_open_next(target->getfd_fd, &vm), EPERM);
}

const struct stats_check stats_next_checks[] = {
	STATS_CHECK("finds_vms_in_order", finds_vms),
	STATS_CHECK("highest_number", highest_number),
	STATS_CHECK("unknown_flags", next_unknown_flags),
	STATS_CHECK("fault_at_end_of_argument", fault_at_end),
	STATS_CHECK("fault_at_start_of_argument", fault_at_start),
	STATS_CHECK("emfile", next_no_free_fd),
	STATS_CHECK("close_on_exec", stats_cloexec),
	STATS_CHECK("read_only", stats_read_only),
	STATS_CHECK("vms_come_and_go", vms_come_and_go),
	STATS_CHECK("many_vms", many_vms),
	STATS_CHECK("refused_without_privilege", refused_without_privilege),
};
