// SPDX-License-Identifier: GPL-2.0-only
/* Allocations of memory: those of the ioctl can fail, and reads make none. */
#define _GNU_SOURCE
#include "faults/fail_nth.h"
#include "stats_abi/stats_abi.h"

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
		message = stats_fail("after the failure of allocation %u: %s, expected: %s", nth,
				     strerror(errno), strerror(ENOMEM));
	if (fd >= 0)
		close(fd);
	return message;
}

/* Lets every allocation of the ioctl fail once, and checks that no fd is lost. */
const char *enomem(struct stats_target *target)
{
	enum fail_kind failed = FAIL_NONE;
	unsigned int nth = 0;
	const char *message;
	int lowest, fd;

	if (fail_nth_open())
		return stats_skip("no fault injection: " FAIL_NTH_SLAB_DIR ": %s",
				  strerror(errno));
	lowest = dup(target->fd);
	close(lowest);
	do
		message = open_without_memory(target, ++nth, &failed);
	while (!message && failed != FAIL_NONE);
	if (message)
		return message;
	if (nth == 1)
		return stats_fail("no fault could be injected into the ioctl");

	message = stats_getfd(target->getfd_fd, &fd);
	if (message)
		return message;
	return fd == lowest ? NULL :
	       stats_fail("the fd after %u failures is %d, expected %d", nth - 1, fd,
			  lowest);
}

/* The kernel counts copies together with allocations, so faults in copies are ignored. */
const char *read_allocates_nothing(struct stats_target *target)
{
	uint8_t buf[target->file.size];
	enum fail_kind failed;
	unsigned int nth = 0;
	ssize_t got;

	if (fail_nth_open())
		return stats_skip("no fault injection: " FAIL_NTH_SLAB_DIR ": %s",
				  strerror(errno));
	memset(buf, 0, sizeof(buf));	/* so that the read causes no page fault */
	do {
		if (fail_nth_arm(++nth))
			return stats_fail("fail-nth: %s", strerror(errno));
		got = pread(target->fd, buf, sizeof(buf), 0);
		failed = fail_nth_disarm();
	} while (failed == FAIL_COPY);
	if (failed != FAIL_NONE)
		return stats_fail("a read allocates memory");
	return stats_same(target, buf, got, 0, sizeof(buf));
}
