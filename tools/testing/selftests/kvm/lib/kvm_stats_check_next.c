// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM_STATS_NEXT.
 */
#define _GNU_SOURCE
#include <grp.h>

#include "kvm_stats_check_open.h"
#include "kvm_stats_layout.h"

#define NUM_VMS		3
#define NOBODY		65534

/* The numbers of the VMs that the setup creates. */
static uint64_t vms[NUM_VMS];

static const char *next_failed(uint64_t vm)
{
	return stats_fail("KVM_STATS_NEXT after VM %llu failed: %s",
			  (unsigned long long)vm, strerror(errno));
}

/* Other VMs can exist, but none may be created during the checks. */
const char *stats_set_up_next(struct stats_target *target)
{
	const char *message = NULL;
	int fds[STATS_NUM_FDS], i;
	uint64_t vm = 0;

	for (i = 0; i < NUM_VMS && !message; i++) {
		message = stats_bare_vm(fds);
		if (!message)
			vms[i] = stats_fdinfo_vm(fds[STATS_FD_VM_STATS]);
	}
	if (message)
		return message;
	target->getfd_fd = stats_open_kvm();
	target->fd = stats_open_next(target->getfd_fd, &vm, 0);
	if (target->fd >= 0)
		return NULL;
	return errno == EPERM && geteuid() ?
	       stats_skip("KVM_STATS_NEXT needs CAP_PERFMON") : next_failed(0);
}

/* All VMs, in order, each once. */
static const char *finds_vms(struct stats_target *target)
{
	uint64_t vm = 0, before = 0;
	int fd, found = 0;

	while ((fd = stats_open_next(target->getfd_fd, &vm, 0)) >= 0) {
		if (vm <= before)
			return stats_fail("VM %llu follows VM %llu",
					  (unsigned long long)vm,
					  (unsigned long long)before);
		if (stats_fdinfo_vm(fd) != vm)
			return stats_fail("the file of VM %llu is that of VM %llu",
					  (unsigned long long)vm, (unsigned long long)
					  stats_fdinfo_vm(fd));
		if (found < NUM_VMS && vm == vms[found])
			found++;
		before = vm;
		close(fd);
	}
	if (errno != ENOENT)
		return next_failed(vm);
	return found == NUM_VMS ? NULL :
	       stats_fail("found %d of %d VMs", found, NUM_VMS);
}

static const char *continues(struct stats_target *target)
{
	uint64_t vm;
	int i;

	for (i = 0; i < NUM_VMS - 1; i++) {
		vm = vms[i];
		if (stats_open_next(target->getfd_fd, &vm, 0) < 0)
			return next_failed(vms[i]);
		if (vm != vms[i + 1])
			return stats_fail("VM %llu follows VM %llu, expected VM %llu",
					  (unsigned long long)vm,
					  (unsigned long long)vms[i],
					  (unsigned long long)vms[i + 1]);
	}
	return NULL;
}

static const char *ends(struct stats_target *target)
{
	uint64_t vm = vms[NUM_VMS - 1];
	const char *message;

	message = stats_refused("KVM_STATS_NEXT after the last VM",
				stats_open_next(target->getfd_fd, &vm, 0),
				ENOENT);
	vm = UINT64_MAX;
	if (!message)
		message = stats_refused("KVM_STATS_NEXT after the highest number",
					stats_open_next(target->getfd_fd, &vm, 0),
					ENOENT);
	return message;
}

static const char *with_vcpus(struct stats_target *target)
{
	struct stats_vm_file file;
	const char *message;
	uint64_t vm = vms[0];
	int fd;

	fd = stats_open_next(target->getfd_fd, &vm, KVM_STATS_OPEN_VCPUS);
	if (fd < 0)
		return next_failed(vms[0]);
	message = stats_vm_file_load(&file, fd);
	if (!message && (file.num_records != 1 || file.vcpus.vm != vms[1]))
		message = stats_fail("VM %llu has %u records in its file, expected VM %llu and 1",
				     (unsigned long long)file.vcpus.vm,
				     file.num_records,
				     (unsigned long long)vms[1]);
	return message;
}

static const char *without_vcpus(struct stats_target *target)
{
	const char *message = stats_file_load(&target->file, target->fd);

	return message ? message : stats_check_header(&target->file);
}

static const char *unknown_flags(struct stats_target *target)
{
	const uint32_t values[] = { 2, 3, 1u << 31, -1u };
	const char *message = NULL;
	uint64_t vm = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values) && !message; i++)
		message = stats_refused("KVM_STATS_NEXT with unknown flags",
					stats_open_next(target->getfd_fd, &vm,
							values[i]), EINVAL);
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
	struct rlimit old, low;
	int result, error;
	uint64_t vm = vms[0];

	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = lowest_free_fd();
	setrlimit(RLIMIT_NOFILE, &low);
	result = ioctl(target->getfd_fd, KVM_STATS_NEXT, &next);
	error = errno;
	setrlimit(RLIMIT_NOFILE, &old);
	if (result >= 0 || error != EMFILE || next.vm != vms[0])
		return stats_fail("the call returned %d (%s) and VM %llu, expected EMFILE",
				  result, strerror(error),
				  (unsigned long long)next.vm);
	return stats_open_next(target->getfd_fd, &vm, 0) < 0 ?
	       next_failed(vms[0]) : NULL;
}

static const char *is_found(int kvm, uint64_t number, bool expected)
{
	uint64_t vm = number - 1;
	int fd = stats_open_next(kvm, &vm, 0);

	if (fd >= 0)
		close(fd);
	return (fd >= 0 && vm == number) == expected ? NULL :
	       stats_fail("VM %llu is %sfound", (unsigned long long)number,
			  expected ? "not " : "");
}

/* A VM without VM and vCPU fds exists as long as a file of it is open. */
static const char *holds_vm(struct stats_target *target)
{
	int fds[STATS_NUM_FDS], fd;
	const char *message = stats_bare_vm(fds);
	uint64_t number, vm;

	if (message)
		return message;
	number = stats_fdinfo_vm(fds[STATS_FD_VM_STATS]);
	vm = number - 1;
	fd = stats_open_next(target->getfd_fd, &vm, KVM_STATS_OPEN_VCPUS);
	if (fd < 0)
		return next_failed(number - 1);
	stats_close_fds(fds);
	message = is_found(target->getfd_fd, number, true);
	close(fd);
	return message ? message : is_found(target->getfd_fd, number, false);
}

static const char *refused_without_privilege(struct stats_target *target)
{
	uint64_t vm = 0;

	if (!geteuid() && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
		return stats_fail("cannot become another user: %s",
				  strerror(errno));
	return stats_refused("KVM_STATS_NEXT without CAP_PERFMON",
			     stats_open_next(target->getfd_fd, &vm, 0), EPERM);
}

const struct stats_check stats_next_checks[] = {
	STATS_CHECK("finds_vms_in_order", finds_vms),
	STATS_CHECK("continues_after_number", continues),
	STATS_CHECK("ends_with_enoent", ends),
	STATS_CHECK("with_vcpus", with_vcpus),
	STATS_CHECK("without_vcpus", without_vcpus),
	STATS_CHECK("unknown_flags", unknown_flags),
	STATS_CHECK("fault_at_end_of_argument", fault_at_end),
	STATS_CHECK("fault_at_start_of_argument", fault_at_start),
	STATS_CHECK("emfile", no_free_fd),
	STATS_CHECK("close_on_exec", stats_cloexec),
	STATS_CHECK("read_only", stats_read_only),
	STATS_CHECK("holds_vm_while_open", holds_vm),
	STATS_CHECK("refused_without_privilege", refused_without_privilege),
};
