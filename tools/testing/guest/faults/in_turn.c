// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <poll.h>
#include <sys/mman.h>

#include "faults/in_turn.h"

#define MAX_FAULTS	2000	/* of one operation; more mean an endless loop */

unsigned int count_fds(int *first_free)
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

const char *no_fd_is_lost(unsigned int before)
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

const char *faults_open(void)
{
	if (fail_nth_open())
		return stats_skip("no fault injection: " FAIL_NTH_SLAB_DIR ": %s",
				  strerror(errno));
	/* Page faults of this process would count as allocations. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return stats_fail("mlockall: %s", strerror(errno));
	return NULL;
}

/* Runs the operation once. No fault is injected if @nth is 0. */
static const char *try_once(struct stats_target *target, const struct operation *operation,
			    unsigned int nth, enum fail_kind *failed)
{
	const char *message = operation->prepare ? operation->prepare(target) : NULL;
	int first_free;
	unsigned int fds = count_fds(&first_free);
	struct trial trial;

	*failed = FAIL_NONE;
	if (message)
		return message;
	if (nth && fail_nth_arm(nth))
		return stats_fail("fail-nth: %s", strerror(errno));
	errno = 0;
	trial.result = operation->run(target);
	trial.failed = nth ? fail_nth_disarm() : FAIL_NONE;
	trial.error = errno;
	*failed = trial.failed;

	message = operation->check(target, &trial);
	return message ? message : no_fd_is_lost(fds);
}

const char *try_fault(struct stats_target *target, const struct operation *operation,
		      unsigned int nth, enum fail_kind *failed)
{
	const char *message = try_once(target, operation, nth, failed);
	enum fail_kind none;

	if (message)
		return stats_fail("fault %u: %s", nth, message);
	if (*failed == FAIL_NONE)
		return NULL;
	++*operation->total;
	if (operation->retries)
		return NULL;
	message = try_once(target, operation, 0, &none);
	return message ? stats_fail("after fault %u: %s", nth, message) : NULL;
}

const char *fail_in_turn(struct stats_target *target, const struct operation *operation,
			 unsigned int failures[FAIL_NUM_KINDS])
{
	unsigned int nth = operation->first ? operation->first : 1;
	enum fail_kind failed;

	for (; nth < MAX_FAULTS; nth++) {
		const char *message = try_fault(target, operation, nth, &failed);

		if (message || failed == FAIL_NONE)
			return message;
		failures[failed]++;
	}
	return stats_fail("more than %d faults", MAX_FAULTS);
}

void report_failures(const struct stats_target *target, const char *name,
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

const char *check_errno(const struct trial *trial, const char *what, int slab, int page,
			int copy)
{
	const int expected[FAIL_NUM_KINDS] = { slab, page, copy };

	if (trial->failed == FAIL_NONE)
		return stats_fail("%s, without a fault: %s", what, strerror(trial->error));
	if (trial->error == expected[trial->failed])
		return NULL;
	return stats_fail("%s: %s, expected: %s", what, strerror(trial->error),
			  expected[trial->failed] ? strerror(expected[trial->failed]) :
			  "no allocation or copy of this kind");
}
