// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of the file: header, id and descriptors.
 */
#define _GNU_SOURCE
#include "kvm_stats_check_file.h"

const char *stats_layout_header(struct stats_target *target)
{
	return stats_check_header(&target->file);
}

const char *stats_layout_id(struct stats_target *target)
{
	char id[STATS_NAME_SIZE];

	stats_target_id(target, getpid(), id);
	return stats_check_id(&target->file, id);
}

const char *stats_layout_flags(struct stats_target *target)
{
	return stats_check_desc_flags(&target->file);
}

const char *stats_layout_sizes(struct stats_target *target)
{
	return stats_check_desc_sizes(&target->file);
}

const char *stats_layout_names(struct stats_target *target)
{
	return stats_check_desc_names(&target->file);
}

const char *stats_layout_offsets(struct stats_target *target)
{
	return stats_check_desc_offsets(&target->file);
}

static const char *same_descriptors(const struct stats_file *mine,
				    const struct stats_file *other)
{
	size_t data = mine->header.data_offset;

	if (other->size != mine->size)
		return stats_fail("the file of another VM has %zu bytes, this one %zu",
				  other->size, mine->size);
	if (memcmp(&other->header, &mine->header, sizeof(other->header)))
		return stats_fail("the file of another VM has a different header");
	if (memcmp(other->bytes + STATS_DESC_OFFSET,
		   mine->bytes + STATS_DESC_OFFSET, data - STATS_DESC_OFFSET))
		return stats_fail("the file of another VM has different descriptors");
	return NULL;
}

/* Clients read the descriptors once and use them for all VMs or all vCPUs. */
const char *stats_layout_same_for_all(struct stats_target *target)
{
	int which = stats_target_kind(target, STATS_FD_VM_STATS,
				      STATS_FD_VCPU_STATS);
	struct stats_file other;
	int fds[STATS_NUM_FDS];
	const char *message;

	message = stats_bare_vm(fds);
	if (!message)
		message = stats_file_load(&other, fds[which]);
	if (message)
		return message;
	message = same_descriptors(&target->file, &other);
	stats_file_free(&other);
	stats_close_fds(fds);
	return message;
}
