// SPDX-License-Identifier: GPL-2.0-only
/* Points about kvm-stats top: what stands on its screen. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../cli/host.h"
#include "../qemu/answer.h"
#include "scene.h"

static bool __attribute__((__format__(__printf__, 2, 3)))
shows(struct scene *scene, const char *format, ...)
{
	char regex[256];
	va_list args;

	va_start(args, format);
	vsnprintf(regex, sizeof(regex), format, args);
	va_end(args);
	return terminal_shows(&scene->top, regex, SECONDS);
}

static void type(struct scene *scene, const char *keys)
{
	terminal_type(&scene->top, keys);
}

enum verdict check_top_starts(void *ctx)
{
	struct scene *scene = ctx;
	bool ok = !terminal_start(&scene->top, 0, "top -s 0.5") &&
		  shows(scene, "^kvm statistics - summary +$") &&
		  shows(scene, "^1 VMM, %d vCPUs, opened; every 0\\.5s +$", VMM_CPUS) &&
		  shows(scene, "^ Event +Total +%%Total +CurAvg/s *$") &&
		  shows(scene, "^ exits +[1-9][0-9]* +[0-9.]+ +[1-9][0-9.]* *$");

	return ok ? PASS : FAIL;
}

enum verdict check_top_guests(void *ctx)
{
	struct scene *scene = ctx;
	bool ok;

	type(scene, "b");
	ok = shows(scene, "^ +PID Guest Name +Total") &&
	     shows(scene, "^ +%d stats-guest +[1-9][0-9]* ", scene->qemu.vmm.pid);
	return ok ? PASS : FAIL;
}

/* To the guest, to its vCPU that does most, and back to the statistics of all. */
enum verdict check_top_leads_down(void *ctx)
{
	struct scene *scene = ctx;
	int pid = scene->qemu.vmm.pid;
	bool ok;

	type(scene, KEY_IS_DOWN "\r");
	ok = shows(scene, "^kvm statistics - pid %d \\(stats-guest\\) +$", pid) &&
	     shows(scene, "^ vcpu0 +[1-9][0-9]* ") && shows(scene, "^ vcpu1 ") &&
	     shows(scene, "^ vm +[0-9]+ ");
	type(scene, KEY_IS_DOWN "\r");
	ok = ok && shows(scene, "^kvm statistics - pid %d \\(stats-guest\\) vcpu[01] +$", pid) &&
	     shows(scene, "^ exits +[1-9]");
	type(scene, KEY_IS_LEFT);
	ok = ok && shows(scene, "^ vcpu1 ");
	type(scene, KEY_IS_LEFT);
	ok = ok && shows(scene, "^ +%d stats-guest ", pid);
	type(scene, "b");
	return ok && shows(scene, "^ exits ") ? PASS : FAIL;
}

/* The line about keys is the last one, and the columns end at the right margin or before. */
enum verdict check_top_resizes(void *ctx)
{
	struct scene *scene = ctx;
	bool ok;

	terminal_resize(&scene->top, 12, 50);
	ok = shows(scene, "^ Event {20,35}Total +%%Total +CurAvg/s {30,}$") &&
	     shows(scene, "^ exits ") && terminal_shows_in(&scene->top, 11, "^q quit", SECONDS);
	terminal_resize(&scene->top, VT52_ROWS, VT52_COLUMNS);
	ok = ok && terminal_shows_in(&scene->top, VT52_ROWS - 1, "^q quit", SECONDS);
	return ok && shows(scene, "^ Event {45,}Total") ? PASS : FAIL;
}

enum verdict check_top_filter(void *ctx)
{
	struct scene *scene = ctx;
	bool ok;

	type(scene, "f");
	ok = shows(scene, "^Regular expression");
	type(scene, "exits$\r");
	ok = ok && shows(scene, "regex filter: exits\\$ +$") && shows(scene, "^ exits ") &&
	     terminal_lacks(&scene->top, "^ (io_exits|pf_fixed) ", SECONDS);
	return ok ? PASS : FAIL;
}

/* The guest is stopped; 'i' has what it did before top came. */
enum verdict check_top_values(void *ctx)
{
	struct scene *scene = ctx;
	uint64_t sum = 0, value;
	bool ok = true;
	int i;

	for (i = 0; i < VMM_CPUS; i++) {
		json_t *stats = query_one(&scene->qemu, i, NULL);

		ok &= answer_value(answer_find(stats, "exits"), 0, &value);
		sum += value;
		json_decref(stats);
	}
	type(scene, "i");
	ok = ok && shows(scene, "^ exits +%" PRIu64 " +100\\.0 +0 *$", sum);
	type(scene, "i");
	return ok ? PASS : FAIL;
}

enum verdict check_top_other(void *ctx)
{
	struct scene *scene = ctx;
	bool ok = shows(scene, "^other \\(%d\\) has (appeared|changed): 1 VM, ", scene->other_pid);

	type(scene, "cb");
	ok = ok && shows(scene, "^ +%d other +[1-9][0-9]* ", scene->other_pid) &&
	     shows(scene, "^ +%d stats-guest ", scene->qemu.vmm.pid) &&
	     shows(scene, "^2 VMMs, %d vCPUs, opened", 2 * VMM_CPUS);
	return ok ? PASS : FAIL;
}

enum verdict check_top_no_other(void *ctx)
{
	struct scene *scene = ctx;
	char regex[32];
	bool ok = shows(scene, "^other \\(%d\\) has ended", scene->other_pid);

	snprintf(regex, sizeof(regex), "^ +%d other ", scene->other_pid);
	ok = ok && terminal_lacks(&scene->top, regex, SECONDS) &&
	     shows(scene, "^ +%d stats-guest ", scene->qemu.vmm.pid) &&
	     shows(scene, "^1 VMM, %d vCPUs, opened", VMM_CPUS);
	return ok ? PASS : FAIL;
}

/* The guest is stopped. */
enum verdict check_top_debugfs(void *ctx)
{
	struct scene *scene = ctx;
	unsigned long long exits = 0;
	bool ok = !terminal_start(&scene->top, 0, "top -s 0.5 -i -f exits$") &&
		  shows(scene, "^1 VMM, %d vCPUs, debugfs; every 0\\.5s;", VMM_CPUS) &&
		  debugfs_value(scene->qemu.vmm.pid, "exits", &exits) && exits &&
		  shows(scene, "^ exits +%llu ", exits);

	return ok ? PASS : FAIL;
}

enum verdict check_top_ends(void *ctx)
{
	struct scene *scene = ctx;
	int status;

	if (!scene->top.pid) {
		tap_note("it does not run");
		return FAIL;
	}
	type(scene, "q");
	status = terminal_status(&scene->top, SECONDS);
	terminal_close(&scene->top);
	if (status)
		tap_note("exit status 0 expected, found %d", status);
	return status ? FAIL : PASS;
}
