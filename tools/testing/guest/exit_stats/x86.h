/* SPDX-License-Identifier: GPL-2.0-only */
/* Included by classes.c. x86: the guest is in real mode. */

static bool create(struct guest *guest)
{
	return create_guest(guest, 0);
}

static bool has_ended(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_IO && run->io.port == 0x11;
}

static bool is_completed(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_MMIO ||
	       (run->exit_reason == KVM_EXIT_IO && run->io.port == 0x10);
}

static const struct exit io = { "exit_io", { 0xe6, 0x10 }, 2, 1 };	/* out %al, $0x10 */
static const struct exit cpuid = { "exit_cpuid", { 0x0f, 0xa2 }, 2, 1 };

static const struct exit msr_read = {
	"exit_msr_read", {
		0x66, 0xb9, 0x1b, 0x00, 0x00, 0x00,	/* mov $0x1b, %ecx: APIC_BASE */
		0x0f, 0x32,				/* rdmsr */
	}, 8, 1
};

/* SVM and VMX handle these exits in a fast path. */
static const struct exit msr_write = {
	"exit_msr_write", {
		0x66, 0xb9, 0xe0, 0x06, 0x00, 0x00,	/* mov $0x6e0, %ecx: TSC_DEADLINE */
		0x66, 0x31, 0xc0,			/* xor %eax, %eax */
		0x66, 0x31, 0xd2,			/* xor %edx, %edx */
		0x0f, 0x30,				/* wrmsr */
	}, 14, 1
};

static const struct exit hypercall = { "exit_hypercall", { 0x0f, 0x01, 0xd9 }, 3, 1 };
static const struct exit cache = { "exit_cache", { 0x0f, 0x09 }, 2, 1 };	/* wbinvd */

static const struct exit cr_access = {
	"exit_cr_access", {
		0x0f, 0x20, 0xe0,			/* mov %cr4, %eax */
		0x0f, 0x22, 0xe0,			/* mov %eax, %cr4 */
	}, 6, 2
};

static const struct exit mmio = {
	"exit_mmio", {
		0xb8, 0xff, 0xff,			/* mov $0xffff, %ax */
		0x8e, 0xd8,				/* mov %ax, %ds */
		0xa0, 0x10, 0x10,			/* mov 0x1010, %al: address 0x101000 */
	}, 8, 1
};

DEFINE_CHECK(io)
DEFINE_CHECK(cpuid)
DEFINE_CHECK(msr_read)
DEFINE_CHECK(msr_write)
DEFINE_CHECK(hypercall)
DEFINE_CHECK(cache)
DEFINE_CHECK(cr_access)
DEFINE_CHECK(mmio)

/* Each page is 32 KiB after the previous one, so that KVM does not map it in advance. */
static bool check_page_fault(void)
{
	static struct outcome outcome;
	struct guest guest;
	bool ok = create(&guest);
	unsigned int i;

	ok = ok && append(&guest, cpuid.code, cpuid.size, 1);
	for (i = 0; ok && i < TIMES; i++) {
		uint16_t segment = 0x1000 + i * 0x800;
		const uint8_t touch[] = { 0xb8, segment, segment >> 8, 0x8e, 0xd8, 0xa0, 0, 0 };
		uint8_t *page = guest.memory + segment * 16;

		*(volatile uint8_t *)page = 1;
		guest.end -= i ? 2 : 0;		/* overwrite the exit after the previous code */
		append(&guest, touch, sizeof(touch), 1);
	}
	ok = ok && run(&guest) && read_stats(guest.vcpu, &outcome.before) && run(&guest) &&
	     read_stats(guest.vcpu, &outcome.after) &&
	     expect_growth(&outcome, "exit_page_fault", TIMES) && sums_agree(&outcome);
	guest_destroy(&guest);
	return ok;
}

static bool check_hlt(void)
{
	static const uint8_t hlt = 0xf4;
	static struct outcome outcome;
	struct guest guest;
	bool ok = create(&guest) && append(&guest, &hlt, 1, TIMES + 1) &&
		  run_until_signal(&guest, 1) && read_stats(guest.vcpu, &outcome.before) &&
		  run_until_signal(&guest, TIMES) && read_stats(guest.vcpu, &outcome.after) &&
		  expect_growth(&outcome, "exit_hlt", TIMES) && sums_agree(&outcome);

	guest_destroy(&guest);
	return ok;
}

/* VMX does not exit for all of these, and some have another reason there. */
static const char *needs_svm(void)
{
	return access("/sys/module/kvm_amd", F_OK) ? "the host does not have SVM" : NULL;
}

const struct check class_checks[] = {
	{ "io", check_io },
	{ "cpuid", check_cpuid },
	{ "msr_read", check_msr_read },
	{ "msr_write", check_msr_write },
	{ "hypercall", check_hypercall, needs_svm },
	{ "cache", check_cache, needs_svm },
	{ "cr_access", check_cr_access, needs_svm },
	{ "mmio", check_mmio },
	{ "page_fault", check_page_fault },
	{ "hlt", check_hlt },
	{}
};
