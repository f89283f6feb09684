// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM_STATS_NEXT.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>

#include "kvm_stats_check_open.h"
#include "kvm_stats_layout.h"

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
	const char *message = NULL;
	int fds[STATS_NUM_FDS], i, id;

	for (i = 0; i < NUM_VMS && !message; i++) {
		message = stats_bare_vm(fds);
		for (id = 0; id < i; id++)
			ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU, id);
		if (!message)
			message = stats_open_last(&vms[i], &target->fd);
	}
	target->getfd_fd = stats_open_kvm();
	return message;
}

/* Is it the file of vms[@i]? */
static const char *check_file(int fd, int i)
{
	struct stats_vm_file file;
	const char *message = stats_vm_file_load(&file, fd);

	if (!message && (file.vcpus.vm != vms[i] || file.num_records != i + 1u))
		message = stats_fail("VM %llu with %u vCPUs, expected VM %llu with %d",
				     (unsigned long long)file.vcpus.vm,
				     file.num_records,
				     (unsigned long long)vms[i], i + 1);
	return message;
}

/* All VMs, in order, each once. */
static const char *finds_vms(struct stats_target *target)
{
	uint64_t vm = 0, before = 0;
	const char *message;
	int fd, found = 0;

	while ((fd = stats_open_next(target->getfd_fd, &vm)) >= 0) {
		if (vm <= before)
			return stats_fail("VM %llu follows VM %llu",
					  (unsigned long long)vm,
					  (unsigned long long)before);
		message = found < NUM_VMS && vm == vms[found] ?
			  check_file(fd, found++) : NULL;
		if (message)
			return message;
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

static const char *unknown_flags(struct stats_target *target)
{
	const uint32_t values[] = { 1, 2, 1u << 31, -1u };
	const char *message = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values) && !message; i++) {
		struct kvm_stats_next next = { .flags = values[i] };

		message = stats_refused("KVM_STATS_NEXT with unknown flags",
					ioctl(target->getfd_fd, KVM_STATS_NEXT,
					      &next), EINVAL);
	}
	return message;
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
	const char *message;

	message = stats_refused("KVM_STATS_NEXT", ioctl(kvm, KVM_STATS_NEXT, next),
				error);
	if (!message && next->vm != vm)
		message = stats_fail("the number has changed from %llu to %llu",
				     (unsigned long long)vm,
				     (unsigned long long)next->vm);
	if (!message && lowest_free_fd() != lowest)
		message = stats_fail("fd %d is in use", lowest);
	return message;
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
	const char *message = NULL;
	size_t page, writable;
	uint8_t *map = map_two_pages(&page);

	if (!map)
		return stats_fail("mmap() failed: %s", strerror(errno));
	for (writable = 0; writable < sizeof(*next) && !message; writable += 4) {
		next = (void *)(map + page - writable);
		mprotect(map, 2 * page, PROT_READ | PROT_WRITE);
		*next = (struct kvm_stats_next){ .vm = vms[0] };
		mprotect(map + page, page, PROT_READ);
		message = check_failure(target->getfd_fd, next, EFAULT);
	}
	return message;
}

/* The argument is readable, but the number is not writable. */
static const char *fault_at_start(struct stats_target *target)
{
	struct kvm_stats_next *next;
	const char *message;
	size_t page;
	uint8_t *map = map_two_pages(&page);

	if (!map)
		return stats_fail("mmap() failed: %s", strerror(errno));
	next = (void *)(map + page - sizeof(next->vm));
	*next = (struct kvm_stats_next){ .vm = vms[0] };
	mprotect(map, page, PROT_READ);
	message = check_failure(target->getfd_fd, next, EFAULT);
	if (!message)
		message = stats_refused("KVM_STATS_NEXT without argument",
					ioctl(target->getfd_fd, KVM_STATS_NEXT,
					      NULL), EFAULT);
	return message;
}

static const char *no_free_fd(struct stats_target *target)
{
	struct kvm_stats_next next = { .vm = vms[0] };
	const char *message;

	stats_limit_fds(true);
	message = check_failure(target->getfd_fd, &next, EMFILE);
	stats_limit_fds(false);
	if (!message && ioctl(target->getfd_fd, KVM_STATS_NEXT, &next))
		message = next_failed(vms[0]);
	return message;
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
	STATS_CHECK("unknown_flags", unknown_flags),
	STATS_CHECK("fault_at_end_of_argument", fault_at_end),
	STATS_CHECK("fault_at_start_of_argument", fault_at_start),
	STATS_CHECK("emfile", no_free_fd),
	STATS_CHECK("close_on_exec", stats_cloexec),
	STATS_CHECK("read_only", stats_read_only),
	STATS_CHECK("vms_come_and_go", vms_come_and_go),
	STATS_CHECK("many_vms", many_vms),
	STATS_CHECK("refused_without_privilege", refused_without_privilege),
};
