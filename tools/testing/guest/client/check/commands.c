// SPDX-License-Identifier: GPL-2.0-only
/* Checks of the commands that end by themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "client/scenario.h"
#include "lib/extensions.h"

static bool runs_on(struct scenario *scenario, const char *command, const char *more)
{
	char arguments[256];

	snprintf(arguments, sizeof(arguments), "%s -p %d %s", command, scenario->qemu.vmm.pid,
		 more);
	return kvm_stats_runs(scenario, 0, 0, arguments);
}

enum verdict check_list(void *ctx)
{
	const char *variant = getenv("BOOT_VARIANT") ?: "";
	const char *source = kernel_has_stats_open() ? "next" : "opened";
	struct scenario *scenario = ctx;
	bool ok = kvm_stats_runs(scenario, 0, 0, "list");

	ok = ok && output_matches(scenario, "^ +%d  qemu-system-x86 +1 +%d  %s +stats-guest$",
				  scenario->qemu.vmm.pid, VMM_CPUS,
				  strcmp(variant, "unpatched") ? source : "debugfs");
	return ok ? PASS : FAIL;
}

enum verdict check_schema(void *ctx)
{
	bool ok = runs_on(ctx, "schema", "") &&
		  output_matches(ctx, "^vm +pages_4k +instant +- +1 ") &&
		  output_matches(ctx, "^vcpu +halt_wait_ns +cumulative +ns +1 ") &&
		  output_matches(ctx, "^vcpu +halt_wait_hist +log2-histogram +ns +32 ");

	return ok ? PASS : FAIL;
}

/* The first vCPU is booting, so its exits grow. */
enum verdict check_read(void *ctx)
{
	bool ok = runs_on(ctx, "read", "-i 0.5 -c 2 -f ^exits$ --vcpu 0") &&
		  output_matches(ctx, "guest \"stats-guest\": 1 VM, %d vCPUs", VMM_CPUS) &&
		  output_matches(ctx, "^vcpu0 +exits +[1-9][0-9]* +- +[0-9.]*[1-9]");

	return ok ? PASS : FAIL;
}

enum verdict check_read_debugfs(void *ctx)
{
	bool ok = runs_on(ctx, "read", "-f exits$") &&
		  output_matches(ctx, "^vm +exits +[1-9][0-9]* +-") &&
		  output_matches(ctx, "source: debugfs");

	return ok ? PASS : FAIL;
}

enum verdict check_log(void *ctx)
{
	bool ok = kvm_stats_runs(ctx, 0, 0, "-l -c -s 0.3 -n 3 -f (io_)?exits$ -g stats-guest") &&
		  output_matches(ctx, "^timestamp,exits,io_exits$") &&
		  output_matches(ctx, "^20[0-9-]{8} [0-9:]{8},[0-9]*[1-9][0-9]*,[0-9]+$");

	return ok ? PASS : FAIL;
}
