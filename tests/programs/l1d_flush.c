// SPDX-License-Identifier: GPL-2.0-only
/* Test that l1d_flush counts the flushes of the L1 data cache, on Intel CPUs with L1TF. */
#include "lib/run.h"
#include "vcpu/guest.h"

#define MODE	"/sys/module/kvm_intel/parameters/vmentry_l1d_flush"
#define TIMES	100

static void set_mode(const char *mode)
{
	FILE *file = fopen(MODE, "w");

	if (!file)
		fail("%s: %s", MODE, strerror(errno));
	fputs(mode, file);
	if (fclose(file))
		fail("%s cannot be set to %s: %s", MODE, mode, strerror(errno));
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
static void flushes(const char *mode, bool to_user_space, uint64_t least, uint64_t most)
{
	static struct outcome outcome;
	struct guest guest = {};
	const struct guest_action *action = find_action(&guest, to_user_space);
	uint64_t flushes, exits;

	set_mode(mode);
	must(guest_create(&guest));
	guest_append(&guest, action, 1);
	guest_append(&guest, action, TIMES);
	must(guest_run(&guest, action, 1));
	read_stats(guest.vcpu, &outcome.before);
	must(guest_run(&guest, action, TIMES));
	read_stats(guest.vcpu, &outcome.after);
	flushes = change_of(&outcome, "l1d_flush");
	exits = change_of(&outcome, "exits");
	if (flushes < least || flushes > most || flushes > exits)
		fail("l1d_flush increased by %llu", (unsigned long long)flushes);
}

static void always(void)
{
	flushes("always", false, TIMES, UINT64_MAX);
}

static void never(void)
{
	flushes("never", true, 0, 0);
}

/* The first entry after user space has run flushes. */
static void after_user_space(void)
{
	flushes("cond", true, TIMES, UINT64_MAX);
}

static void without_user_space(void)
{
	flushes("cond", false, 1, TIMES - 1);
}

static const struct check checks[] = {
	{ "always", always },
	{ "never", never },
	{ "cond_after_user_space", after_user_space },
	{ "cond_without_user_space", without_user_space },
	{}
};

int main(void)
{
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (!cpu_has_l1tf())
		return tap_skip_all("the CPU does not have the vulnerability L1TF");
	run_checks("l1d_flush", checks);
	return tap_end();
}
