// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <poll.h>

#include "kvm_stats_layout.h"

#include "lib/extensions.h"
#include "lib/target_file.h"

int stats_fd_index(const struct stats_target *target)
{
	return stats_target_kind(target, STATS_FD_VM_STATS, STATS_FD_VCPU_STATS);
}

const char *target_open(const struct stats_target *target, int fd, int *stats_fd)
{
	return target->vcpu_id == WITH_VCPUS ? stats_open(fd, 0, stats_fd) :
					       stats_getfd(fd, stats_fd);
}

const char *target_vm(const struct stats_target *target, int fds[STATS_NUM_FDS])
{
	const char *message;

	if (target->vcpu_id == WITH_VCPUS && !kernel_has_stats_open())
		return stats_skip(NO_STATS_OPEN);
	message = stats_bare_vm(fds);
	if (message || target->vcpu_id != WITH_VCPUS)
		return message;
	close(fds[STATS_FD_VM_STATS]);
	return target_open(target, fds[STATS_FD_VM], &fds[STATS_FD_VM_STATS]);
}

static const char *still_reads_with_vcpus(struct stats_target *target, int fd, pid_t vmm)
{
	struct stats_vm_file file;
	const char *message = stats_vm_file_load(&file, fd);
	char id[STATS_NAME_SIZE];

	stats_target_id(target, vmm, id);
	if (!message)
		message = stats_check_id(&file.file, id);
	if (!message && (file.num_records != 1 ||
			 stats_vm_file_record(&file, 0).vcpu_id != STATS_VCPU_ID))
		message = stats_fail("the file has %u records, expected that of vCPU %d",
				     file.num_records, STATS_VCPU_ID);
	stats_vm_file_free(&file);
	return message;
}

const char *target_still_reads(struct stats_target *target, int fd, pid_t vmm)
{
	return target->vcpu_id == WITH_VCPUS ? still_reads_with_vcpus(target, fd, vmm) :
					       stats_still_reads(target, fd, vmm);
}

bool target_holds_vm(const struct stats_target *target)
{
	return target->vcpu_id != WITH_VCPUS;
}

static const char *says_that_vm_ended(int fd)
{
	struct pollfd poll_fd = { .fd = fd };
	uint8_t byte;

	if (poll(&poll_fd, 1, 0) != 1 || poll_fd.revents != POLLHUP)
		return stats_fail("poll() of the file reports %#x", poll_fd.revents);
	if (pread(fd, &byte, 1, 0) != -1 || errno != ENODEV)
		return stats_fail("pread of the file: %s", strerror(errno));
	if (lseek(fd, 0, SEEK_END) != -1 || errno != ENODEV)
		return stats_fail("lseek to the end of the file: %s", strerror(errno));
	return NULL;
}

const char *target_reads_after_end(struct stats_target *target, int fd, pid_t vmm)
{
	return target_holds_vm(target) ? target_still_reads(target, fd, vmm) :
					 says_that_vm_ended(fd);
}
