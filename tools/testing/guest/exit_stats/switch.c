// SPDX-License-Identifier: GPL-2.0-only
/* Switch exit statistics on and off, while vCPUs exist. Their files always describe them. */
#include <sys/stat.h>

#include <linux/types.h>

#include "exit_stats/checks.h"
#include "lib/exit_stats.h"

#define ROUNDS	20

struct stats_open {
	__u32 flags;
	__u32 reserved;
};

#define STATS_OPEN	_IOW(KVMIO, 0xce, struct stats_open)

#ifdef __aarch64__
static const uint32_t code[] = {
	0xd2ae0001,			/* mov x1, #0x70000000 */
	0xb9000020,			/* str w0, [x1] */
	0x17fffffe,			/* b to mov */
};
#else
static const uint8_t code[] = {
	0xe6, 0x10,			/* out %al, $0x10 */
	0xeb, 0xfc,			/* jmp to out */
};
#endif

bool exits_switch(bool on)
{
	return exit_stats_switch(on) ||
	       fail("cannot set the parameter kvm.exit_stats: %s", strerror(errno));
}

bool create_guest(struct guest *guest, uint32_t features)
{
	const char *message;

	*guest = (struct guest){ .features = features };
	message = guest_create(guest);
	return !message || fail("%s", message);
}

static bool parameter_has_rights(void)
{
	struct stat parameter;

	if (stat(EXIT_STATS_PATH, &parameter))
		return fail("stat: %s", strerror(errno));
	return (parameter.st_mode & 0777) == 0644 ||
	       fail("the mode is %o", parameter.st_mode & 0777);
}

/* The capability of earlier versions. */
static bool capability_enables_nothing(void)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_BINARY_STATS_FD, .args = { 1 } };
	struct guest guest;
	int err;

	if (!create_guest(&guest, 0))
		return false;
	err = ioctl(guest.vm, KVM_ENABLE_CAP, &cap) ? errno : 0;
	guest_destroy(&guest);
	return err == EINVAL || fail("KVM_ENABLE_CAP: %s", strerror(err));
}

/* Run the guest, and compare the growth of all classes with what the switch says. */
static bool counts(struct guest *guest, bool on)
{
	static struct outcome outcome;
	uint64_t count;
	int i;

	if (!exits_switch(on) || !read_stats(guest->vcpu, &outcome.before))
		return false;
	for (i = 0; i < ROUNDS; i++) {
		if (ioctl(guest->vcpu, KVM_RUN, 0) || guest->run->exit_reason != DEVICE_EXIT)
			return fail("KVM_RUN does not exit to the device");
	}
	if (!read_stats(guest->vcpu, &outcome.after))
		return false;
	count = classes_count(&outcome);
	if (on)
		return count >= ROUNDS || fail("on: %llu exits", (unsigned long long)count);
	return (!count && !classes_ns(&outcome) && expect_growth(&outcome, "guest_ns", 0) &&
		expect_growth(&outcome, "userspace_ns", 0)) ||
	       fail("off: %llu exits, or times", (unsigned long long)count);
}

static bool running_vcpus_are_switched(void)
{
	struct guest_action action = { .code = code, .size = sizeof(code) };
	struct guest guest;
	bool ok = create_guest(&guest, 0);

	if (ok)
		guest_append(&guest, &action, 1);
	ok = ok && counts(&guest, false) && counts(&guest, true) && counts(&guest, false) &&
	     counts(&guest, true);
	guest_destroy(&guest);
	return exits_switch(true) && ok;
}

/* Return the size of the file of a vCPU, which depends on its descriptors. */
static off_t size_of_new_vcpu(void)
{
	struct guest guest;
	off_t size = 0;
	int fd;

	if (!create_guest(&guest, 0))
		return 0;
	fd = ioctl(guest.vcpu, KVM_GET_STATS_FD, 0);
	size = lseek(fd, 0, SEEK_END);
	close(fd);
	guest_destroy(&guest);
	return size;
}

static bool descriptors_do_not_depend(void)
{
	off_t on, off = exits_switch(false) ? size_of_new_vcpu() : 0;

	if (!exits_switch(true))
		return false;
	on = size_of_new_vcpu();
	return (on > 0 && on == off) ||
	       fail("the file has %lld bytes while on, %lld while off", (long long)on,
		    (long long)off);
}

/* The record of a vCPU has the same values as the vCPU's file. */
static bool record_equals_file(void)
{
	static uint8_t bytes[65536], file[65536];
	struct kvm_stats_header header = {};
	struct stats_open open = {};
	ssize_t size, whole;
	struct guest guest;
	int fd, vcpu_fd;

	if (!create_guest(&guest, 0))
		return false;
	fd = ioctl(guest.vm, STATS_OPEN, &open);
	vcpu_fd = ioctl(guest.vcpu, KVM_GET_STATS_FD, 0);
	pread(vcpu_fd, &header, sizeof(header), 0);
	size = pread(vcpu_fd, file, sizeof(file), header.data_offset);
	whole = pread(fd, bytes, sizeof(bytes), 0);
	close(vcpu_fd);
	close(fd);
	guest_destroy(&guest);
	return (size > 0 && whole > size && !memcmp(bytes + whole - size, file, size)) ||
	       fail("the record differs from the file of the vCPU");
}

const struct check switch_checks[] = {
	{ "root can write the parameter, and all can read it", parameter_has_rights },
	{ "KVM_ENABLE_CAP does not have them", capability_enables_nothing },
	{ "vCPUs that exist are switched", running_vcpus_are_switched },
	{ "the descriptors do not depend on it", descriptors_do_not_depend },
	{ "a record equals the file of its vCPU", record_equals_file },
	{}
};
