// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kvm_stats_layout.h"
#include "kvm_stats_target.h"

int stats_target_kind(const struct stats_target *target, int vm, int vcpu)
{
	return target->vcpu_id < 0 ? vm : vcpu;
}

void stats_target_id(const struct stats_target *target, pid_t vmm,
		     char id[STATS_NAME_SIZE])
{
	if (target->vcpu_id < 0)
		snprintf(id, STATS_NAME_SIZE, "kvm-%d", vmm);
	else
		snprintf(id, STATS_NAME_SIZE, "kvm-%d/vcpu-%d", vmm,
			 target->vcpu_id);
}

/*
 * Are all differences part of values that have changed since the file was
 * loaded?  The memory management of the host may flush TLBs although no guest
 * runs.
 */
static bool only_values_changed(const struct stats_target *target,
				const uint8_t *buf, size_t len, size_t offset)
{
	const struct stats_file *file = &target->file;
	struct stats_file now;
	bool changed = true;
	size_t i, at;

	if (stats_file_load(&now, target->fd) || now.size != file->size)
		return false;
	for (i = 0; i < len && changed; i++) {
		if (buf[i] == file->bytes[offset + i])
			continue;
		at = offset + i - (offset + i) % sizeof(uint64_t);
		changed = at >= file->header.data_offset &&
			  memcmp(file->bytes + at, now.bytes + at,
				 sizeof(uint64_t));
	}
	stats_file_free(&now);
	return changed;
}

const char *stats_same(const struct stats_target *target, const void *buf,
		       ssize_t got, size_t offset, size_t expected)
{
	if (got < 0)
		return stats_fail("a read at %zu failed: %s, expected %zu bytes",
				  offset, strerror(errno), expected);
	if ((size_t)got != expected)
		return stats_fail("a read at %zu returned %zd bytes, expected %zu",
				  offset, got, expected);
	if (memcmp(buf, target->file.bytes + offset, got) &&
	    !only_values_changed(target, buf, got, offset))
		return stats_fail("a read of %zd bytes at %zu differs from the whole file",
				  got, offset);
	return NULL;
}

const char *stats_refused(const char *what, long result, int expected)
{
	if (result >= 0)
		return stats_fail("%s succeeded, expected the error: %s", what,
				  strerror(expected));
	if (errno != expected)
		return stats_fail("%s failed: %s, expected the error: %s", what,
				  strerror(errno), strerror(expected));
	return NULL;
}

const char *stats_getfd(int getfd_fd, int *fd)
{
	*fd = ioctl(getfd_fd, KVM_STATS_GETFD, NULL);
	return *fd >= 0 ? NULL :
	       stats_fail("KVM_STATS_GETFD failed: %s", strerror(errno));
}

const char *stats_still_reads(struct stats_target *target, int fd, pid_t vmm)
{
	struct stats_file file;
	const char *message;
	char id[STATS_NAME_SIZE];

	message = stats_file_load(&file, fd);
	if (!message)
		message = stats_check_header(&file);
	stats_target_id(target, vmm, id);
	if (!message)
		message = stats_check_id(&file, id);
	if (!message && file.size != target->file.size)
		message = stats_fail("the file has %zu bytes, expected %zu",
				     file.size, target->file.size);
	stats_file_free(&file);
	return message;
}
