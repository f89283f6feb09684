// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "fault_injection/in_turn.h"

#define MAX_IN_TURN	2000	/* faults of one operation; more mean an endless loop */
#define MAX_FAULTS	"1000000"

static const struct {
	const char *name;
	const char *dir;
} kinds[NUM_FAULTS] = {
	[FAULT_SLAB] = { "allocates memory", "/sys/kernel/debug/failslab" },
	[FAULT_PAGE] = { "allocates pages", "/sys/kernel/debug/fail_page_alloc" },
	[FAULT_COPY] = { "copies memory", "/sys/kernel/debug/fail_usercopy" },
};

static int nth_fd = -1;
static bool available[NUM_FAULTS];

static bool write_attribute(enum fault fault, const char *name, const char *value)
{
	bool written;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", kinds[fault].dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	written = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
	close(fd);
	return written;
}

/* The kernel decreases "times" by one at each fault. The file can be read only once. */
static long read_times(enum fault fault)
{
	char path[64], text[24] = "";
	long times;
	int fd;

	snprintf(path, sizeof(path), "%s/times", kinds[fault].dir);
	fd = available[fault] ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	times = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 ? atol(text) : -1;
	close(fd);
	return times;
}

bool faults_have(enum fault fault)
{
	return available[fault];
}

const char *faults_choose(bool slab, bool page)
{
	if (write_attribute(FAULT_SLAB, "ignore-gfp-wait", "N") &&
	    write_attribute(FAULT_SLAB, "cache-filter", slab ? "N" : "Y") &&
	    (!faults_have(FAULT_PAGE) ||
	     (write_attribute(FAULT_PAGE, "ignore-gfp-wait", "N") &&
	      write_attribute(FAULT_PAGE, "ignore-gfp-highmem", "Y") &&
	      write_attribute(FAULT_PAGE, "min-order", page ? "0" : "32"))))
		return NULL;
	return stats_fail("cannot set the attributes of fault injection: %s", strerror(errno));
}

const char *faults_open(void)
{
	int fault;

	/* With "verbose" 0 the kernel does not log the faults. */
	for (fault = 0; fault < NUM_FAULTS; fault++)
		available[fault] = write_attribute(fault, "verbose", "0") &&
				   write_attribute(fault, "times", MAX_FAULTS);
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (!faults_have(FAULT_SLAB) || nth_fd < 0)
		return stats_skip("this kernel has no fault injection for the slab allocator");
	/* Page faults of this process would count as allocations. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return stats_fail("mlockall: %s", strerror(errno));
	return faults_choose(true, true);
}

static bool set_nth(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(nth_fd, text, len, 0) == len;
}

/* Runs the operation while fault @nth is armed. Preserves the errno of the operation. */
static struct trial run_armed(struct stats_target *target, const struct operation *operation,
			      unsigned int nth)
{
	struct trial trial = { .fault = NO_FAULT };
	long times[NUM_FAULTS];
	char text[16] = "";
	int fault, error;
	bool hit;

	for (fault = 0; fault < NUM_FAULTS; fault++)
		times[fault] = read_times(fault);
	set_nth(nth);
	trial.result = operation->run(target);
	error = errno;
	/* If the copy of this pread() or of set_nth() fails, none failed before. */
	hit = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	if (!set_nth(0))
		set_nth(0);
	for (fault = 0; fault < NUM_FAULTS; fault++)
		if (read_times(fault) != times[fault] && hit)
			trial.fault = fault;
	errno = error;
	return trial;
}

static const char *check_error(const struct operation *operation, const struct trial *trial)
{
	if (trial->fault == NO_FAULT)
		return trial->result < 0 ? stats_fail("without a fault: %s", strerror(errno)) :
					   NULL;
	if (!operation->errors[trial->fault])
		return stats_fail("the operation %s", kinds[trial->fault].name);
	return trial->result < 0 ? stats_refused(operation->name, trial->result,
						 operation->errors[trial->fault]) : NULL;
}

/* An fd that stays open, or reserved without being open, changes the lowest free number. */
static int lowest_free_fd(void)
{
	int fd = dup(STDOUT_FILENO);

	close(fd);
	return fd;
}

/* Runs the operation once. No fault is injected if @nth is 0. */
static const char *try_once(struct stats_target *target, struct operation *operation,
			    unsigned int nth, enum fault *fault)
{
	const char *message = operation->prepare ? operation->prepare(target) : NULL;
	int before = lowest_free_fd(), after;
	struct trial trial = { .fault = NO_FAULT };

	if (message)
		return message;
	if (nth)
		trial = run_armed(target, operation, nth);
	else
		trial.result = operation->run(target);
	*fault = trial.fault;
	message = check_error(operation, &trial);
	if (!message)
		message = operation->check(target, &trial);
	if (message)
		return message;
	after = lowest_free_fd();
	return after == before ? NULL :
	       stats_fail("fd %d is lost: the lowest free one is %d", before, after);
}

const char *fail_in_turn(struct stats_target *target, struct operation *operation)
{
	unsigned int nth = operation->first ? operation->first : 1;

	for (; nth < MAX_IN_TURN; nth++) {
		enum fault fault, none;
		const char *message = try_once(target, operation, nth, &fault);

		if (message)
			return stats_fail("fault %u: %s", nth, message);
		if (fault == NO_FAULT)
			return NULL;
		operation->failures[fault]++;
		message = try_once(target, operation, 0, &none);
		if (message)
			return stats_fail("after fault %u: %s", nth, message);
	}
	return stats_fail("more than %d faults", MAX_IN_TURN);
}
