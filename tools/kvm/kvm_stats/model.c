// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "model.h"
#include "private_host.h"
#include "switches.h"
#include "problem.h"
#include "proc.h"
#include "util.h"

const char *origin_name(enum kvmstats_origin origin)
{
	static const char * const names[] = {
		[KVMSTATS_ORIGIN_FILE] = "file",
		[KVMSTATS_ORIGIN_NEXT] = "next",
		[KVMSTATS_ORIGIN_PROC] = "proc",
	};

	return names[origin];
}

const char *error_text(int err)
{
	static char buf[128];

	return kvmstats_strerror(err, buf, sizeof(buf));
}

/* ---- targets ---- */

const char *scope_name(enum scope scope)
{
	return scope == SCOPE_VM ? "vm" : "vcpu";
}

static void set_label(struct target *target)
{
	bool several = target->vmm->vms > 1;

	if (target->scope == SCOPE_VCPU && several)
		snprintf(target->label, LABEL_SIZE, "vm%d/vcpu%d", target->vm, target->vcpu);
	else if (target->scope == SCOPE_VCPU)
		snprintf(target->label, LABEL_SIZE, "vcpu%d", target->vcpu);
	else if (several)
		snprintf(target->label, LABEL_SIZE, "vm%d", target->vm);
	else
		snprintf(target->label, LABEL_SIZE, "vm");
}

static void free_target(struct target *target)
{
	if (target)
		free(target->baseline);
	free(target);
}

/* What an update of the targets of a VMM has in common */
struct update {
	struct vmm *vmm;
	struct target **old;		/* those of the last sample; NULL: it is kept */
	size_t olds;
	size_t cursor;			/* where a search begins: the order rarely changes */
	bool relabel;
};

/* Takes a target of the last sample, or returns NULL. */
static struct target *keep_target(struct update *update, uint64_t id, int vcpu,
				  const struct stat_set *set)
{
	size_t i;

	for (i = 0; i < update->olds; i++) {
		size_t at = (update->cursor + i) % update->olds;
		struct target *target = update->old[at];

		if (!target || target->id != id || target->vcpu != vcpu || target->set != set)
			continue;
		update->old[at] = NULL;
		update->cursor = at + 1;
		return target;
	}
	return NULL;
}

static struct target *new_target(struct vmm *vmm, uint64_t id, int vcpu,
				 const struct stat_set *set)
{
	struct target *target = calloc(1, sizeof(*target));

	if (!target)
		return NULL;
	target->scope = vcpu < 0 ? SCOPE_VM : SCOPE_VCPU;
	target->id = id;
	target->vm = -1;	/* it has no label yet */
	target->vcpu = vcpu;
	target->vmm = vmm;
	target->set = set;
	return target;
}

/* What differs from pass to pass */
static void set_samples(const struct monitor *monitor, struct target *target,
			const struct kvmstats_host_vm *vm, const struct kvmstats_host_vcpu *vcpu)
{
	target->now = vcpu ? kvmstats_host_vcpu_now(vcpu) : kvmstats_host_vm_now(vm);
	target->before = vcpu ? kvmstats_host_vcpu_before(vcpu) : kvmstats_host_vm_before(vm);
	if (!target->set->values) {
		target->now = NULL;
		target->before = NULL;
	}
	target->tid = vcpu ? kvmstats_host_vcpu_tid(vcpu) : 0;
	target->waiting = vcpu ? kvmstats_host_vcpu_waiting(monitor->host, vcpu) : 0;
}

/* Adds the VM @index of the VMM, or its vCPU, if the filter selects it. */
static int add_target(struct monitor *monitor, struct update *update, int index,
		      const struct kvmstats_host_vm *vm, const struct kvmstats_host_vcpu *vcpu)
{
	enum kvmstats_kind kind = vcpu ? KVMSTATS_KIND_VCPU : KVMSTATS_KIND_VM;
	int vcpu_id = vcpu ? kvmstats_host_vcpu_id(vcpu) : -1;
	uint64_t id = kvmstats_host_vm_id(vm);
	const struct stat_set *set;
	struct target *target;

	if (!filter_selects_vcpu(monitor->options.filter, vcpu_id))
		return 0;
	set = stat_set_get(&monitor->sets, kvmstats_host_schema(monitor->host, kind));
	target = set ? keep_target(update, id, vcpu_id, set) : NULL;
	if (set && !target)
		target = new_target(update->vmm, id, vcpu_id, set);
	if (!target)
		return -ENOMEM;
	update->vmm->target[update->vmm->targets++] = target;
	set_samples(monitor, target, vm, vcpu);
	if (update->relabel || target->vm != index) {
		target->vm = index;
		set_label(target);
	}
	return 0;
}

static int compare_targets(const void *a, const void *b)
{
	const struct target *x = *(struct target * const *)a, *y = *(struct target * const *)b;

	/* IDs go from -1 to INT_MAX, so their difference can overflow. */
	return x->vcpu == y->vcpu ? x->vm - y->vm : x->vcpu < y->vcpu ? -1 : 1;
}

/* Replaces the targets of @vmm by those of the last pass, and keeps those that still exist. */
static int update_targets(struct monitor *monitor, struct vmm *vmm, bool relabel)
{
	struct update update = { vmm, vmm->target, vmm->targets, 0, relabel };
	size_t vms = kvmstats_vmm_vms(vmm->kvm), i, j;
	int err;

	vmm->targets = 0;
	vmm->target = calloc(vms + kvmstats_vmm_vcpus(vmm->kvm) + 1, sizeof(*vmm->target));
	err = vmm->target ? 0 : -ENOMEM;
	for (i = 0; !err && i < vms; i++) {
		const struct kvmstats_host_vm *vm = kvmstats_vmm_vm(vmm->kvm, i);

		err = add_target(monitor, &update, (int)i, vm, NULL);
		for (j = 0; !err && j < kvmstats_host_vm_vcpus(vm); j++)
			err = add_target(monitor, &update, (int)i, vm,
					 kvmstats_host_vm_vcpu(vm, j));
	}
	/* Those of a single VM are in this order. */
	if (!err && vms > 1)
		qsort(vmm->target, vmm->targets, sizeof(*vmm->target), compare_targets);
	for (i = 0; i < update.olds; i++)
		free_target(update.old[i]);
	free(update.old);
	return err;
}

/* ---- VMMs ---- */

const char *vmm_name_mark(const struct vmm *vmm)
{
	return vmm->name_error == -ETIMEDOUT ? " (provisional)" : "";
}

const struct stat_set *vmm_set(const struct vmm *vmm, enum scope scope)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		if (vmm->target[i]->scope == scope)
			return vmm->target[i]->set;
	}
	return NULL;
}

static struct vmm *new_vmm(const struct kvmstats_vmm *kvm)
{
	static uint64_t ids;
	struct vmm *vmm = calloc(1, sizeof(*vmm));

	if (!vmm)
		return NULL;
	vmm->id = ++ids;
	vmm->kvm = kvm;
	vmm->pid = kvmstats_vmm_pid(kvm);
	return vmm;
}

static void free_vmm(struct vmm *vmm)
{
	size_t i;

	while (vmm->targets)
		free_target(vmm->target[--vmm->targets]);
	free(vmm->target);
	for (i = 0; i < ARRAY_SIZE(vmm->copy); i++)
		free(vmm->copy[i]);
	process_free(&vmm->process);
	free(vmm);
}

static void free_vmms(struct vmm **vmm, size_t vmms)
{
	while (vmms) {
		if (vmm[--vmms])
			free_vmm(vmm[vmms]);
	}
	free(vmm);
}

static bool selects_vmm(const struct filter *filter, const struct kvmstats_vmm *kvm)
{
	return filter_selects_pid(filter, kvmstats_vmm_pid(kvm)) &&
	       filter_selects_guest(filter, kvmstats_vmm_guest(kvm));
}

/* Removes the VMM from the list @old. Returns NULL if it is new. Both have the order of PIDs. */
static struct vmm *keep_vmm(struct vmm **old, size_t olds, size_t *cursor,
			    const struct kvmstats_vmm *kvm)
{
	size_t i;

	for (i = *cursor; i < olds && old[i]->pid <= kvmstats_vmm_pid(kvm); i++) {
		struct vmm *vmm = old[i];

		if (vmm->kvm != kvm || vmm->pid != kvmstats_vmm_pid(kvm))
			continue;
		*cursor = i + 1;
		old[i] = NULL;
		return vmm;
	}
	return NULL;
}

/* Makes *@to a copy of @text, which can be NULL. Returns false if memory is exhausted. */
static bool copy_text(const char **to, char **copy, const char *text)
{
	if (!*copy || !text || strcmp(*copy, text)) {
		free(*copy);
		*copy = text ? strdup(text) : NULL;
	}
	*to = *copy;
	return !text || *copy;
}

static int update_vmm(struct monitor *monitor, struct vmm *vmm)
{
	const struct kvmstats_vmm *kvm = vmm->kvm;
	size_t vms = kvmstats_vmm_vms(kvm);
	bool relabel = (vms > 1) != (vmm->vms > 1);

	if (!copy_text(&vmm->comm, &vmm->copy[0], kvmstats_vmm_comm(kvm)) ||
	    !copy_text(&vmm->guest, &vmm->copy[1], kvmstats_vmm_guest(kvm)) ||
	    !copy_text(&vmm->uuid, &vmm->copy[2], kvmstats_vmm_uuid(kvm)) ||
	    !copy_text(&vmm->cgroup, &vmm->copy[3], kvmstats_vmm_cgroup(kvm)))
		return -ENOMEM;
	vmm->name_error = kvmstats_vmm_name_error(kvm);
	vmm->orphan = kvmstats_vmm_is_orphan(kvm);
	vmm->vms = vms;
	vmm->vcpus = kvmstats_vmm_vcpus(kvm);
	return update_targets(monitor, vmm, relabel);
}

static void report_event(const struct monitor *monitor, const struct vmm *vmm, bool started)
{
	if (monitor->options.event && monitor->samples)
		monitor->options.event(vmm, started, monitor->options.arg);
}

static void choose_exits(const struct monitor *monitor, const struct vmm *vmm, bool chosen)
{
	if (monitor->private)
		private_host_choose(monitor->private, vmm->pid, chosen);
}

bool monitor_has_vmm(const struct monitor *monitor, pid_t pid)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i]->pid == pid)
			return true;
	}
	return false;
}

/* Removes the VMMs that are left in the list: they have ended. Another one can have their PID. */
static void end_vmms(struct monitor *monitor, struct vmm **old, size_t olds)
{
	size_t i;

	for (i = 0; i < olds; i++) {
		if (!old[i])
			continue;
		if (!monitor_has_vmm(monitor, old[i]->pid))
			choose_exits(monitor, old[i], false);
		report_event(monitor, old[i], false);
	}
	free_vmms(old, olds);
}

/* Makes the list of VMMs that of the last pass, and keeps those that still exist. */
static int update_vmms(struct monitor *monitor)
{
	size_t count = kvmstats_host_vmms(monitor->host), olds = monitor->vmms, cursor = 0, i;
	struct vmm **old = monitor->vmm;
	int err = 0;

	monitor->vmms = 0;
	monitor->vmm = calloc(count + 1, sizeof(*monitor->vmm));
	if (!monitor->vmm)
		err = -ENOMEM;
	for (i = 0; !err && i < count; i++) {
		const struct kvmstats_vmm *kvm = kvmstats_host_vmm(monitor->host, i);
		struct vmm *kept, *vmm;

		if (!selects_vmm(monitor->options.filter, kvm))
			continue;
		kept = keep_vmm(old, olds, &cursor, kvm);
		vmm = kept ? kept : new_vmm(kvm);
		if (!vmm) {
			err = -ENOMEM;
			break;
		}
		vmm->index = monitor->vmms;
		monitor->vmm[monitor->vmms++] = vmm;
		err = update_vmm(monitor, vmm);
		if (kept || err)
			continue;
		choose_exits(monitor, vmm, true);
		report_event(monitor, vmm, true);
	}
	end_vmms(monitor, old, olds);
	return err;
}

/* ---- samples ---- */

/* How often to try to load a private host file, unless that takes more than 1 % of this time */
#define LOAD_INTERVAL	(10 * SECOND)

static enum counted_exits exits_of_private_host(const struct monitor_options *options)
{
	if (!options->exits)
		return EXITS_OF_NONE;
	return filter_names_vmms(options->filter) ? EXITS_OF_CHOSEN : EXITS_OF_ALL;
}

/* What the user wants explicitly must not be left out without a message. */
static int refuse_exits(struct message *why)
{
	if (!*why->what) {
		message_set(why, "exits cannot be counted: permission denied");
		message_advice(why, "Run as root, or grant CAP_BPF and CAP_PERFMON");
	}
	return -EPERM;
}

/* Root without a published file loads one for itself. The library then reads that instead. */
static int use_private_host(struct monitor *monitor)
{
	uint64_t start = clock_now(), took;
	size_t i;

	monitor->private_problem = (struct message){ 0 };
	monitor->private = private_host_open(exits_of_private_host(&monitor->options),
					     &monitor->private_problem);
	took = clock_now() - start;
	if (!monitor->private && monitor->options.exits && !monitor->samples)
		return refuse_exits(&monitor->private_problem);
	monitor->next_try = start + (took > LOAD_INTERVAL / 100 ? 100 * took : LOAD_INTERVAL);
	if (!monitor->private)
		return 0;
	for (i = 0; i < monitor->vmms; i++)
		choose_exits(monitor, monitor->vmm[i], true);
	kvmstats_host_use_passes(monitor->host, private_host_pass, monitor->private);
	return kvmstats_host_read(monitor->host);
}

static void leave_private_host(struct monitor *monitor)
{
	kvmstats_host_use_passes(monitor->host, NULL, NULL);
	private_host_close(monitor->private);
	monitor->private = NULL;
	monitor->next_try = 0;
}

static bool has_exits(const struct kvmstats_host *host)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);

	return schema && kvmstats_schema_find(schema, "exit_hist");
}

/* KVM can be loaded after kvm-stats was started, and loading the file can fail for a while. */
static bool needs_private_host(const struct monitor *monitor)
{
	return !monitor->private && !monitor->options.from && clock_now() >= monitor->next_try &&
	       (kvmstats_host_origin(monitor->host) == KVMSTATS_ORIGIN_PROC ||
		(monitor->options.exits && !has_exits(monitor->host)));
}

static void drop_vmms(struct monitor *monitor)
{
	free_vmms(monitor->vmm, monitor->vmms);
	monitor->vmm = NULL;
	monitor->vmms = 0;
}

/*
 * VMMs refer to the last two passes. If a second one cannot be read after the first, there are no
 * VMMs.
 */
static int read_host(struct monitor *monitor)
{
	int err = monitor->replay ? replay_next(monitor->replay) : 0;

	if (err)
		return err;
	err = kvmstats_host_read(monitor->host);

	if (err == -ESTALE && monitor->private) {
		leave_private_host(monitor);
		err = kvmstats_host_read(monitor->host);
	}
	if (!err && !monitor->samples && monitor->options.from && monitor->options.exits &&
	    !has_exits(monitor->host))
		return -EOPNOTSUPP;
	if (err || !needs_private_host(monitor))
		return err;
	err = use_private_host(monitor);
	if (err)
		drop_vmms(monitor);
	return err;
}

/* If the pass is not used, nothing may refer to those before it. */
static int take_problem(struct monitor *monitor)
{
	int err = problem_of_host(&monitor->problem, monitor->host, &monitor->private_problem);

	if (err)
		drop_vmms(monitor);
	return err;
}

/* The scheduler's jitter must not skip a second. */
#define STATES_INTERVAL	(SECOND * 9 / 10)

/* Whether this sample reads the threads that run no vCPU. */
static bool reads_other_threads(struct monitor *monitor)
{
	enum monitor_processes processes = monitor->options.processes;

	if (processes != PROCESSES_STATES)
		return processes == PROCESSES_ALL;
	if (monitor->states_time && monitor->time - monitor->states_time < STATES_INTERVAL)
		return false;
	monitor->states_time = monitor->time;
	return true;
}

int monitor_read_processes(struct monitor *monitor)
{
	const struct monitor_options *options = &monitor->options;
	size_t i;

	if (options->processes == PROCESSES_UNREAD)
		return 0;
	monitor->processes.states = options->processes == PROCESSES_STATES;
	monitor->processes.keep_threads = monitor->processes.states;
	processes_begin(&monitor->processes, monitor->time,
			kvmstats_host_schema(monitor->host, KVMSTATS_KIND_VCPU),
			reads_other_threads(monitor));
	for (i = 0; i < monitor->vmms; i++) {
		struct vmm *vmm = monitor->vmm[i];

		/* Another host's processes are only known if they were recorded. */
		vmm->process.pid = (monitor->is_copy && !monitor->replay) || vmm->orphan ? 0 :
				   vmm->pid;
		if (!process_update_vmm(&vmm->process, &monitor->processes, monitor->host,
					vmm->kvm))
			return -ENOMEM;
	}
	return 0;
}

/* The clock of another boot has nothing to do with that before. */
static void set_times(struct monitor *monitor)
{
	bool gap = monitor->replay && replay_has_gap(monitor->replay);

	monitor->time_before = gap ? 0 : monitor->time;
	monitor->time = kvmstats_host_time(monitor->host);
	if (monitor->replay)
		monitor->wall = replay_time(monitor->replay);
}

/* A recording of a host with only /proc is a host file without statistics. */
static bool has_values(const struct kvmstats_host *host)
{
	return kvmstats_schema_count(kvmstats_host_schema(host, KVMSTATS_KIND_VM)) ||
	       kvmstats_schema_count(kvmstats_host_schema(host, KVMSTATS_KIND_VCPU));
}

int monitor_sample(struct monitor *monitor)
{
	int err = read_host(monitor);

	if (err && !monitor->samples && *monitor->private_problem.what)
		monitor->problem = monitor->private_problem;
	else if (err)
		problem_of_read(&monitor->problem, monitor->options.from, err);
	else
		err = take_problem(monitor);
	if (err)
		return err;
	set_times(monitor);
	monitor->has_values = has_values(monitor->host);
	err = update_vmms(monitor);
	if (!err)
		err = monitor_read_processes(monitor);
	if (err) {
		drop_vmms(monitor);
		message_no_memory(&monitor->problem);
	}
	monitor->samples++;
	return err;
}

const char *monitor_stamp(const struct monitor *monitor, char *buf)
{
	if (monitor->wall)
		return stamp_of_wall(monitor->wall, buf);
	if (!monitor->is_copy)
		return stamp_of(monitor->time, buf);
	snprintf(buf, STAMP_SIZE, "%.3f", (double)monitor->time / 1e9);
	return buf;
}

bool monitor_has_ended(const struct monitor *monitor)
{
	return monitor->options.filter->pids && !monitor->vmms;
}

bool monitor_matches_nothing(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->sets.sets; i++) {
		if (monitor->sets.set[i]->stats)
			return false;
	}
	return monitor->sets.sets && monitor->has_values && monitor->options.filter->has_regex;
}

enum exits_state monitor_exits(const struct monitor *monitor)
{
	if (!has_exits(monitor->host))
		return EXITS_MISSING;
	return host_exit_stats_are_off() ? EXITS_OFF : EXITS_ON;
}

/* ---- open and close ---- */

/* Sockets and pins have the statistics of now. */
static bool is_copy(const char *from)
{
	struct statfs fs;
	struct stat st;

	if (!from || stat(from, &st))
		return from;
	return !S_ISSOCK(st.st_mode) &&
	       (statfs(from, &fs) || (uint32_t)fs.f_type != BPF_FS_MAGIC);
}

/* KVM_STATS_NEXT needs an fd for each VM: the usual limit of 1024 is too low for thousands. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static bool wants_replay(const struct monitor_options *options)
{
	const struct replay_options *replay = &options->replay;

	return replay->dir || replay->at || replay->since || replay->until ||
	       (options->from && replay_is_recording(options->from));
}

static void print_notice(const struct message *notice, void *arg)
{
	message_print(notice);
}

static int open_replay(struct monitor *monitor, struct message *why)
{
	struct replay_options *replay = &monitor->options.replay;
	const char *from = monitor->options.from;

	if (from && replay->dir) {
		message_set(why, "--from and --dir cannot be combined");
		message_advice(why, "Use one of them");
		return -EINVAL;
	}
	if (from && !replay_is_recording(from)) {
		message_set(why, "it is not a recording, so no time can be selected in it");
		message_object(why, "%s", from);
		message_advice(why, "Leave out --at, --since and --until, or make a recording with "
			       "'kvm-stats record'");
		return -EINVAL;
	}
	if (from)
		replay->dir = from;
	monitor->options.from = replay->dir ? replay->dir : RECORDING_DIR;
	monitor->is_copy = true;
	monitor->replay = replay_open(replay, print_notice, NULL, why);
	if (!monitor->replay)
		return -EINVAL;
	return kvmstats_host_open_fd(&monitor->host, replay_fd(monitor->replay));
}

/* Opens this host, or the host file @from. */
static int open_host(struct kvmstats_host **host, const char *from, struct message *why)
{
	int err = from && !strcmp(from, "-") ? kvmstats_host_open_fd(host, STDIN_FILENO) :
					       kvmstats_host_open(host, from);

	if (err)
		problem_of_read(why, from, err);
	return err;
}

static int open_switches(struct monitor *monitor, struct message *why)
{
	if (monitor->is_copy || wants_replay(&monitor->options)) {
		message_set(why, "--switches measures this host now, and cannot read a file");
		message_advice(why, "Leave out --switches, or the options that read a file");
		return -EINVAL;
	}
	monitor->switches = switches_open(why);
	return monitor->switches ? 0 : -EPERM;
}

int monitor_open(struct monitor **monitorp, const struct monitor_options *options,
		 struct message *why)
{
	struct monitor *monitor = calloc(1, sizeof(*monitor));
	const char *from = options->from;
	int err;

	*monitorp = monitor;
	if (!monitor) {
		message_no_memory(why);
		return -ENOMEM;
	}
	monitor->options = *options;
	monitor->sets.filter = options->filter;
	monitor->is_copy = is_copy(from);
	if (!from)
		allow_many_files();
	if (wants_replay(options))
		err = open_replay(monitor, why);
	else
		err = open_host(&monitor->host, from, why);
	if (!err && options->switches)
		err = open_switches(monitor, why);
	if (!err)
		return 0;
	monitor_close(monitor);
	*monitorp = NULL;
	return err;
}

void monitor_close(struct monitor *monitor)
{
	if (!monitor)
		return;
	free_vmms(monitor->vmm, monitor->vmms);
	processes_free(&monitor->processes);
	stat_sets_free(&monitor->sets);
	kvmstats_host_close(monitor->host);
	private_host_close(monitor->private);
	switches_close(monitor->switches);
	replay_close(monitor->replay);
	free(monitor);
}
