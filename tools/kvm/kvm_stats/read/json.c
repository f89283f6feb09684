// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/guests.h"
#include "read/read.h"
#include "util.h"

/* ---- strings ---- */

void json_print_string(const char *text)
{
	putchar('"');
	while (*text) {
		uint32_t character;
		size_t len = utf8_decode(text, &character);

		if (!len)
			fputs("\\ufffd", stdout);	/* the replacement character */
		else if (character == '"' || character == '\\')
			printf("\\%c", (char)character);
		else if (!utf8_is_harmless(character))	/* all of these have 16 bits */
			printf("\\u%04" PRIx32, character);
		else
			fwrite(text, 1, len, stdout);
		text += len ? len : 1;
	}
	putchar('"');
}

/* Prints null for NULL. */
static void print_member(const char *name, const char *text)
{
	printf("\"%s\": ", name);
	if (text)
		json_print_string(text);
	else
		fputs("null", stdout);
}

/* ---- VMMs ---- */

static void print_vmm_start(const struct monitor *monitor, const struct vmm *vmm)
{
	printf("{\"pid\": %d, ", (int)vmm->pid);
	print_member("command", vmm->comm);
	fputs(", ", stdout);
	print_member("guest", vmm->guest);
	if (*vmm_name_mark(vmm))
		fputs(", \"provisional\": true", stdout);
	if (vmm->orphan)
		fputs(", \"orphan\": true", stdout);
	printf(", \"vms\": %zu, \"vcpus\": %zu, ", vmm->vms, vmm->vcpus);
	print_member("source", origin_name(kvmstats_host_origin(monitor->host)));
}

/* The thread of a vCPU is 0 if it is not known. */
static void print_threads(const struct vmm *vmm)
{
	const char *separator = "";
	size_t i;

	fputs(", \"threads\": [", stdout);
	for (i = 0; i < vmm->targets; i++) {
		const struct target *target = vmm->target[i];

		if (target->scope != SCOPE_VCPU)
			continue;
		printf("%s{\"vm\": %d, \"vcpu\": %d, \"tid\": %d}", separator, target->vm,
		       target->vcpu, (int)target->tid);
		separator = ", ";
	}
	putchar(']');
}

void json_print_vmms(const struct monitor *monitor)
{
	size_t i;

	fputs("{\"vmms\": [", stdout);
	for (i = 0; i < monitor->vmms; i++) {
		fputs(i ? ", " : "", stdout);
		print_vmm_start(monitor, monitor->vmm[i]);
		print_threads(monitor->vmm[i]);
		putchar('}');
	}
	puts("]}");
}

/* ---- statistics ---- */

void json_print_value(const struct row *row)
{
	unsigned int n;

	if (row->size == 1) {
		printf("%" PRIu64, row->values[0]);
		return;
	}
	putchar('[');
	for (n = 0; n < row->size; n++)
		printf("%s%" PRIu64, n ? ", " : "", row->values[n]);
	putchar(']');
}

/* The rate of a histogram is that of the sum of its buckets. */
static void print_statistic(const struct row *row, bool rates)
{
	char unit[64];

	json_print_string(kvmstats_stat_name(row->stat));
	fputs(": {\"value\": ", stdout);
	json_print_value(row);
	if (kvmstats_stat_unit_text(row->stat, unit, sizeof(unit)) > 0) {
		fputs(", ", stdout);
		print_member("unit", unit);
	}
	if (rates && row->known)
		printf(", \"rate\": %.3f", row->rate);
	else if (rates && row->cleared)
		fputs(", \"rate\": null, \"reset\": true", stdout);
	putchar('}');
}

static void print_target(const struct target *target, bool rates)
{
	const char *separator = "";
	size_t i;

	putchar('{');
	print_member("target", target->label);
	if (target->scope == SCOPE_VCPU)
		printf(", \"vcpu\": %d", target->vcpu);
	printf(", \"vm\": %d, \"statistics\": {", target->vm);
	for (i = 0; i < target->set->stats; i++) {
		struct row row;

		row_get(&row, target, target->set->stat[i]);
		if (!row.values)
			continue;
		fputs(separator, stdout);
		print_statistic(&row, rates);
		separator = ", ";
	}
	fputs("}}", stdout);
}

/* What /proc and the cgroups have */
static void print_guest_stats(const struct filter *filter, const struct vmm *vmm, bool rates)
{
	const char *separator = "";
	struct row row;
	int i;

	fputs(", \"statistics\": {", stdout);
	for (i = 0; i < GUEST_STATS; i++) {
		guest_row_get(&row, &vmm->process, i);
		if (!row.values || !guest_stat_is_selected(filter, i))
			continue;
		fputs(separator, stdout);
		print_statistic(&row, rates);
		separator = ", ";
	}
	putchar('}');
}

static void print_values(const struct monitor *monitor, const struct vmm *vmm, bool rates)
{
	size_t i;

	print_vmm_start(monitor, vmm);
	if (vmm->process.has_now) {
		fputs(", ", stdout);
		print_member("state", process_state_name(vmm->process.state));
	}
	print_guest_stats(monitor->options.filter, vmm, rates);
	fputs(", \"targets\": [", stdout);
	for (i = 0; i < vmm->targets && flush_output(); i++) {
		fputs(i ? ", " : "", stdout);
		print_target(vmm->target[i], rates);
	}
	fputs("]}", stdout);
}

/* The time of a copy is not known: the host file has only times since the host has been booted. */
void json_print_values(const struct monitor *monitor, bool rates)
{
	char time[STAMP_SIZE];
	size_t i;

	putchar('{');
	print_member("time", monitor->is_copy && !monitor->wall ? NULL :
		     monitor_stamp(monitor, time));
	fputs(", \"vmms\": [", stdout);
	for (i = 0; i < monitor->vmms; i++) {
		fputs(i ? ", " : "", stdout);
		print_values(monitor, monitor->vmm[i], rates);
	}
	puts("]}");
}
