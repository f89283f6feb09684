// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics fd of VMs and vCPUs: KVM_STATS_GETFD.
 *
 * The test runs the checks of kvm_stats_checks.h on a VM whose guest has run,
 * and checks that need a running guest: statistics increase exactly when the
 * guest causes the event, and KVM_STATS_GETFD does not wait for a vCPU.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include "kvm_stats_tap.h"
#include "kvm_stats_checks.h"
#include "kvm_stats_workload.h"

#define OPEN_SECONDS	10	/* limit for KVM_STATS_GETFD, for slow machines */

static const struct stats_expectation generic_vm[] = {
	STATS_COUNTER("remote_tlb_flush"),
	STATS_COUNTER("remote_tlb_flush_requests"),
};

static const struct stats_expectation generic_vcpu[] = {
	STATS_COUNTER("halt_successful_poll"),
	STATS_COUNTER("halt_attempted_poll"),
	STATS_COUNTER("halt_poll_invalid"),
	STATS_COUNTER("halt_wakeup"),
	STATS_COUNTER_NS("halt_poll_success_ns"),
	STATS_COUNTER_NS("halt_poll_fail_ns"),
	STATS_COUNTER_NS("halt_wait_ns"),
	STATS_LOG2_NS("halt_poll_success_hist"),
	STATS_LOG2_NS("halt_poll_fail_hist"),
	STATS_LOG2_NS("halt_wait_hist"),
	STATS_BOOLEAN("blocking"),
};

static const char *guest_runs(struct stats_target *target)
{
	stats_run_event(stats_create_vm(), 0);
	return NULL;
}

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = stats_create_vm();

	stats_run_event(vm, 0);
	target->machine = vm;
	target->getfd_fd = target->vcpu_id < 0 ? vm_get_fd(vm) :
			   stats_vcpu_fd(vm, VCPU_ID);
	stats_must(stats_getfd(target->getfd_fd, &target->fd));
	return stats_file_load(&target->file, target->fd);
}

/* Capability and names */

static const char *capability(struct stats_target *target)
{
	int vm = vm_get_fd(target->machine);

	if (kvm_check_cap(KVM_CAP_STATS_BINARY_FD) <= 0 ||
	    kvm_check_cap(KVM_CAP_BINARY_STATS_FD) <= 0)
		return stats_fail("KVM_CHECK_EXTENSION of /dev/kvm does not report the fd");
	if (ioctl(vm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD) <= 0)
		return stats_fail("KVM_CHECK_EXTENSION of the VM does not report the fd");
	return NULL;
}

static const char *generic_names(struct stats_target *target)
{
	if (target->vcpu_id < 0)
		return stats_check_expectations(&target->file, generic_vm,
						ARRAY_SIZE(generic_vm));
	return stats_check_expectations(&target->file, generic_vcpu,
					ARRAY_SIZE(generic_vcpu));
}

static const char *arch_names(struct stats_target *target)
{
	return target->vcpu_id < 0 ? stats_check_arch_vm(&target->file) :
				     stats_check_arch_vcpu(&target->file);
}

/* Statistics that increase */

static const char *value_now(struct stats_target *target, const char *name,
			     uint64_t *value)
{
	return stats_read_value(target->fd, &target->file, name, value);
}

static const char *check_increase(struct stats_target *target, const char *name,
				  uint64_t before, uint64_t by)
{
	uint64_t after;

	stats_must(value_now(target, name, &after));
	return after - before == by ? NULL :
	       stats_fail("'%s' changed from %lu to %lu, expected %lu",
			  name, before, after, before + by);
}

/* Computes the increase of the statistic from what the VMM has observed. */
static uint64_t expected_increase(const struct stats_event *event,
				  const struct stats_exits *exits)
{
	if (event->exit_reason == STATS_NO_EXIT)
		return STATS_TIMES;
	if (event->exit_reason == STATS_WAIT)
		return exits->signals;
	/* This includes the final ucall if that is an exit of the same kind. */
	return exits->expected;
}

/* On some CPUs an interrupt of the host can end a wait before it begins. */
static bool is_plausible(const struct stats_event *event, uint64_t expected)
{
	uint64_t least = event->exit_reason == STATS_WAIT ? 1 : STATS_TIMES;

	return expected >= least && expected <= STATS_TIMES + 1;
}

static const char *event_increases(struct stats_target *target)
{
	const struct stats_event *event = &stats_events[target->arg];
	struct stats_exits exits;
	uint64_t before, expected;

	stats_must(value_now(target, event->stat, &before));
	exits = stats_run_event(target->machine, target->arg);
	expected = expected_increase(event, &exits);
	if (!is_plausible(event, expected))
		return stats_fail("the VMM observed %lu events, expected %d",
				  expected, STATS_TIMES);
	return check_increase(target, event->stat, before, expected);
}

static const char *exits_increase(struct stats_target *target)
{
	uint64_t before, after;
	struct stats_exits exits;

	stats_must(value_now(target, "exits", &before));
	exits = stats_run_event(target->machine, 0);
	stats_must(value_now(target, "exits", &after));
	return after - before >= exits.total ? NULL :
	       stats_fail("'exits' changed from %lu to %lu, expected at least %lu",
			  before, after, before + exits.total);
}

static const char *signal_exits_increase(struct stats_target *target)
{
	uint64_t before;

	stats_must(value_now(target, "signal_exits", &before));
	stats_run_signals(target->machine, STATS_TIMES);
	return check_increase(target, "signal_exits", before, STATS_TIMES);
}

/* The events of one vCPU are not counted for another vCPU. */
static const char *vcpus_are_independent(struct stats_target *target)
{
	struct stats_file before, after;
	struct kvm_vm *vm = target->machine;
	unsigned int event;
	int idle;

	stats_must(stats_getfd(stats_vcpu_fd(vm, IDLE_VCPU_ID), &idle));
	stats_must(stats_file_load(&before, idle));
	for (event = 0; event < STATS_NUM_EVENTS; event++)
		stats_run_event(vm, event);
	stats_must(stats_file_load(&after, idle));
	if (before.size != after.size ||
	    memcmp(before.bytes, after.bytes, after.size))
		return stats_fail("the statistics of a vCPU that did not run have changed");
	if (!memcmp(after.bytes + after.header.data_offset,
		    target->file.bytes + after.header.data_offset,
		    after.size - after.header.data_offset))
		return stats_fail("both vCPUs have the same statistics");
	return NULL;
}

/* A vCPU that stays in KVM_RUN */

/* KVM_STATS_GETFD must not wait until KVM_RUN returns. */
static const char *open_at_once(struct stats_target *target)
{
	pid_t vmm = getpid();
	int fd;

	stats_must_end_in(OPEN_SECONDS, "KVM_STATS_GETFD returned");
	stats_must(stats_getfd(target->getfd_fd, &fd));
	stats_must(stats_still_reads(target, fd, vmm));
	stats_must_end_in(0, "");
	return NULL;
}

static const char *open_in_child(struct stats_target *target)
{
	int fd;

	stats_must(stats_getfd(target->getfd_fd, &fd));
	return stats_still_reads(target, fd, getppid());
}

static const char *opened_while_busy(struct stats_target *target)
{
	stats_must(stats_keep_busy(target->machine, target->arg));
	return open_at_once(target);
}

static const char *opened_by_other_while_busy(struct stats_target *target)
{
	stats_must(stats_keep_busy(target->machine, target->arg));
	stats_must_end_in(OPEN_SECONDS, "KVM_STATS_GETFD returned");
	stats_must(stats_in_child(target, open_in_child));
	stats_must_end_in(0, "");
	return NULL;
}

static const char *check_monotone(const struct stats_file *before,
				  const struct stats_file *after)
{
	const struct kvm_stats_desc *desc;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(before, i)); i++) {
		size_t offset = before->header.data_offset + desc->offset;
		uint64_t old, new;

		if ((desc->flags & KVM_STATS_TYPE_MASK) !=
		    KVM_STATS_TYPE_CUMULATIVE)
			continue;
		memcpy(&old, before->bytes + offset, sizeof(old));
		memcpy(&new, after->bytes + offset, sizeof(new));
		if (new < old)
			return stats_fail("'%s' decreased from %lu to %lu",
					  desc->name, old, new);
	}
	return NULL;
}

static const char *read_while_busy(struct stats_target *target)
{
	struct stats_file now;
	int i;

	stats_must(stats_keep_busy(target->machine, target->arg));
	for (i = 0; i < 1000; i++) {
		stats_must(stats_file_load(&now, target->fd));
		if (now.size != target->file.size ||
		    memcmp(now.bytes, target->file.bytes, now.header.data_offset))
			return stats_fail("the header, the id or a descriptor has changed");
		stats_must(check_monotone(&target->file, &now));
		stats_file_free(&target->file);
		target->file = now;
	}
	return NULL;
}

/* KVM flushes the TLB of a running vCPU when dirty logging starts or stops. */
static const char *remote_tlb_flush_increases(struct stats_target *target)
{
	uint64_t before, now;

	if (stats_nth_cpu(1) < 0)
		return stats_skip("this test needs 2 CPUs, to flush the TLB of another one");
	stats_must(stats_keep_busy(target->machine, GUEST_SPIN));
	stats_must(value_now(target, "remote_tlb_flush", &before));

	stats_must_end_in(20, "'remote_tlb_flush' increased");
	do {
		vm_mem_region_set_flags(target->machine, 0,
					KVM_MEM_LOG_DIRTY_PAGES);
		usleep(1000);
		vm_mem_region_set_flags(target->machine, 0, 0);
		stats_must(value_now(target, "remote_tlb_flush", &now));
	} while (now == before);
	stats_must_end_in(0, "");
	if (now < before)
		return stats_fail("'remote_tlb_flush' decreased from %lu to %lu",
				  before, now);
	return NULL;
}

/*
 * debugfs has one file per statistic.  A file of a vCPU statistic contains the
 * sum over all vCPUs.
 */

static bool debugfs_value(const char *name, int vm_fd, uint64_t *value)
{
	char path[256];
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "/sys/kernel/debug/kvm/%d-%d/%s", getpid(),
		 vm_fd, name);
	file = fopen(path, "r");
	if (!file)
		return false;
	read = fscanf(file, "%lu", value) == 1;
	fclose(file);
	return read;
}

/* Adds the values of the statistic @name in all @fds. */
static const char *sum_now(struct stats_target *target, const int *fds,
			   size_t num, const char *name, uint64_t *sum)
{
	uint64_t value;
	size_t i;

	*sum = 0;
	for (i = 0; i < num; i++) {
		stats_must(stats_read_value(fds[i], &target->file, name,
					    &value));
		*sum += value;
	}
	return NULL;
}

static const char *agrees_with_debugfs(struct stats_target *target)
{
	struct kvm_vm *vm = target->machine;
	const struct kvm_stats_desc *desc;
	int fds[2] = { target->fd }, num = 1, compared = 0;
	uint64_t sum, shown;
	uint32_t i;

	if (target->vcpu_id >= 0) {
		stats_must(stats_getfd(stats_vcpu_fd(vm, IDLE_VCPU_ID),
				       &fds[1]));
		num = 2;
	}
	for (i = 0; (desc = stats_file_desc(&target->file, i)); i++) {
		if (desc->size != 1 ||
		    !debugfs_value(desc->name, vm_get_fd(vm), &shown))
			continue;
		stats_must(sum_now(target, fds, num, desc->name, &sum));
		if (sum != shown)
			return stats_fail("'%s' is %lu, but %lu in debugfs",
					  desc->name, sum, shown);
		compared++;
	}
	return compared ? NULL :
	       stats_skip("cannot read the debugfs files of this VM: %s", strerror(errno));
}

/* Suites */

static const struct stats_check own_checks[] = {
	STATS_CHECK("capability", capability),
	STATS_CHECK("generic_names", generic_names),
	STATS_CHECK("arch_names", arch_names),
	STATS_CHECK("opened_while_vcpu_spins", opened_while_busy, .arg = GUEST_SPIN),
	STATS_CHECK("opened_while_vcpu_waits", opened_while_busy, .arg = GUEST_WAIT),
	STATS_CHECK("opened_by_other_process_while_vcpu_spins",
		    opened_by_other_while_busy, .arg = GUEST_SPIN),
	STATS_CHECK("opened_by_other_process_while_vcpu_waits",
		    opened_by_other_while_busy, .arg = GUEST_WAIT),
	STATS_CHECK("read_while_vcpu_spins", read_while_busy, .arg = GUEST_SPIN),
	STATS_CHECK("read_while_vcpu_waits", read_while_busy, .arg = GUEST_WAIT),
};

static const struct stats_check vcpu_checks[] = {
	STATS_CHECK("exits_increase", exits_increase),
	STATS_CHECK("signal_exits_increase", signal_exits_increase),
	STATS_CHECK("vcpus_are_independent", vcpus_are_independent),
};

static const struct stats_check debugfs_checks[] = {
	STATS_CHECK("agrees_with_debugfs", agrees_with_debugfs),
};

static const struct stats_check remote_tlb_flush_checks[] = {
	STATS_CHECK("remote_tlb_flush_increases", remote_tlb_flush_increases),
};

/* One check for each of stats_events, filled in by main(). */
static struct stats_check event_checks[STATS_NUM_EVENTS];

#define SUITE(name, id, table)	STATS_SUITE(name, id, table, set_up)

static const struct stats_suite suites[] = {
	SUITE("vm", -1, stats_checks),
	SUITE("vm", -1, own_checks),
	{ "vm", -1, debugfs_checks, STATS_VM_DEBUGFS_CHECKS, set_up },
	SUITE("vm", -1, remote_tlb_flush_checks),
	SUITE("vcpu", VCPU_ID, stats_checks),
	SUITE("vcpu", VCPU_ID, own_checks),
	SUITE("vcpu", VCPU_ID, vcpu_checks),
	SUITE("vcpu", VCPU_ID, debugfs_checks),
	SUITE("vcpu.counts", VCPU_ID, event_checks),
};

/* If the guest does not run, nearly every check would reach its time limit. */
static void run_guest_first(void)
{
	static const struct stats_check check = STATS_CHECK("guest", guest_runs);
	static const struct stats_suite suite = { .name = "first" };
	const struct stats_outcome *outcome = stats_run(&suite, &check);

	if (outcome->verdict != STATS_PASS)
		ksft_exit_fail_msg("the guest does not run: %s\n",
				   outcome->message);
}

int main(void)
{
	unsigned int i;

	stats_tap_begin();
	run_guest_first();
	for (i = 0; i < STATS_NUM_EVENTS; i++)
		event_checks[i] = (struct stats_check)
			STATS_CHECK(stats_events[i].name, event_increases, .arg = i);
	stats_tap_run(suites, ARRAY_SIZE(suites), NULL, 0);
}
