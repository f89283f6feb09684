// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the metrics of a sample host, which the code of kvm-stats serve writes. It has one guest
 * with two vCPUs and the statistics of x86.
 *
 * A host has one of three kinds: its kernel has this series (series), the host file of an unpatched
 * kernel is published (file), or it has only /proc (proc). EXTRA are the names of statistics that
 * unpatched kernels do not have; "exit_*" are all that begin like this.
 *
 * usage: sample_host minimal|default|all series|file|proc [EXTRA]...
 */
#include <string.h>

#include "fake_vmms.h"
#include "guest_files.h"
#include "util.h"

#define MAX_VALUES		1024
#define VCPUS			2

enum { COUNTER, COUNTER_NS, LOG2_NS, INSTANT, PEAK, PEAK_NS, BOOLEAN };
enum host_kind { SERIES, HOST_FILE, PROC, HOST_KINDS };

#define NS	.unit = KVMSTATS_UNIT_SECONDS, .exponent = -9

/* The kinds of the kernel's definition lists */
static const struct kvmstats_desc kinds[] = {
	[COUNTER] = { .type = KVMSTATS_TYPE_CUMULATIVE, .size = 1 },
	[COUNTER_NS] = { .type = KVMSTATS_TYPE_CUMULATIVE, .size = 1, NS },
	[LOG2_NS] = { .type = KVMSTATS_TYPE_LOG_HIST, .size = 32, NS },
	[INSTANT] = { .type = KVMSTATS_TYPE_INSTANT, .size = 1 },
	[PEAK] = { .type = KVMSTATS_TYPE_PEAK, .size = 1 },
	[PEAK_NS] = { .type = KVMSTATS_TYPE_PEAK, .size = 1, NS },
	[BOOLEAN] = { .type = KVMSTATS_TYPE_INSTANT, .size = 1, .unit = KVMSTATS_UNIT_BOOLEAN },
};

#define CONFIG_SCHED_INFO
#define KVM_STAT(name, kind)			{ #name, kind },
#define KVM_STAT_ATOMIC(name, kind)		{ #name, kind },
#define KVM_STAT_HIST(name, kind)		{ #name, kind },
#define KVM_STAT_DESC(name, field, kind)	{ #name, kind },
#define KVM_STAT_FIELD(field)

/* Those of a VM, an entry without a name, those of a vCPU, another one */
static const struct {
	const char *name;
	int kind;
} definitions[] = {
#include "../../../../arch/x86/include/asm/kvm_vm_stat_defs.h"
	{ NULL, 0 },
#include "../../../../arch/x86/include/asm/kvm_vcpu_stat_defs.h"
	{ NULL, 0 },
};

/* What the host file has of the threads of vCPUs, see kvm-stats-host-file(5) */
static const struct {
	const char *name;
	int kind;
} thread_definitions[] = {
	{ "thread_known", BOOLEAN }, { "thread_state", INSTANT },
	{ "thread_run_delay_ns", COUNTER_NS }, { "thread_runtime_ns", COUNTER_NS },
	{ "thread_user_ns", COUNTER_NS }, { "thread_system_ns", COUNTER_NS },
	{ "thread_guest_ns", COUNTER_NS }, { "thread_voluntary_switches", COUNTER },
	{ "thread_involuntary_switches", COUNTER }, { "thread_minor_faults", COUNTER },
	{ "thread_major_faults", COUNTER },
};

static const struct stat_set *vm_set, *vcpu_set;
static enum host_kind kind;
static char **extra;

static bool is_extra(const char *name)
{
	size_t i;

	for (i = 0; extra[i]; i++) {
		size_t len = strcspn(extra[i], "*");

		if (!strncmp(name, extra[i], len) && (extra[i][len] || !name[len]))
			return true;
	}
	return false;
}

/* Makes a set of the definitions from @i on, and moves it to those of the next set. */
static const struct stat_set *make_set(size_t *i, bool is_vcpu)
{
	struct kvmstats_desc desc[ARRAY_SIZE(definitions) + ARRAY_SIZE(thread_definitions)];
	struct kvmstats_schema *schema;
	const struct stat_set *set = NULL;
	size_t count = 0, n;

	for (; definitions[*i].name; (*i)++) {
		if (kind == PROC || (kind == HOST_FILE && is_extra(definitions[*i].name)))
			continue;
		desc[count] = kinds[definitions[*i].kind];
		desc[count++].name = definitions[*i].name;
	}
	(*i)++;
	for (n = 0; kind == HOST_FILE && is_vcpu && n < ARRAY_SIZE(thread_definitions); n++) {
		desc[count] = kinds[thread_definitions[n].kind];
		desc[count++].name = thread_definitions[n].name;
	}
	if (!kvmstats_schema_make(&schema, desc, count, sizeof(*desc)))
		set = stat_set_get(&monitor.sets, schema);
	if (!set)
		fail("the schema cannot be made");
	return set;
}

/* Each vCPU waits for a CPU during 5 % of the time. All events happen some times per second. */
static void advance(struct fake_target *fake, uint64_t interval, uint64_t now)
{
	const struct stat_set *set = fake->target.set;
	const uint64_t *old = stat_set_values(set, fake->target.now);
	uint64_t values[MAX_VALUES];
	size_t i, n;

	for (i = 0; i < kvmstats_schema_count(set->schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(set->schema, i);
		bool is_time = kvmstats_stat_unit(stat) == KVMSTATS_UNIT_SECONDS &&
			       !kvmstats_stat_is_hist(stat);
		size_t first = kvmstats_stat_offset(stat) / sizeof(*values);

		if (!strcmp(kvmstats_stat_name(stat), "thread_state")) {
			values[first] = 1;	/* sleeps */
			continue;
		}
		for (n = first; n < first + kvmstats_stat_size(stat); n++)
			values[n] = (old ? old[n] : 0) + (is_time ? interval / 20 :
							  interval / MILLISECOND * (n % 7 + 1));
	}
	set_values(fake, values, now);
}

static void advance_all(uint64_t interval, uint64_t now)
{
	size_t i, j;

	monitor.time = now;
	for (i = 0; i < monitor.vmms; i++) {
		for (j = 0; j < monitor.vmm[i]->targets; j++)
			advance((struct fake_target *)monitor.vmm[i]->target[j], interval, now);
	}
}

#define PID	7
#define TID(vcpu)	(8 + (vcpu))

static struct guest_files proc;

static void write_thread(int tid, const char *name)
{
	const struct guest_task task = { .name = name, .state = 'S' };
	char path[64];

	snprintf(path, sizeof(path), "%d/task/%d/stat", PID, tid);
	guest_files_task(&proc, path, &task);
	guest_files_write(&proc, 0600, "1000 1000 1\n", "%d/task/%d/schedstat", PID, tid);
}

/* The process has a thread for each vCPU, and one of each other group. */
static void start_guest(void)
{
	struct vmm *vmm = add_vmm(PID, "guest", 1, VCPUS);
	int i;

	guest_files_task(&proc, "7/stat", &(struct guest_task){ .name = "qemu", .state = 'S' });
	write_thread(PID, "qemu");
	write_thread(TID(0), "CPU 0/KVM");
	write_thread(TID(1), "CPU 1/KVM");
	write_thread(TID(VCPUS), "IO iothread1");
	write_thread(TID(VCPUS + 1), "vhost-7");
	vmm->uuid = "00000000-0000-4000-8000-000000000001";
	add_target(vmm, vm_set, 0, -1);
	for (i = 0; i < VCPUS; i++) {
		struct fake_target *vcpu = add_target(vmm, vcpu_set, 0, i);

		if (kind == HOST_FILE)
			vcpu->target.tid = TID(i);
	}
}

/* Prints the second exposition: some metrics need two samples. */
static void print_host(enum metrics metrics)
{
	struct exposition_options options = { .metrics = metrics };
	struct exposition *exposition = exposition_new(&monitor, &options);
	struct process_use use = { .open_fds = 20, .max_fds = 1024, .resident = 1 << 23 };
	struct sampling sampling = { .duration = MILLISECOND, .process = &use };
	size_t i;

	start_guest();
	for (i = 1; i <= 2; i++) {
		advance_all(SECOND, i * SECOND);
		if (monitor_read_processes(&monitor) || exposition_update(exposition))
			fail("out of memory");
	}
	exposition_write(exposition, PROMETHEUS_TEXT_0_0_4, &sampling, stdout);
	exposition_free(exposition);
}

/* Returns the index of @text in the list, or @count. */
static unsigned int index_of(const char *text, const char * const *list, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count && strcmp(text, list[i]); i++)
		;
	return i;
}

int main(int argc, char **argv)
{
	static const char * const sets[] = { "default", "minimal", "all" };
	static const char * const host_kinds[] = { "series", "file", "proc" };
	enum metrics metrics = argc > 2 ? index_of(argv[1], sets, 3) : 3;
	size_t next = 0;

	kind = argc > 2 ? index_of(argv[2], host_kinds, HOST_KINDS) : HOST_KINDS;
	if (metrics > METRICS_ALL || kind == HOST_KINDS) {
		fputs("usage: sample_host minimal|default|all series|file|proc [EXTRA]...\n",
		      stderr);
		return 2;
	}
	extra = argv + 3;
	monitor.has_values = kind != PROC;
	if (kind == PROC)
		message_set(&monitor.problem, "the kernel has no statistics");
	fake_origin = kind == SERIES ? KVMSTATS_ORIGIN_NEXT :
		      kind == PROC ? KVMSTATS_ORIGIN_PROC : KVMSTATS_ORIGIN_FILE;
	vm_set = make_set(&next, false);
	vcpu_set = make_set(&next, true);
	if (guest_files_make(&proc))
		fail("cannot make a directory");
	proc_set_root(proc.dir);
	print_host(metrics);
	guest_files_remove(&proc);
	return 0;
}
