/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs_list on arm64: stores to where no memory is, with the MMU off. */
#define GUEST_RUNS true
#define GUEST_STAT "mmio_exit_user"

static void guest_prepare_vm(int vm)
{
	(void)vm;
}

static void guest_prepare_vcpu(int vm, int vcpu, uint8_t *code, unsigned int times)
{
	uint32_t *insn = (uint32_t *)code;
	struct kvm_vcpu_init init;

	*insn++ = 0xd2ae0001;		/* mov x1, #0x70000000 */
	while (times--)
		*insn++ = 0xb9000020;	/* str w0, [x1] */
	checked(ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init), "KVM_ARM_PREFERRED_TARGET");
	/* It starts at address 0. */
	checked(ioctl(vcpu, KVM_ARM_VCPU_INIT, &init), "KVM_ARM_VCPU_INIT");
}

static bool guest_exited(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_MMIO;
}
