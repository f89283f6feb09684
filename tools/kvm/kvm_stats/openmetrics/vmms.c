// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "openmetrics/label.h"
#include "openmetrics/metadata.h"
#include "openmetrics/series.h"
#include "openmetrics/vmms.h"

/* ---- kvm-stats itself ---- */

static const struct metadata build_metadata = {
	"kvm_stats_build", FAMILY_INFO, NULL, "The version of kvm-stats.",
};

static const struct metadata vmms_metadata = {
	"kvm_stats_vmms", FAMILY_GAUGE, NULL, "Processes with KVM VMs that kvm-stats watches.",
};

static const struct metadata unreadable_metadata = {
	"kvm_stats_unreadable_vmms", FAMILY_GAUGE, NULL,
	"Watched processes with statistics that kvm-stats cannot read; their kvm_vmm_up is 0.",
};

static const struct metadata inaccessible_metadata = {
	"kvm_stats_unseen_processes", FAMILY_GAUGE, NULL,
	"Processes that kvm-stats has no permission to inspect; they can have VMs. "
	"Grant CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH.",
};

static const struct metadata left_out_metadata = {
	"kvm_stats_left_out_statistics", FAMILY_GAUGE, NULL,
	"Statistics that are left out because another statistic uses the same metric name.",
};

static const struct metadata samples_metadata = {
	"kvm_stats_samples", FAMILY_COUNTER, NULL,
	"Number of times that kvm-stats has read the statistics.",
};

static const struct metadata time_metadata = {
	"kvm_stats_sample_timestamp_seconds", FAMILY_GAUGE, "seconds",
	"Time when kvm-stats read these statistics, in seconds since the epoch.",
};

static const struct metadata duration_metadata = {
	"kvm_stats_sample_duration_seconds", FAMILY_GAUGE, "seconds",
	"Time that reading these statistics took.",
};

static void put_gauge(const struct exposition *out, const struct metadata *metadata,
		      size_t value)
{
	put_metadata(out, metadata);
	text_printf(out->text, "%s %zu\n", metadata->name, value);
}

static void put_time(const struct exposition *out, const struct metadata *metadata, uint64_t ns)
{
	put_metadata(out, metadata);
	text_printf(out->text, "%s %" PRIu64 ".%09" PRIu64 "\n", metadata->name,
		    ns / 1000000000, ns % 1000000000);
}

/* ---- VMMs ---- */

static const struct metadata up_metadata = {
	"kvm_vmm_up", FAMILY_GAUGE, NULL,
	"1 if kvm-stats can read the statistics of all selected VMs and vCPUs of the process.",
};

static const struct metadata info_metadata = {
	"kvm_vmm", FAMILY_INFO, NULL,
	"Name of the process, source of its statistics, and the error if kvm_vmm_up is 0.",
};

static const struct metadata vms_metadata = {
	"kvm_vmm_vms", FAMILY_GAUGE, NULL, "Number of VMs of the process.",
};

static const struct metadata vcpus_metadata = {
	"kvm_vmm_vcpus", FAMILY_GAUGE, NULL, "Number of vCPUs of the process.",
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

/* A VMM without a statistics fd counts as up if all of its debugfs files can be read. */
static bool is_up(const struct vmm *vmm)
{
	if (vmm->targets && has_origin(vmm, ORIGIN_DEBUGFS))
		return !vmm->debugfs_error;
	return !vmm->fd_error && !vmm->missing;
}

static const char *error_of(const struct vmm *vmm, char *buf, size_t size)
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
	put_label(text, "comm", vmm->comm ? vmm->comm : "");
	put_label(text, "source", source_of(vmm, source, sizeof(source)));
	put_label(text, "error", error_of(vmm, error, sizeof(error)));
	text_puts(text, "} 1\n");
}

static void put_vmm_sample(struct text *text, const struct metadata *metadata,
			   const struct vmm *vmm)
{
	if (metadata == &info_metadata) {
		put_info(text, vmm);
		return;
	}
	text_printf(text, "%s{", metadata->name);
	put_vmm_labels(text, vmm);
	text_puts(text, "} ");
	if (metadata == &up_metadata)
		text_put_number(text, is_up(vmm));
	else
		text_put_number(text, metadata == &vms_metadata ? vmm->vms : vmm->vcpus);
	text_puts(text, "\n");
}

static void put_vmm_families(const struct exposition *out, const struct monitor *monitor)
{
	static const struct metadata * const families[] = {
		&up_metadata, &info_metadata, &vms_metadata, &vcpus_metadata,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		put_metadata(out, families[i]);
		for (j = 0; j < monitor->vmms; j++) {
			if (monitor->vmm[j]->pid)
				put_vmm_sample(out->text, families[i], monitor->vmm[j]);
		}
	}
}

/* monitor->denied does not include processes that the filter selects by PID. */
static size_t count_inaccessible(const struct monitor *monitor)
{
	size_t unseen = monitor->denied;
	size_t i;

	for (i = 0; i < monitor->named.count; i++) {
		int err = monitor->named.process[i].err;

		unseen += err == -EACCES || err == -EPERM;
	}
	return unseen;
}

void put_monitor_metrics(struct exposition *out, const struct monitor *monitor,
			 const struct sampling *sampling, size_t left_out)
{
	size_t vmms = 0, unreadable = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		vmms += monitor->vmm[i]->pid != 0;
		unreadable += monitor->vmm[i]->pid && !is_up(monitor->vmm[i]);
	}
	put_metadata(out, &build_metadata);
	text_puts(out->text, "kvm_stats_build_info{version=\"" KVM_STATS_VERSION "\"} 1\n");
	put_gauge(out, &vmms_metadata, vmms);
	put_gauge(out, &unreadable_metadata, unreadable);
	put_gauge(out, &inaccessible_metadata, count_inaccessible(monitor));
	put_gauge(out, &left_out_metadata, left_out);
	put_metadata(out, &samples_metadata);
	text_printf(out->text, "kvm_stats_samples_total %" PRIu64 "\n", sampling->number);
	put_time(out, &time_metadata, sampling->time);
	put_time(out, &duration_metadata, sampling->duration);
	put_vmm_families(out, monitor);
}
