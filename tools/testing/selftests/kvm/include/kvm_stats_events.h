/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens while a guest runs, as the statistics of its VM and its vCPU
 * count it: take the values of a moment before and one after, and compare.
 */
#ifndef SELFTEST_KVM_STATS_EVENTS_H
#define SELFTEST_KVM_STATS_EVENTS_H

#include "kvm_stats_tap.h"
#include "../lib/kvm_util_internal.h"
#include "kvm_stats_checks.h"

/* A vCPU, its VM, and the statistics fds of both. */
struct stats_guest {
	struct kvm_vm *vm;
	uint32_t vcpu_id;
	int vm_stats;
	int vcpu_stats;
};

/* Every value at one time.  The memory goes with the process of the check. */
struct stats_moment {
	struct stats_file vm;
	struct stats_file vcpu;
};

/* What has to become of a statistic; of a histogram, of the sum of its buckets. */
struct stats_change {
	const char *name;
	int64_t by;
};

static inline int stats_open(int getfd_fd)
{
	const char *message;
	int fd;

	message = stats_getfd(getfd_fd, &fd);
	TEST_ASSERT(!message, "%s", message);
	return fd;
}

static inline struct stats_guest stats_guest_of(struct kvm_vm *vm,
						uint32_t vcpu_id)
{
	return (struct stats_guest) {
		.vm = vm,
		.vcpu_id = vcpu_id,
		.vm_stats = stats_open(vm_get_fd(vm)),
		.vcpu_stats = stats_open(vcpu_find(vm, vcpu_id)->fd),
	};
}

/*
 * Runs the vCPU until it makes a ucall, which is returned; MMIO on the way goes
 * nowhere.
 */
static inline uint64_t stats_run_guest(const struct stats_guest *guest)
{
	struct kvm_run *run = vcpu_state(guest->vm, guest->vcpu_id);
	struct ucall uc;

	do {
		vcpu_run(guest->vm, guest->vcpu_id);
		get_ucall(guest->vm, guest->vcpu_id, &uc);
	} while (!uc.cmd && run->exit_reason == KVM_EXIT_MMIO);

	TEST_ASSERT(uc.cmd != UCALL_ABORT, "%s at line %lu",
		    (const char *)uc.args[0], uc.args[1]);
	TEST_ASSERT(uc.cmd, "exit %u (%s), expected a ucall",
		    run->exit_reason, exit_reason_str(run->exit_reason));
	return uc.cmd;
}

/* A global variable of this program, as the guest has it. */
#define stats_in_guest(vm, global) \
	((typeof(global) *)addr_gva2hva(vm, (vm_vaddr_t)&(global)))

static inline struct stats_moment stats_now(const struct stats_guest *guest)
{
	struct stats_moment now;
	const char *message;

	message = stats_file_load(&now.vm, guest->vm_stats);
	if (!message)
		message = stats_file_load(&now.vcpu, guest->vcpu_stats);
	TEST_ASSERT(!message, "%s", message);
	return now;
}

/* No name is both one of the VM and one of the vCPU. */
static inline const uint64_t *stats_values(const struct stats_moment *moment,
					   const char *name, unsigned int *num)
{
	const struct stats_file *file = &moment->vm;
	const struct kvm_stats_desc *desc = stats_file_find(file, name);

	if (!desc) {
		file = &moment->vcpu;
		desc = stats_file_find(file, name);
	}
	TEST_ASSERT(desc, "there is no statistic '%s'", name);
	*num = desc->size;
	return (const void *)(file->bytes + file->header.data_offset +
			      desc->offset);
}

static inline uint64_t stats_sum(const struct stats_moment *moment,
				 const char *name)
{
	const uint64_t *values;
	unsigned int i, num;
	uint64_t sum = 0;

	values = stats_values(moment, name, &num);
	for (i = 0; i < num; i++)
		sum += values[i];
	return sum;
}

static inline const char *stats_check_value(const struct stats_moment *now,
					    const char *name, uint64_t expected)
{
	uint64_t value = stats_sum(now, name);

	return value == expected ? NULL :
	       stats_fail("'%s' is %lu, expected %lu", name, value, expected);
}

static inline int64_t stats_moved(const struct stats_moment *before,
				  const struct stats_moment *after,
				  const char *name)
{
	return stats_sum(after, name) - stats_sum(before, name);
}

static inline const char *
stats_check_changes(const struct stats_moment *before,
		    const struct stats_moment *after,
		    const struct stats_change *changes, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++) {
		int64_t by = stats_moved(before, after, changes[i].name);

		if (by != changes[i].by)
			return stats_fail("'%s' moved by %ld, expected %ld",
					  changes[i].name, by, changes[i].by);
	}
	return NULL;
}

/* STATS_CHECK_CHANGES(&before, &after, { "NAME", BY }, ...) */
#define STATS_CHECK_CHANGES(before, after, ...)				\
	stats_check_changes(before, after,				\
			    (const struct stats_change[]) { __VA_ARGS__ }, \
			    sizeof((const struct stats_change[]) { __VA_ARGS__ }) / \
			    sizeof(struct stats_change))

#endif /* SELFTEST_KVM_STATS_EVENTS_H */
