// SPDX-License-Identifier: GPL-2.0-only
/*
 * A read delivers each value whole, also when the value changes during the read.
 *
 * The buffer is unaligned: one value of 8 bytes is partly on a page that is present and
 * partly on a page that is missing. While the kernel waits for the missing page, the
 * vCPU changes the value. The bytes on both pages must come from the same value.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>

#include "lib/held_read.h"
#include "lib/run.h"
#include "vcpu/guest.h"

#define HALT_MS		25	/* long enough to change the three lowest bytes of a time in ns */
#define MAX_CHANGES	40	/* for one read */
#define HALT_SPLITS	3	/* a halt changes bytes above the 1 to 3 least significant ones */
#define EXIT_SPLITS	1	/* 256 exits change bytes above the least significant one */

/* A value, and how the vCPU changes it. */
struct subject {
	struct guest guest;
	const struct guest_action *action;
	const char *statistic;
	bool halts;
	int fd;			/* the statistics fd of the vCPU */
	size_t offset;		/* of the value in the file */
};

/* The alarm repeats, because the first one may come before the vCPU halts. */
static void halt(struct guest *guest)
{
	static const struct timeval pause = { .tv_usec = HALT_MS * 1000 };
	struct itimerval timer = { .it_value = pause, .it_interval = pause };
	int result, error;

	setitimer(ITIMER_REAL, &timer, NULL);
	result = ioctl(guest->vcpu, KVM_RUN, 0);
	error = errno;
	timer = (struct itimerval){};
	setitimer(ITIMER_REAL, &timer, NULL);
	if (result >= 0 || error != EINTR)
		fail("KVM_RUN ends before the signal, exit reason %u: %s", guest->run->exit_reason,
		     strerror(error));
}

static void change(struct subject *subject)
{
	if (subject->halts)
		halt(&subject->guest);
	else
		must(guest_run(&subject->guest, subject->action, 1));
}

static uint64_t read_value(const struct subject *subject)
{
	uint64_t value;
	ssize_t got = pread(subject->fd, &value, sizeof(value), subject->offset);

	if (got != sizeof(value))
		fail("pread of %s returns %zd: %s", subject->statistic, got, strerror(errno));
	return value;
}

/* Do bytes on both sides of the split differ? */
static bool differ_on_both_pages(uint64_t before, uint64_t after, size_t split)
{
	const uint8_t *old = (const void *)&before, *new = (const void *)&after;

	return memcmp(old, new, split) &&
	       memcmp(old + split, new + split, sizeof(before) - split);
}

/* Returns how many bytes are on the first page if one page has the @low least significant ones. */
static size_t split_after(size_t low)
{
	const union { uint16_t word; uint8_t bytes[2]; } order = { .word = 1 };

	return order.bytes[0] ? low : sizeof(uint64_t) - low;
}

static uint64_t change_for(struct subject *subject, size_t split, uint64_t before)
{
	unsigned int left = subject->halts ? MAX_CHANGES : 2 * 256;
	uint64_t after;

	do {
		change(subject);
		after = read_value(subject);
	} while (!differ_on_both_pages(before, after, split) && --left);
	if (!left)
		fail("%s does not change on both pages: %#llx, before %#llx", subject->statistic,
		     (unsigned long long)after, (unsigned long long)before);
	return after;
}

static uint64_t finish_read(struct held_read *held)
{
	uint64_t value;

	held_read_supply(held);
	held_read_end(held);
	if (held->got != sizeof(value))
		fail("the held read returns %zd: %s", held->got, strerror(held->error));
	memcpy(&value, held->buf, sizeof(value));
	close(held->uffd);
	return value;
}

static struct subject subject;

static void is_whole(const void *arg)
{
	const size_t *split = arg;
	uint64_t before = read_value(&subject), after, delivered;
	struct held_read held;

	held_read_start(&held, subject.fd, subject.offset, sizeof(uint64_t), *split);
	after = change_for(&subject, *split, before);
	delivered = finish_read(&held);
	if (delivered != before && delivered != after)
		fail("%s was %#llx and became %#llx, but the read returned %#llx",
		     subject.statistic, (unsigned long long)before, (unsigned long long)after,
		     (unsigned long long)delivered);
}

/* Chooses how to change a value: the vCPU halts, or user space executes an action. */
static bool pick_subject(struct subject *subject)
{
	const struct guest_action *action = guest_next_halt(&subject->guest, NULL);

	if (action) {
		subject->action = action;
		subject->halts = true;
		subject->statistic = "halt_wait_ns";
		guest_append(&subject->guest, action, HALT_SPLITS * MAX_CHANGES);
		return true;
	}
	while ((action = guest_next_action(&subject->guest, action))) {
		if (!action->from_user_space)
			continue;
		subject->action = action;
		subject->statistic = action->changes[0].statistic;
		return true;
	}
	return false;
}

static void open_subject(const void *arg)
{
	static struct stats_file stats;

	read_stats(subject.guest.vcpu, &stats);
	subject.offset = stats.header.data_offset + find_desc(&stats, subject.statistic)->offset;
	subject.fd = ioctl(subject.guest.vcpu, KVM_GET_STATS_FD, NULL);
	if (subject.fd < 0)
		fail("KVM_GET_STATS_FD: %s", strerror(errno));
}

/* Returns NULL, or the reason why the test cannot run. */
static const char *skip_reason(struct subject *subject)
{
	if (!held_read_is_possible())
		return "this kernel has no userfaultfd, which the test needs";
	if (ioctl(subject->guest.vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) <= 0)
		return "this kernel does not have KVM_CAP_BINARY_STATS_FD";
	if (!pick_subject(subject))
		return "no guest of this architecture can run";
	return NULL;
}

/* Only splits that can show a torn value, because the vCPU changes bytes on both sides. */
static void test_splits(void)
{
	size_t splits = subject.halts ? HALT_SPLITS : EXIT_SPLITS, low, split;
	char name[32];

	tap_plan(splits);
	for (low = 1; low <= splits; low++) {
		split = split_after(low);
		snprintf(name, sizeof(name), "split_after_%zu", split);
		report_run("", name, is_whole, &split);
	}
	tap_tried(splits, "values that changed on both pages during a read");
}

int main(void)
{
	const char *message;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	bail_out(guest_create(&subject.guest));
	message = skip_reason(&subject);
	if (message)
		return tap_skip_all(message);
	catch_signal(SIGALRM);
	bail_out(passes(open_subject, NULL) ? NULL : failure);
	test_splits();
	return tap_end();
}
