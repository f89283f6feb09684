// SPDX-License-Identifier: GPL-2.0-only
/* Checks of exit statistics, which count while the module parameter of KVM is set. */
#include "lib/exit_stats.h"
#include "qemu/answer.h"
#include "qemu/check/checks.h"

static const char * const names[] = {
	"exit_hlt", "exit_hlt_ns", "exit_io", "exit_io_ns", "exit_hist", "guest_ns", "halted_ns",
	"userspace_ns",
};

/* The vCPU has all of them or none. */
static bool has_exits(const json_t *stats)
{
	bool expected = kernel_has_exit_stats(), ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!!answer_find(stats, names[i]) == expected)
			continue;
		note("%s is %s", names[i], expected ? "missing" : "not expected");
		ok = false;
	}
	return ok;
}

/* CPU 0 boots the guest, which writes to its serial port. */
static bool has_counted(const json_t *stats, bool expected)
{
	static const char * const counted[] = { "exit_io", "exit_io_ns", "guest_ns" };
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counted); i++) {
		uint64_t value = 0;

		if (answer_value(answer_find(stats, counted[i]), 0, &value) && !value != expected)
			continue;
		note("%s is %s", counted[i], expected ? "0" : "not 0");
		ok = false;
	}
	return ok;
}

enum verdict check_exit_stats(void *ctx)
{
	bool ok = true;
	int i;

	for (i = 0; i < VMM_CPUS; i++) {
		json_t *stats = query_one(ctx, i, NULL);

		ok &= stats && has_exits(stats);
		if (ok && !i && kernel_has_exit_stats())
			ok = has_counted(stats, exit_stats_are_on());
		json_decref(stats);
	}
	return ok ? PASS : FAIL;
}
