// SPDX-License-Identifier: GPL-2.0-only
#include "read/guests.h"

const struct guest_stat_type guest_stats[GUEST_STATS] = {
	[GUEST_CPU_NS] = { "cpu_ns", "ns", true },
	[GUEST_CPU_GUEST_NS] = { "cpu_guest_ns", "ns", true },
	[GUEST_WAITING_NS] = { "waiting_ns", "ns", true },
	[GUEST_THROTTLED_NS] = { "throttled_ns", "ns", true },
	[GUEST_MEMORY_BYTES] = { "memory_bytes", "B", false },
	[GUEST_FAULTS] = { "major_faults", "", true },
};

bool guest_stat_is_selected(const struct filter *filter, enum guest_stat stat)
{
	return !filter->vm && !filter->vcpus && filter_selects_name(filter, guest_stats[stat].name);
}

/* A statistic that counts up */
static void set_counter(struct guest_row *row, const struct process *process, bool known,
			bool known_before, uint64_t value, uint64_t before)
{
	uint64_t interval = process->time - process->time_before;

	*row = (struct guest_row){ .has_value = known, .value = value };
	row->known = known && known_before && interval && value >= before;
	row->rate = row->known ? (double)(value - before) * 1e9 / (double)interval : 0;
}

static void set_task_counter(struct guest_row *row, const struct process *process, uint64_t value,
			     uint64_t before)
{
	set_counter(row, process, process->has_now, process->has_before, value, before);
}

void guest_rows(struct guest_row *row, const struct process *process)
{
	const struct task *now = &process->now, *before = &process->before;
	const struct process_limit *limit = &process->limit;

	set_task_counter(&row[GUEST_CPU_NS], process, now->user + now->kernel,
			 before->user + before->kernel);
	set_task_counter(&row[GUEST_CPU_GUEST_NS], process, now->guest, before->guest);
	set_task_counter(&row[GUEST_FAULTS], process, now->major_faults, before->major_faults);
	set_counter(&row[GUEST_WAITING_NS], process, process->time, process->time_before,
		    process->group[THREAD_VCPU].waiting, process->waiting_before);
	/* It is counted from the first sample on. */
	set_counter(&row[GUEST_THROTTLED_NS], process, process->has_before && limit->cpus > 0,
		    process->has_before, limit->throttled, process->throttled_before);
	row[GUEST_MEMORY_BYTES] = (struct guest_row){
		.has_value = process->has_now, .value = now->memory + process->huge_memory,
	};
}
