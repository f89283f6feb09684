// SPDX-License-Identifier: GPL-2.0-only
/* VMs, vCPUs and their statistics files. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static int checked(int fd, const char *what)
{
	if (fd < 0)
		set_why("%s: %s", what, strerror(errno));
	return fd;
}

int kvm_open(void)
{
	static int kvm = -1;

	if (kvm < 0)
		kvm = checked(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");
	return kvm;
}

int vm_create(void)
{
	int kvm = kvm_open();

	return kvm < 0 ? -1 : checked(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
}

int vcpu_create(int vm, int id)
{
	return checked(ioctl(vm, KVM_CREATE_VCPU, id), "KVM_CREATE_VCPU");
}

bool stats_supported(void)
{
	int kvm = kvm_open();

	return kvm >= 0 && ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) > 0;
}

int stats_open(int fd)
{
	return checked(ioctl(fd, KVM_GET_STATS_FD, 0), "KVM_STATS_GETFD");
}

int stats_open_whole(int vm)
{
	struct kvm_stats_open open = { 0 };

	return checked(ioctl(vm, KVM_STATS_OPEN, &open), "KVM_STATS_OPEN");
}

struct stats_layout stats_layout(int stats)
{
	static char file[65536];
	const struct kvm_stats_header *header = (void *)file;
	ssize_t size = pread(stats, file, sizeof(file), 0);

	if (size <= (ssize_t)sizeof(*header) || header->data_offset >= size) {
		set_why("the statistics file has %zd bytes, which is too short", size);
		return (struct stats_layout) {};
	}
	return (struct stats_layout) {
		.data_offset = header->data_offset,
		.data_size = size - header->data_offset,
		.statistics = header->num_desc,
	};
}
