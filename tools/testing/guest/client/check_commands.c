// SPDX-License-Identifier: GPL-2.0-only
/* Points about the commands that end by themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/printed.h"
#include "scene.h"

static bool runs_on(struct scene *scene, const char *command, const char *more)
{
	char arguments[256];

	snprintf(arguments, sizeof(arguments), "%s -p %d %s", command, scene->qemu.vmm.pid, more);
	return scene_runs(scene, 0, 0, arguments);
}

enum verdict check_list(void *ctx)
{
	const char *variant = getenv("BOOT_VARIANT") ?: "";
	struct scene *scene = ctx;
	bool ok = scene_runs(scene, 0, 0, "list");

	ok = ok && scene_printed(scene, "^ +%d  qemu-system-x86 +1 +%d  %s +stats-guest$",
				 scene->qemu.vmm.pid, VMM_CPUS,
				 strcmp(variant, "unpatched") ? "opened" : "debugfs");
	return ok ? PASS : FAIL;
}

enum verdict check_schema(void *ctx)
{
	bool ok = runs_on(ctx, "schema", "") &&
		  scene_printed(ctx, "^vm +pages_4k +instant +- +1 ") &&
		  scene_printed(ctx, "^vcpu +halt_wait_ns +cumulative +ns +1 ") &&
		  scene_printed(ctx, "^vcpu +halt_wait_hist +log2-histogram +ns +32 ");

	return ok ? PASS : FAIL;
}

/* The guest's first CPU boots. */
enum verdict check_read(void *ctx)
{
	bool ok = runs_on(ctx, "read", "-i 0.5 -c 2 -f ^exits$ --vcpu 0") &&
		  scene_printed(ctx, "guest \"stats-guest\": 1 VM, %d vCPUs", VMM_CPUS) &&
		  scene_printed(ctx, "^vcpu0 +exits +[1-9][0-9]* +- +[0-9.]*[1-9]");

	return ok ? PASS : FAIL;
}

enum verdict check_read_debugfs(void *ctx)
{
	bool ok = runs_on(ctx, "read", "-f exits$") &&
		  scene_printed(ctx, "^vm +exits +[1-9][0-9]* +-") &&
		  scene_printed(ctx, "from debugfs");

	return ok ? PASS : FAIL;
}

enum verdict check_log(void *ctx)
{
	bool ok = scene_runs(ctx, 0, 0, "-l -c -s 0.3 -n 3 -f (io_)?exits$ -g stats-guest") &&
		  scene_printed(ctx, "^timestamp,exits,io_exits$") &&
		  scene_printed(ctx, "^20[0-9-]{8} [0-9:]{8},[0-9]*[1-9][0-9]*,[0-9]+$");

	return ok ? PASS : FAIL;
}
