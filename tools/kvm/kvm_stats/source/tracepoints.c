// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoint source: how often each tracepoint was hit since the monitor started, by the
 * threads of a VMM or on the whole machine.
 *
 * Only tracepoints that the filter selects are counted, because counting slows down each hit.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "model.h"
#include "source/sources.h"
#include "util.h"

#define PATH_SIZE	(PATH_MAX + NAME_MAX + 16)

struct tracing {
	struct perf_counter *counter;	/* the selected tracepoints */
	size_t counters;
	struct perf_group *group;
	size_t groups;
	/* One for each tracepoint of KVM */
	uint64_t *ended;		/* counts of threads that have ended */
	uint64_t *buf;			/* scratch space for perf_group_add() */
};

struct machine {
	struct tracepoints list;
	const struct stat_set *set;
};

/* ---- exit reasons ---- */

/* Made from exit_reasons.list: vmx, svm, arm64, userspace */
#include "source/exit_reasons.h"

static bool is_x86(const char *machine)
{
	return !strcmp(machine, "x86_64") || (machine[0] == 'i' && !strcmp(machine + 2, "86"));
}

const struct exit_reasons *exit_reasons_for(const char *event, const char *machine, int on_svm)
{
	if (!strcmp(event, "kvm_userspace_exit"))
		return &userspace;
	if (strcmp(event, "kvm_exit"))
		return NULL;
	if (is_x86(machine))
		return on_svm ? &svm : &vmx;
	return !strncmp(machine, "aarch64", strlen("aarch64")) ? &arm64 : NULL;
}

/* Whether the first CPU in /proc/cpuinfo has SVM and not VMX. */
static bool has_svm(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[8192] = "";

	while (file && fgets(line, sizeof(line), file) && strncmp(line, "flags", strlen("flags")))
		;
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = ' ';
	return strstr(line, " svm ") && !strstr(line, " vmx ");
}

static const struct exit_reasons *exit_reasons_for_this_machine(const char *event)
{
	struct utsname name;

	if (uname(&name))
		return NULL;
	return exit_reasons_for(event, name.machine, has_svm());
}

/* ---- the tracepoints of this kernel ---- */

/* Adds the tracepoint, or its hits with an exit reason if @reason is not NULL. */
static int add(struct tracepoints *list, const char *event, uint64_t id, const char *field,
	       const struct exit_reason *reason)
{
	struct tracepoint *more, *added;

	more = array_grow(list->tracepoint, list->count, &list->capacity, sizeof(*more));
	if (!more)
		return -ENOMEM;
	list->tracepoint = more;
	added = &more[list->count];
	*added = (struct tracepoint){ .counter = { .id = id, .index = list->count++ } };
	if (!reason) {
		added->name = strdup(event);
		return added->name ? 0 : -ENOMEM;
	}
	if (asprintf(&added->name, "%s(%s)", event, reason->name) < 0)
		added->name = NULL;
	else if (asprintf(&added->counter.filter, "%s==%u", field, reason->number) < 0)
		added->counter.filter = NULL;
	return added->counter.filter ? 0 : -ENOMEM;
}

/* The field has other names in some kernels. Then exit reasons are not counted. */
static bool has_field(const char *kvm, const char *event, const char *field)
{
	char path[PATH_SIZE], line[256], text[64];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/format", kvm, event);
	snprintf(text, sizeof(text), " %s;", field);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, "\tfield:") && strstr(line, text);
	fclose(file);
	return found;
}

static int read_id(const char *kvm, const char *event, uint64_t *id)
{
	char path[PATH_SIZE];
	unsigned long long number;
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "%s/%s/id", kvm, event);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	err = fscanf(file, "%llu", &number) == 1 ? 0 : -EIO;
	fclose(file);
	*id = number;
	return err;
}

static int add_event(struct tracepoints *list, const char *kvm, const char *event,
		     const struct exit_reasons *reasons)
{
	uint64_t id = 0;
	size_t i;
	int err = read_id(kvm, event, &id);

	if (!err)
		err = add(list, event, id, NULL, NULL);
	if (!reasons || !has_field(kvm, event, reasons->field))
		return err;
	for (i = 0; !err && i < reasons->reasons; i++)
		err = add(list, event, id, reasons->field, &reasons->reason[i]);
	return err;
}

static int list_events(struct tracepoints *list, const char *kvm,
		       const struct exit_reasons *(*reasons_of)(const char *event))
{
	struct dirent **entry;
	int count = scandir(kvm, &entry, NULL, alphasort);
	int err = count < 0 ? -errno : 0;
	int i;

	for (i = 0; i < count; i++) {
		const char *event = entry[i]->d_name;

		if (!err && *event != '.' && entry[i]->d_type == DT_DIR)
			err = add_event(list, kvm, event, reasons_of(event));
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
	if (err == -ENOENT || (!err && !list->count))
		return -ENODEV;
	return err;
}

static const char *find_kvm(void)
{
	static const char tracefs[] = "/sys/kernel/tracing/events/kvm";

	/* debugfs mounts tracefs on "tracing" when it is first accessed. */
	return access(tracefs, F_OK) && errno == ENOENT ? "/sys/kernel/debug/tracing/events/kvm" :
							  tracefs;
}

int tracepoints_list(struct tracepoints *list, const char *kvm,
		     const struct exit_reasons *(*reasons_of)(const char *event))
{
	int err;

	*list = (struct tracepoints){ 0 };
	err = list_events(list, kvm ? kvm : find_kvm(), reasons_of);
	if (err)
		tracepoints_free(list);
	return err;
}

void tracepoints_free(struct tracepoints *list)
{
	while (list->count) {
		list->count--;
		free(list->tracepoint[list->count].name);
		free(list->tracepoint[list->count].counter.filter);
	}
	free(list->tracepoint);
	*list = (struct tracepoints){ 0 };
}

static int make_schema(const struct tracepoints *list, struct kvmstats_schema **schema)
{
	struct kvmstats_desc *desc = calloc(list->count + 1, sizeof(*desc));
	size_t i;
	int err;

	if (!desc)
		return -ENOMEM;
	for (i = 0; i < list->count; i++)
		desc[i] = (struct kvmstats_desc){ .name = list->tracepoint[i].name, .size = 1 };
	err = kvmstats_schema_make(schema, desc, list->count, sizeof(*desc));
	free(desc);
	return err;
}

static int open_source(struct monitor *monitor)
{
	struct kvmstats_schema *schema;
	struct machine *machine;
	int err;

	if (!(monitor->options.sources & SOURCES_TRACEPOINTS))
		return 0;
	machine = calloc(1, sizeof(*machine));
	if (!machine)
		return -ENOMEM;
	monitor->tracepoints = machine;
	err = tracepoints_list(&machine->list, NULL, exit_reasons_for_this_machine);
	if (!err)
		err = make_schema(&machine->list, &schema);
	if (err)
		return err;
	machine->set = stat_set_get(&monitor->sets, schema, true);
	return machine->set ? 0 : -ENOMEM;
}

static void close_source(struct monitor *monitor)
{
	struct machine *machine = monitor->tracepoints;

	if (!machine)
		return;
	tracepoints_free(&machine->list);
	free(machine);
	monitor->tracepoints = NULL;
}

/* ---- counters ---- */

static void free_tracing(struct tracing *tracing)
{
	while (tracing->groups)
		perf_group_close(&tracing->group[--tracing->groups]);
	free(tracing->group);
	free(tracing->counter);
	free(tracing->ended);
	free(tracing->buf);
	free(tracing);
}

static struct tracing *new_tracing(const struct machine *machine)
{
	const struct stat_set *set = machine->set;
	struct tracing *tracing = calloc(1, sizeof(*tracing));
	size_t count = machine->list.count + 1, i;

	if (!tracing)
		return NULL;
	tracing->counter = calloc(count, sizeof(*tracing->counter));
	tracing->ended = calloc(count, sizeof(uint64_t));
	tracing->buf = calloc(count, sizeof(uint64_t));
	if (!tracing->counter || !tracing->ended || !tracing->buf) {
		free_tracing(tracing);
		return NULL;
	}
	tracing->counters = set->stats;
	for (i = 0; i < set->stats; i++)
		tracing->counter[i] = machine->list.tracepoint[stat_index(set->stat[i])].counter;
	return tracing;
}

static int add_group(struct tracing *tracing, pid_t tid, int cpu)
{
	struct perf_group *more;
	int err;

	more = realloc(tracing->group, (tracing->groups + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	tracing->group = more;
	err = perf_group_open(&more[tracing->groups], tid, cpu, tracing->counter,
			      tracing->counters);
	/* The thread has ended, or the CPU went offline. */
	if (err == -ESRCH || err == -ENODEV)
		return 0;
	if (!err)
		tracing->groups++;
	return err;
}

/* ---- threads and CPUs ---- */

static bool has_tid(const struct tracing *tracing, pid_t tid)
{
	size_t i;

	for (i = 0; i < tracing->groups; i++) {
		if (tracing->group[i].tid == tid)
			return true;
	}
	return false;
}

static void drop_ended_threads(struct tracing *tracing, pid_t pid)
{
	size_t kept = 0;
	char path[64];
	size_t i;

	for (i = 0; i < tracing->groups; i++) {
		struct perf_group *group = &tracing->group[i];

		snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)group->tid);
		if (!access(path, F_OK)) {
			tracing->group[kept++] = *group;
			continue;
		}
		perf_group_add(group, tracing->counter, tracing->buf, tracing->ended);
		perf_group_close(group);
	}
	tracing->groups = kept;
}

static int add_threads(struct tracing *tracing, pid_t pid)
{
	struct dirent *dirent;
	char path[32];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (dirent = readdir(dir))) {
		pid_t tid = atoi(dirent->d_name);

		if (tid > 0 && !has_tid(tracing, tid))
			err = add_group(tracing, tid, -1);
	}
	closedir(dir);
	return err;
}

/* The file has a list like "0-3,6". */
static int add_cpus(struct tracing *tracing)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, err = 0;
	char separator = ',';

	if (!file)
		return -errno;
	while (!err && separator == ',' && fscanf(file, "%d", &first) == 1) {
		last = first;
		separator = (char)fgetc(file);
		if (separator == '-' && fscanf(file, "%d", &last) == 1)
			separator = (char)fgetc(file);
		for (; !err && first <= last; first++)
			err = add_group(tracing, -1, first);
	}
	fclose(file);
	return err;
}

/* ---- the source ---- */

static int read_target(struct target *target)
{
	struct tracing *tracing = target->private;
	int err = 0;
	size_t i;

	memcpy(target->values, tracing->ended, target->set->values * sizeof(*target->values));
	for (i = 0; !err && i < tracing->groups; i++)
		err = perf_group_add(&tracing->group[i], tracing->counter, tracing->buf,
				     target->values);
	return err;
}

static void detach(struct target *target)
{
	free_tracing(target->private);
}

static int add_target(struct monitor *monitor, struct vmm *vmm, const struct target *key)
{
	const struct machine *machine = monitor->tracepoints;
	struct tracing *tracing = new_tracing(machine);
	struct target target = *key;
	int err;

	if (!tracing)
		return -ENOMEM;
	target.set = machine->set;
	target.private = tracing;
	err = vmm->kvm ? add_threads(tracing, vmm->pid) : add_cpus(tracing);
	if (!err && !target_add(vmm, &target))
		err = -ENOMEM;
	if (err)
		free_tracing(tracing);
	return err;
}

static int attach(struct monitor *monitor, struct vmm *vmm)
{
	struct target key = {
		.source = &source_tracepoints,
		.origin = ORIGIN_TRACEPOINTS,
		.scope = vmm->kvm ? SCOPE_VMM : SCOPE_HOST,
		.vm = -1,
		.vcpu = -1,
		/* A new selection of events needs a new target. */
		.vmm_fd = (int)monitor->selections,
	};
	const struct machine *machine = monitor->tracepoints;
	struct target *target;

	/* Without -p and -g, the counters of the whole machine include all VMMs. */
	if ((vmm->kvm && !filter_names_vmms(monitor->options.filter)) || !machine->set->stats)
		return 0;
	if (filter_selects_vcpus_only(monitor->options.filter))
		return -EDOM;
	target = target_keep(vmm, &key);
	if (!target)
		return add_target(monitor, vmm, &key);
	if (!vmm->kvm)
		return 0;
	drop_ended_threads(target->private, vmm->pid);
	return add_threads(target->private, vmm->pid);
}

const struct source source_tracepoints = {
	.open = open_source,
	.close = close_source,
	.attach = attach,
	.read = read_target,
	.detach = detach,
};
