// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "messages/gap.h"

static void set_label(struct gap *gap, const struct kvmstats_target *target)
{
	int vcpu = kvmstats_target_vcpu(target);

	if (vcpu < 0)
		snprintf(gap->label, sizeof(gap->label), "vm");
	else
		snprintf(gap->label, sizeof(gap->label), "vcpu%d", vcpu);
}

bool gap_is_kept_closed(int err)
{
	return err == -EIO;
}

/* Of different reasons, a gap has the first one that the user can do something about. */
static void add_reader(struct gap *gap, const struct vmm *vmm, size_t i)
{
	const struct kvmstats_reader *reader = kvmstats_watch_reader(vmm->watch, i);
	int err = vmm_reader_error(vmm, reader);

	if (!err)
		return;
	if (!gap->readers++ || (gap_is_kept_closed(gap->err) && !gap_is_kept_closed(err))) {
		gap->err = err;
		set_label(gap, kvmstats_reader_target(reader));
	}
}

struct gap gap_of(const struct vmm *vmm)
{
	struct gap gap = {
		.key = vmm_key(vmm),
		.pid = vmm->pid,
		.qmp_error = vmm->qmp_error,
		.debugfs_error = vmm->debugfs_error,
		.tracepoints_error = vmm->tracepoints_error,
	};
	size_t i;

	for (i = 0; vmm->watch && i < kvmstats_watch_readers(vmm->watch); i++)
		add_reader(&gap, vmm, i);
	return gap;
}

bool is_gap(const struct gap *gap)
{
	return gap->readers || gap->qmp_error || gap->debugfs_error || gap->tracepoints_error;
}

bool gap_is_failure(const struct vmm *vmm, const struct gap *gap, const struct filter *filter)
{
	if (!is_gap(gap))
		return false;
	if (vmm_has_sums(vmm) && !gap->debugfs_error)
		return false;
	return !vmm_may_lack_vm(vmm, filter) || gap->tracepoints_error;
}

bool gap_has_readers_of(const struct gap *gap, const struct gap *other)
{
	return gap->readers == other->readers && gap->err == other->err &&
	       !strcmp(gap->label, other->label);
}

static void clear_if_equal(int *err, int reported)
{
	if (*err == reported)
		*err = 0;
}

void gap_clear_reported(struct gap *gap, const struct gap *reported)
{
	clear_if_equal(&gap->qmp_error, reported->qmp_error);
	clear_if_equal(&gap->debugfs_error, reported->debugfs_error);
	clear_if_equal(&gap->tracepoints_error, reported->tracepoints_error);
}
