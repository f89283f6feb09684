// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void set_row(struct guest *guest, enum guest_stat stat, bool known, uint64_t value,
		    uint64_t interval)
{
	struct guest_row *row = &guest->row[stat];
	uint64_t before = row->value;

	row->known = known && guest->has_row[stat] && interval && guest_stats[stat].counts_up &&
		     value >= before;
	row->rate = row->known ? (double)(value - before) * 1e9 / (double)interval : 0;
	row->value = value;
	guest->has_row[stat] = known;
}

static void set_rows(struct guest *guest, uint64_t interval)
{
	const struct process *process = &guest->process;
	const struct task *now = &process->now;
	const struct group_times *vcpus = &process->group[THREAD_VCPU];
	bool known = process->has_now;

	set_row(guest, GUEST_CPU_NS, known, now->user + now->kernel, interval);
	set_row(guest, GUEST_CPU_GUEST_NS, known, now->guest, interval);
	set_row(guest, GUEST_WAITING_NS, process->time, vcpus->waiting, interval);
	/* It is counted from the first sample on. */
	set_row(guest, GUEST_THROTTLED_NS, process->has_before && process->limit.cpus > 0,
		process->limit.throttled, interval);
	set_row(guest, GUEST_MEMORY_BYTES, known, now->memory + process->huge_memory, interval);
	set_row(guest, GUEST_FAULTS, known, now->major_faults, interval);
}

/* ---- KVM's statistics ---- */

/* Each architecture has other names. The values of all that a schema has are added up. */
static const char * const tally_names[GUEST_VALUES][4] = {
	[GUEST_EXITS] = { "exits", "sum_exits" },
	[GUEST_IO_EXITS] = { "io_exits", "mmio_exits", "mmio_exit_user", "mmio_exit_kernel" },
	[GUEST_PAGE_FAULTS] = { "pf_taken", "pf_storage" },
	[GUEST_HALTS] = { "halt_exits", "wfi_exit_stat", "exit_wait_state" },
};

/* The statistics of one schema that are added to the values */
struct tallies {
	const struct stat_set *set;
	const struct kvmstats_stat *stat[GUEST_VALUES][4];
};

/* Returns NULL if memory is exhausted. */
static const struct tallies *tallies_of(struct guests *guests, const struct stat_set *set)
{
	struct tallies *more;
	size_t i, j;

	for (i = 0; i < guests->tallied; i++) {
		if (guests->tallies[i].set == set)
			return &guests->tallies[i];
	}
	more = reallocarray(guests->tallies, guests->tallied + 1, sizeof(*more));
	if (!more)
		return NULL;
	guests->tallies = more;
	more += guests->tallied++;
	*more = (struct tallies){ .set = set };
	for (i = 0; i < GUEST_VALUES; i++) {
		for (j = 0; j < ARRAY_SIZE(tally_names[i]) && tally_names[i][j]; j++)
			more->stat[i][j] = kvmstats_schema_find(set->schema, tally_names[i][j]);
	}
	return more;
}

static void add_rate(double *sum, const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row;

	if (!stat)
		return;
	row_get(&row, target, stat);
	if (row.known)
		*sum = (isnan(*sum) ? 0 : *sum) + row.rate;
}

static bool add_tallies(struct guests *guests, struct guest *guest, const struct vmm *vmm)
{
	size_t i, j, k;

	for (i = 0; i < vmm->targets; i++) {
		const struct tallies *tallies = tallies_of(guests, vmm->target[i]->set);

		if (!tallies)
			return false;
		for (j = GUEST_EXITS; j < GUEST_VALUES; j++) {
			for (k = 0; k < ARRAY_SIZE(tallies->stat[j]); k++)
				add_rate(&guest->value[j], vmm->target[i], tallies->stat[j][k]);
		}
	}
	return true;
}

/* ---- guests ---- */

static double or_nan(double use)
{
	return use < 0 ? NAN : use;
}

static void set_use(struct guest *guest)
{
	const struct process *process = &guest->process;
	struct cpu_use vcpus = process_group_use(process, THREAD_VCPU);
	/* Of another host's process, only the threads of vCPUs are known. */
	struct cpu_use all = process->has_now ? process_use(process) : vcpus;
	const struct guest_row *row = guest->row;

	guest->value[GUEST_CPU] = or_nan(all.guest < 0 ? -1 : all.guest + all.user + all.kernel);
	guest->value[GUEST_WAITING] = or_nan(vcpus.waiting);
	guest->value[GUEST_THROTTLED] = or_nan(vcpus.throttled);
	if (guest->has_row[GUEST_MEMORY_BYTES])
		guest->value[GUEST_MEMORY] = (double)row[GUEST_MEMORY_BYTES].value / MIB;
	if (row[GUEST_FAULTS].known)
		guest->value[GUEST_MAJOR_FAULTS] = row[GUEST_FAULTS].rate;
}

static bool update_guest(struct guests *guests, struct guest *guest, const struct monitor *monitor,
			 const struct vmm *vmm)
{
	size_t i;

	guest->process.pid = monitor->is_copy || vmm->orphan ? 0 : vmm->pid;
	for (i = 0; i < GUEST_VALUES; i++)
		guest->value[i] = NAN;
	if (!process_update_vmm(&guest->process, &guests->processes, monitor->host, vmm->kvm))
		return false;
	set_rows(guest, monitor->time_before ? monitor->time - monitor->time_before : 0);
	set_use(guest);
	return add_tallies(guests, guest, vmm);
}

static void free_guest_list(struct guest *guest, size_t guests)
{
	while (guests)
		process_free(&guest[--guests].process);
	free(guest);
}

/* Moves the guest of @vmm from the list to the caller. Both have the order of PIDs. */
static struct guest take_guest(struct guest *old, size_t olds, size_t *cursor,
			       const struct vmm *vmm)
{
	struct guest guest = { .vmm = vmm->id };
	size_t i;

	for (i = 0; i < olds; i++) {
		size_t at = (*cursor + i) % olds;

		if (old[at].vmm != vmm->id)
			continue;
		guest = old[at];
		old[at] = (struct guest){ 0 };
		*cursor = at + 1;
		break;
	}
	return guest;
}

static const struct kvmstats_schema *vcpu_schema(const struct monitor *monitor)
{
	return kvmstats_host_schema(monitor->host, KVMSTATS_KIND_VCPU);
}

bool guests_update(struct guests *guests, const struct monitor *monitor)
{
	struct guest *old = guests->guest;
	size_t olds = guests->guests, cursor = 0, i;
	bool good;

	guests->guest = calloc(monitor->vmms + 1, sizeof(*guests->guest));
	guests->guests = guests->guest ? monitor->vmms : 0;
	processes_begin(&guests->processes, monitor->time, vcpu_schema(monitor),
			guests->all_threads);
	guests->processes.states = guests->all_threads;
	guests->processes.keep_threads = true;
	good = guests->guest;
	for (i = 0; i < guests->guests; i++) {
		guests->guest[i] = take_guest(old, olds, &cursor, monitor->vmm[i]);
		good = good && update_guest(guests, &guests->guest[i], monitor, monitor->vmm[i]);
	}
	free_guest_list(old, olds);
	return good;
}

void guests_free(struct guests *guests)
{
	free_guest_list(guests->guest, guests->guests);
	processes_free(&guests->processes);
	free(guests->tallies);
	*guests = (struct guests){ 0 };
}
