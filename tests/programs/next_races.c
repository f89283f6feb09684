// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read files with vCPUs while another thread creates the vCPUs, and stop a caller of
 * KVM_STATS_NEXT. races.c iterates over VMs that come and go.
 *
 * NEXT_RACES_SECONDS is the duration of the reads (default: 3).
 */
#define _GNU_SOURCE
#include <linux/userfaultfd.h>
#include <pthread.h>

#include "kvm_stats_open.h"
#include "lib/run.h"
#include "lib/vm_dir.h"

#define MAX_VCPUS	32

#ifndef KVM_CAP_MAX_VCPUS
#define KVM_CAP_MAX_VCPUS	66
#endif

static unsigned long *grown;	/* VMs whose vCPUs were created during reads */
static long long duration;	/* in ms */

/* ---- vCPUs that are created while the end of the file is read ---- */

static struct {
	int vm;
	int vcpus[MAX_VCPUS];
	int num;		/* of vCPUs that the VM will have */
} growing;

/* The ids are in the opposite order of the records. */
static void *create_vcpus(void *arg)
{
	int i;

	for (i = 0; i < growing.num; i++)
		growing.vcpus[i] = ioctl(growing.vm, KVM_CREATE_VCPU, growing.num - 1 - i);
	return NULL;
}

static void close_growing(void)
{
	int i;

	for (i = 0; i < growing.num; i++)
		close(growing.vcpus[i]);
	close(growing.vm);
}

/* A read at the border returns nothing, or a complete record of the right vCPU. */
static void read_border(int fd, const struct kvm_stats_vcpus *vcpus, int i)
{
	uint8_t buf[vcpus->record_size];
	struct kvm_stats_record record;
	off_t end = lseek(fd, 0, SEEK_END);
	ssize_t got = pread(fd, buf, sizeof(buf),
			    vcpus->records_offset + (off_t)i * vcpus->record_size);

	if (!got)
		return;
	memcpy(&record, buf, sizeof(record));
	if (got != (ssize_t)sizeof(buf) || record.vcpu_id != (uint64_t)(growing.num - 1 - i) ||
	    record.reserved)
		fail("record %d: %zd bytes, vCPU %llu", i, got, (unsigned long long)record.vcpu_id);
	if ((end - vcpus->records_offset) % vcpus->record_size)
		fail("the file ends at %lld, in the middle of a record", (long long)end);
}

static void read_while_growing(int fd)
{
	struct kvm_stats_vcpus vcpus;
	int i = 0;

	if (pread(fd, &vcpus, sizeof(vcpus), STATS_DESC_OFFSET) != sizeof(vcpus))
		fail("pread: %s", strerror(errno));
	while (i < growing.num) {
		read_border(fd, &vcpus, i);
		while (i < growing.num && lseek(fd, 0, SEEK_END) >
		       vcpus.records_offset + (off_t)i * vcpus.record_size)
			i++;
	}
}

static const char *vcpus_appear(struct stats_target *target)
{
	int kvm = stats_open_kvm(), fd;
	long long end = ms_now() + duration;
	struct stats_vm_file file = { 0 };
	pthread_t thread;

	growing.num = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_MAX_VCPUS);
	if (growing.num > MAX_VCPUS)
		growing.num = MAX_VCPUS;
	while (ms_now() < end) {
		growing.vm = ioctl(kvm, KVM_CREATE_VM, 0);
		must(stats_open(growing.vm, &fd));
		if (pthread_create(&thread, NULL, create_vcpus, NULL))
			fail("pthread_create failed");
		read_while_growing(fd);
		pthread_join(thread, NULL);
		must(stats_vm_file_load(&file, fd));
		if (file.num_records != (uint32_t)growing.num)
			fail("the file has %u records", file.num_records);
		stats_vm_file_free(&file);
		close(fd);
		close_growing();
		++*grown;
	}
	return NULL;
}

/* ---- a caller that is stopped while KVM stores the result ---- */

static struct {
	int kvm;
	struct kvm_stats_next *next;
	int result;
} held;

static void *call_next(void *arg)
{
	held.result = ioctl(held.kvm, KVM_STATS_NEXT, held.next);
	return NULL;
}

/* The page stays readable. A write to it waits until the protection is removed. */
static void deny_writes(uint8_t *page, size_t size, int *uffd)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register range = {
		.range = { (uintptr_t)page, size }, .mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect protection = {
		.range = { (uintptr_t)page, size }, .mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

#ifndef __x86_64__
	must(stats_skip("userfaultfd of this architecture does not stop writes"));
#endif
	*uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (*uffd < 0 || ioctl(*uffd, UFFDIO_API, &api) ||
	    ioctl(*uffd, UFFDIO_REGISTER, &range) ||
	    ioctl(*uffd, UFFDIO_WRITEPROTECT, &protection))
		must(stats_skip("userfaultfd: %s", strerror(errno)));
}

static const char *stopped_caller(struct stats_target *target)
{
	struct uffdio_writeprotect release = { .mode = 0 };
	size_t size = sysconf(_SC_PAGESIZE);
	struct pollfd event = { .events = POLLIN };
	pthread_t thread;
	uint8_t *page;
	int vm;

	held.kvm = stats_open_kvm();
	vm = ioctl(held.kvm, KVM_CREATE_VM, 0);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	held.next = (void *)page;
	*held.next = (struct kvm_stats_next){ .vm = 0 };	/* the page must be present */
	deny_writes(page, size, &event.fd);
	if (pthread_create(&thread, NULL, call_next, NULL))
		fail("pthread_create failed");
	if (poll(&event, 1, 20000) != 1)
		fail("the call did not store its result");

	stats_must_end_in(20, "a VM was created while a caller of KVM_STATS_NEXT was stopped");
	close(ioctl(held.kvm, KVM_CREATE_VM, 0));
	stats_must_end_in(0, "");
	release.range.start = (uintptr_t)page;
	release.range.len = size;
	ioctl(event.fd, UFFDIO_WRITEPROTECT, &release);
	pthread_join(thread, NULL);
	close(vm);
	if (held.result)
		fail("KVM_STATS_NEXT: %s", strerror(errno));
	return NULL;
}

static const struct stats_check checks[] = {
	STATS_CHECK("vcpus_appear_during_reads", vcpus_appear),
	STATS_CHECK("stopped_caller_holds_no_lock", stopped_caller),
};

static const struct stats_suite suites[] = {
	{ "next", -1, checks, ARRAY_SIZE(checks), NULL },
};

int main(void)
{
	int kvm;

	if (vm_dirs_skip_reason())
		return tap_skip_all(vm_dirs_skip_reason());
	kvm = stats_open_kvm();
	if (!(ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD) & KVM_STATS_CAP_NEXT))
		return tap_skip_all("this kernel does not have KVM_STATS_NEXT");
	duration = setting("NEXT_RACES_SECONDS", 3) * 1000;
	grown = shared_memory(sizeof(*grown));
	run_suites(suites, ARRAY_SIZE(suites));
	tap_tried(*grown, "VMs whose vCPUs were created during reads");
	return tap_end();
}
