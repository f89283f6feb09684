// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm-stats top without KVM, for tests. This file replaces monitor/monitor.c: its fake VMMs follow
 * a script, which it reads from the FIFO that the environment variable TOP_SCRIPT names. Time
 * advances only by "tick". The commands of the script are:
 *
 *	vmm PID VCPUS [GUEST]		a VMM appears
 *	exits PID VCPUS [GUEST]		a VMM appears whose vCPUs have exit statistics
 *	none PID			a VMM appears whose statistics cannot be opened
 *	host				tracepoints of the whole machine appear
 *	end PID				the VMM ends
 *	add PID LABEL NAME[#N] COUNT	increases value N (0 by default) of a statistic
 *	set PID LABEL NAME COUNT	sets a statistic
 *	tick MILLISECONDS		time passes; top reads the next line after a sample
 *
 * The directory in the environment variable TOP_PROC replaces /proc.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "commands/command.h"
#include "monitor/monitor.h"
#include "options/status.h"
#include "proc/file.h"

#define MAX_VMMS	8
#define MAX_TARGETS	64
#define MAX_VALUES	128

#define EVENT(n)	{ .name = n, .type = KVMSTATS_TYPE_CUMULATIVE, .size = 1 }
#define TIME(n)		{ .name = n, .type = KVMSTATS_TYPE_CUMULATIVE, \
			  .unit = KVMSTATS_UNIT_SECONDS, .exponent = -9, .size = 1 }
#define TIMES(n)	{ .name = n, .type = KVMSTATS_TYPE_LOG_HIST, \
			  .unit = KVMSTATS_UNIT_SECONDS, .exponent = -9, .size = 32 }

static const struct kvmstats_desc vm_descs[] = {
	EVENT("remote_tlb_flush"),
	{ .name = "pages_4k", .type = KVMSTATS_TYPE_INSTANT, .size = 1 },
};

static const struct kvmstats_desc vcpu_descs[] = {
	EVENT("exits"),
	EVENT("io_exits"),
	EVENT("halt_exits"),
	TIME("halt_wait_ns"),
	TIMES("halt_wait_hist"),
	EVENT("pf_taken"),
	EVENT("halt_attempted_poll"),
	EVENT("halt_successful_poll"),
};

static const struct kvmstats_desc exits_descs[] = {
	EVENT("exits"),
	EVENT("io_exits"),
	EVENT("pf_taken"),
	TIME("run_delay_ns"),
	{ .name = "run_delay_max_ns", .type = KVMSTATS_TYPE_PEAK,
	  .unit = KVMSTATS_UNIT_SECONDS, .exponent = -9, .size = 1 },
	{ .name = "blocking", .type = KVMSTATS_TYPE_INSTANT, .unit = KVMSTATS_UNIT_BOOLEAN,
	  .size = 1 },
	TIME("guest_ns"),
	TIME("userspace_ns"),
	TIME("halted_ns"),
	TIMES("exit_hist"),
	EVENT("exit_hlt"), TIME("exit_hlt_ns"),
	EVENT("exit_io"), TIME("exit_io_ns"),
	EVENT("exit_mmio"), TIME("exit_mmio_ns"),
	EVENT("exit_page_fault"), TIME("exit_page_fault_ns"),
	EVENT("exit_cpuid"), TIME("exit_cpuid_ns"),
	EVENT("exit_msr_read"), TIME("exit_msr_read_ns"),
	EVENT("exit_msr_write"), TIME("exit_msr_write_ns"),
	EVENT("exit_cr_access"), TIME("exit_cr_access_ns"),
	EVENT("exit_interrupt"), TIME("exit_interrupt_ns"),
	EVENT("exit_interrupt_window"), TIME("exit_interrupt_window_ns"),
	EVENT("exit_preemption_timer"), TIME("exit_preemption_timer_ns"),
	EVENT("exit_other"), TIME("exit_other_ns"),
};

static const struct kvmstats_desc host_descs[] = {
	EVENT("kvm_exit"),
	EVENT("kvm_exit(HLT)"),
	EVENT("kvm_exit(MSR_WRITE)"),
	EVENT("kvm_entry"),
};

struct fake_target {
	struct target target;
	uint64_t values[MAX_VALUES];
	bool used;
	bool exits;	/* has exit statistics */
};

struct fake_vmm {
	struct vmm vmm;
	struct fake_target fake[MAX_TARGETS];
	struct target *target[MAX_TARGETS];
	char comm[16];
	char guest[64];
};

/* Like real VMMs, they exist independently of monitors. */
static struct fake_vmm *fake_vmms[MAX_VMMS];
static uint64_t now = 1000000000;	/* in ns */
static int script = -1;
static char line[256];
static size_t line_len;

/* ---- VMMs ---- */

static struct fake_vmm *find(pid_t pid)
{
	int i;

	for (i = 0; i < MAX_VMMS; i++) {
		if (fake_vmms[i] && fake_vmms[i]->vmm.pid == pid)
			return fake_vmms[i];
	}
	return NULL;
}

static void fail(const char *why)
{
	complain("error in the script of the test: %s: %s", why, line);
	abort();
}

static void add_target(struct fake_vmm *fake, enum scope scope, int vcpu)
{
	struct fake_target *to = &fake->fake[fake->vmm.targets];

	to->used = true;
	to->target = (struct target){
		.vmm = &fake->vmm, .scope = scope, .vcpu = vcpu, .vm = 0,
		.origin = scope == SCOPE_HOST ? ORIGIN_TRACEPOINTS : ORIGIN_OPENED,
	};
	if (scope == SCOPE_VCPU)
		snprintf(to->target.label, LABEL_SIZE, "vcpu%d", vcpu);
	else
		snprintf(to->target.label, LABEL_SIZE, scope == SCOPE_VM ? "vm" : "host");
	fake->target[fake->vmm.targets++] = &to->target;
}

static struct fake_vmm *add_vmm(pid_t pid, const char *guest)
{
	struct fake_vmm *fake = calloc(1, sizeof(*fake));
	int i;

	for (i = 0; i < MAX_VMMS && fake_vmms[i]; i++)
		;
	if (!fake || i == MAX_VMMS || find(pid))
		fail("there are too many VMMs, or the PID is in use");
	fake_vmms[i] = fake;
	snprintf(fake->comm, sizeof(fake->comm), pid ? "qemu" : "host");
	snprintf(fake->guest, sizeof(fake->guest), "%s", guest);
	fake->vmm.pid = pid;
	fake->vmm.comm = fake->comm;
	fake->vmm.guest = *guest ? fake->guest : NULL;
	fake->vmm.target = fake->target;
	return fake;
}

static void do_vmm(pid_t pid, int vcpus, const char *guest, bool exits)
{
	struct fake_vmm *fake = add_vmm(pid, guest);
	int i;

	fake->vmm.vms = 1;
	fake->vmm.vcpus = (size_t)vcpus;
	add_target(fake, SCOPE_VM, -1);
	for (i = 0; i < vcpus; i++) {
		add_target(fake, SCOPE_VCPU, i);
		fake->fake[fake->vmm.targets - 1].exits = exits;
	}
}

/* ---- values ---- */

static const struct kvmstats_desc *descs_of(const struct target *target, size_t *count)
{
	switch (target->scope) {
	case SCOPE_VM:
		*count = sizeof(vm_descs) / sizeof(*vm_descs);
		return vm_descs;
	case SCOPE_VCPU:
		if (((const struct fake_target *)target)->exits) {
			*count = sizeof(exits_descs) / sizeof(*exits_descs);
			return exits_descs;
		}
		*count = sizeof(vcpu_descs) / sizeof(*vcpu_descs);
		return vcpu_descs;
	default:
		*count = sizeof(host_descs) / sizeof(*host_descs);
		return host_descs;
	}
}

static uint64_t *value_of(pid_t pid, const char *label, const char *name, unsigned int n)
{
	struct fake_vmm *fake = find(pid);
	const struct kvmstats_desc *desc;
	size_t i, j, count, place = n;

	for (i = 0; fake && i < fake->vmm.targets; i++) {
		if (strcmp(fake->target[i]->label, label))
			continue;
		desc = descs_of(fake->target[i], &count);
		for (j = 0; j < count; place += desc[j++].size) {
			if (!strcmp(desc[j].name, name))
				return &fake->fake[i].values[place];
		}
	}
	fail("there is no such statistic");
	return NULL;
}

/* ---- the script ---- */

static void end(struct monitor *monitor, pid_t pid);

/* Executes @line. Returns whether its command was "tick". */
static bool execute_line(struct monitor *monitor)
{
	char guest[64] = "", label[32], name[64];
	unsigned long long count;
	unsigned int n = 0;
	int pid, vcpus;

	if (sscanf(line, "vmm %d %d %63s", &pid, &vcpus, guest) >= 2)
		do_vmm(pid, vcpus, guest, false);
	else if (sscanf(line, "exits %d %d %63s", &pid, &vcpus, guest) >= 2)
		do_vmm(pid, vcpus, guest, true);
	else if (sscanf(line, "none %d", &pid) == 1)
		add_vmm(pid, guest)->vmm.fd_error = -EIO;
	else if (!strcmp(line, "host"))
		add_target(add_vmm(0, guest), SCOPE_HOST, -1);
	else if (sscanf(line, "end %d", &pid) == 1)
		end(monitor, pid);
	else if (sscanf(line, "add %d %31s %63[^# ]#%u %llu", &pid, label, name, &n, &count) == 5 ||
		 sscanf(line, "add %d %31s %63s %llu", &pid, label, name, &count) == 4)
		*value_of(pid, label, name, n) += count;
	else if (sscanf(line, "set %d %31s %63s %llu", &pid, label, name, &count) == 4)
		*value_of(pid, label, name, 0) = count;
	else if (sscanf(line, "tick %llu", &count) == 1)
		now += count * 1000000;
	else
		fail("unknown command");
	return !strncmp(line, "tick", 4);
}

static void read_script(struct monitor *monitor)
{
	char c;

	while (read(script, &c, 1) == 1) {
		if (c != '\n') {
			line[line_len++ % (sizeof(line) - 1)] = c;
			continue;
		}
		line[line_len] = '\0';
		line_len = 0;
		if (execute_line(monitor))
			break;
	}
}

/* ---- the monitor ---- */

uint64_t clock_now(void)
{
	return now;
}

static bool is_selected(const struct monitor *monitor, const struct vmm *vmm)
{
	const struct filter *filter = monitor->options.filter;
	size_t i;

	for (i = 0; i < filter->pids && filter->pid[i] != vmm->pid; i++)
		;
	return (!filter->pids || i < filter->pids) && filter_selects_guest(filter, vmm->guest);
}

static void attach(struct monitor *monitor, struct vmm *vmm)
{
	static const struct source source;	/* top does not call its functions */
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		struct target *target = vmm->target[i];
		struct kvmstats_schema *schema;
		size_t count;
		const struct kvmstats_desc *desc = descs_of(target, &count);

		target->source = &source;
		if (kvmstats_schema_make(&schema, desc, count, sizeof(*desc)) ||
		    stat_sets_add(&monitor->context.sets, schema, &target->set) ||
		    kvmstats_sample_new(&target->now, target->set->schema) ||
		    kvmstats_sample_new(&target->before, target->set->schema))
			abort();
	}
}

static void detach(struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		kvmstats_sample_free(vmm->target[i]->now);
		kvmstats_sample_free(vmm->target[i]->before);
		free(vmm->target[i]->baseline);
		vmm->target[i]->now = NULL;
		vmm->target[i]->before = NULL;
		vmm->target[i]->baseline = NULL;
	}
}

static int by_pid(const void *a, const void *b)
{
	const struct vmm * const *x = a, * const *y = b;

	return ((*x)->pid > (*y)->pid) - ((*x)->pid < (*y)->pid);
}

static bool has(const struct monitor *monitor, const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i] == vmm)
			return true;
	}
	return false;
}

static void find_new(struct monitor *monitor)
{
	int i;

	for (i = 0; i < MAX_VMMS; i++) {
		struct vmm *vmm = fake_vmms[i] ? &fake_vmms[i]->vmm : NULL;

		if (!vmm || has(monitor, vmm) || !is_selected(monitor, vmm))
			continue;
		attach(monitor, vmm);
		monitor->vmm[monitor->vmms++] = vmm;
		monitor->generation++;
		monitor_emit(monitor, MONITOR_APPEARED, vmm);
	}
	qsort(monitor->vmm, monitor->vmms, sizeof(*monitor->vmm), by_pid);
}

static void end(struct monitor *monitor, pid_t pid)
{
	struct fake_vmm *fake = find(pid);
	size_t i;
	int j;

	if (!fake)
		fail("there is no such VMM");
	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i] != &fake->vmm)
			continue;
		monitor_emit(monitor, MONITOR_ENDED, &fake->vmm);
		detach(&fake->vmm);
		monitor->generation++;
		monitor->vmm[i] = monitor->vmm[--monitor->vmms];
	}
	if (named_find(&monitor->named, pid))
		named_find(&monitor->named, pid)->ended = true;
	for (j = 0; j < MAX_VMMS; j++)
		fake_vmms[j] = fake_vmms[j] == fake ? NULL : fake_vmms[j];
	free(fake);
}

int monitor_refresh(struct monitor *monitor)
{
	read_script(monitor);
	find_new(monitor);
	return 0;
}

static void read_target(struct target *target)
{
	struct fake_target *fake = (struct fake_target *)target;
	struct kvmstats_sample *oldest = target->before;
	size_t count, values = 0, i;
	const struct kvmstats_desc *desc = descs_of(target, &count);

	for (i = 0; i < count; i++)
		values += desc[i].size;
	target->before = target->now;
	target->now = oldest;
	if (kvmstats_sample_set(target->now, fake->values, values, now))
		abort();
}

int monitor_sample(struct monitor *monitor)
{
	size_t i, j;

	find_new(monitor);
	monitor->time_before = monitor->time;
	monitor->time = now;
	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++)
			read_target(monitor->vmm[i]->target[j]);
	}
	return 0;
}

int monitor_fd(const struct monitor *monitor)
{
	(void)monitor;
	return script;
}

bool monitor_has_ended(const struct monitor *monitor)
{
	return named_all_ended(&monitor->named);
}

void monitor_select(struct monitor *monitor)
{
	stat_sets_select(&monitor->context.sets);
	monitor->generation++;
}

int monitor_open(struct monitor **monitorp, const struct monitor_options *options)
{
	struct monitor *monitor = calloc(1, sizeof(*monitor));

	monitor->options = *options;
	monitor->vmm = calloc(MAX_VMMS, sizeof(*monitor->vmm));
	named_init(&monitor->named, options->filter->pid, options->filter->pids);
	stat_sets_init(&monitor->context.sets, options->filter);
	*monitorp = monitor;
	return monitor_refresh(monitor);
}

void monitor_close(struct monitor *monitor)
{
	size_t i;

	if (!monitor)
		return;
	for (i = 0; i < monitor->vmms; i++)
		detach(monitor->vmm[i]);
	stat_sets_free(&monitor->context.sets);
	free(monitor->vmm);
	named_free(&monitor->named);
	free(monitor);
}

int main(int argc, char **argv)
{
	const char *name = getenv("TOP_SCRIPT");
	int status, i;

	script = open(name ? name : "", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (script < 0) {
		perror("TOP_SCRIPT");
		return 2;
	}
	if (getenv("TOP_PROC"))
		proc_set_root(getenv("TOP_PROC"));
	status = command_top(argc, argv);
	for (i = 0; i < MAX_VMMS; i++)
		free(fake_vmms[i]);
	return flush_output() ? status : STATUS_FAILED;
}
