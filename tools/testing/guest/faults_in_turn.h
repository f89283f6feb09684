/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every allocation and every copy on a path through the kernel fails in turn, until a
 * try passes with none failing.
 */
#ifndef BOOT_TESTS_FAULTS_IN_TURN_H
#define BOOT_TESTS_FAULTS_IN_TURN_H

#include <poll.h>
#include <sys/mman.h>

#include "fail_nth.h"
#include "kvm_stats_run.h"

#define MOST_FAULTS	2000	/* of one path; more are an endless loop */

/* One try, of which one allocation or copy fails, or none does. */
struct trial {
	long result;
	int error;
	enum fail_kind failed;
};

/* What is tried: @run runs between arming and disarming, the others do not. */
struct path {
	const char *name;
	const char *(*prepare)(struct stats_target *target);
	long (*run)(struct stats_target *target);
	const char *(*judge)(struct stats_target *target, const struct trial *trial);
	unsigned int first;		/* fault */
	bool retried;			/* it sees itself to the next try */
	unsigned long *tried;
};

/* How many are open, and the first one that is not; takes no fd to do so. */
static inline unsigned int count_fds(int *first_free)
{
	struct pollfd fds[256];
	unsigned int count = 0;
	int i;

	for (i = 0; i < (int)ARRAY_SIZE(fds); i++)
		fds[i] = (struct pollfd){ .fd = i };
	*first_free = -1;
	if (poll(fds, ARRAY_SIZE(fds), 0) < 0)
		return 0;
	for (i = ARRAY_SIZE(fds) - 1; i >= 0; i--) {
		if (fds[i].revents & POLLNVAL)
			*first_free = i;
		else
			count++;
	}
	return count;
}

/* An fd that was reserved and neither opened nor given back can only be missed. */
static inline const char *no_fd_is_lost(unsigned int before)
{
	int first_free, next;
	unsigned int now = count_fds(&first_free);

	if (now != before)
		return stats_fail("%u fds are open, before there were %u", now, before);
	next = dup(STDOUT_FILENO);
	close(next);
	return next == first_free ? NULL :
	       stats_fail("fd %d is lost: the next one is %d", first_free, next);
}

static inline const char *try_once(struct stats_target *target, const struct path *path,
				   unsigned int nth, enum fail_kind *failed)
{
	const char *message = path->prepare ? path->prepare(target) : NULL;
	int first_free;
	unsigned int fds = count_fds(&first_free);
	struct trial trial;

	if (message)
		return message;
	if (nth && fail_nth_arm(nth))
		return stats_fail("fail-nth: %s", strerror(errno));
	errno = 0;
	trial.result = path->run(target);
	trial.failed = nth ? fail_nth_disarm() : FAIL_NONE;
	trial.error = errno;
	*failed = trial.failed;

	message = path->judge(target, &trial);
	return message ? message : no_fd_is_lost(fds);
}

static inline void tell(const struct stats_target *target, const char *name,
			const unsigned int failures[FAIL_NUM_KINDS])
{
	const char *kind = !target->file.size ? "created" : target->vcpu_id < 0 ? "vm" : "vcpu";

	printf("# %s.%s: %u slab allocations", kind, name, failures[FAIL_SLAB]);
	if (fail_nth_has(FAIL_PAGE))
		printf(", %u pages", failures[FAIL_PAGE]);
	if (fail_nth_has(FAIL_COPY))
		printf(", %u copies", failures[FAIL_COPY]);
	printf(" failed in turn\n");
}

/* The fault, and then what comes after it. */
static inline const char *try_fault(struct stats_target *target, const struct path *path,
				    unsigned int nth, enum fail_kind *failed)
{
	const char *message = try_once(target, path, nth, failed);
	enum fail_kind none;

	if (message)
		return stats_fail("fault %u: %s", nth, message);
	if (*failed == FAIL_NONE)
		return NULL;
	++*path->tried;
	if (path->retried)
		return NULL;
	message = try_once(target, path, 0, &none);
	return message ? stats_fail("after fault %u: %s", nth, message) : NULL;
}

static inline const char *fail_in_turn(struct stats_target *target, const struct path *path,
				       unsigned int failures[FAIL_NUM_KINDS])
{
	unsigned int nth = path->first ? path->first : 1;
	enum fail_kind failed;

	for (; nth < MOST_FAULTS; nth++) {
		const char *message = try_fault(target, path, nth, &failed);

		if (message || failed == FAIL_NONE)
			return message;
		failures[failed]++;
	}
	return stats_fail("more than %d faults", MOST_FAULTS);
}

/* No fault of the memory of this process comes in between: all of it is there. */
static inline const char *faults_open(void)
{
	if (fail_nth_open())
		return stats_skip("no fault injection: " FAIL_NTH_KNOBS ": %s",
				  strerror(errno));
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return stats_fail("mlockall: %s", strerror(errno));
	return NULL;
}

static inline const char *judge_errno(const struct trial *trial, const char *what,
				      int slab, int page, int copy)
{
	const int expected[FAIL_NUM_KINDS] = { slab, page, copy };

	if (trial->failed == FAIL_NONE)
		return stats_fail("%s, of which nothing failed: %s", what,
				  strerror(trial->error));
	if (trial->error == expected[trial->failed])
		return NULL;
	return stats_fail("%s: %s, expected: %s", what, strerror(trial->error),
			  expected[trial->failed] ? strerror(expected[trial->failed]) :
			  "not to do that at all");
}

#endif /* BOOT_TESTS_FAULTS_IN_TURN_H */
