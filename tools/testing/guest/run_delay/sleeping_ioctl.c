// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <linux/userfaultfd.h>

#include "lib/failure.h"
#include "run_delay/sleeping_ioctl.h"

static struct {
	uint8_t *page;
	int uffd;
	pthread_t supplier;
	atomic_bool ended;
} missing;

static void *supply(void *arg)
{
	struct uffdio_zeropage zero = {
		.range.start = (uintptr_t)missing.page,
		.range.len = sysconf(_SC_PAGESIZE),
	};
	struct pollfd event = { .fd = missing.uffd, .events = POLLIN };
	struct uffd_msg message;

	while (!missing.ended) {
		if (poll(&event, 1, 20) != 1)
			continue;
		if (read(missing.uffd, &message, sizeof(message)) == sizeof(message))
			ioctl(missing.uffd, UFFDIO_ZEROPAGE, &zero);
	}
	return arg;
}

bool sleeping_ioctl_begin(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range.len = size, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	missing.page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (missing.page == MAP_FAILED)
		return fail("mmap: %s", strerror(errno));
	range.range.start = (uintptr_t)missing.page;
	missing.uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (missing.uffd < 0 || ioctl(missing.uffd, UFFDIO_API, &api) ||
	    ioctl(missing.uffd, UFFDIO_REGISTER, &range))
		return fail("userfaultfd: %s", strerror(errno));
	missing.ended = false;
	return !pthread_create(&missing.supplier, NULL, supply, NULL) ||
	       fail("a thread cannot be created");
}

void sleeping_ioctl_end(void)
{
	missing.ended = true;
	pthread_join(missing.supplier, NULL);
	close(missing.uffd);
	munmap(missing.page, sysconf(_SC_PAGESIZE));
}

/* On x86, KVM_GET_VCPU_EVENTS writes to user memory while the vCPU is loaded. */
bool sleeping_ioctl(struct guest *guest)
{
	madvise(missing.page, sysconf(_SC_PAGESIZE), MADV_DONTNEED);
	return !ioctl(guest->vcpu, KVM_GET_VCPU_EVENTS, missing.page) ||
	       fail("KVM_GET_VCPU_EVENTS: %s", strerror(errno));
}
