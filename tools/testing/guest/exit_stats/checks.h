/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the test program exit_stats. */
#ifndef EXIT_STATS_CHECKS_H
#define EXIT_STATS_CHECKS_H

#include "run_delay/runner.h"

/* How an access of the guest to a device ends KVM_RUN. */
#ifdef __aarch64__
#define DEVICE_EXIT		KVM_EXIT_MMIO
#define KERNEL_EXIT_NS		"exit_hypercall_ns"
#else
#define DEVICE_EXIT		KVM_EXIT_IO
#define KERNEL_EXIT_NS		"exit_cpuid_ns"
#endif

struct check {
	const char *name;
	bool (*run)(void);
	const char *(*skip)(void);	/* returns why the check cannot run, or NULL */
};

/* Each list ends with a check without a name. The first ones run while the statistics are off. */
extern const struct check switch_checks[];
extern const struct check class_checks[];
extern const struct check event_checks[];
extern const struct check time_checks[];

/* With one CPU, nothing ends the loop of a guest that disables interrupts under Bochs. */
const char *needs_two_cpus(void);

/* Create a VM with one vCPU. On arm64, the vCPU has these bits KVM_ARM_VCPU_*. */
bool create_guest(struct guest *guest, uint32_t features);

/* An endless loop of the guest. */
struct loop {
	const void *code;
	size_t size;
};

extern const struct loop spin_loop;
extern const struct loop halt_loop;
extern const struct loop exit_loop;	/* exits to KVM twice, and then to a device */

/* Create a vCPU that executes the loop by calls of @run. */
bool create_runner(struct runner *runner, const struct loop *loop,
		   bool (*run)(struct guest *guest));

/* Return by how much all classes together have grown: their counters, or their times. */
uint64_t classes_count(const struct outcome *outcome);
uint64_t classes_ns(const struct outcome *outcome);

/* Return by how much all times of the vCPU have grown, including its waits for a CPU. */
uint64_t times_ns(const struct outcome *outcome);

/* Has the statistic @name grown by @expected? */
bool expect_growth(const struct outcome *outcome, const char *name, uint64_t expected);

/* Has the time of @class grown? */
bool expect_time(const struct outcome *outcome, const char *class);

/* Has the statistic exits grown by as much as all classes together? */
bool sums_agree(const struct outcome *outcome);

/* Are all values of the exit statistics 0, or as before? */
bool are_zero(const struct stats *stats);
bool are_unchanged(const struct outcome *outcome);

#endif /* EXIT_STATS_CHECKS_H */
