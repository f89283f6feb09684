// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "openmetrics/guests.h"
#include "openmetrics/metadata.h"
#include "openmetrics/own.h"
#include "proc/host.h"

static const struct metadata build_metadata = {
	"kvm_stats_build", FAMILY_INFO, NULL, "The version of kvm-stats.",
};

static const struct metadata vmms_metadata = {
	"kvm_stats_vmms", FAMILY_GAUGE, NULL, "Processes with KVM VMs that kvm-stats watches.",
};

static const struct metadata unreadable_metadata = {
	"kvm_stats_unreadable_vmms", FAMILY_GAUGE, NULL,
	"Watched processes with statistics that kvm-stats cannot read; their kvm_guest_up is 0.",
};

static const struct metadata unseen_metadata = {
	"kvm_stats_unseen_processes", FAMILY_GAUGE, NULL,
	"Processes that kvm-stats has no permission to inspect; they can have VMs. "
	"Grant CAP_PERFMON if the kernel has KVM_STATS_NEXT, otherwise CAP_SYS_PTRACE and "
	"CAP_DAC_READ_SEARCH.",
};

static const struct metadata left_out_metadata = {
	"kvm_stats_left_out_statistics", FAMILY_GAUGE, NULL,
	"Statistics that are left out because another statistic uses the same metric name.",
};

static const struct metadata exits_metadata = {
	"kvm_exit_stats_enabled", FAMILY_GAUGE, NULL,
	"1 while exit statistics are on. While they are off, they have no metrics. "
	"To switch them on: echo 1 >" EXIT_STATS_PARAMETER,
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

/* These names are those of all client libraries of Prometheus. */
static const struct metadata cpu_metadata = {
	"process_cpu_seconds", FAMILY_COUNTER, "seconds", "CPU time that kvm-stats has used.",
};

static const struct metadata resident_metadata = {
	"process_resident_memory_bytes", FAMILY_GAUGE, "bytes", "Resident memory of kvm-stats.",
};

static const struct metadata virtual_metadata = {
	"process_virtual_memory_bytes", FAMILY_GAUGE, "bytes", "Virtual memory of kvm-stats.",
};

static const struct metadata open_fds_metadata = {
	"process_open_fds", FAMILY_GAUGE, NULL, "File descriptors that kvm-stats has open.",
};

static const struct metadata max_fds_metadata = {
	"process_max_fds", FAMILY_GAUGE, NULL, "Limit of file descriptors of kvm-stats.",
};

static const struct metadata start_metadata = {
	"process_start_time_seconds", FAMILY_GAUGE, "seconds",
	"Time when kvm-stats started, in seconds since the epoch.",
};

static void put_gauge(const struct exposition *out, const struct metadata *metadata,
		      uint64_t value)
{
	put_metadata(out, metadata);
	text_printf(out->text, "%s %" PRIu64 "\n", metadata->name, value);
}

static void put_time(const struct exposition *out, const struct metadata *metadata, uint64_t ns)
{
	const char *suffix = metadata->type == FAMILY_COUNTER ? "_total" : "";

	put_metadata(out, metadata);
	text_printf(out->text, "%s%s %" PRIu64 ".%09" PRIu64 "\n", metadata->name, suffix,
		    ns / SECOND, ns % SECOND);
}

static void put_process(const struct exposition *out, const struct process_figures *process)
{
	put_time(out, &cpu_metadata, process->cpu_time);
	put_gauge(out, &resident_metadata, process->resident);
	put_gauge(out, &virtual_metadata, process->virtual);
	put_gauge(out, &open_fds_metadata, process->open_fds);
	put_gauge(out, &max_fds_metadata, process->max_fds);
	put_time(out, &start_metadata, process->start);
}

/* monitor->denied does not include processes that the filter selects by PID. */
static size_t count_unseen(const struct monitor *monitor)
{
	size_t unseen = monitor->denied;
	size_t i;

	for (i = 0; i < monitor->named.count; i++) {
		int err = monitor->named.process[i].err;

		unseen += err == -EACCES || err == -EPERM;
	}
	return unseen;
}

void put_own_metrics(const struct exposition *out, const struct monitor *monitor,
		     const struct sampling *sampling, size_t left_out)
{
	size_t vmms = 0, unreadable = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		vmms += vmm_key(monitor->vmm[i]) != 0;
		unreadable += vmm_key(monitor->vmm[i]) &&
			      !is_up(monitor->vmm[i], monitor->options.filter);
	}
	put_metadata(out, &build_metadata);
	text_puts(out->text, "kvm_stats_build_info{version=\"" KVM_STATS_VERSION "\"} 1\n");
	put_gauge(out, &vmms_metadata, vmms);
	put_gauge(out, &unreadable_metadata, unreadable);
	put_gauge(out, &unseen_metadata, count_unseen(monitor));
	put_gauge(out, &left_out_metadata, left_out);
	put_metadata(out, &samples_metadata);
	text_printf(out->text, "kvm_stats_samples_total %" PRIu64 "\n", sampling->number);
	put_time(out, &time_metadata, sampling->time);
	put_time(out, &duration_metadata, sampling->duration);
	if (sampling->process)
		put_process(out, sampling->process);
}

void put_exits_state(const struct exposition *out, enum exits_state exits)
{
	if (exits != EXITS_MISSING)
		put_gauge(out, &exits_metadata, exits == EXITS_ON);
}
