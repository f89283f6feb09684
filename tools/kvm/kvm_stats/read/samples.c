// SPDX-License-Identifier: GPL-2.0-only
/* Samples of what the user selected, for the commands that print them. */
#include <errno.h>
#include <time.h>

#include "notice.h"
#include "read/read.h"
#include "util.h"

bool samples_wait(const struct monitor *monitor, uint64_t deadline)
{
	const struct timespec until = {
		.tv_sec = (time_t)(deadline / SECOND), .tv_nsec = (long)(deadline % SECOND),
	};

	return monitor->is_copy ||
	       !clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

struct monitor *samples_open(const struct samples_options *options)
{
	struct monitor_options monitor_options = {
		.filter = &options->filter, .from = options->from, .replay = options->replay,
		.exits = options->exits, .switches = options->switches,
		.processes = options->processes,
	};
	struct monitor *monitor;
	struct message why;

	monitor_options.replay.interval = options->interval;

	if (monitor_open(&monitor, &monitor_options, &why)) {
		message_print(&why);
		return NULL;
	}
	if (!monitor_sample(monitor)) {
		message_print(&monitor->problem);
		if (options->verbose)
			notice_details(monitor);
		return monitor;
	}
	message_print(&monitor->problem);
	monitor_close(monitor);
	return NULL;
}

/* What samples_run() works with */
struct samples {
	const struct samples_options *options;
	const struct samples_printer *printer;
	void *arg;
	struct monitor *monitor;
};

static bool print_sample(const struct samples *samples, unsigned long interval)
{
	samples->printer->print(samples->monitor, interval, samples->arg);
	return flush_output();
}

/* The end of what was selected, or of a copy. It is an error if more intervals were wanted. */
static int end_early(const struct samples *samples)
{
	const struct samples_options *options = samples->options;

	if (samples->monitor->replay && !options->count)
		return STATUS_OK;
	if (!monitor_has_ended(samples->monitor))
		message_print(&samples->monitor->problem);
	else if (options->filter.pids == 1)
		complain("PID %d has ended", (int)options->filter.pid[0]);
	else
		complain("all selected VMMs have ended");
	return options->count ? STATUS_FAILED : STATUS_OK;
}

static int print_intervals(const struct samples *samples)
{
	const struct samples_options *options = samples->options;
	struct monitor *monitor = samples->monitor;
	uint64_t start = clock_now();
	unsigned long i;

	if (!flush_output())
		return STATUS_FAILED;
	for (i = 1; !options->count || i <= options->count; i++) {
		int err;

		/* SIGSTOP and SIGCONT interrupt the wait, but do not end it. */
		while (!samples_wait(monitor, start + i * options->interval))
			;
		err = monitor_sample(monitor);
		if (err == -ENODATA || (!err && monitor_has_ended(monitor)))
			return end_early(samples);
		if (err) {
			message_print(&monitor->problem);
			return STATUS_FAILED;
		}
		if (!print_sample(samples, i))
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static int print_samples(const struct samples *samples)
{
	const struct samples_printer *printer = samples->printer;
	const struct monitor *monitor = samples->monitor;
	bool others = printer->has_others && printer->has_others(monitor, samples->arg);
	struct message why;

	if (!check_vmms(monitor, &why) || (!others && !check_matches(monitor, &why))) {
		message_print(&why);
		return STATUS_FAILED;
	}
	/* Only statistics of KVM are selected. Why they are missing has been printed. */
	if (!others && !monitor->has_values)
		return STATUS_FAILED;
	if (!printer->start(monitor, samples->arg))
		return STATUS_FAILED;
	if (samples->options->interval)
		return print_intervals(samples);
	return print_sample(samples, 0) ? STATUS_OK : STATUS_FAILED;
}

int samples_run(struct samples_options *options, const struct samples_printer *printer, void *arg)
{
	struct samples samples = { .options = options, .printer = printer, .arg = arg };
	int status;

	if (options->count && !options->interval)
		options->interval = SECOND;
	/* All samples of a time */
	if ((options->replay.since || options->replay.until) && !options->interval)
		options->interval = 1;
	samples.monitor = samples_open(options);
	status = samples.monitor ? print_samples(&samples) : STATUS_FAILED;
	monitor_close(samples.monitor);
	return status;
}

void print_heading(const struct monitor *monitor, const struct vmm *vmm)
{
	char name[VMM_NAME_SIZE], stamp[STAMP_SIZE];

	printf("# %s: %zu VM%s, %zu vCPU%s; source: %s%s\n", vmm_name(vmm, name, sizeof(name)),
	       vmm->vms, plural(vmm->vms), vmm->vcpus, plural(vmm->vcpus),
	       monitor->wall ? "recording of " :
	       origin_text(kvmstats_host_origin(monitor->host)),
	       monitor->wall ? monitor_stamp(monitor, stamp) : "");
}
