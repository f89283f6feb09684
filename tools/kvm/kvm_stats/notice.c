// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notice.h"
#include "proc.h"
#include "util.h"

const char *vmm_name(const struct vmm *vmm, char *buf, size_t size)
{
	char comm[64], guest[256];

	sanitize(vmm->comm, comm, sizeof(comm));
	if (vmm->guest)
		snprintf(buf, size, "PID %d (%s), guest \"%s\"%s", (int)vmm->pid, comm,
			 sanitize(vmm->guest, guest, sizeof(guest)), vmm_name_mark(vmm));
	else
		snprintf(buf, size, "PID %d (%s)", (int)vmm->pid, comm);
	return buf;
}

const char *origin_text(enum kvmstats_origin origin)
{
	static const char * const texts[] = {
		[KVMSTATS_ORIGIN_FILE] = "the host file",
		[KVMSTATS_ORIGIN_NEXT] = "KVM_STATS_NEXT",
		[KVMSTATS_ORIGIN_PROC] = "/proc",
	};

	return texts[origin];
}

/* ---- checks ---- */

/* Returns the process of the thread @pid, or 0 if it does not exist. */
static pid_t process_of(pid_t pid)
{
	char text[1024], *at = NULL;

	if (proc_read(text, sizeof(text), "%d/status", (int)pid))
		at = strstr(text, "\nTgid:");
	return at ? atoi(at + strlen("\nTgid:")) : 0;
}

static bool check_pid(const struct monitor *monitor, pid_t pid, struct message *why)
{
	pid_t process = monitor->is_copy ? pid : process_of(pid);

	if (monitor_has_vmm(monitor, pid))
		return true;
	if (!process) {
		message_set(why, "no such process");
	} else if (process != pid) {
		message_set(why, "it is a thread of process %d", (int)process);
		message_advice(why, "Use -p %d", (int)process);
	} else {
		message_set(why, monitor->is_copy ? "the file has no VM of this process" :
						    "this process has no KVM VM");
		message_advice(why, "Run 'kvm-stats list' for the processes that have VMs");
	}
	return message_object(why, "PID %d", (int)pid);
}

static bool check_guest(const struct monitor *monitor, const char *pattern, struct message *why)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (filter_guest_matches(pattern, monitor->vmm[i]->guest))
			return true;
	}
	message_set(why, "no guest is named '%s'", pattern);
	return message_advice(why, "Run 'kvm-stats list' for the names");
}

static bool has_vcpu_in(const struct vmm *vmm, const struct filter_range *range)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		int vcpu = vmm->target[i]->vcpu;

		if (vcpu >= range->first && vcpu <= range->last)
			return true;
	}
	return false;
}

/* Returns the ID of a selected vCPU that @vmm does not have, or -1. */
static int missing_vcpu(const struct filter *filter, const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < filter->vcpus; i++) {
		if (!has_vcpu_in(vmm, &filter->vcpu[i]))
			return filter->vcpu[i].first;
	}
	return -1;
}

/* At least one VMM must have all the selected vCPUs. */
static bool check_vcpus(const struct monitor *monitor, struct message *why)
{
	char name[VMM_NAME_SIZE];
	int missing = -1;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		missing = missing_vcpu(monitor->options.filter, monitor->vmm[i]);
		if (missing < 0)
			return true;
	}
	if (missing < 0)
		return true;
	if (monitor->vmms > 1)
		return message_set(why, "no VMM has all vCPUs that --vcpu selects");
	message_set(why, "it has no vCPU %d, but %zu vCPU%s", missing, monitor->vmm[0]->vcpus,
		    plural(monitor->vmm[0]->vcpus));
	return message_object(why, "%s", vmm_name(monitor->vmm[0], name, sizeof(name)));
}

bool check_selected(const struct monitor *monitor, struct message *why)
{
	const struct filter *filter = monitor->options.filter;
	bool good = true;
	size_t i;

	for (i = 0; good && i < filter->pids; i++)
		good = check_pid(monitor, filter->pid[i], why);
	for (i = 0; good && i < filter->guests; i++)
		good = check_guest(monitor, filter->guest[i], why);
	return good && check_vcpus(monitor, why);
}

bool check_vmms(const struct monitor *monitor, struct message *why)
{
	if (!check_selected(monitor, why))
		return false;
	if (monitor->vmms)
		return true;
	message_set(why, *monitor->problem.what ? "" : "found no process with a KVM VM");
	return false;
}

bool check_matches(const struct monitor *monitor, struct message *why)
{
	if (!monitor_matches_nothing(monitor))
		return true;
	message_set(why, "no statistic matches '%s'", monitor->options.filter->pattern);
	return message_advice(why, "Run 'kvm-stats schema' for the names");
}

/* ---- notices ---- */

static bool selects_exits(const struct monitor *monitor)
{
	size_t i, j;

	for (i = 0; i < monitor->sets.sets; i++) {
		const struct stat_set *set = monitor->sets.set[i];

		for (j = 0; j < set->stats; j++) {
			if (is_exit_stat(set->schema, set->stat[j]))
				return true;
		}
	}
	return false;
}

static void print_exits(struct notices *notices, const struct monitor *monitor)
{
	enum exits_state before = notices->exits, now = monitor_exits(monitor);

	/* The statistics that are selected are known from the first VM on. */
	if (now == before || !selects_exits(monitor))
		return;
	notices->exits = now;
	if (notices->exits == EXITS_OFF)
		complain("exit statistics are off. To switch them on, run 'echo 1 >"
			 EXIT_STATS_PARAMETER "' as root.");
	else if (before == EXITS_OFF && notices->exits == EXITS_ON)
		complain("exit statistics are on");
}

static void print_problem(struct notices *notices, const struct message *problem)
{
	if (!strcmp(notices->problem.what, problem->what))
		return;
	notices->problem = *problem;
	message_print(problem);
}

void notices_print(struct notices *notices, const struct monitor *monitor)
{
	enum kvmstats_origin origin = kvmstats_host_origin(monitor->host);

	print_problem(notices, &monitor->problem);
	if (!notices->started && monitor->time && !monitor->replay)
		complain("watching %zu VMM%s; source: %s", monitor->vmms, plural(monitor->vmms),
			 origin_text(origin));
	else if (notices->started && origin != notices->origin)
		complain("statistics come from %s now", origin_text(origin));
	notices->started |= monitor->time != 0;
	notices->origin = origin;
	print_exits(notices, monitor);
}

void notice_event(const struct vmm *vmm, bool started, void *arg)
{
	char name[VMM_NAME_SIZE];

	vmm_name(vmm, name, sizeof(name));
	if (started)
		complain("%s has appeared: %zu VM%s, %zu vCPU%s", name, vmm->vms,
			 plural(vmm->vms), vmm->vcpus, plural(vmm->vcpus));
	else
		complain("%s has ended or closed its VM", name);
}

void notice_details(const struct monitor *monitor)
{
	char name[VMM_NAME_SIZE];
	int origin;
	size_t i;

	for (origin = KVMSTATS_ORIGIN_FILE; origin <= KVMSTATS_ORIGIN_PROC; origin++) {
		int err = kvmstats_host_error(monitor->host, origin);

		if (err)
			complain("%s: %s", origin_text(origin), error_text(err));
	}
	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (vmm->name_error)
			complain("%s: the command line cannot be read: %s",
				 vmm_name(vmm, name, sizeof(name)), error_text(vmm->name_error));
	}
}
