/* SPDX-License-Identifier: GPL-2.0-only */
/* x86, 32-bit and 64-bit, in real mode. */

#define GUEST_ENTRY		0
#define guest_end_reason	KVM_EXIT_IO

static const uint8_t guest_start[] = {};
static const uint8_t guest_end[] = { 0xe6, 0x11 };		/* out %al, $0x11 */
static const uint8_t guest_port_write[] = { 0xe6, 0x10 };	/* out %al, $0x10 */

static const uint8_t guest_deadline[] = {
	0x66, 0xb9, 0xe0, 0x06, 0x00, 0x00,		/* mov $0x6e0, %ecx: TSC_DEADLINE */
	0x66, 0x31, 0xc0,				/* xor %eax, %eax */
	0x66, 0x31, 0xd2,				/* xor %edx, %edx */
	0x0f, 0x30,					/* wrmsr */
};

static const uint8_t guest_port_loop[] = { 0xe6, 0x10, 0xeb, 0xfc };	/* out; jmp to it */

static inline const char *guest_loop(const struct guest *guest)
{
	memcpy(guest->memory + GUEST_ENTRY, guest_port_loop, sizeof(guest_port_loop));
	return NULL;
}

/* KVM looks for events once after its registers were set, and not at the other entry. */
static inline const char *guest_set_registers(const struct guest *guest)
{
	struct kvm_regs regs;

	if (ioctl(guest->vcpu, KVM_GET_REGS, &regs) || ioctl(guest->vcpu, KVM_SET_REGS, &regs) ||
	    ioctl(guest->vcpu, KVM_RUN, 0) || ioctl(guest->vcpu, KVM_RUN, 0))
		return guest_error("KVM_GET_REGS, KVM_SET_REGS or KVM_RUN");
	return NULL;
}

static const struct guest_action guest_actions[] = {
	{
		.name = "port_write",
		GUEST_CODE(guest_port_write),
		.exit_reason = KVM_EXIT_IO,
		.changes = { GUEST_ONCE(io_exits), { "exits", GUEST_AT_LEAST } },
	},
	/* On VMX, KVM handles these exits in a fast path of their own. */
	GUEST_ACTION(deadline_write, GUEST_CODE(guest_deadline),
		     { "exits", GUEST_EXACTLY, { "irq_exits", "io_exits" } }),
	{
		.name = "set_registers",
		.prepare = guest_loop,
		.from_user_space = guest_set_registers,
		.changes = { GUEST_ONCE(req_event) },
	},
	{}
};

static const uint8_t guest_hlt[] = { 0xf4 };

static const struct guest_action guest_halts[] = {
	{ .name = "hlt", GUEST_CODE(guest_hlt) },
	{}
};

static inline const char *guest_before_vcpu(struct guest *guest)
{
	if (!(guest->features & GUEST_WITHOUT_IRQCHIP) &&
	    ioctl(guest->vm, KVM_CREATE_IRQCHIP, 0))
		return guest_error("KVM_CREATE_IRQCHIP");
	return NULL;
}

static inline const char *guest_set_up(struct guest *guest)
{
	struct kvm_regs regs = { .rflags = 2, .rip = GUEST_ENTRY };
	struct kvm_sregs sregs;

	if (ioctl(guest->vcpu, KVM_GET_SREGS, &sregs))
		return guest_error("KVM_GET_SREGS");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(guest->vcpu, KVM_SET_SREGS, &sregs))
		return guest_error("KVM_SET_SREGS");
	if (ioctl(guest->vcpu, KVM_SET_REGS, &regs))
		return guest_error("KVM_SET_REGS");
	return NULL;
}
