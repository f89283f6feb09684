/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VM with a little memory and one vCPU that runs a few instructions. It works on every
 * architecture and needs no framework. vcpu/arch/ has the code of each architecture.
 */
#ifndef VCPU_GUEST_H
#define VCPU_GUEST_H

#include <fcntl.h>
#include <sys/ioctl.h>

#include <linux/kvm.h>

#include "kvm_stats_file.h"
#include "lib/test.h"

struct guest {
	int vm;
	int vcpu;
	struct kvm_run *run;
	size_t run_size;
	uint8_t *memory;	/* at address 0 of the guest */
	void *reserved;		/* the address space that contains @memory */
	size_t end;		/* of the code in @memory */
	const void *arg;	/* of the action that user space executes */
	/* on arm64, of the vCPU: bits KVM_ARM_VCPU_*; on x86, of the VM: GUEST_WITHOUT_IRQCHIP */
	uint32_t features;
};

#define GUEST_WITHOUT_IRQCHIP	1

enum guest_precision {
	GUEST_AT_LEAST,
	GUEST_EXACTLY,
	GUEST_NOT,
	GUEST_AT_END,		/* only the exit at the end of the code counts */
	GUEST_TWICE,
};

/* The change of a statistic for each execution of an action: 1, GUEST_NOT 0, GUEST_TWICE 2. */
struct guest_change {
	const char *statistic;
	enum guest_precision precision;
	/* statistics to subtract: @statistic also counts these interrupts of the test machine */
	const char *minus[2];
};

#define GUEST_ONCE(statistic)	{ #statistic, GUEST_EXACTLY }
#define GUEST_NEVER(statistic)	{ #statistic, GUEST_NOT }

#define GUEST_CODE(array)	.code = array, .size = sizeof(array)

/* An action of a guest: a piece of code that can be repeated. */
struct guest_action {
	const char *name;
	const void *code;
	size_t size;
	unsigned int exit_reason;	/* of each execution; 0 if KVM handles the exit itself */
	struct guest_change changes[9];	/* ends with an entry without a name */
	bool of_vm;		/* the statistics are of the VM, not of the vCPU */
	/* Can the action run in this test machine? NULL means that it always can. */
	bool (*is_supported)(const struct guest *guest);
	/* Called once before the first execution. Returns NULL or an error message. */
	const char *(*prepare)(const struct guest *guest);
	/* If set, the action is not executed, and only the names in @changes are valid. */
	const char *skip_reason;
	/*
	 * If set, user space ends this halt: it raises an IRQ, and lowers it after the exit.
	 * Returns NULL or an error message.
	 */
	const char *(*interrupt)(const struct guest *guest, bool raise);
	/* If set, user space executes the action, for example because no guest can run. */
	const char *(*from_user_space)(const struct guest *guest);
	const void *arg;		/* what this function finds in @guest */
};

/* @how is a property, or a macro of several. The changes follow. */
#define GUEST_ACTION(title, how, ...)						\
	{ .name = #title, how, .changes = { __VA_ARGS__ } }

/*
 * Return the supported action or halt after @previous, or the first one if that is NULL.
 * Return NULL at the end. The first action exits to user space at each execution. A halt
 * waits for an interrupt.
 */
const struct guest_action *guest_next_action(const struct guest *guest,
					     const struct guest_action *previous);
const struct guest_action *guest_next_halt(const struct guest *guest,
					   const struct guest_action *previous);

/* Returns NULL or an error message. */
const char *guest_create(struct guest *guest);
void guest_destroy(struct guest *guest);

/*
 * Appends code that executes @action as often as @times says. If an execution does not exit to
 * user space, the code exits once at its end.
 */
void guest_append(struct guest *guest, const struct guest_action *action, unsigned int times);

/* Runs code that guest_append() added with the same arguments. */
const char *guest_run(struct guest *guest, const struct guest_action *action,
		      unsigned int times);

/* ---- the statistics of a vCPU or a VM ---- */

/* The statistics before and after an action. */
struct outcome {
	struct stats_file before;
	struct stats_file after;
};

/* Frees what @stats had before, which must be all zeros at first. */
void read_stats(int owner, struct stats_file *stats);

/* If set, read_stats() calls this. */
extern void (*read_stats_instead)(struct stats_file *stats);

const struct kvm_stats_desc *find_desc(const struct stats_file *stats, const char *name);

/* Returns value @n of a statistic. */
uint64_t value_at(const struct stats_file *stats, const struct kvm_stats_desc *desc,
		  unsigned int n);

/* Returns the first value of the statistic @name. */
uint64_t value_of(const struct stats_file *stats, const char *name);

/* Returns by how much the first value of the statistic @name has changed. */
uint64_t change_of(const struct outcome *outcome, const char *name);

/* The first value of the statistic @name must have changed by @expected. */
void expect_change(const struct outcome *outcome, const char *name, uint64_t expected);

/* Returns the number of amounts that the histogram @name has counted. */
uint64_t counted(const struct outcome *outcome, const char *name);

#endif /* VCPU_GUEST_H */
