// SPDX-License-Identifier: GPL-2.0-only
/* Checks of kvm-stats --qmp. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "client/scenario.h"
#include "lib/clock.h"
#include "qemu/answer.h"

#define TRIES	10

static bool read_runs(struct scenario *scenario, const char *option)
{
	char arguments[64];

	snprintf(arguments, sizeof(arguments), "read -p %d %s", scenario->qemu.vmm.pid, option);
	return kvm_stats_runs(scenario, 0, 0, arguments);
}

/* Returns the name of the first number that kvm-stats and QEMU do not agree on, or NULL. */
static const char *different_value(struct scenario *scenario, int vcpu)
{
	json_t *stats = query_one(&scenario->qemu, vcpu, NULL), *stat;
	const char *different = stats ? NULL : "all statistics";
	static char name[64];
	char label[16];
	size_t i;

	snprintf(label, sizeof(label), vcpu < 0 ? "vm" : "vcpu%d", vcpu);
	json_array_foreach(stats, i, stat) {
		uint64_t value;

		if (different || !json_is_integer(json_object_get(stat, "value")))
			continue;
		snprintf(name, sizeof(name), "%s", answer_name(stat));
		if (!answer_value(stat, 0, &value) ||
		    !shows_value(&scenario->run, label, name, value))
			different = name;
	}
	json_decref(stats);
	return different;
}

static const char *first_difference(struct scenario *scenario)
{
	const char *name = NULL;
	int vcpu;

	if (!read_runs(scenario, "--qmp"))
		return "the exit status";
	if (!output_matches(scenario, "source: QMP \\(query-stats of QEMU\\)$"))
		return "the source";
	for (vcpu = -1; !name && vcpu < VMM_CPUS; vcpu++)
		name = different_value(scenario, vcpu);
	return name;
}

/* Tries again, because QEMU may be too slow to answer on a loaded machine. */
static enum verdict try_often(struct scenario *scenario, bool (*good)(struct scenario *scenario))
{
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (good(scenario))
			return PASS;
		ms_sleep(300);
	}
	return FAIL;
}

/* The guest is stopped, but the memory management of the kernel may still change a few values. */
static bool reads_same_values(struct scenario *scenario)
{
	const char *name = first_difference(scenario);

	if (name)
		note("%s: kvm-stats and QEMU differ", name);
	return !name;
}

enum verdict check_read_qmp(void *ctx)
{
	return try_often(ctx, reads_same_values);
}

static bool lists_qmp(struct scenario *scenario)
{
	return kvm_stats_runs(scenario, 0, 0, "list --qmp") &&
	       output_matches(scenario, "^ +%d  qemu-system-x86 +1 +%d  qmp +stats-guest$",
			      scenario->qemu.vmm.pid, VMM_CPUS);
}

enum verdict check_list_qmp(void *ctx)
{
	return try_often(ctx, lists_qmp);
}

/* Without --qmp, kvm-stats does not ask QEMU. */
enum verdict check_offers_qmp(void *ctx)
{
	bool ok = read_runs(ctx, "") && output_matches(ctx, "source: debugfs") &&
		  output_matches(ctx, "QEMU listens for QMP on " QMP_SOCKET ". Add --qmp");

	return ok ? PASS : FAIL;
}

/* QEMU itself gets no statistics from this kernel, so debugfs remains the source. */
static bool reads_sums_only(struct scenario *scenario)
{
	return read_runs(scenario, "--qmp") && output_matches(scenario, "source: debugfs") &&
	       output_matches(scenario, "over QMP: QEMU has no statistics");
}

enum verdict check_no_qmp_values(void *ctx)
{
	return try_often(ctx, reads_sums_only);
}
