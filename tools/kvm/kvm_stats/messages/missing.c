// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util.h"
#include "messages/fds.h"
#include "messages/grouped.h"
#include "messages/missing.h"
#include "messages/name.h"
#include "messages/qmp.h"
#include "messages/search.h"
#include "messages/sources.h"

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

/* Returns what has been reported of this VMM, or an empty gap. */
static struct gap reported_gap(const struct missing *missing, uint64_t key)
{
	size_t i;

	for (i = 0; i < missing->gaps; i++) {
		if (missing->gap[i].key == key)
			return missing->gap[i];
	}
	return (struct gap){ 0 };
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

/* What was not reported yet. */
struct news {
	struct {
		const struct vmm *vmm;
		struct gap gap;		/* without errors of other sources that were reported */
		bool readers;		/* those of the gap were not reported */
	} *entry;
	size_t entries;
	size_t capacity;
};

/* If memory is exhausted, the gap is not reported. */
static void add_news(struct news *news, const struct vmm *vmm, struct gap gap,
		     const struct gap *reported)
{
	bool readers = gap.readers && !gap_has_readers_of(&gap, reported);
	void *more;

	gap_clear_reported(&gap, reported);
	if (!readers && !gap.qmp_error && !gap.debugfs_error && !gap.tracepoints_error)
		return;
	more = array_grow(news->entry, news->entries, &news->capacity, sizeof(*news->entry));
	if (!more)
		return;
	news->entry = more;
	news->entry[news->entries].vmm = vmm;
	news->entry[news->entries].readers = readers;
	news->entry[news->entries++].gap = gap;
}

static void add_readers(struct grouped *messages, const struct vmm *vmm, const struct gap *gap)
{
	char buf[128], others[48] = "";
	const char *why = kvmstats_strerror(gap->err, buf, sizeof(buf));

	if (gap->readers > 1)
		snprintf(others, sizeof(others), " and %zu other%s", gap->readers - 1,
			 plural(gap->readers - 1));
	if (!vmm->targets)
		grouped_add(messages, vmm, "cannot open statistics: %s", why);
	else if (vmm_has_sums(vmm))
		grouped_add(messages, vmm,
			    "cannot open statistics fds, and uses sums in debugfs: %s", why);
	else
		grouped_add(messages, vmm, "cannot open the statistics of %s%s: %s", gap->label,
			    others, why);
}

static void report_fds(struct missing *missing, const struct news *news)
{
	struct grouped messages = { 0 };
	size_t i;

	for (i = 0; i < news->entries; i++) {
		if (news->entry[i].readers)
			add_readers(&messages, news->entry[i].vmm, &news->entry[i].gap);
	}
	grouped_print(&messages);
	for (i = 0; i < news->entries; i++) {
		const struct gap *gap = &news->entry[i].gap;
		bool useful = !news->entry[i].vmm->targets || !gap_is_kept_closed(gap->err);

		if (news->entry[i].readers && useful && needs_hint(&missing->fds, gap->err))
			suggest_fds(gap->pid, gap->err);
	}
}

/* An error that is not the first of its kind is interesting if nothing of the VMM can be read. */
static void report_qmp(struct missing *missing, const struct news *news)
{
	struct grouped messages = { 0 };
	struct hints first = { 0 };
	char why[2 * QMP_PATH_SIZE];
	size_t i;

	for (i = 0; i < news->entries; i++) {
		const struct vmm *vmm = news->entry[i].vmm;
		int err = news->entry[i].gap.qmp_error;
		bool is_first = err && needs_hint(&missing->qmp, err);

		if (is_first)
			needs_hint(&first, err);
		if (is_first || (err && !vmm->targets))
			grouped_add(&messages, vmm, "cannot read statistics over QMP: %s",
				    qmp_reason(vmm, why, sizeof(why)));
	}
	grouped_print(&messages);
	for (i = 0; i < first.count; i++)
		suggest_qmp(first.err[i]);
}

/* Offers --qmp for fds that only QEMU can open, or that kvm-stats has no permission for. */
static void offer_qmp_once(struct missing *missing, const struct news *news, bool used)
{
	size_t i;

	for (i = 0; !used && !missing->offered_qmp && i < news->entries; i++) {
		const struct gap *gap = &news->entry[i].gap;

		if (gap->readers && (gap_is_kept_closed(gap->err) || gap->err == -EPERM))
			missing->offered_qmp = offer_qmp(news->entry[i].vmm);
	}
}

/* If fds cannot be opened, debugfs is only the second choice: its error is reported once. */
static void report_debugfs(struct missing *missing, const struct news *news)
{
	struct grouped messages = { 0 };
	struct hints first = { 0 };
	size_t i;

	for (i = 0; i < news->entries; i++) {
		const struct vmm *vmm = news->entry[i].vmm;
		const struct gap *gap = &news->entry[i].gap;
		bool known = !gap->debugfs_error ||
			     !needs_hint(&missing->debugfs, gap->debugfs_error);
		char buf[128];

		if (!known)
			needs_hint(&first, gap->debugfs_error);
		if (gap->debugfs_error && (!gap->readers || !known))
			grouped_add(&messages, vmm, "cannot read %s statistics in debugfs: %s",
				    vmm->targets ? "some" : "the",
				    debugfs_reason(gap->debugfs_error, buf, sizeof(buf)));
	}
	grouped_print(&messages);
	for (i = 0; i < first.count; i++)
		suggest_debugfs(first.err[i]);
}

static void report_tracepoints(struct missing *missing, const struct news *news)
{
	size_t i;

	for (i = 0; i < news->entries; i++) {
		int err = news->entry[i].gap.tracepoints_error;

		if (err && needs_hint(&missing->tracepoints, err))
			explain_tracepoints(err);
	}
}

/* Later changes are events, see messages/notice.h. */
static void report_search(struct missing *missing, const struct monitor *monitor)
{
	if (!missing->started)
		explain_search_error(monitor);
	missing->started = true;
}

static void report_kcmp(struct missing *missing, const struct vmm *vmm)
{
	char name[VMM_NAME_SIZE];

	if (missing->kcmp || !vmm->kvm || kvmstats_vmm_distinct(vmm->kvm))
		return;
	complain("%s: only the VM with the lowest fd is read: fds cannot be compared",
		 vmm_name(vmm, name, sizeof(name)));
	complain("Use a kernel with kcmp(), and no seccomp filter that refuses it.");
	missing->kcmp = true;
}

static void report_news(struct missing *missing, const struct news *news, bool uses_qmp)
{
	report_fds(missing, news);
	report_qmp(missing, news);
	report_debugfs(missing, news);
	offer_qmp_once(missing, news, uses_qmp);
	report_tracepoints(missing, news);
}

bool missing_report(struct missing *missing, const struct monitor *monitor)
{
	struct missing now = { 0 };
	struct news news = { 0 };
	bool good = !monitor->search_error;
	size_t i;

	report_search(missing, monitor);
	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		struct gap gap = gap_of(vmm);
		struct gap reported;

		report_kcmp(missing, vmm);
		if (!is_gap(&gap))
			continue;
		reported = reported_gap(missing, gap.key);
		add_news(&news, vmm, gap, &reported);
		good &= !gap_is_failure(vmm, &gap, monitor->options.filter);
		add_gap(&now, &gap);
	}
	report_news(missing, &news, monitor->options.filter->qmp);
	free(news.entry);
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
