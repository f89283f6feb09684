// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kvm_stats_guest.h"
#include "kvm_util_internal.h"

static int open_stats(int getfd_fd)
{
	const char *message;
	int fd;

	message = stats_getfd(getfd_fd, &fd);
	TEST_ASSERT(!message, "%s", message);
	return fd;
}

int stats_vcpu_fd(struct kvm_vm *vm, uint32_t vcpu_id)
{
	return vcpu_find(vm, vcpu_id)->fd;
}

struct stats_guest stats_guest_of(struct kvm_vm *vm, uint32_t vcpu_id)
{
	return (struct stats_guest) {
		.vm = vm,
		.vcpu_id = vcpu_id,
		.vm_stats = open_stats(vm_get_fd(vm)),
		.vcpu_stats = open_stats(stats_vcpu_fd(vm, vcpu_id)),
	};
}

/* A check runs in its own process, so one variable is enough. */
const char *stats_use_guest(struct stats_target *target, struct kvm_vm *vm,
			    uint32_t vcpu_id)
{
	static struct stats_guest guest;

	guest = stats_guest_of(vm, vcpu_id);
	target->machine = &guest;
	return NULL;
}

uint64_t stats_run_guest(const struct stats_guest *guest)
{
	struct kvm_run *run = vcpu_state(guest->vm, guest->vcpu_id);
	struct ucall uc;

	do {
		vcpu_run(guest->vm, guest->vcpu_id);
		get_ucall(guest->vm, guest->vcpu_id, &uc);
	} while (!uc.cmd && run->exit_reason == KVM_EXIT_MMIO);

	TEST_ASSERT(uc.cmd != UCALL_ABORT, "%s at line %lu",
		    (const char *)uc.args[0], uc.args[1]);
	TEST_ASSERT(uc.cmd, "the exit reason is %u (%s), expected a ucall",
		    run->exit_reason, exit_reason_str(run->exit_reason));
	return uc.cmd;
}
