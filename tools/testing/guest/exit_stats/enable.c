// SPDX-License-Identifier: GPL-2.0-only
/* Enable the exit statistics, and find them in the files of the VM and of its vCPUs. */
#include <linux/types.h>

#include "exit_stats/checks.h"
#include "lib/exit_stats.h"

struct stats_open {
	__u32 flags;
	__u32 reserved;
};

#define STATS_OPEN		_IOW(KVMIO, 0xce, struct stats_open)
#define STATS_OPEN_VCPUS	1

bool exits_enable_by_default(bool on)
{
	return exit_stats_enable(on) ||
	       fail("cannot set the parameter kvm.exit_stats: %s", strerror(errno));
}

bool create_guest_with_exits(struct guest *guest)
{
	return create_guest_with_features(guest, 0);
}

bool create_guest_with_features(struct guest *guest, uint32_t features)
{
	const char *message;
	bool ok;

	*guest = (struct guest){ .features = features };
	ok = exits_enable_by_default(true);
	message = guest_create(guest);
	ok = exits_enable_by_default(false) && ok;
	return ok && (!message || fail("%s", message));
}

static int new_vm(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);

	close(kvm);
	return vm;
}

static int enable(int vm, uint64_t arg, uint32_t flags)
{
	struct kvm_enable_cap cap = {
		.cap = KVM_CAP_BINARY_STATS_FD, .flags = flags, .args = { arg },
	};

	return ioctl(vm, KVM_ENABLE_CAP, &cap) ? errno : 0;
}

static bool expect(int found, int expected, const char *what)
{
	return found == expected || fail("%s: errno %d, expected %d", what, found, expected);
}

static bool rejects_wrong_arguments(void)
{
	int vm = new_vm();
	bool ok = expect(enable(vm, 0, 0), EINVAL, "args[0] = 0") &&
		  expect(enable(vm, 2, 0), EINVAL, "args[0] = 2") &&
		  expect(enable(vm, 3, 0), EINVAL, "args[0] = 3") &&
		  expect(enable(vm, 1, 1), EINVAL, "flags = 1") &&
		  expect(enable(vm, 1, 0), 0, "args[0] = 1") &&
		  expect(enable(vm, 1, 0), 0, "args[0] = 1, again");

	close(vm);
	return ok;
}

static bool rejects_vm_with_vcpu(void)
{
	int vm = new_vm(), vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	bool ok = expect(enable(vm, 1, 0), EBUSY, "with a vCPU");

	close(vcpu);
	ok = ok && expect(enable(vm, 1, 0), EBUSY, "after the vCPU's fd is closed");
	close(vm);
	return ok;
}

static struct kvm_stats_header header_of(int fd)
{
	struct kvm_stats_header header = {};

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		fail("the header cannot be read");
	return header;
}

/* Return the number of descriptors of a vCPU, or 0 if the file is not consistent. */
static uint32_t descs_of_vcpu(int vm)
{
	int vcpu = ioctl(vm, KVM_CREATE_VCPU, 0), fd = ioctl(vcpu, KVM_GET_STATS_FD, 0);
	struct kvm_stats_header header = header_of(fd);
	static uint8_t bytes[65536];
	ssize_t size = pread(fd, bytes, sizeof(bytes), 0), tail;
	size_t end = 0, at = header.desc_offset;
	uint32_t i;

	for (i = 0; i < header.num_desc; i++, at += sizeof(struct kvm_stats_desc) + 48) {
		const struct kvm_stats_desc *desc = (const void *)(bytes + at);

		if (desc->offset != end)
			header.num_desc = fail("%s is at %u", desc->name, desc->offset);
		end = desc->offset + 8 * desc->size;
	}
	tail = pread(fd, bytes, sizeof(bytes), header.data_offset);
	if (size != (ssize_t)(header.data_offset + end) || tail != (ssize_t)end)
		header.num_desc = fail("the file has %zd bytes, and its data %zd", size, tail);
	close(fd);
	close(vcpu);
	return header.num_desc;
}

static bool expect_descs(int vm, bool with_exits)
{
	int plain = new_vm();
	uint32_t base = descs_of_vcpu(plain), num = descs_of_vcpu(vm);

	close(plain);
	return (base && num && (num > base) == with_exits) ||
	       fail("a vCPU has %u descriptors, one without exit statistics %u", num, base);
}

static bool vcpu_has_them(void)
{
	int vm = new_vm();
	bool ok = expect(enable(vm, 1, 0), 0, "args[0] = 1") && expect_descs(vm, true);

	close(vm);
	return ok;
}

static bool only_vcpus_of_that_vm(void)
{
	int vm = new_vm(), other = new_vm();
	bool ok = expect(enable(vm, 1, 0), 0, "args[0] = 1") && expect_descs(other, false);

	close(vm);
	close(other);
	return ok;
}

static bool parameter_enables_them(void)
{
	int before = new_vm(), vm, after;
	bool ok = exits_enable_by_default(true);

	vm = new_vm();
	ok = exits_enable_by_default(false) && ok;
	after = new_vm();
	ok = ok && expect_descs(before, false) && expect_descs(vm, true) &&
	     expect_descs(after, false);
	close(before);
	close(vm);
	close(after);
	return ok;
}

static int open_vcpus(int vm)
{
	struct stats_open open = { .flags = STATS_OPEN_VCPUS };

	return ioctl(vm, STATS_OPEN, &open);
}

static off_t size_of(int fd)
{
	return lseek(fd, 0, SEEK_END);
}

/* A file that is already open keeps its descriptors, and its records agree with them. */
static bool open_file_does_not_change(void)
{
	int plain = new_vm(), vm = new_vm(), reference = open_vcpus(plain);
	int early = open_vcpus(vm), late, vcpu, vcpu_of_plain;
	bool ok = expect(enable(vm, 1, 0), 0, "args[0] = 1");

	late = open_vcpus(vm);
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	vcpu_of_plain = ioctl(plain, KVM_CREATE_VCPU, 0);
	if (ok && size_of(early) != size_of(reference))
		ok = fail("the file has %lld bytes, that of a VM without exit statistics %lld",
			  (long long)size_of(early), (long long)size_of(reference));
	if (ok && size_of(late) <= size_of(early))
		ok = fail("the file that is opened afterwards has %lld bytes, the other %lld",
			  (long long)size_of(late), (long long)size_of(early));
	close(vcpu);
	close(vcpu_of_plain);
	close(early);
	close(late);
	close(reference);
	close(vm);
	close(plain);
	return ok;
}

/* The record of a vCPU has the same values as the vCPU's file. */
static bool record_equals_file(void)
{
	static uint8_t bytes[65536], file[65536];
	int vm = new_vm(), fd, vcpu, vcpu_fd;
	bool ok = expect(enable(vm, 1, 0), 0, "args[0] = 1");
	struct kvm_stats_header header;
	ssize_t size, whole;

	vcpu = ioctl(vm, KVM_CREATE_VCPU, 3);
	fd = open_vcpus(vm);
	vcpu_fd = ioctl(vcpu, KVM_GET_STATS_FD, 0);
	header = header_of(vcpu_fd);
	size = pread(vcpu_fd, file, sizeof(file), header.data_offset);
	whole = pread(fd, bytes, sizeof(bytes), 0);
	if (ok && (size <= 0 || whole <= size || memcmp(bytes + whole - size, file, size)))
		ok = fail("the record differs from the file of the vCPU");
	close(vcpu_fd);
	close(fd);
	close(vcpu);
	close(vm);
	return ok;
}

const struct check enable_checks[] = {
	{ "wrong arguments are rejected", rejects_wrong_arguments },
	{ "a VM with a vCPU is rejected", rejects_vm_with_vcpu },
	{ "a vCPU of the VM has exit statistics", vcpu_has_them },
	{ "a vCPU of another VM does not have exit statistics", only_vcpus_of_that_vm },
	{ "the module parameter enables exit statistics for new VMs", parameter_enables_them },
	{ "a file that is open when they are enabled does not change", open_file_does_not_change },
	{ "a record equals the file of its vCPU", record_equals_file },
	{}
};
