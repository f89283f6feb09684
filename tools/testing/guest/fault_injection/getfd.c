// SPDX-License-Identifier: GPL-2.0-only
/* Faults in KVM_STATS_GETFD. */
#define _GNU_SOURCE
#include "fault_injection/fault_injection.h"

long run_getfd(struct stats_target *target)
{
	return ioctl(target->getfd_fd, KVM_STATS_GETFD, NULL);
}

static const char *check_getfd(struct stats_target *target, const struct trial *trial)
{
	const char *message;

	if (trial->result < 0)
		return check_errno(trial, "KVM_STATS_GETFD", ENOMEM, ENOMEM, 0);
	message = stats_still_reads(target, trial->result, shared->vmm);
	close(trial->result);
	return message;
}

/* The ioctl allocates at least the name and the open file. */
const char *getfd(struct stats_target *target)
{
	const struct operation operation = {
		.run = run_getfd,
		.check = check_getfd,
		.total = &shared->opens,
	};
	unsigned int failures[FAIL_NUM_KINDS] = { 0 };
	const char *message = faults_open();

	if (!message)
		message = fail_in_turn(target, &operation, failures);
	if (message)
		return message;
	report_failures(target, "getfd", failures);
	if (failures[FAIL_SLAB] < 2)
		return stats_fail("%u allocations failed, expected 2 or more",
				  failures[FAIL_SLAB]);
	return target_disappears(target);
}

/* ---- with a full fd table ---- */

static int fd_table_size(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[128];
	int size = -1;

	while (status && size < 0 && fgets(line, sizeof(line), status))
		if (sscanf(line, "FDSize: %d", &size) != 1)
			size = -1;
	if (status)
		fclose(status);
	return size;
}

/* The fds that fill the table. */
static struct {
	int fds[256];
	int num;
} filling;

static long run_getfd_table_full(struct stats_target *target)
{
	int size = shared->table_size, fd = -1;

	for (filling.num = 0; fd < size - 1 && filling.num < 256; filling.num++) {
		fd = dup(target->fd);
		filling.fds[filling.num] = fd;
	}
	return run_getfd(target);
}

static const char *check_getfd_table_full(struct stats_target *target,
					  const struct trial *trial)
{
	if (trial->result >= 0 && trial->result < shared->table_size)
		return stats_fail("the table of %d fds was not full", shared->table_size);
	while (filling.num--)
		close(filling.fds[filling.num]);
	return check_getfd(target, trial);
}

/* Runs in a child, because the table of a process never becomes smaller again. */
static const char *try_with_full_table(struct stats_target *target)
{
	const struct operation operation = {
		.run = run_getfd_table_full,
		.check = check_getfd_table_full,
		.total = &shared->opens,
	};
	const char *message = faults_open();

	shared->table_size = fd_table_size();
	return message ? message :
	       try_fault(target, &operation, target->arg, &shared->failed);
}

/* The fd table must grow as well, which needs three more allocations. */
const char *getfd_table_full(struct stats_target *target)
{
	unsigned int failures[FAIL_NUM_KINDS] = { 0 };
	const char *message = faults_open();

	for (target->arg = 1; !message; target->arg++) {
		message = stats_in_child(target, try_with_full_table);
		if (message || shared->failed == FAIL_NONE)
			break;
		failures[shared->failed]++;
	}
	if (message)
		return message;
	report_failures(target, "getfd_table_full", failures);
	if (failures[FAIL_SLAB] < 5)
		return stats_fail("%u allocations failed, expected 5 or more",
				  failures[FAIL_SLAB]);
	return target_disappears(target);
}
