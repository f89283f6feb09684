/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs that try lifetimes of VMs have in common. */
#ifndef BOOT_TESTS_LIFETIMES_H
#define BOOT_TESTS_LIFETIMES_H

#include <sys/mman.h>

#include "kvm_stats_checks.h"
#include "suites.h"
#include "vm_alive.h"
#include "vmm_end.h"

/* Why not, if so. */
static inline const char *lifetimes_cannot_be_seen(void)
{
	const char *variant = getenv("BOOT_VARIANT");

	if (variant && !strcmp(variant, "unpatched"))
		return "this kernel lacks the statistics fd";
	if (geteuid())
		return "only root sees what VMs there are";
	if (access("/dev/kvm", R_OK | W_OK))
		return "no access to /dev/kvm";
	if (!vm_dirs_are_shown())
		return "no " VM_DEBUGFS ", which shows what VMs there are";
	return NULL;
}

/* Memory that the processes which checks run in have in common. */
static inline void *lifetimes_shared(size_t size)
{
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared != MAP_FAILED)
		return shared;
	printf("Bail out! mmap: %s\n", strerror(errno));
	exit(1);
}

static inline const char *lifetimes_set_up(struct stats_target *target)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (message)
		return message;
	target->fd = fds[which_stats(target)];
	return stats_file_load(&target->file, target->fd);
}

static inline unsigned long lifetimes_count(void)
{
	const char *wanted = getenv("LIFETIMES_COUNT");
	unsigned long count = wanted ? strtoul(wanted, NULL, 0) : 1;

	if (count && count <= 10000)
		return count;
	printf("Bail out! LIFETIMES_COUNT=%s, expected 1 to 10000\n", wanted);
	exit(1);
}

/* All of it as often as LIFETIMES_COUNT says. */
static inline void lifetimes_run(const struct stats_check *checks, size_t num)
{
	const struct stats_suite vm = { "vm", -1, checks, num, lifetimes_set_up };
	const struct stats_suite vcpu = { "vcpu", STATS_VCPU_ID, checks, num,
					  lifetimes_set_up };
	unsigned long i, count = lifetimes_count();
	struct stats_suite suites[2 * count];

	for (i = 0; i < count; i++) {
		suites[2 * i] = vm;
		suites[2 * i + 1] = vcpu;
	}
	run_suites(suites, 2 * count);
}

#endif /* BOOT_TESTS_LIFETIMES_H */
