// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out which threads had the CPU while a vCPU's thread waited for one. For each CPU, a ring
 * has the threads that ran there last. When a thread that is watched gets the CPU, the time since
 * the scheduler queued it is divided among them. If the kernel moves a thread that waits to another
 * CPU, the part of the wait before that is not divided.
 *
 * The program is attached to every context switch of the host, so a command loads it only for as
 * long as it needs it.
 */
#include <stdbool.h>

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel.h"
#include "switches_format.h"

char LICENSE[] SEC("license") = "GPL";

/* The number of threads in a ring, a power of two */
#define RAN		64

struct ran {
	__u64 until;		/* CLOCK_MONOTONIC in ns */
	__u32 tid;		/* 0: the CPU was idle */
	__u32 pid;
	char name[16];
};

struct ring {
	__u64 clock;		/* the scheduler's clock - CLOCK_MONOTONIC */
	__u32 next;
	struct ran ran[RAN];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct ring);
} rings SEC(".maps");

/* The TIDs that are watched. The command adds them; those that it added first make room. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u8);
} watched SEC(".maps");

/* The waits since the command read them last */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct switches_key);
	__type(value, struct switches_waits);
} waits SEC(".maps");

static __always_inline void add_to_ring(struct ring *ring, struct task_struct *task, __u64 now)
{
	struct ran *ran = &ring->ran[ring->next % RAN];

	/* The thread has had the CPU since the one before it has left. */
	if (task->pid && ring->next)
		ring->clock = task->sched_info.last_arrival -
			      ring->ran[(ring->next - 1) % RAN].until;
	ring->next++;
	ran->until = now;
	ran->tid = task->pid;
	ran->pid = task->tgid;
	bpf_probe_read_kernel(ran->name, sizeof(ran->name), task->comm);
}

static __always_inline void add_wait(__u32 tid, const struct ran *ran, __u64 ns)
{
	struct switches_key key = { .thread = tid, .taker = ran->tid };
	struct switches_waits *known = bpf_map_lookup_elem(&waits, &key);
	struct switches_waits first = { .ns = ns, .count = 1, .pid = ran->pid };

	if (known) {
		__sync_fetch_and_add(&known->ns, ns);
		__sync_fetch_and_add(&known->count, 1);
		return;
	}
	__builtin_memcpy(first.name, ran->name, sizeof(first.name));
	bpf_map_update_elem(&waits, &key, &first, BPF_ANY);
}

/* Divides the time from @queued to @now among the threads that ran, the last of them first. */
static __always_inline void divide(const struct ring *ring, __u32 tid, __u64 queued, __u64 now)
{
	__u32 i;

	for (i = 1; i < RAN && now > queued; i++) {
		const struct ran *ran = &ring->ran[(ring->next - i) % RAN];
		__u64 began = ring->ran[(ring->next - i - 1) % RAN].until;

		if (began < queued)
			began = queued;
		if (ran->tid && now > began)
			add_wait(tid, ran, now - began);
		now = began;
	}
}

SEC("tp_btf/sched_switch")
int switches_sched_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u32 zero = 0, tid = next->pid;
	struct ring *ring = bpf_map_lookup_elem(&rings, &zero);
	__u64 now = bpf_ktime_get_ns(), queued = next->sched_info.last_queued;

	if (!ring)
		return 0;
	add_to_ring(ring, prev, now);
	if (queued && ring->clock && bpf_map_lookup_elem(&watched, &tid))
		divide(ring, tid, queued - ring->clock, now);
	return 0;
}
