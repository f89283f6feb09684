// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"
#include "read/guests.h"
#include "util.h"

#define NS	.type = KVMSTATS_TYPE_CUMULATIVE, .unit = KVMSTATS_UNIT_SECONDS, .exponent = -9

static const struct kvmstats_desc descs[GUEST_STATS] = {
	[GUEST_CPU_NS] = { .name = "cpu_ns", NS, .size = 1 },
	[GUEST_CPU_GUEST_NS] = { .name = "cpu_guest_ns", NS, .size = 1 },
	[GUEST_WAITING_NS] = { .name = "waiting_ns", NS, .size = 1 },
	[GUEST_THROTTLED_NS] = { .name = "throttled_ns", NS, .size = 1 },
	[GUEST_MEMORY_BYTES] = { .name = "memory_bytes", .type = KVMSTATS_TYPE_INSTANT,
				 .unit = KVMSTATS_UNIT_BYTES, .size = 1 },
	[GUEST_FAULTS] = { .name = "major_faults", .type = KVMSTATS_TYPE_CUMULATIVE, .size = 1 },
};

const struct kvmstats_stat *guest_stat(enum guest_stat stat)
{
	static struct kvmstats_schema *schema;

	if (!schema && kvmstats_schema_make(&schema, descs, GUEST_STATS, sizeof(*descs))) {
		out_of_memory();
		exit(STATUS_FAILED);
	}
	return kvmstats_schema_stat(schema, stat);
}

bool guest_stat_is_selected(const struct filter *filter, enum guest_stat stat)
{
	return !filter->vm && !filter->vcpus && filter_selects_name(filter, descs[stat].name);
}

/* What the process has of a statistic */
struct reading {
	uint64_t now;
	uint64_t before;
	bool known;
	bool known_before;
};

static struct reading reading_of(const struct process *process, enum guest_stat stat)
{
	const struct task *now = &process->now, *before = &process->before;
	const struct process_limit *limit = &process->limit;
	bool has_now = process->has_now, has_before = process->has_before;

	switch (stat) {
	case GUEST_CPU_NS:
		return (struct reading){ now->user + now->kernel, before->user + before->kernel,
					 has_now, has_before };
	case GUEST_CPU_GUEST_NS:
		return (struct reading){ now->guest, before->guest, has_now, has_before };
	case GUEST_WAITING_NS:
		return (struct reading){ process->group[THREAD_VCPU].waiting,
					 process->waiting_before, process_has_waiting(process),
					 process->time_before };
	case GUEST_THROTTLED_NS:
		/* It is counted from the first sample on. */
		return (struct reading){ limit->throttled, process->throttled_before,
					 has_before && limit->cpus > 0, has_before };
	case GUEST_MEMORY_BYTES:
		return (struct reading){ now->memory + process->huge_memory, .known = has_now };
	default:
		return (struct reading){ now->major_faults, before->major_faults, has_now,
					 has_before };
	}
}

void guest_row_get(struct row *row, const struct process *process, enum guest_stat stat)
{
	static const struct target guest = { .label = "guest" };
	const struct reading reading = reading_of(process, stat);
	uint64_t interval = process->time - process->time_before;

	*row = (struct row){ .target = &guest, .stat = guest_stat(stat), .size = 1 };
	if (!reading.known)
		return;
	row->value = reading.now;
	row->values = &row->value;
	row->known = reading.known_before && interval && reading.now >= reading.before;
	if (!row->known)
		return;
	row->delta = reading.now - reading.before;
	row->rate = (double)row->delta * 1e9 / (double)interval;
}
