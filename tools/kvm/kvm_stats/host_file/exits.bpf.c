// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the exits of vCPUs by class, and adds up where their time goes. The names and the meaning
 * of the statistics are those of virt/kvm/kvm_exit_stats.c, and the classes are its own: the table
 * in arch/ARCH/kvm/exit_classes.c is compiled into this program.
 *
 * The programs are attached to KVM's tracepoints. At each of them, the time since the last one is
 * added to one value, so the time of a vCPU is complete. The time for which its thread waited for a
 * CPU is left out, because thread_run_delay_ns has it. The beginning of KVM_RUN has no tracepoint,
 * so the time in user space ends when the guest is entered. That of kvm_vcpu_wakeup reports how
 * long a halt was, so a halt counts when it ends.
 *
 * A vCPU counts from its first entry into the guest. Two of the tracepoints do not show the vCPU:
 * the table of threads does. exits.h describes the tables.
 */
#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel.h"
#include "exit_table.h"

char LICENSE[] SEC("license") = "GPL";

/* When a user of the programs changed `chosen` last, CLOCK_MONOTONIC in ns */
__u64 choice = 1;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, EXIT_ENTRIES);
	__type(key, __u32);
	__type(value, struct exit_thread);
} exit_threads SEC(".maps");

/* The VMMs whose vCPUs count */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct exit_choice);
	__type(value, __u8);
} chosen SEC(".maps");

/* In this time, a VM cannot end and another one be created and entered. */
#define REUSE_NS	10000

/* ---- classes ---- */

/* What the table uses of the kernel's headers, and no header for programs has */
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#define ARRAY_SIZE(array)		(sizeof(array) / sizeof((array)[0]))
#define fallthrough			__attribute__((__fallthrough__))

#ifdef __TARGET_ARCH_arm64
#include "exits_arm64.h"
#else
#include "exits_x86.h"
#endif

/* ---- tables ---- */

static __always_inline struct exit_thread *thread_at(__u32 index)
{
	return bpf_map_lookup_elem(&exit_threads, &index);
}

/* The vCPU that the thread entered last */
static __always_inline struct exit_vcpu *find_by_thread(__u32 tid)
{
	__u32 i;

	for (i = 0; i < EXIT_WINDOW; i++) {
		struct exit_thread *thread = thread_at(place_of(tid, i));
		struct exit_vcpu *entry;

		if (!thread || !thread->tid)
			return NULL;
		if (thread->tid != tid)
			continue;
		entry = entry_at(thread->index);
		return entry && entry->tid == tid ? entry : NULL;
	}
	return NULL;
}

/* Whether the thread runs another vCPU now, or has ended and its vCPU has another thread */
static __always_inline bool is_unused(const struct exit_thread *thread)
{
	const struct exit_vcpu *entry;

	if (!thread->tid)
		return true;
	entry = entry_at(thread->index);
	return !entry || entry->tid != thread->tid;
}

/* Without an entry, times in user space and in halts count as time of the exit. */
static __always_inline void set_thread(struct exit_vcpu *entry, __u32 tid)
{
	__u32 i;

	entry->tid = tid;
	for (i = 0; i < EXIT_WINDOW; i++) {
		__u32 at = place_of(tid, i), old;
		struct exit_thread *thread = thread_at(at);

		if (!thread)
			return;
		old = thread->tid;
		if (old != tid && (!is_unused(thread) ||
				   __sync_val_compare_and_swap(&thread->tid, old, tid) != old))
			continue;
		thread->index = entry->index;
		entry->thread = at;
		return;
	}
	entry->tid = tid | EXIT_NO_THREAD;
}

/* Whether the vCPU is the one that this thread entered last */
static __always_inline bool has_thread(const struct exit_vcpu *entry, __u32 tid)
{
	const struct exit_thread *thread = thread_at(entry->thread);

	return thread && entry->tid == tid && thread->tid == tid && thread->index == entry->index;
}

/* Whether the entry is that of a VM which still exists. Memory that was freed can be read. */
static __always_inline bool is_in_use(const struct exit_vcpu *entry)
{
	return read_field(entry->vcpu, &layout.vcpu_kvm) == entry->kvm &&
	       read_field(entry->kvm, &layout.kvm_users) &&
	       inode_of(entry->kvm, &layout) == entry->inode &&
	       has_exited(entry, entry->vcpu);
}

/*
 * @entry->vcpu is EXIT_CLAIMED, so no other CPU uses the entry. It changes last, with an operation
 * that is a full barrier: readers that find the vCPU must not find the values of the one before.
 */
static __always_inline void give_entry(struct exit_vcpu *entry, __u64 vcpu, __u32 index)
{
	__builtin_memset(entry->value, 0, sizeof(entry->value));
	entry->kvm = read_field(vcpu, &layout.vcpu_kvm);
	entry->inode = inode_of(entry->kvm, &layout);
	entry->tid = 0;
	entry->doing = EXIT_NOT_JOINED;
	entry->in_exit = 0;
	entry->index = index;
	entry->choice = 0;
	entry->thread = 0;
	__sync_val_compare_and_swap(&entry->vcpu, EXIT_CLAIMED, vcpu);
}

/*
 * Gives the vCPU a free entry: an empty one, or the entry of a vCPU that has ended. If all entries
 * are in use, the exits of the vCPU are not counted.
 */
static __noinline struct exit_vcpu *add_vcpu(__u64 vcpu)
{
	__u32 i;

	for (i = 0; i < EXIT_WINDOW; i++) {
		__u32 index = place_of(vcpu, i);
		struct exit_vcpu *entry = entry_at(index);
		__u64 old;

		if (!entry)
			return NULL;
		old = entry->vcpu;
		if (old == EXIT_CLAIMED || (old && is_in_use(entry)))
			continue;
		/* vCPUs of other CPUs search for an entry at the same time. */
		if (__sync_val_compare_and_swap(&entry->vcpu, old, EXIT_CLAIMED) != old)
			continue;
		give_entry(entry, vcpu, index);
		return entry;
	}
	return NULL;
}

/*
 * Returns whether @entry belongs to the vCPU. The VM of the entry may have ended, and the vCPU, of
 * another VM, may be at the same address: then the vCPU gets the entry. If another vCPU takes the
 * entry first, this one gets another entry when it next enters the guest.
 */
static __noinline bool check_entry(struct exit_vcpu *entry, __u64 vcpu)
{
	if (!entry)
		return false;
	if (is_in_use(entry))
		return true;
	if (__sync_val_compare_and_swap(&entry->vcpu, vcpu, EXIT_CLAIMED) != vcpu)
		return false;
	give_entry(entry, vcpu, entry->index);
	return true;
}

/* ---- the vCPUs whose exits are counted ---- */

/*
 * Whether a user has chosen this VMM, or all of them. A function of its own, so that a register has
 * the number of the user: the verifier of Linux 6.12 does not know its value on the stack.
 */
static __noinline bool is_chosen(__u32 tgid)
{
	__u32 user;

	for (user = 0; user < EXIT_USERS; user++) {
		struct exit_choice one = { .user = user, .tgid = tgid }, all = { .user = user };

		if (bpf_map_lookup_elem(&chosen, &one) || bpf_map_lookup_elem(&chosen, &all))
			return true;
	}
	return false;
}

/*
 * Applies the choice to a vCPU at its first entry, after each change of the choice, and if another
 * VM has a vCPU at this address. Returns whether the entry is that of the vCPU.
 */
static __noinline bool apply_choice(struct exit_vcpu *entry, __u64 vcpu, __u32 tid, __u32 tgid)
{
	__u64 present = choice;

	if (!check_entry(entry, vcpu))
		return false;
	if (entry->choice != present) {
		entry->choice = present;
		if (!is_chosen(tgid))
			entry->doing = EXIT_IGNORED;
		else if (entry->doing == EXIT_IGNORED)
			entry->doing = EXIT_NOT_JOINED;
	}
	if (entry->doing == EXIT_IGNORED)
		entry->tid = tid;
	return true;
}

/* ---- time ---- */

static __always_inline struct task_struct *current_task(void)
{
	return (struct task_struct *)bpf_get_current_task_btf();
}

/* How long the thread has waited for a CPU */
static __always_inline __u64 delay_of(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay) ? task->sched_info.run_delay : 0;
}

/* Returns the time since the last event without waits for a CPU, and begins the next interval. */
static __always_inline __u64 time_since(struct exit_vcpu *entry, struct task_struct *task,
					__u64 now, __u64 *waited)
{
	__u64 delay = delay_of(task), ns = now - entry->since;

	*waited = delay - entry->delay;
	entry->since = now;
	entry->delay = delay;
	/* The clocks of two CPUs, and that of the scheduler, can differ a little. */
	return (__s64)ns > 0 && ns > *waited ? ns - *waited : 0;
}

static __always_inline void add_time(struct exit_vcpu *entry, __u64 ns)
{
	__u32 doing = entry->doing;

	if (doing >= EXIT_VALUES)
		return;
	entry->value[doing] += ns;
	if (doing >= EXIT_FIRST)
		entry->exit_ns += ns;
}

/*
 * min(fls64(ns), EXIT_HIST_SIZE - 1). Without the barrier, clang collects the bits of the result in
 * variables, which takes up to 42 instructions instead of 18.
 */
static __always_inline __u32 bucket_of(__u64 ns)
{
	__u32 value = ns, bucket = 0, shift;

	if (ns >> (EXIT_HIST_SIZE - 2))
		return EXIT_HIST_SIZE - 1;
	for (shift = 16; shift; shift /= 2) {
		if (value >> shift) {
			value >>= shift;
			bucket += shift;
			barrier_var(bucket);
		}
	}
	return bucket + value;
}

static __always_inline void add_to_histogram(struct exit_vcpu *entry)
{
	__u32 bucket = bucket_of(entry->exit_ns);

	if (bucket < EXIT_HIST_SIZE)
		entry->value[EXIT_HIST + bucket]++;
}

/* ---- tracepoints ---- */

/*
 * Counts the exit if its class was not known when it began. It was an access to a device if KVM has
 * counted one since then.
 */
static __always_inline void decide(struct exit_vcpu *entry)
{
	__u32 class = (entry->doing - EXIT_FIRST) / 2;

	if (!is_undecided(class))
		return;
	if (device_exits(entry->vcpu) != entry->device_exits)
		class = EXIT_CLASS_mmio;
	entry->value[EXIT_COUNT(class)]++;
	entry->doing = EXIT_NS(class);
}

static __always_inline void join(struct exit_vcpu *entry, struct task_struct *task, __u64 now)
{
	entry->since = now;
	entry->delay = delay_of(task);
	entry->doing = EXIT_GUEST;
	set_thread(entry, task->pid);
}

/*
 * KVM_RUN has begun. If another thread called it last time, its run delay cannot be compared with
 * that of this thread. If this thread runs several vCPUs, the table of threads can have another
 * vCPU.
 */
static __always_inline void enter_from_userspace(struct exit_vcpu *entry, struct task_struct *task,
						 __u64 now)
{
	__u64 waited;

	if (entry->tid != task->pid)
		entry->delay = delay_of(task);
	if (!has_thread(entry, task->pid))
		set_thread(entry, task->pid);
	entry->value[EXIT_USERSPACE] += time_since(entry, task, now, &waited);
	if (entry->in_exit)
		add_to_histogram(entry);
	entry->doing = EXIT_GUEST;
}

static __always_inline void enter_from_exit(struct exit_vcpu *entry, struct task_struct *task,
					    __u64 now)
{
	__u64 waited;

	add_time(entry, time_since(entry, task, now, &waited));
	if (entry->doing != EXIT_GUEST)
		add_to_histogram(entry);
	entry->doing = EXIT_GUEST;
}

SEC("raw_tp/kvm_entry")
int exits_kvm_entry(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = current_task();
	__u64 vcpu = vcpu_of_event(ctx->args[0]), now;
	struct exit_vcpu *entry = find_vcpu(vcpu);

	if (!entry)
		entry = add_vcpu(vcpu);
	if (!entry)
		return 0;
	/* If its thread is another one, or has no entry, the vCPU can be that of another VM. */
	if ((entry->choice != choice || entry->tid != (__u32)task->pid) &&
	    !apply_choice(entry, vcpu, task->pid, task->tgid))
		return 0;
	if (entry->doing == EXIT_IGNORED)
		return 0;
	now = bpf_ktime_get_ns();
	/* So can one that was in user space for long. */
	if (entry->doing == EXIT_USERSPACE && now - entry->since > REUSE_NS &&
	    !check_entry(entry, vcpu))
		return 0;
	decide(entry);
	if (entry->doing == EXIT_USERSPACE)
		enter_from_userspace(entry, task, now);
	else if (entry->doing == EXIT_NOT_JOINED ||
		 (entry->tid & ~EXIT_NO_THREAD) != (__u32)task->pid)
		join(entry, task, now);
	else
		enter_from_exit(entry, task, now);
	return 0;
}

/* @how: the argument of the tracepoint that is needed for the class */
static __always_inline int count_exit(__u64 vcpu, __u64 how, bool before_5_16)
{
	struct exit_vcpu *entry = find_vcpu(vcpu);
	__u64 waited;
	__u32 class;

	if (!entry || entry->doing != EXIT_GUEST)
		return 0;
	entry->value[EXIT_GUEST] += time_since(entry, current_task(), bpf_ktime_get_ns(), &waited);
	class = exit_class(vcpu, how, before_5_16);
	if (class >= KVM_EXIT_CLASSES)
		return 0;
	if (is_undecided(class))
		entry->device_exits = device_exits(vcpu);
	else
		entry->value[EXIT_COUNT(class)]++;
	entry->doing = EXIT_NS(class);
	entry->exit_ns = 0;
	return 0;
}

SEC("raw_tp/kvm_exit")
int exits_kvm_exit(struct bpf_raw_tracepoint_args *ctx)
{
	return count_exit(vcpu_of_event(ctx->args[0]), ctx->args[EXIT_ARGUMENT], false);
}

/* On x86 before Linux 5.16, the first argument is the reason. */
SEC("raw_tp/kvm_exit")
int exits_kvm_exit_reason(struct bpf_raw_tracepoint_args *ctx)
{
	return count_exit(vcpu_of_event(ctx->args[1]), ctx->args[2], true);
}

/* The end of KVM_RUN, also of one that did not enter the guest */
SEC("raw_tp/kvm_userspace_exit")
int exits_kvm_userspace_exit(void *ctx)
{
	struct task_struct *task = current_task();
	struct exit_vcpu *entry = find_by_thread(task->pid);
	__u64 waited;

	if (!entry || entry->doing >= EXIT_VALUES)
		return 0;
	decide(entry);
	add_time(entry, time_since(entry, task, bpf_ktime_get_ns(), &waited));
	if (entry->doing != EXIT_USERSPACE)
		entry->in_exit = entry->doing != EXIT_GUEST;
	entry->doing = EXIT_USERSPACE;
	return 0;
}

/* The wait for a CPU after a wakeup is a part of the time that the tracepoint reports. */
SEC("raw_tp/kvm_vcpu_wakeup")
int exits_kvm_vcpu_wakeup(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = current_task();
	struct exit_vcpu *entry = find_by_thread(task->pid);
	__u64 halted = ctx->args[0], waited, ns;

	if (!entry || entry->doing >= EXIT_VALUES)
		return 0;
	ns = time_since(entry, task, bpf_ktime_get_ns(), &waited);
	halted = halted > waited ? halted - waited : 0;
	if (halted > ns)
		halted = ns;
	entry->value[EXIT_HALTED] += halted;
	add_time(entry, ns - halted);
	return 0;
}
