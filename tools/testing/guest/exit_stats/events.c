// SPDX-License-Identifier: GPL-2.0-only
/* All classes together count the same exits as the trace event kvm_exit. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "exit_stats/checks.h"

#define EVENT_ID	"/sys/kernel/tracing/events/kvm/kvm_exit/id"
#define ROUNDS		500

/* The loop takes some time, so that interrupts of the host arrive while the guest runs. */
#ifdef __aarch64__
static const uint32_t code[] = {
	0xd4000002,						/* hvc #0 */
	0xd29fffe2,						/* mov x2, #0xffff */
	0xf1000442,						/* subs x2, x2, #1 */
	0x54ffffe1,						/* b.ne to subs */
	0xd2ae0001,						/* mov x1, #0x70000000 */
	0xb9000020,						/* str w0, [x1] */
	0x17fffffa,						/* b to hvc */
};
#else
static const uint8_t code[] = {
	0x0f, 0xa2,						/* cpuid */
	0xb9, 0xff, 0xff,					/* mov $0xffff, %cx */
	0xe2, 0xfe,						/* loop . */
	0xe6, 0x10,						/* out %al, $0x10 */
	0xeb, 0xf5,						/* jmp to cpuid */
};
#endif

/* Returns an fd that counts the exits of this thread, or -1. */
static int open_counter(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	FILE *file = fopen(EVENT_ID, "r");
	unsigned int id;
	int fd = -1;

	if (!file || fscanf(file, "%u", &id) != 1) {
		fail(EVENT_ID ": %s", strerror(errno));
	} else {
		attr.config = id;
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		if (fd < 0)
			fail("perf_event_open: %s", strerror(errno));
	}
	if (file)
		fclose(file);
	return fd;
}

static bool run_rounds(struct guest *guest)
{
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		if (ioctl(guest->vcpu, KVM_RUN, 0))
			return fail("KVM_RUN: %s", strerror(errno));
		if (guest->run->exit_reason != DEVICE_EXIT)
			return fail("KVM_RUN ends with exit reason %u", guest->run->exit_reason);
	}
	return true;
}

static bool is_equal(const struct outcome *outcome, uint64_t events)
{
	uint64_t count = classes_count(outcome), interrupts;

	if (!change_of(outcome, "exit_interrupt", &interrupts))
		return false;
	printf("# %llu exits, %llu of them by interrupts; %llu events\n",
	       (unsigned long long)count, (unsigned long long)interrupts,
	       (unsigned long long)events);
	return (count == events && count >= 2 * ROUNDS) ||
	       fail("all classes grew by %llu, kvm_exit by %llu", (unsigned long long)count,
		    (unsigned long long)events);
}

static bool equal_the_events(void)
{
	struct guest_action action = { .code = code, .size = sizeof(code) };
	static struct outcome outcome;
	uint64_t before = 0, after = 0;
	int counter = open_counter();
	struct guest guest;
	bool ok;

	if (counter < 0)
		return false;
	ok = create_guest(&guest, 0);
	if (ok)
		guest_append(&guest, &action, 1);
	ok = ok && run_rounds(&guest) && read_stats(guest.vcpu, &outcome.before) &&
	     read(counter, &before, sizeof(before)) > 0 && run_rounds(&guest) &&
	     read_stats(guest.vcpu, &outcome.after) &&
	     read(counter, &after, sizeof(after)) > 0 && is_equal(&outcome, after - before);
	guest_destroy(&guest);
	close(counter);
	return ok;
}

static const char *needs_event(void)
{
	return access(EVENT_ID, F_OK) ? "the kernel has no trace event kvm_exit" : NULL;
}

const struct check event_checks[] = {
	{ "all classes together equal the trace events", equal_the_events, needs_event },
	{}
};
