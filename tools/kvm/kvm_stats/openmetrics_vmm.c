// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "openmetrics_series.h"
#include "openmetrics_vmm.h"

/* ---- of the reader ---- */

static const struct head build_head = {
	"kvm_stats_build", FAMILY_INFO, NULL, "The version of kvm-stats.",
};

static const struct head vmms_head = {
	"kvm_stats_vmms", FAMILY_GAUGE, NULL, "Processes with KVM VMs that are watched.",
};

static const struct head unreadable_head = {
	"kvm_stats_unreadable_vmms", FAMILY_GAUGE, NULL,
	"Those of them that are not up: not all that was asked for could be read.",
};

static const struct head unseen_head = {
	"kvm_stats_unseen_processes", FAMILY_GAUGE, NULL,
	"Processes that might have VMs but may not be looked into: that takes CAP_SYS_PTRACE "
	"and CAP_DAC_READ_SEARCH.",
};

static const struct head left_out_head = {
	"kvm_stats_left_out_statistics", FAMILY_GAUGE, NULL,
	"Statistics that are not shown because another one has taken the name.",
};

static const struct head samples_head = {
	"kvm_stats_samples", FAMILY_COUNTER, NULL, "How often the statistics have been read.",
};

static const struct head time_head = {
	"kvm_stats_sample_timestamp_seconds", FAMILY_GAUGE, "seconds",
	"When these statistics were read.",
};

static const struct head duration_head = {
	"kvm_stats_sample_duration_seconds", FAMILY_GAUGE, "seconds",
	"How long reading them took.",
};

static void put_gauge(const struct head_writer *to, const struct head *head, size_t value)
{
	put_head(to, head);
	text_printf(to->text, "%s %zu\n", head->name, value);
}

static void put_time(const struct head_writer *to, const struct head *head, uint64_t ns)
{
	put_head(to, head);
	text_printf(to->text, "%s %" PRIu64 ".%09" PRIu64 "\n", head->name,
		    ns / 1000000000, ns % 1000000000);
}

/* ---- of each VMM ---- */

static const struct head up_head = {
	"kvm_vmm_up", FAMILY_GAUGE, NULL,
	"1: the statistics of all its VMs and vCPUs could be read.",
};

static const struct head info_head = {
	"kvm_vmm", FAMILY_INFO, NULL,
	"The process, where its statistics come from, and why they cannot be read.",
};

static const struct head vms_head = {
	"kvm_vmm_vms", FAMILY_GAUGE, NULL, "VMs of the process.",
};

static const struct head vcpus_head = {
	"kvm_vmm_vcpus", FAMILY_GAUGE, NULL, "vCPUs of the process.",
};

static bool has_origin(const struct vmm *vmm, enum origin origin)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		if (vmm->target[i]->origin == origin)
			return true;
	}
	return false;
}

/* Where no fd can be had, debugfs will do, if all of it can be read. */
static bool is_up(const struct vmm *vmm)
{
	if (vmm->targets && has_origin(vmm, ORIGIN_DEBUGFS))
		return !vmm->debugfs_error;
	return !vmm->fd_error && !vmm->missing;
}

static const char *why_not_up(const struct vmm *vmm, char *buf, size_t size)
{
	if (is_up(vmm))
		return "";
	if (vmm->fd_error && !has_origin(vmm, ORIGIN_DEBUGFS))
		return kvmstats_strerror(vmm->fd_error, buf, size);
	snprintf(buf, size, "debugfs: %s", strerror(-vmm->debugfs_error));
	return buf;
}

static const char *source_of(const struct vmm *vmm, char *buf, size_t size)
{
	size_t used = 0;
	int origin;

	snprintf(buf, size, "none");
	for (origin = ORIGIN_OPENED; origin <= ORIGIN_TRACEPOINTS; origin++) {
		if (used < size && has_origin(vmm, origin))
			used += snprintf(buf + used, size - used, "%s%s", used ? "+" : "",
					 origin_name(origin));
	}
	return buf;
}

static void put_info(struct text *text, const struct vmm *vmm)
{
	char source[64], error[128];

	text_puts(text, "kvm_vmm_info{");
	put_vmm_labels(text, vmm);
	text_put_label(text, "comm", vmm->comm ? vmm->comm : "");
	text_put_label(text, "source", source_of(vmm, source, sizeof(source)));
	text_put_label(text, "error", why_not_up(vmm, error, sizeof(error)));
	text_puts(text, "} 1\n");
}

static void put_of_vmm(struct text *text, const struct head *head, const struct vmm *vmm)
{
	if (head == &info_head) {
		put_info(text, vmm);
		return;
	}
	text_printf(text, "%s{", head->name);
	put_vmm_labels(text, vmm);
	text_puts(text, "} ");
	if (head == &up_head)
		text_put_number(text, is_up(vmm));
	else
		text_put_number(text, head == &vms_head ? vmm->vms : vmm->vcpus);
	text_puts(text, "\n");
}

static void put_of_vmms(const struct head_writer *to, const struct monitor *monitor)
{
	static const struct head * const heads[] = {
		&up_head, &info_head, &vms_head, &vcpus_head,
	};
	size_t i, j;

	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		put_head(to, heads[i]);
		for (j = 0; j < monitor->vmms; j++) {
			if (monitor->vmm[j]->pid)
				put_of_vmm(to->text, heads[i], monitor->vmm[j]);
		}
	}
}

/* Processes that the filter names are not among the monitor's unseen ones. */
static size_t unseen_of(const struct monitor *monitor)
{
	size_t unseen = monitor->denied;
	size_t i;

	for (i = 0; i < monitor->named_count; i++)
		unseen += monitor->named[i].err == -EACCES || monitor->named[i].err == -EPERM;
	return unseen;
}

void put_own_metrics(struct head_writer *to, const struct monitor *monitor,
		     const struct sampling *sampling, size_t left_out)
{
	size_t vmms = 0, unreadable = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		vmms += monitor->vmm[i]->pid != 0;
		unreadable += monitor->vmm[i]->pid && !is_up(monitor->vmm[i]);
	}
	put_head(to, &build_head);
	text_puts(to->text, "kvm_stats_build_info{version=\"" KVM_STATS_VERSION "\"} 1\n");
	put_gauge(to, &vmms_head, vmms);
	put_gauge(to, &unreadable_head, unreadable);
	put_gauge(to, &unseen_head, unseen_of(monitor));
	put_gauge(to, &left_out_head, left_out);
	put_head(to, &samples_head);
	text_printf(to->text, "kvm_stats_samples_total %" PRIu64 "\n", sampling->number);
	put_time(to, &time_head, sampling->time);
	put_time(to, &duration_head, sampling->duration);
	put_of_vmms(to, monitor);
}
