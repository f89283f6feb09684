// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "read/guests.h"
#include "sums.h"
#include "util.h"

#define MIB	1048576.0

/* ---- statistics of /proc and of the cgroups ---- */

static const struct {
	const char *name;
	const char *unit;
	bool counts_up;
} guest_stats[GUEST_STATS] = {
	[GUEST_CPU_NS] = { "cpu_ns", "ns", true },
	[GUEST_CPU_GUEST_NS] = { "cpu_guest_ns", "ns", true },
	[GUEST_WAITING_NS] = { "waiting_ns", "ns", true },
	[GUEST_THROTTLED_NS] = { "throttled_ns", "ns", true },
	[GUEST_MEMORY_BYTES] = { "memory_bytes", "B", false },
	[GUEST_FAULTS] = { "major_faults", "", true },
};

const char *guest_stat_name(enum guest_stat stat)
{
	return guest_stats[stat].name;
}

const char *guest_stat_unit(enum guest_stat stat)
{
	return guest_stats[stat].unit;
}

bool guest_stat_counts_up(enum guest_stat stat)
{
	return guest_stats[stat].counts_up;
}

bool guest_stat_is_selected(const struct filter *filter, enum guest_stat stat)
{
	return !filter->vm && !filter->vcpus && filter_selects_name(filter, guest_stats[stat].name);
}

static void set_row(struct guest_row *row, bool known, uint64_t value)
{
	*row = (struct guest_row){ .has_value = known, .value = value };
}

/* A statistic that counts up */
static void set_counter(struct guest_row *row, const struct process *process, bool known,
			bool known_before, uint64_t value, uint64_t before)
{
	uint64_t interval = process->time - process->time_before;

	set_row(row, known, value);
	row->known = known && known_before && interval && value >= before;
	row->rate = row->known ? (double)(value - before) * 1e9 / (double)interval : 0;
}

static void set_task_counter(struct guest_row *row, const struct process *process, uint64_t value,
			     uint64_t before)
{
	set_counter(row, process, process->has_now, process->has_before, value, before);
}

static void set_rows(struct guest_row *row, const struct process *process)
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
	set_row(&row[GUEST_MEMORY_BYTES], process->has_now, now->memory + process->huge_memory);
}

/* ---- KVM's statistics ---- */

static const char * const tally_names[GUEST_VALUES][4] = {
	[GUEST_EXITS] = { "exits", "sum_exits" },
	[GUEST_IO_EXITS] = { "io_exits", "mmio_exits", "mmio_exit_user", "mmio_exit_kernel" },
	[GUEST_PAGE_FAULTS] = { "pf_taken", "pf_storage" },
	[GUEST_HALTS] = { "halt_exits", "wfi_exit_stat", "exit_wait_state" },
};

static void add_rate(double *sum, const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row;

	if (!stat)
		return;
	row_get(&row, target, stat);
	if (row.known)
		*sum = (isnan(*sum) ? 0 : *sum) + row.rate;
}

static void find_tallies(struct tallies *tallies, const struct stat_set *set)
{
	size_t i, j;

	*tallies = (struct tallies){ .set = set };
	for (i = 0; i < GUEST_VALUES; i++) {
		for (j = 0; j < ARRAY_SIZE(tally_names[i]) && tally_names[i][j]; j++)
			tallies->stat[i][j] = kvmstats_schema_find(set->schema, tally_names[i][j]);
	}
}

static void add_tallies(struct guest *guest, const struct vmm *vmm, struct tallies *tallies)
{
	size_t i, j, k;

	for (i = 0; i < vmm->targets; i++) {
		const struct target *target = vmm->target[i];
		struct tallies *own = &tallies[target->scope];

		if (own->set != target->set)
			find_tallies(own, target->set);
		for (j = GUEST_EXITS; j < GUEST_VALUES; j++) {
			for (k = 0; k < ARRAY_SIZE(own->stat[j]); k++)
				add_rate(&guest->value[j], target, own->stat[j][k]);
		}
	}
}

/* ---- guests ---- */

static double or_nan(double use)
{
	return use < 0 ? NAN : use;
}

static void set_use(struct guest *guest, const struct process *process)
{
	struct cpu_use vcpus = process_group_use(process, THREAD_VCPU);
	/* Of another host's process, only the threads of vCPUs are known. */
	struct cpu_use all = process->has_now ? process_use(process) : vcpus;
	const struct guest_row *row = guest->row;

	guest->value[GUEST_CPU] = or_nan(all.guest < 0 ? -1 : all.guest + all.user + all.kernel);
	guest->value[GUEST_WAITING] = or_nan(vcpus.waiting);
	guest->value[GUEST_THROTTLED] = or_nan(vcpus.throttled);
	if (row[GUEST_MEMORY_BYTES].has_value)
		guest->value[GUEST_MEMORY] = (double)row[GUEST_MEMORY_BYTES].value / MIB;
	if (row[GUEST_FAULTS].known)
		guest->value[GUEST_MAJOR_FAULTS] = row[GUEST_FAULTS].rate;
}

void guest_get(struct guest *guest, const struct vmm *vmm, struct tallies *tallies)
{
	size_t i;

	for (i = 0; i < GUEST_VALUES; i++)
		guest->value[i] = NAN;
	set_rows(guest->row, &vmm->process);
	set_use(guest, &vmm->process);
	if (tallies)
		add_tallies(guest, vmm, tallies);
}
