// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics fd of VMs and vCPUs: KVM_STATS_GETFD.
 *
 * The checks of kvm_stats_checks.h, on a VM whose guest has run, and those that
 * need a running guest: statistics move exactly as the guest makes them move,
 * and the fd is had at once whatever the vCPU does.  Each check has a process
 * and a VM of its own.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <sys/time.h>

#include "kvm_stats_thread.h"

#define IDLE_VCPU_ID	0
#define VCPU_ID		STATS_VCPU_ID
#define TIMES		13	/* how often the guest does a thing */
#define TICK		5000	/* microseconds */
#define AT_ONCE		10	/* seconds, generous for emulated machines */

/* For stats_motion.exit_reason: the guest goes on without the VMM's help ... */
#define STATS_NO_EXIT	0
/* ... or waits in the kernel until the VMM wakes it. */
#define STATS_WAIT	(~0u)

/* Each time the guest does @once, @stat goes up and the VMM sees @exit_reason. */
struct stats_motion {
	const char *name;
	const char *stat;
	void (*once)(void);
	uint32_t exit_reason;
};

#define COUNTER(name) \
	{ name, STATS_FLAGS(CUMULATIVE, NONE), 0, 1 }
#define COUNTER_NS(name) \
	{ name, STATS_FLAGS(CUMULATIVE, SECONDS), -9, 1 }
#define INSTANT(name) \
	{ name, STATS_FLAGS(INSTANT, NONE), 0, 1 }
#define PEAK(name) \
	{ name, STATS_FLAGS(PEAK, NONE), 0, 1 }
#define BOOLEAN(name) \
	{ name, STATS_FLAGS(INSTANT, BOOLEAN), 0, 1 }
#define LOG2_NS(name) \
	{ name, STATS_FLAGS(LOG_HIST, SECONDS), -9, 32 }

#include "kvm_stats_guest.h"

static const struct stats_expectation generic_vm[] = {
	COUNTER("remote_tlb_flush"),
	COUNTER("remote_tlb_flush_requests"),
};

static const struct stats_expectation generic_vcpu[] = {
	COUNTER("halt_successful_poll"),
	COUNTER("halt_attempted_poll"),
	COUNTER("halt_poll_invalid"),
	COUNTER("halt_wakeup"),
	COUNTER_NS("halt_poll_success_ns"),
	COUNTER_NS("halt_poll_fail_ns"),
	COUNTER_NS("halt_wait_ns"),
	LOG2_NS("halt_poll_success_hist"),
	LOG2_NS("halt_poll_fail_hist"),
	LOG2_NS("halt_wait_hist"),
	BOOLEAN("blocking"),
};

/* The guest */

enum { GUEST_SPIN = ARRAY_SIZE(stats_motions), GUEST_WAIT };

/* Set by the VMM: what to do TIMES times, or one of the above. */
static uint64_t guest_work;

static uint64_t guest_spins;
static uint64_t guest_waits;

static void guest_main(void)
{
	int i;

	for (;;) {
		while (READ_ONCE(guest_work) == GUEST_SPIN)
			WRITE_ONCE(guest_spins, guest_spins + 1);
		while (READ_ONCE(guest_work) == GUEST_WAIT) {
			WRITE_ONCE(guest_waits, guest_waits + 1);
			guest_wait_once();
		}
		for (i = 0; i < TIMES; i++)
			stats_motions[READ_ONCE(guest_work)].once();
		GUEST_DONE();
	}
}

static uint64_t *in_guest(struct kvm_vm *vm, uint64_t *global)
{
	return addr_gva2hva(vm, (vm_vaddr_t)global);
}

static void set_work(struct kvm_vm *vm, uint64_t work)
{
	WRITE_ONCE(*in_guest(vm, &guest_work), work);
}

static struct kvm_vm *create_vm(void)
{
	struct kvm_vm *vm = vm_create_default(IDLE_VCPU_ID, 0, guest_main);

	vm_vcpu_add_default(vm, VCPU_ID, guest_main);
	ucall_init(vm, NULL);
	stats_guest_prepare(vm);
	return vm;
}

/* Running it to the end of its work */

struct exits {
	uint64_t total;		/* returns of KVM_RUN with an exit reason */
	uint64_t expected;	/* those with the reason that belongs to the work */
	uint64_t signals;	/* returns of KVM_RUN because of a signal */
};

static void ignore_signal(int sig)
{
}

/* SIGALRM every few milliseconds, to get a vCPU out of KVM_RUN; 0 for never. */
static void set_ticks(suseconds_t microseconds)
{
	const struct itimerval period = {
		.it_value.tv_usec = microseconds,
		.it_interval.tv_usec = microseconds,
	};
	struct sigaction action = { .sa_handler = ignore_signal };

	TEST_ASSERT(!sigaction(SIGALRM, &action, NULL) &&
		    !setitimer(ITIMER_REAL, &period, NULL),
		    "cannot set a timer");
}

/* One KVM_RUN.  Returns whether the guest is done. */
static bool run_once(struct kvm_vm *vm, uint32_t reason, struct exits *exits)
{
	struct ucall uc;

	/* Unlike _vcpu_run(), returns for a signal. */
	if (_vcpu_ioctl(vm, VCPU_ID, KVM_RUN, NULL)) {
		TEST_ASSERT(errno == EINTR, "KVM_RUN failed");
		WRITE_ONCE(exits->signals, exits->signals + 1);
		stats_guest_wake(vm, VCPU_ID);
		return false;
	}
	exits->total++;
	exits->expected += vcpu_state(vm, VCPU_ID)->exit_reason == reason;
	return get_ucall(vm, VCPU_ID, &uc) == UCALL_DONE;
}

/* Signals a vCPU's thread, but only while it sleeps, and then once. */
struct waker {
	pthread_t thread;
	pthread_t vcpu;
	pid_t tid;
	const struct exits *exits;
	bool stop;
};

static void *wake_sleeper(void *arg)
{
	struct waker *waker = arg;
	uint64_t sent = 0;

	while (!READ_ONCE(waker->stop)) {
		if (READ_ONCE(waker->exits->signals) == sent &&
		    stats_thread_sleeps(waker->tid)) {
			sent++;
			pthread_kill(waker->vcpu, SIGALRM);
		}
		usleep(200);
	}
	return NULL;
}

static void start_waker(struct waker *waker, const struct exits *exits)
{
	set_ticks(0);
	waker->vcpu = pthread_self();
	waker->tid = syscall(SYS_gettid);
	waker->exits = exits;
	waker->stop = false;
	TEST_ASSERT(!pthread_create(&waker->thread, NULL, wake_sleeper, waker),
		    "cannot create a thread");
}

static void stop_waker(struct waker *waker)
{
	WRITE_ONCE(waker->stop, true);
	pthread_join(waker->thread, NULL);
}

static struct exits run_work(struct kvm_vm *vm, uint64_t work)
{
	uint32_t reason = stats_motions[work].exit_reason;
	struct exits exits = {};
	struct waker waker;

	set_work(vm, work);
	if (reason == STATS_WAIT)
		start_waker(&waker, &exits);
	while (!run_once(vm, reason, &exits))
		;
	if (reason == STATS_WAIT)
		stop_waker(&waker);
	return exits;
}

static const char *guest_runs(struct stats_target *target)
{
	run_work(create_vm(), 0);
	return NULL;
}

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = create_vm();
	const char *message;

	run_work(vm, 0);
	target->machine = vm;
	target->getfd_fd = target->vcpu_id < 0 ? vm_get_fd(vm) :
			   vcpu_find(vm, VCPU_ID)->fd;
	message = stats_getfd(target->getfd_fd, &target->fd);
	return message ? message : stats_file_load(&target->file, target->fd);
}

/* What there is */

static const char *capability(struct stats_target *target)
{
	int vm = vm_get_fd(target->machine);

	if (kvm_check_cap(KVM_CAP_STATS_BINARY_FD) != 1 ||
	    kvm_check_cap(KVM_CAP_BINARY_STATS_FD) != 1)
		return stats_fail("/dev/kvm does not answer 1");
	if (ioctl(vm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD) != 1)
		return stats_fail("the VM does not answer 1");
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
	if (target->vcpu_id < 0)
		return stats_check_expectations(&target->file, stats_arch_vm,
						ARRAY_SIZE(stats_arch_vm));
	return stats_check_expectations(&target->file, stats_arch_vcpu,
					ARRAY_SIZE(stats_arch_vcpu));
}

/* What moves */

static const char *value_now(struct stats_target *target, const char *name,
			     uint64_t *value)
{
	return stats_read_value(target->fd, &target->file, name, value);
}

static const char *check_moved(struct stats_target *target, const char *name,
			       uint64_t before, uint64_t by)
{
	const char *message;
	uint64_t after;

	message = value_now(target, name, &after);
	if (message)
		return message;
	return after - before == by ? NULL :
	       stats_fail("'%s' went from %lu to %lu, expected %lu",
			  name, before, after, before + by);
}

/* How often the statistic must have gone up, by what the VMM has seen. */
static uint64_t expected_motion(const struct stats_motion *motion,
				const struct exits *exits)
{
	if (motion->exit_reason == STATS_NO_EXIT)
		return TIMES;
	if (motion->exit_reason == STATS_WAIT)
		return exits->signals;
	/* Counts the ucall at the end too where that is such an exit. */
	return exits->expected;
}

/* An interrupt of the host may end a wait before it begins, on some CPUs. */
static bool is_plausible(const struct stats_motion *motion, uint64_t expected)
{
	uint64_t least = motion->exit_reason == STATS_WAIT ? 1 : TIMES;

	return expected >= least && expected <= TIMES + 1;
}

static const char *moves(struct stats_target *target)
{
	const struct stats_motion *motion = &stats_motions[target->arg];
	const char *message;
	struct exits exits;
	uint64_t before, expected;

	message = value_now(target, motion->stat, &before);
	if (message)
		return message;
	exits = run_work(target->machine, target->arg);
	expected = expected_motion(motion, &exits);
	if (!is_plausible(motion, expected))
		return stats_fail("the VMM saw it %lu times, expected %d",
				  expected, TIMES);
	return check_moved(target, motion->stat, before, expected);
}

static const char *exits_move(struct stats_target *target)
{
	uint64_t before, after;
	const char *message;
	struct exits exits;

	message = value_now(target, "exits", &before);
	if (message)
		return message;
	exits = run_work(target->machine, 0);
	message = value_now(target, "exits", &after);
	if (message)
		return message;
	return after - before >= exits.total ? NULL :
	       stats_fail("'exits' went from %lu to %lu, expected at least %lu",
			  before, after, before + exits.total);
}

static const char *signal_exits_move(struct stats_target *target)
{
	struct exits exits = {};
	const char *message;
	uint64_t before;

	message = value_now(target, "signal_exits", &before);
	if (message)
		return message;
	set_work(target->machine, GUEST_SPIN);
	set_ticks(TICK);
	while (exits.signals < TIMES)
		run_once(target->machine, STATS_NO_EXIT, &exits);
	set_ticks(0);
	return check_moved(target, "signal_exits", before, TIMES);
}

/* Nothing of what one vCPU does is counted for another. */
static const char *vcpus_do_not_mix(struct stats_target *target)
{
	struct stats_file before, after;
	struct kvm_vm *vm = target->machine;
	const char *message;
	uint64_t work;
	int idle;

	message = stats_getfd(vcpu_find(vm, IDLE_VCPU_ID)->fd, &idle);
	if (!message)
		message = stats_file_load(&before, idle);
	if (message)
		return message;
	for (work = 0; work < ARRAY_SIZE(stats_motions); work++)
		run_work(vm, work);
	message = stats_file_load(&after, idle);
	if (message)
		return message;
	if (before.size != after.size ||
	    memcmp(before.bytes, after.bytes, after.size))
		return stats_fail("a vCPU that did not run has other statistics than before");
	if (!memcmp(after.bytes + after.header.data_offset,
		    target->file.bytes + after.header.data_offset,
		    after.size - after.header.data_offset))
		return stats_fail("both vCPUs have the same statistics");
	return NULL;
}

/* A vCPU that sits in KVM_RUN */

struct runner {
	struct kvm_vm *vm;
	pid_t tid;
};

static void *run_for_ever(void *arg)
{
	struct runner *runner = arg;

	WRITE_ONCE(runner->tid, syscall(SYS_gettid));
	_vcpu_run(runner->vm, VCPU_ID);
	return NULL;
}

/* Sleeps for a while, not just between two instructions. */
static bool vcpu_waits(struct runner *runner)
{
	int i;

	if (!READ_ONCE(*in_guest(runner->vm, &guest_waits)))
		return false;
	for (i = 0; i < 10; i++) {
		if (!stats_thread_sleeps(READ_ONCE(runner->tid)))
			return false;
		usleep(2000);
	}
	return true;
}

static bool vcpu_spins(struct runner *runner)
{
	uint64_t *spins = in_guest(runner->vm, &guest_spins);
	uint64_t before = READ_ONCE(*spins);

	usleep(2000);
	return READ_ONCE(*spins) != before;
}

/* Returns once the vCPU is seen to spin in the guest or to wait in the kernel. */
static const char *keep_busy(struct stats_target *target, uint64_t work)
{
	static struct runner runner;
	pthread_t thread;

	runner.vm = target->machine;
	set_work(runner.vm, work);
	if (pthread_create(&thread, NULL, run_for_ever, &runner))
		return stats_fail("cannot create a thread");
	stats_must_end_in(20, "the vCPU got busy");
	if (work == GUEST_SPIN) {
		while (!vcpu_spins(&runner))
			;
	} else {
		while (!vcpu_waits(&runner))
			usleep(1000);
	}
	stats_must_end_in(0, "");
	return NULL;
}

static const char *open_at_once(struct stats_target *target)
{
	pid_t vmm = getpid();
	const char *message;
	int fd;

	stats_must_end_in(AT_ONCE, "KVM_STATS_GETFD returned");
	message = stats_getfd(target->getfd_fd, &fd);
	if (!message)
		message = stats_still_reads(target, fd, vmm);
	stats_must_end_in(0, "");
	return message;
}

static const char *open_in_child(struct stats_target *target)
{
	const char *message;
	int fd;

	message = stats_getfd(target->getfd_fd, &fd);
	return message ? message : stats_still_reads(target, fd, getppid());
}

static const char *opened_while_busy(struct stats_target *target)
{
	const char *message = keep_busy(target, target->arg);

	return message ? message : open_at_once(target);
}

static const char *opened_by_other_while_busy(struct stats_target *target)
{
	const char *message = keep_busy(target, target->arg);

	if (message)
		return message;
	stats_must_end_in(AT_ONCE, "KVM_STATS_GETFD returned");
	message = stats_in_child(target, open_in_child);
	stats_must_end_in(0, "");
	return message;
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
			return stats_fail("'%s' fell from %lu to %lu",
					  desc->name, old, new);
	}
	return NULL;
}

static const char *read_while_busy(struct stats_target *target)
{
	const char *message = keep_busy(target, target->arg);
	struct stats_file now;
	int i;

	for (i = 0; !message && i < 1000; i++) {
		message = stats_file_load(&now, target->fd);
		if (message)
			return message;
		if (now.size != target->file.size ||
		    memcmp(now.bytes, target->file.bytes, now.header.data_offset))
			return stats_fail("what is constant of the file has changed");
		message = check_monotone(&target->file, &now);
		stats_file_free(&target->file);
		target->file = now;
	}
	return message;
}

/* Start and stop of dirty logging make KVM flush the TLB of a running vCPU. */
static const char *remote_tlb_flush_moves(struct stats_target *target)
{
	uint64_t before, now;
	const char *message;

	message = keep_busy(target, GUEST_SPIN);
	if (message)
		return message;
	message = value_now(target, "remote_tlb_flush", &before);
	if (message)
		return message;

	stats_must_end_in(20, "'remote_tlb_flush' moved");
	do {
		vm_mem_region_set_flags(target->machine, 0,
					KVM_MEM_LOG_DIRTY_PAGES);
		usleep(1000);
		vm_mem_region_set_flags(target->machine, 0, 0);
		message = value_now(target, "remote_tlb_flush", &now);
	} while (!message && now == before);
	stats_must_end_in(0, "");
	if (!message && now < before)
		return stats_fail("'remote_tlb_flush' fell from %lu to %lu",
				  before, now);
	return message;
}

/* debugfs has the VM's values, and sums over the vCPUs, under the old names. */

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

/* The sum over what the fds in @fds say. */
static const char *sum_now(struct stats_target *target, const int *fds,
			   size_t num, const char *name, uint64_t *sum)
{
	const char *message = NULL;
	uint64_t value;
	size_t i;

	*sum = 0;
	for (i = 0; !message && i < num; i++) {
		message = stats_read_value(fds[i], &target->file, name, &value);
		*sum += value;
	}
	return message;
}

static const char *agrees_with_debugfs(struct stats_target *target)
{
	struct kvm_vm *vm = target->machine;
	const struct kvm_stats_desc *desc;
	int fds[2] = { target->fd }, num = 1, compared = 0;
	const char *message;
	uint64_t sum, shown;
	uint32_t i;

	if (target->vcpu_id >= 0) {
		message = stats_getfd(vcpu_find(vm, IDLE_VCPU_ID)->fd, &fds[1]);
		if (message)
			return message;
		num = 2;
	}
	for (i = 0; (desc = stats_file_desc(&target->file, i)); i++) {
		if (desc->size != 1 ||
		    !debugfs_value(desc->name, vm_get_fd(vm), &shown))
			continue;
		message = sum_now(target, fds, num, desc->name, &sum);
		if (message)
			return message;
		if (sum != shown)
			return stats_fail("'%s' is %lu, in debugfs %lu",
					  desc->name, sum, shown);
		compared++;
	}
	return compared ? NULL :
	       stats_skip("debugfs does not show this VM: %s", strerror(errno));
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
	STATS_CHECK("exits_move", exits_move),
	STATS_CHECK("vcpus_do_not_mix", vcpus_do_not_mix),
};

/* Of what not every architecture has. */
static const struct stats_check debugfs_check =
	STATS_CHECK("agrees_with_debugfs", agrees_with_debugfs);
static const struct stats_check remote_tlb_flush_check =
	STATS_CHECK("remote_tlb_flush_moves", remote_tlb_flush_moves);
static const struct stats_check signal_exits_check =
	STATS_CHECK("signal_exits_move", signal_exits_move);

/* One for each of stats_motions. */
static struct stats_check motion_checks[ARRAY_SIZE(stats_motions)];

#define SUITE(kind, id, table, num_checks)			\
	{ .name = kind, .vcpu_id = id, .checks = table,		\
	  .num = num_checks, .setup = set_up }

static const struct stats_suite suites[] = {
	SUITE("vm", -1, stats_checks, ARRAY_SIZE(stats_checks)),
	SUITE("vm", -1, own_checks, ARRAY_SIZE(own_checks)),
	SUITE("vm", -1, &debugfs_check, STATS_OF_VM_IN_DEBUGFS),
	SUITE("vm", -1, &remote_tlb_flush_check, true),
	SUITE("vcpu", VCPU_ID, stats_checks, ARRAY_SIZE(stats_checks)),
	SUITE("vcpu", VCPU_ID, own_checks, ARRAY_SIZE(own_checks)),
	SUITE("vcpu", VCPU_ID, vcpu_checks, ARRAY_SIZE(vcpu_checks)),
	SUITE("vcpu", VCPU_ID, &debugfs_check, true),
	SUITE("vcpu", VCPU_ID, &signal_exits_check, true),
	SUITE("vcpu.counts", VCPU_ID, motion_checks, ARRAY_SIZE(motion_checks)),
};

/* Without it, nearly every check would wait for its deadline. */
static const struct stats_check first_check = STATS_CHECK("guest", guest_runs);
static const struct stats_suite first_suite = { .name = "first" };

int main(void)
{
	const struct stats_outcome *outcome;
	unsigned int i;

	stats_tap_begin();
	outcome = stats_run(&first_suite, &first_check);
	if (outcome->verdict != STATS_PASS)
		ksft_exit_fail_msg("the guest does not run: %s\n",
				   outcome->message);

	for (i = 0; i < ARRAY_SIZE(stats_motions); i++)
		motion_checks[i] = (struct stats_check)
			STATS_CHECK(stats_motions[i].name, moves, .arg = i);
	stats_tap_run(suites, ARRAY_SIZE(suites));
	stats_tap_end();
}
