/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs_list where no guest runs: nothing moves, the rest is as elsewhere. */
#define GUEST_RUNS false
#define GUEST_STAT "halt_wakeup"

static void guest_prepare_vm(int vm)
{
	(void)vm;
}

static void guest_prepare_vcpu(int vm, int vcpu, uint8_t *code, unsigned int times)
{
	(void)vm;
	(void)vcpu;
	(void)code;
	(void)times;
}

static bool guest_exited(const struct kvm_run *run)
{
	(void)run;
	return false;
}
