// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/output.h"
#include "messages/fds.h"
#include "messages/missing.h"
#include "messages/name.h"
#include "messages/search.h"
#include "messages/sources.h"

/* ---- what is missing ---- */

static void set_label(struct gap *gap, const struct kvmstats_target *target)
{
	int vcpu = kvmstats_target_vcpu(target);

	if (vcpu < 0)
		snprintf(gap->label, sizeof(gap->label), "vm");
	else
		snprintf(gap->label, sizeof(gap->label), "vcpu%d", vcpu);
}

/* Whether the VMM does not keep the fd open, and only the VMM could open it. */
static bool is_kept_closed(int err)
{
	return err == -EIO;
}

/* Of different reasons, a gap has the first one that the user can do something about. */
static void add_reader(struct gap *gap, const struct kvmstats_reader *reader)
{
	int err = kvmstats_reader_error(reader);

	/* The VMM has ended, and the monitor is about to release it. */
	if (!err || err == -ESRCH)
		return;
	if (!gap->readers++ || (is_kept_closed(gap->err) && !is_kept_closed(err))) {
		gap->err = err;
		set_label(gap, kvmstats_reader_target(reader));
	}
}

static struct gap gap_of(const struct vmm *vmm)
{
	struct gap gap = {
		.pid = vmm->pid,
		.debugfs_error = vmm->debugfs_error,
		.tracepoints_error = vmm->tracepoints_error,
	};
	size_t i;

	for (i = 0; vmm->watch && i < kvmstats_watch_readers(vmm->watch); i++)
		add_reader(&gap, kvmstats_watch_reader(vmm->watch, i));
	return gap;
}

static bool is_gap(const struct gap *gap)
{
	return gap->readers || gap->debugfs_error || gap->tracepoints_error;
}

static bool is_failure(const struct vmm *vmm, const struct gap *gap)
{
	if (!is_gap(gap))
		return false;
	/* debugfs has the sums of what the fds would have. */
	if (vmm->targets && vmm->target[0]->origin == ORIGIN_DEBUGFS && !gap->debugfs_error)
		return false;
	return !vmm->targets || !is_kept_closed(gap->err) || gap->debugfs_error ||
	       gap->tracepoints_error;
}

size_t missing_vmms(const struct monitor *monitor)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		struct gap gap = gap_of(vmm);

		count += vmm->kvm && !vmm->targets && is_gap(&gap);
	}
	return count;
}

/* ---- what has been reported ---- */

static bool same_gap(const struct gap *a, const struct gap *b)
{
	return a->pid == b->pid && a->readers == b->readers && a->err == b->err &&
	       !strcmp(a->label, b->label) && a->debugfs_error == b->debugfs_error &&
	       a->tracepoints_error == b->tracepoints_error;
}

static bool was_reported(const struct missing *missing, const struct gap *gap)
{
	size_t i;

	for (i = 0; i < missing->gaps; i++) {
		if (same_gap(&missing->gap[i], gap))
			return true;
	}
	return false;
}

/* If memory is exhausted, the gap is reported again the next time. */
static void add_gap(struct missing *gaps, const struct gap *gap)
{
	struct gap *more = array_grow(gaps->gap, gaps->gaps, &gaps->capacity, sizeof(*more));

	if (!more)
		return;
	gaps->gap = more;
	more[gaps->gaps++] = *gap;
}

/* Returns true the first time for each error. */
static bool needs_hint(struct hints *hints, int err)
{
	size_t i;

	for (i = 0; i < hints->count; i++) {
		if (hints->err[i] == err)
			return false;
	}
	if (hints->count < MAX_HINTS)
		hints->err[hints->count++] = err;
	return true;
}

/* ---- messages ---- */

static void report_readers(struct missing *missing, const struct vmm *vmm, const struct gap *gap)
{
	char name[VMM_NAME_SIZE], buf[128], others[48] = "";
	const char *why = kvmstats_strerror(gap->err, buf, sizeof(buf));
	bool none = !vmm->targets;

	vmm_name(vmm, name, sizeof(name));
	if (gap->readers > 1)
		snprintf(others, sizeof(others), " and %zu other%s", gap->readers - 1,
			 plural(gap->readers - 1));
	if (none)
		complain("%s: cannot open statistics: %s", name, why);
	else if (vmm->target[0]->origin == ORIGIN_DEBUGFS)
		complain("%s: cannot open statistics fds: %s. Using sums in debugfs.", name, why);
	else
		complain("%s: cannot open the statistics of %s%s: %s", name, gap->label, others,
			 why);
	if ((none || !is_kept_closed(gap->err)) && needs_hint(&missing->fds, gap->err))
		suggest_fds(gap->pid, gap->err);
}

/* If fds cannot be opened, debugfs is only the second choice: its error is reported once. */
static void report_debugfs_error(struct missing *missing, const struct vmm *vmm,
				 const struct gap *gap)
{
	bool first = needs_hint(&missing->debugfs, gap->debugfs_error);

	if (!gap->readers || first)
		report_debugfs(vmm);
	if (first)
		suggest_debugfs(gap->debugfs_error);
}

static void report_gap(struct missing *missing, const struct vmm *vmm, const struct gap *gap)
{
	if (gap->readers)
		report_readers(missing, vmm, gap);
	if (gap->debugfs_error)
		report_debugfs_error(missing, vmm, gap);
	if (gap->tracepoints_error && needs_hint(&missing->tracepoints, gap->tracepoints_error))
		explain_tracepoints(gap->tracepoints_error);
}

/* Later changes are events, see messages/notice.h. */
static void report_search(struct missing *missing, const struct monitor *monitor)
{
	if (!missing->started)
		explain_search_error(monitor);
	missing->started = true;
}

bool missing_report(struct missing *missing, const struct monitor *monitor)
{
	struct missing now = { 0 };
	bool good = !monitor->search_error;
	size_t i;

	report_search(missing, monitor);
	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		struct gap gap = gap_of(vmm);

		if (!is_gap(&gap))
			continue;
		if (!was_reported(missing, &gap))
			report_gap(missing, vmm, &gap);
		good &= !is_failure(vmm, &gap);
		add_gap(&now, &gap);
	}
	free(missing->gap);
	missing->gap = now.gap;
	missing->gaps = now.gaps;
	missing->capacity = now.capacity;
	return good;
}

void missing_free(struct missing *missing)
{
	free(missing->gap);
	*missing = (struct missing){ 0 };
}
