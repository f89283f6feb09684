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
		for (id = 0; id < i && !message; id++)
			if (ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU, id) < 0)
				message = stats_fail("KVM_CREATE_VCPU failed: %s",
						     strerror(errno));
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
		message = NULL;
		if (found < NUM_VMS && vm == vms[found])
			message = check_file(fd, found++);
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

static const char *continues(struct stats_target *target)
{
	uint64_t vm;
	int i;

	for (i = 0; i < NUM_VMS - 1; i++) {
		vm = vms[i];
		if (stats_open_next(target->getfd_fd, &vm) < 0)
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
				stats_open_next(target->getfd_fd, &vm),
				ENOENT);
	vm = UINT64_MAX;
	if (!message)
		message = stats_refused("KVM_STATS_NEXT after the highest number",
					stats_open_next(target->getfd_fd, &vm),
					ENOENT);
	return message;
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
	return stats_open_next(target->getfd_fd, &vm) < 0 ?
	       next_failed(vms[0]) : NULL;
}

/* VMs that a thread creates and destroys, one after the other */

static struct {
	uint64_t previous;	/* number of the VM before these */
	uint64_t gone;		/* number of the VM destroyed last */
	int num;		/* of destroyed VMs */
	const char *failure;
} come_and_go;

static void *create_and_destroy(void *arg)
{
	int kvm = stats_open_kvm(), vm, fd;

	while (come_and_go.num < NUM_ENDS) {
		uint64_t number = come_and_go.previous;

		vm = ioctl(kvm, KVM_CREATE_VM, 0);
		fd = stats_open_next(kvm, &number);
		usleep(1000);
		close(vm);
		if (vm < 0 || fd < 0) {
			come_and_go.failure = vm < 0 ? "KVM_CREATE_VM failed" :
					      "KVM_STATS_NEXT missed a VM";
			break;
		}
		close(fd);
		__atomic_store_n(&come_and_go.gone, number, __ATOMIC_SEQ_CST);
		come_and_go.num++;
	}
	return arg;
}

/* Was the VM destroyed before the call of KVM_STATS_NEXT that found it? */
static const char *check_found(int fd, uint64_t vm, uint64_t gone)
{
	struct kvm_stats_vcpus vcpus;
	ssize_t got = pread(fd, &vcpus, sizeof(vcpus), STATS_DESC_OFFSET);

	if (vm <= gone)
		return stats_fail("found VM %llu after the end of VM %llu",
				  (unsigned long long)vm,
				  (unsigned long long)gone);
	if (got < 0 ? errno != ENODEV : vcpus.vm != vm)
		return stats_fail("pread() of VM %llu returned %zd, VM %llu: %s",
				  (unsigned long long)vm, got,
				  (unsigned long long)vcpus.vm, strerror(errno));
	return NULL;
}

static const char *vms_come_and_go(struct stats_target *target)
{
	const char *message = NULL;
	pthread_t thread;
	int found = 0;

	come_and_go.previous = vms[NUM_VMS - 1];
	if (pthread_create(&thread, NULL, create_and_destroy, NULL))
		return stats_fail("cannot create a thread");
	while (!message && pthread_tryjoin_np(thread, NULL)) {
		uint64_t vm = come_and_go.previous;
		uint64_t gone = __atomic_load_n(&come_and_go.gone,
						__ATOMIC_SEQ_CST);
		int fd = stats_open_next(target->getfd_fd, &vm);

		if (fd >= 0) {
			message = check_found(fd, vm, gone);
			close(fd);
			found++;
		} else if (errno != ENOENT) {
			message = next_failed(come_and_go.previous);
		}
	}
	if (!message && (come_and_go.failure || !found))
		message = stats_fail("%s after %d VMs, %d found",
				     come_and_go.failure ?: "ended",
				     come_and_go.num, found);
	return message;
}

static const char *many_vms(struct stats_target *target)
{
	uint64_t vm = vms[NUM_VMS - 1], before = vm;
	struct rlimit limit;
	int fd, num, found = 0;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
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
	STATS_CHECK("continues_after_number", continues),
	STATS_CHECK("ends_with_enoent", ends),
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
