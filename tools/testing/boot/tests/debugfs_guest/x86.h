/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs_list on x86: port writes in real mode. */
#define GUEST_RUNS true
#define GUEST_STAT "io_exits"

static void guest_prepare_vm(int vm)
{
	checked(ioctl(vm, KVM_CREATE_IRQCHIP, 0), "KVM_CREATE_IRQCHIP");
}

static void guest_prepare_vcpu(int vm, int vcpu, uint8_t *code, unsigned int times)
{
	struct kvm_sregs sregs;
	struct kvm_regs regs = { .rflags = 2 };
	unsigned int i;

	(void)vm;
	for (i = 0; i < times; i++)
		memcpy(code + 2 * i, "\xe6\x10", 2);	/* out %al, $0x10 */
	checked(ioctl(vcpu, KVM_GET_SREGS, &sregs), "KVM_GET_SREGS");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	checked(ioctl(vcpu, KVM_SET_SREGS, &sregs), "KVM_SET_SREGS");
	checked(ioctl(vcpu, KVM_SET_REGS, &regs), "KVM_SET_REGS");
}

static bool guest_exited(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_IO;
}
