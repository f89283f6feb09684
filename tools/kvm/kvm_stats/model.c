// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model.h"
#include "proc.h"
#include "util.h"

/* ---- origins ---- */

static const char * const origin_names[ORIGINS] = {
	[ORIGIN_OPENED] = "opened",
	[ORIGIN_TAKEN] = "taken",
	[ORIGIN_NEXT] = "next",
	[ORIGIN_OPEN] = "open",
	[ORIGIN_QMP] = "qmp",
	[ORIGIN_DEBUGFS] = "debugfs",
	[ORIGIN_TRACEPOINTS] = "tracepoints",
};

static const char * const origin_texts[ORIGINS] = {
	[ORIGIN_OPENED] = "statistics fds opened by kvm-stats",
	[ORIGIN_TAKEN] = "statistics fds that the VMM keeps open",
	[ORIGIN_NEXT] = "statistics fds of whole VMs (KVM_STATS_NEXT)",
	[ORIGIN_OPEN] = "statistics fds of whole VMs (KVM_STATS_OPEN)",
	[ORIGIN_QMP] = "QMP (query-stats of QEMU)",
	[ORIGIN_DEBUGFS] = "debugfs (sums over the vCPUs of each VM)",
	[ORIGIN_TRACEPOINTS] = "KVM tracepoints",
};

const char *origin_name(enum origin origin)
{
	return origin_names[origin];
}

/* Writes the texts of the origins in @mask, or "none". Returns @buf. */
static const char *join_origins(unsigned int mask, const char * const *text,
				const char *separator, char *buf, size_t size)
{
	size_t used = 0;
	int i;

	snprintf(buf, size, "none");
	for (i = 0; i < ORIGINS && used < size; i++) {
		if (mask & 1u << i)
			used += snprintf(buf + used, size - used, "%s%s", used ? separator : "",
					 text[i]);
	}
	return buf;
}

const char *origins_text(unsigned int origins)
{
	static char buf[256];

	return join_origins(origins, origin_texts, " and ", buf, sizeof(buf));
}

const char *error_text(int err)
{
	static char buf[128];

	return kvmstats_strerror(err, buf, sizeof(buf));
}

/* ---- targets ---- */

const char *scope_name(enum scope scope)
{
	static const char * const names[] = {
		[SCOPE_VM] = "vm",
		[SCOPE_VCPU] = "vcpu",
		[SCOPE_VMM] = "vmm",
		[SCOPE_HOST] = "host",
	};

	return names[scope];
}

struct target target_of(const struct source *source, const struct kvmstats_target *from)
{
	return (struct target){
		.source = source,
		.scope = kvmstats_target_kind(from) == KVMSTATS_KIND_VM ? SCOPE_VM : SCOPE_VCPU,
		.vm = kvmstats_target_vm(from),
		.vcpu = kvmstats_target_vcpu(from),
		.vmm_fd = kvmstats_target_fd(from),
		.number = kvmstats_target_number(from),
	};
}

static void set_label(struct target *target)
{
	bool several = target->vmm->vms > 1;

	if (target->scope == SCOPE_VCPU && target->vm < 0)
		snprintf(target->label, LABEL_SIZE, "vm?/vcpu%d#%d", target->vcpu, target->vmm_fd);
	else if (target->scope == SCOPE_VCPU && several)
		snprintf(target->label, LABEL_SIZE, "vm%d/vcpu%d", target->vm, target->vcpu);
	else if (target->scope == SCOPE_VCPU)
		snprintf(target->label, LABEL_SIZE, "vcpu%d", target->vcpu);
	else if (target->scope == SCOPE_VM && several && target->vm >= 0)
		snprintf(target->label, LABEL_SIZE, "vm%d", target->vm);
	else
		snprintf(target->label, LABEL_SIZE, "%s", scope_name(target->scope));
}

static bool is_same(const struct target *target, const struct target *key)
{
	return target->source == key->source && target->scope == key->scope &&
	       target->vm == key->vm && target->vcpu == key->vcpu &&
	       target->vmm_fd == key->vmm_fd && target->number == key->number &&
	       (!key->set || target->set == key->set);
}

/* Returns false if memory is exhausted. */
static bool list_target(struct vmm *vmm, struct target *target)
{
	struct target **more;

	more = array_grow(vmm->target, vmm->targets, &vmm->capacity, sizeof(*more));
	if (!more)
		return false;
	vmm->target = more;
	more[vmm->targets++] = target;
	set_label(target);	/* the number of VMs may have changed */
	return true;
}

/* Sources register targets in the same order each time, so the first comparison usually hits. */
struct target *target_keep(struct vmm *vmm, const struct target *key)
{
	size_t i;

	for (i = 0; i < vmm->olds; i++) {
		size_t at = (vmm->cursor + i) % vmm->olds;
		struct target *target = vmm->old[at];

		if (!target || !is_same(target, key))
			continue;
		if (!list_target(vmm, target))
			return NULL;
		vmm->old[at] = NULL;
		vmm->cursor = at + 1;
		return target;
	}
	return NULL;
}

static void free_target(struct target *target)
{
	if (!target->source->has_samples) {
		kvmstats_sample_free(target->now);
		kvmstats_sample_free(target->before);
	}
	free(target->values);
	free(target->baseline);
	free(target);
}

static void drop_target(struct target *target)
{
	if (target->source->detach)
		target->source->detach(target);
	free_target(target);
}

struct target *target_add(struct vmm *vmm, const struct target *from)
{
	struct target *target = malloc(sizeof(*target));

	if (!target)
		return NULL;
	*target = *from;
	target->vmm = vmm;
	if (!target->source->has_samples)
		target->values = calloc(target->set->values + 1, sizeof(*target->values));
	if ((target->source->has_samples ||
	     (target->values && !kvmstats_sample_new(&target->now, target->set->schema) &&
	      !kvmstats_sample_new(&target->before, target->set->schema))) &&
	    list_target(vmm, target)) {
		vmm->changed = true;
		return target;
	}
	free_target(target);
	return NULL;
}

void targets_begin(struct vmm *vmm)
{
	vmm->old = vmm->target;
	vmm->olds = vmm->targets;
	vmm->target = NULL;
	vmm->targets = 0;
	vmm->capacity = 0;
	vmm->cursor = 0;
	vmm->changed = false;
}

bool targets_end(struct vmm *vmm)
{
	for (; vmm->olds; vmm->olds--) {
		if (!vmm->old[vmm->olds - 1])
			continue;
		drop_target(vmm->old[vmm->olds - 1]);
		vmm->changed = true;
	}
	free(vmm->old);
	return vmm->changed;
}

void targets_free(struct vmm *vmm)
{
	targets_begin(vmm);
	targets_end(vmm);
}

int target_read(struct target *target)
{
	struct kvmstats_sample *oldest = target->before;
	int err = target->source->read(target);

	if (target->source->has_samples || err)
		return err;
	target->before = target->now;
	target->now = oldest;
	return kvmstats_sample_set(target->now, target->values, target->set->values, clock_now());
}

bool targets_read(struct vmm *vmm)
{
	size_t i, kept = 0, targets = vmm->targets;

	for (i = 0; i < targets; i++) {
		struct target *target = vmm->target[i];

		if (target_read(target))
			drop_target(target);
		else
			vmm->target[kept++] = target;
	}
	vmm->targets = kept;
	return kept < targets;
}

/* ---- the source of statistics fds: the library has read the samples ---- */

static int read_fd(struct target *target)
{
	const struct kvmstats_target *from = target->private;

	/* The monitor of the library owns the samples. Nothing changes them here. */
	target->now = (struct kvmstats_sample *)kvmstats_target_now(from);
	target->before = (struct kvmstats_sample *)kvmstats_target_before(from);
	return kvmstats_target_error(from);
}

static const struct source source_fd = { .read = read_fd, .has_samples = true };

/* Returns 0, or why a target that is selected cannot be read. */
static int attach_fd(struct monitor *monitor, struct vmm *vmm, const struct kvmstats_target *from)
{
	struct target key = target_of(&source_fd, from);
	struct target *target;
	int err = kvmstats_target_error(from);

	if (err)
		return err == -ECANCELED ? 0 : err;
	/* If another VM with other statistics takes the place of a VM, it is another target. */
	key.set = stat_set_get(&monitor->sets, kvmstats_target_schema(from), false);
	target = key.set ? target_keep(vmm, &key) : NULL;
	if (key.set && !target)
		target = target_add(vmm, &key);
	if (!target)
		return -ENOMEM;
	target->origin = (enum origin)kvmstats_target_origin(from);
	target->private = (void *)from;
	return read_fd(target);
}

static int attach_fds(struct monitor *monitor, struct vmm *vmm)
{
	int last_err = 0;
	size_t i;

	for (i = 0; i < kvmstats_vmm_targets(vmm->kvm); i++) {
		int err = attach_fd(monitor, vmm, kvmstats_vmm_target(vmm->kvm, i));

		if (err)
			last_err = err;
	}
	return last_err;
}

/* ---- what cannot be read ---- */

static bool has_target(const struct target *target, const struct kvmstats_target *from)
{
	if (target->vm != kvmstats_target_vm(from))
		return false;
	if (kvmstats_target_kind(from) == KVMSTATS_KIND_VM)
		return target->scope == SCOPE_VM;
	return target->scope == SCOPE_VCPU && target->vcpu == kvmstats_target_vcpu(from) &&
	       target->vmm_fd == kvmstats_target_fd(from);
}

/*
 * Returns why the statistics of a VM or vCPU are missing, or 0: they are not selected, another
 * source has them, or it has ended, and the monitor is about to release it.
 */
static int fd_error(const struct vmm *vmm, const struct kvmstats_target *from)
{
	int err = kvmstats_target_error(from);
	size_t i;

	if (!err || err == -ECANCELED || err == -ESRCH || err == -ENODEV)
		return 0;
	for (i = 0; i < vmm->targets; i++) {
		const struct target *target = vmm->target[i];

		if (target->source->replaces_fds && has_target(target, from))
			return 0;
	}
	return err;
}

/*
 * With the error EIO, only the VMM can open the statistics. The user can do nothing about that, so
 * any other error is preferred.
 */
static void count_unread(struct vmm *vmm)
{
	struct unread *unread = &vmm->unread;
	size_t i;

	unread->count = 0;
	unread->vcpus = 0;
	unread->fd_error = 0;
	for (i = 0; vmm->kvm && i < kvmstats_vmm_targets(vmm->kvm); i++) {
		const struct kvmstats_target *from = kvmstats_vmm_target(vmm->kvm, i);
		int vcpu = kvmstats_target_vcpu(from);
		int err = fd_error(vmm, from);

		if (!err)
			continue;
		unread->vcpus += vcpu >= 0;
		if (unread->count++ && (unread->fd_error != -EIO || err == -EIO))
			continue;
		unread->fd_error = err;
		if (vcpu < 0)
			snprintf(unread->label, LABEL_SIZE, "vm");
		else
			snprintf(unread->label, LABEL_SIZE, "vcpu%d", vcpu);
	}
}

/* ---- VMMs ---- */

size_t vmm_vcpu_ids(const struct vmm *vmm, int *id)
{
	size_t targets = kvmstats_vmm_targets(vmm->kvm), count = 0, i;

	for (i = 0; i < targets && count < vmm->vcpus; i++) {
		int vcpu = kvmstats_target_vcpu(kvmstats_vmm_target(vmm->kvm, i));

		if (vcpu >= 0)
			id[count++] = vcpu;
	}
	return count;
}

const char *vmm_name_mark(const struct vmm *vmm)
{
	return vmm->unread.name_error ? " (provisional)" : "";
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

unsigned int vmm_origins(const struct vmm *vmm)
{
	unsigned int mask = 0;
	size_t i;

	for (i = 0; i < vmm->targets; i++)
		mask |= 1u << vmm->target[i]->origin;
	return mask;
}

const char *vmm_sources(const struct vmm *vmm)
{
	static char buf[64];

	return join_origins(vmm_origins(vmm), origin_names, "+", buf, sizeof(buf));
}

bool vmm_has_sums(const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		if (vmm->target[i]->source->has_sums)
			return true;
	}
	return false;
}

int vmm_error(const struct vmm *vmm)
{
	if (vmm->unread.fd_error)
		return vmm->unread.fd_error;
	return vmm->unread.debugfs_error ? vmm->unread.debugfs_error :
					   vmm->unread.tracepoints_error;
}

bool vmm_lacks_only_vm(const struct vmm *vmm)
{
	const struct unread *unread = &vmm->unread;

	if (!vmm->targets || unread->vcpus || vmm_has_sums(vmm))
		return false;
	if (unread->count)
		return unread->fd_error == -EIO;
	return unread->debugfs_error && vmm_origins(vmm) & 1u << ORIGIN_DEBUGFS;
}

static bool has_selected_stat(const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		if (vmm->target[i]->set->stats)
			return true;
	}
	return false;
}

bool vmm_fails(const struct vmm *vmm, const struct filter *filter)
{
	const struct unread *unread = &vmm->unread;

	if (!unread->count && !unread->fd_error && !unread->qmp_error &&
	    !unread->debugfs_error && !unread->tracepoints_error)
		return false;
	if (vmm_has_sums(vmm))
		return unread->debugfs_error;
	return unread->qmp_error || unread->tracepoints_error || !vmm_lacks_only_vm(vmm) ||
	       filter->vm || (filter->has_regex && !has_selected_stat(vmm));
}

static void count_vcpus(struct vmm *vmm)
{
	vmm->vms = kvmstats_vmm_vms(vmm->kvm);
	vmm->vcpus = kvmstats_vmm_vcpus(vmm->kvm);
}

/* Returns whether the names are other ones, or final, now. */
static bool set_names(struct vmm *vmm)
{
	int before = vmm->unread.name_error;

	vmm->guest = kvmstats_vmm_guest(vmm->kvm);
	vmm->uuid = kvmstats_vmm_uuid(vmm->kvm);
	vmm->cgroup = kvmstats_vmm_cgroup(vmm->kvm);
	vmm->unread.name_error = kvmstats_vmm_name_error(vmm->kvm);
	return vmm->unread.name_error != before;
}

/* @kvm is NULL for the whole machine. Returns NULL if memory is exhausted. */
static struct vmm *new_vmm(const struct kvmstats_vmm *kvm)
{
	static uint64_t ids;
	struct vmm *vmm = calloc(1, sizeof(*vmm));

	if (!vmm)
		return NULL;
	vmm->id = ++ids;
	vmm->comm = "host";
	if (!kvm)
		return vmm;
	vmm->kvm = kvm;
	vmm->pid = kvmstats_vmm_pid(kvm);
	vmm->comm = kvmstats_vmm_comm(kvm);
	if (!vmm->pid)
		vmm->number = kvmstats_target_number(kvmstats_vmm_target(kvm, 0));
	set_names(vmm);
	count_vcpus(vmm);
	return vmm;
}

static void free_vmm(struct vmm *vmm)
{
	targets_free(vmm);
	free(vmm->qmp_socket);
	free(vmm);
}

/* ---- sources ---- */

static const struct source * const all_sources[] = {
#if HAVE_JSON
	&source_qmp,
#endif
	&source_debugfs, &source_tracepoints,
};

static bool uses_fds(const struct monitor *monitor)
{
	return monitor->options.sources == SOURCES_AUTO ||
	       monitor->options.sources & SOURCES_FD;
}

/* Whether the VM's own statistics are missing, while those of vCPUs may not be. */
static bool misses_vm(struct vmm *vmm)
{
	count_unread(vmm);
	return vmm->unread.count > vmm->unread.vcpus;
}

/*
 * If no fd can be opened, debugfs has the sums over the vCPUs. If only the VM's fd cannot be
 * opened, debugfs has the statistics of the VM; without them, the others are still useful. If the
 * kernel is locked down, debugfs has only some of the statistics.
 */
static int attach_debugfs(struct monitor *monitor, struct vmm *vmm)
{
	bool automatic = monitor->options.sources == SOURCES_AUTO && vmm->unread.fd_error;
	int err;

	if (monitor->options.sources & SOURCES_DEBUGFS || (automatic && !vmm->targets))
		return source_debugfs.attach(monitor, vmm);
	if (!automatic || !misses_vm(vmm))
		return 0;
	err = source_debugfs_vm.attach(monitor, vmm);
	return misses_vm(vmm) ? 0 : err;
}

/* Asks the sources for the targets of @vmm again. Returns whether the targets changed. */
static bool attach_sources(struct monitor *monitor, struct vmm *vmm)
{
	struct unread *unread = &vmm->unread;
	bool changed;
	int err = 0;

	targets_begin(vmm);
	if (vmm->kvm && uses_fds(monitor))
		err = attach_fds(monitor, vmm);
	unread->fd_error = err;
	unread->qmp_error = HAVE_JSON && err ? source_qmp.attach(monitor, vmm) : 0;
	unread->debugfs_error = attach_debugfs(monitor, vmm);
	count_unread(vmm);
	if (err == -ENOMEM)
		unread->fd_error = err;
	unread->tracepoints_error = monitor->options.sources & SOURCES_TRACEPOINTS ?
				    source_tracepoints.attach(monitor, vmm) : 0;
	changed = targets_end(vmm);
	if (changed)
		monitor->generation++;
	return changed;
}

/* ---- the table of VMMs ---- */

/* Adds a VMM, or with NULL an entry for the tracepoints of the whole machine. */
static struct vmm *add_vmm(struct monitor *monitor, const struct kvmstats_vmm *kvm)
{
	struct vmm *vmm = new_vmm(kvm);
	struct vmm **more;
	size_t i;

	if (!vmm)
		return NULL;
	more = array_grow(monitor->vmm, monitor->vmms, &monitor->capacity, sizeof(*more));
	if (!more) {
		free_vmm(vmm);
		return NULL;
	}
	monitor->vmm = more;
	/* The library finds most VMMs in this order. */
	for (i = monitor->vmms++; i && vmm_key(more[i - 1]) > vmm_key(vmm); i--)
		more[i] = more[i - 1];
	more[i] = vmm;
	monitor->generation++;
	attach_sources(monitor, vmm);
	return vmm;
}

static void remove_vmm(struct monitor *monitor, struct vmm *vmm)
{
	size_t i = 0;

	while (monitor->vmm[i] != vmm)
		i++;
	for (monitor->vmms--; i < monitor->vmms; i++)
		monitor->vmm[i] = monitor->vmm[i + 1];
	monitor->generation++;
	free_vmm(vmm);
}

/* Returns NULL for an event of the search, or if there was no memory for the VMM. */
static struct vmm *find_vmm(const struct monitor *monitor, const struct kvmstats_vmm *kvm)
{
	size_t i;

	for (i = 0; kvm && i < monitor->vmms; i++) {
		if (monitor->vmm[i]->kvm == kvm)
			return monitor->vmm[i];
	}
	return NULL;
}

/* ---- the monitor of the library ---- */

static int selects_vmm(const struct kvmstats_vmm *vmm, void *arg)
{
	const struct monitor *monitor = arg;

	return filter_selects_guest(monitor->options.filter, kvmstats_vmm_guest(vmm));
}

static int selects_target(const struct kvmstats_target *target, void *arg)
{
	const struct monitor *monitor = arg;

	return uses_fds(monitor) && filter_selects_target(monitor->options.filter, target);
}

static void handle_event(enum kvmstats_event event, const struct kvmstats_vmm *kvm, void *arg)
{
	struct monitor *monitor = arg;
	struct vmm *vmm = find_vmm(monitor, kvm);
	bool renamed;

	monitor->search_error = kvmstats_monitor_search_error(monitor->library);
	if (event == KVMSTATS_EVENT_APPEARED) {
		vmm = add_vmm(monitor, kvm);
		if (!vmm)
			monitor->error = -ENOMEM;
	}
	if (kvm && !vmm)
		return;
	if (event == KVMSTATS_EVENT_CHANGED || event == KVMSTATS_EVENT_SCANNED) {
		renamed = set_names(vmm);
		count_vcpus(vmm);
		if (!attach_sources(monitor, vmm) && !renamed)
			return;
		monitor->generation += renamed;
		event = KVMSTATS_EVENT_CHANGED;
	}
	if (monitor->options.event)
		monitor->options.event(event, vmm, monitor->options.arg);
	if (event == KVMSTATS_EVENT_ENDED)
		remove_vmm(monitor, vmm);
}

static int open_library(struct monitor *monitor)
{
	const struct kvmstats_monitor_options options = {
		.size = sizeof(options),
		.pid = monitor->options.filter->pid,
		.pids = monitor->options.filter->pids,
		.selects_vmm = selects_vmm,
		.selects_target = selects_target,
		.event = handle_event,
		.arg = monitor,
	};

	return kvmstats_monitor_open(&monitor->library, &options);
}

#define MAX_SPARED	40

/* If the limit of open files is low, at least three quarters of it remain for statistics. */
static size_t count_spared(const struct monitor *monitor)
{
	struct rlimit limit;

	if (!monitor->options.spares_fds)
		return 0;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max / 4 > MAX_SPARED)
		return MAX_SPARED;
	return limit.rlim_max / 4;
}

/*
 * The library opens an fd for each vCPU, up to the limit. The spared fds are open meanwhile.
 * Returns 0, or the error of the call or of an event.
 */
static int call_library(struct monitor *monitor, int (*call)(struct kvmstats_monitor *library))
{
	size_t wanted = count_spared(monitor), count = 0;
	int spared[MAX_SPARED], err;

	while (count < wanted) {
		spared[count] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
		if (spared[count] < 0)
			break;
		count++;
	}
	err = call(monitor->library);
	while (count)
		close(spared[--count]);
	monitor->denied = kvmstats_monitor_denied(monitor->library);
	monitor->search_error = kvmstats_monitor_search_error(monitor->library);
	return err ? err : monitor->error;
}

/* ---- samples ---- */

int monitor_refresh(struct monitor *monitor)
{
	return call_library(monitor, kvmstats_monitor_refresh);
}

int monitor_sample(struct monitor *monitor)
{
	int err = call_library(monitor, kvmstats_monitor_sample);
	size_t i;

	if (err)
		return err;
	monitor->time_before = monitor->time;
	monitor->time = kvmstats_monitor_time(monitor->library);
	for (i = 0; i < ARRAY_SIZE(all_sources); i++) {
		if (all_sources[i]->sample)
			all_sources[i]->sample(monitor);
	}
	for (i = 0; i < monitor->vmms; i++) {
		if (!targets_read(monitor->vmm[i]))
			continue;
		count_unread(monitor->vmm[i]);
		monitor->generation++;
	}
	return 0;
}

bool monitor_has_ended(const struct monitor *monitor)
{
	return kvmstats_monitor_wait(monitor->library, 0) == -ESRCH;
}

int monitor_wait(struct monitor *monitor, uint64_t deadline)
{
	int err = kvmstats_monitor_wait(monitor->library, deadline);

	return err ? err : monitor->error;
}

void monitor_select(struct monitor *monitor)
{
	size_t i;

	stat_sets_select(&monitor->sets);
	monitor->selections++;
	monitor->generation++;
	for (i = 0; i < monitor->vmms && monitor->options.sources & SOURCES_TRACEPOINTS; i++)
		attach_sources(monitor, monitor->vmm[i]);
}

bool monitor_matches_nothing(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->sets.sets; i++) {
		if (monitor->sets.set[i]->stats)
			return false;
	}
	return monitor->sets.sets && monitor->options.filter->has_regex;
}

bool monitor_has_targets(const struct monitor *monitor)
{
	struct target_iterator first = { 0 };

	return monitor_next(monitor, &first);
}

enum exits_state monitor_exits(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->sets.sets; i++) {
		if (monitor->sets.set[i]->has_exits)
			return host_exit_stats_are_off() ? EXITS_OFF : EXITS_ON;
	}
	return EXITS_MISSING;
}

/* ---- open and close ---- */

#define MAX_FILES	1048576		/* the kernel's default of fs.nr_open */

/* Each vCPU needs an fd: the usual limit of 1024 is too low for thousands of them. */
static void allow_many_files(void)
{
	struct rlimit limit = { MAX_FILES, MAX_FILES };

	/* Raising the hard limit needs CAP_SYS_RESOURCE. */
	if (!setrlimit(RLIMIT_NOFILE, &limit) || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int start(struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	int err = open_library(monitor);
	size_t i;

	if (err)
		return err;
	allow_many_files();
	for (i = 0; !err && i < ARRAY_SIZE(all_sources); i++)
		err = all_sources[i]->open ? all_sources[i]->open(monitor) : 0;
	/* Without -p and -g, tracepoints are counted once, on all CPUs, and not for each VMM. */
	if (!err && monitor->options.sources & SOURCES_TRACEPOINTS && !filter_names_vmms(filter) &&
	    !add_vmm(monitor, NULL))
		err = -ENOMEM;
	if (!err)
		err = monitor_refresh(monitor);
	return err || monitor->vmms || filter->pids ? err : monitor->search_error;
}

int monitor_open(struct monitor **monitorp, const struct monitor_options *options)
{
	struct monitor *monitor = calloc(1, sizeof(*monitor));
	int err;

	*monitorp = NULL;
	if (!monitor)
		return -ENOMEM;
	monitor->options = *options;
	monitor->sets.filter = options->filter;
	err = start(monitor);
	if (err)
		monitor_close(monitor);
	else
		*monitorp = monitor;
	return err;
}

void monitor_close(struct monitor *monitor)
{
	size_t i;

	if (!monitor)
		return;
	while (monitor->vmms)
		free_vmm(monitor->vmm[--monitor->vmms]);
	free(monitor->vmm);
	for (i = 0; i < ARRAY_SIZE(all_sources); i++) {
		if (all_sources[i]->close)
			all_sources[i]->close(monitor);
	}
	stat_sets_free(&monitor->sets);
	kvmstats_monitor_close(monitor->library);
	free(monitor);
}
