// SPDX-License-Identifier: GPL-2.0-only
/* Exits of a guest: one to user space, and one that KVM handles in the kernel. */
#include "bench.h"

#define FEW	100
#define MANY	200

/* mov $iterations,%si; xor %eax,%eax; cpuid; dec %si; jnz; out %al,$0x10; jmp */
static const uint8_t cpuid_rounds[] = {
	0xbe, 0x00, 0x00, 0x66, 0x31, 0xc0, 0x0f, 0xa2, 0x4e, 0x75, 0xf8, 0xe6, 0x10, 0xeb, 0xf1,
};

/* out %al,$0x10; jmp */
static const uint8_t out_forever[] = { 0xe6, 0x10, 0xeb, 0xfc };

static long run_once(void *arg)
{
	return guest_run(arg);
}

static double count_run(struct guest *guest)
{
	return count_op(&(struct bench_op) {
		.run = run_once, .arg = guest, .result = KVM_EXIT_IO,
	});
}

static void row_userspace(void)
{
	struct guest guest;

	if (guest_create(&guest, WITHOUT_IRQCHIP, out_forever, sizeof(out_forever)))
		row_count("exit_userspace", &(struct bench_op) {
			.run = run_once, .arg = &guest, .result = KVM_EXIT_IO,
		});
	else
		row_failed("exit_userspace");
	guest_destroy(&guest);
}

/* Run the guest until it exits with OUT. */
static double count_rounds(struct guest *guest, uint16_t rounds)
{
	guest->memory[GUEST_CODE + 1] = rounds & 0xff;
	guest->memory[GUEST_CODE + 2] = rounds >> 8;
	return count_run(guest);
}

/* The difference between many and few iterations removes the cost of everything else. */
static void row_kernel(void)
{
	double few = 0, many = 0;
	struct guest guest;

	if (guest_create(&guest, WITHOUT_IRQCHIP, cpuid_rounds, sizeof(cpuid_rounds))) {
		few = count_rounds(&guest, FEW);
		many = count_rounds(&guest, MANY);
	}
	if (few > 0 && many > few)
		row_value("exit_kernel", (many - few) / (MANY - FEW));
	else
		row_failed("exit_kernel");
	guest_destroy(&guest);
}

static void run(void)
{
	row_userspace();
	row_kernel();
}

const struct bench_group group_exit = { .run = run, .rows = "exit_userspace exit_kernel" };
