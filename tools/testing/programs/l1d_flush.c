// SPDX-License-Identifier: GPL-2.0-only
/* Test that l1d_flush counts the flushes of the L1 data cache, on Intel CPUs with L1TF. */
#include <stdlib.h>

#include "tap.h"
#include "vcpu/guest.h"
#include "vcpu/stats.h"

#define MODE	"/sys/module/kvm_intel/parameters/vmentry_l1d_flush"
#define TIMES	100

static bool set_mode(const char *mode)
{
	FILE *file = fopen(MODE, "w");

	if (!file)
		return fail("%s: %s", MODE, strerror(errno));
	fputs(mode, file);
	return !fclose(file) || fail("%s cannot be set to %s: %s", MODE, mode, strerror(errno));
}

/* The parameter is "not required" on CPUs without L1TF. */
static bool cpu_has_l1tf(void)
{
	FILE *file = fopen(MODE, "r");
	char mode[32] = "not required";
	bool read = file && fgets(mode, sizeof(mode), file);

	if (file)
		fclose(file);
	return read && strncmp(mode, "not", 3);
}

/* An action that exits to user space, or one that KVM handles itself */
static const struct guest_action *find_action(const struct guest *guest, bool to_user_space)
{
	const struct guest_action *action = NULL;

	do
		action = guest_next_action(guest, action);
	while (action && !!action->exit_reason != to_user_space);
	return action;
}

/* Let a guest exit TIMES times. Each exit is followed by an entry. */
static bool run_guest(bool to_user_space, struct outcome *outcome)
{
	struct guest guest = {};
	const struct guest_action *action = find_action(&guest, to_user_space);
	const char *message = guest_create(&guest);
	bool good;

	if (!message) {
		guest_append(&guest, action, 1);
		guest_append(&guest, action, TIMES);
		message = guest_run(&guest, action, 1);
	}
	good = message ? fail("%s", message) : read_stats(guest.vcpu, &outcome->before);
	if (good) {
		message = guest_run(&guest, action, TIMES);
		good = message ? fail("%s", message) : read_stats(guest.vcpu, &outcome->after);
	}
	guest_destroy(&guest);
	return good;
}

static bool flushes(const char *mode, bool to_user_space, uint64_t least, uint64_t most)
{
	static struct outcome outcome;
	uint64_t flushes, exits;

	if (!set_mode(mode) || !run_guest(to_user_space, &outcome) ||
	    !change_of(&outcome, "l1d_flush", &flushes) || !change_of(&outcome, "exits", &exits))
		return false;
	if (most > exits)
		most = exits;
	if (flushes >= least && flushes <= most)
		return true;
	return fail("l1d_flush increased by %llu", (unsigned long long)flushes);
}

static void report(const char *name, bool good)
{
	tap_report(good ? TAP_OK : TAP_NOT_OK, "l1d_flush", name, failure);
}

int main(void)
{
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (!cpu_has_l1tf())
		return tap_skip_all("the CPU does not have the vulnerability L1TF");
	tap_plan(4);
	report("always", flushes("always", false, TIMES, UINT64_MAX));
	report("never", flushes("never", true, 0, 0));
	/* The first entry after user space has run flushes. */
	report("cond_after_user_space", flushes("cond", true, TIMES, UINT64_MAX));
	report("cond_without_user_space", flushes("cond", false, 1, TIMES - 1));
	return tap_end();
}
