// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proc.h"
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

static void print_error(const struct vmm *vmm)
{
	int err = vmm_error(vmm);

	if (vmm->targets && !vmm->unread.count)
		return;
	printf(", \"missing\": %zu", vmm->unread.count);
	if (err) {
		fputs(", ", stdout);
		print_member("error", error_text(err));
	}
}

static void print_vmm_start(const struct vmm *vmm)
{
	if (!vmm->pid)
		printf("{\"pid\": null, ");
	else
		printf("{\"pid\": %d, ", (int)vmm->pid);
	print_member("command", vmm->comm);
	fputs(", ", stdout);
	print_member("guest", vmm->guest);
	if (vmm->unread.name_error)
		fputs(", \"provisional\": true", stdout);
	printf(", \"vms\": %zu, \"vcpus\": %zu, ", vmm->vms, vmm->vcpus);
	print_member("source", vmm->targets ? vmm_sources(vmm) : NULL);
	print_error(vmm);
}

/* The threads of vCPUs are not known if a process has several VMs. */
static void print_threads(const struct vmm *vmm)
{
	struct process process = { .pid = vmm->pid };
	const char *separator = "";
	int *id = calloc(vmm->vcpus + 1, sizeof(*id));
	size_t i;

	fputs(", \"threads\": [", stdout);
	if (id && vmm->pid && vmm->vms == 1)
		process_update(&process, 0, id, vmm_vcpu_ids(vmm, id));
	for (i = 0; i < process.threads; i++) {
		const struct thread *thread = &process.thread[i];

		if (!thread->runs_vcpu || thread->vcpu < 0)
			continue;
		printf("%s{\"vcpu\": %d, \"tid\": %d}", separator, thread->vcpu,
		       (int)thread->tid);
		separator = ", ";
	}
	putchar(']');
	process_free(&process);
	free(id);
}

void json_print_vmms(const struct monitor *monitor)
{
	size_t i;

	fputs("{\"vmms\": [", stdout);
	for (i = 0; i < monitor->vmms; i++) {
		fputs(i ? ", " : "", stdout);
		print_vmm_start(monitor->vmm[i]);
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
	if (target->vm >= 0)
		printf(", \"vm\": %d", target->vm);
	fputs(", ", stdout);
	print_member("source", origin_name(target->origin));
	fputs(", \"statistics\": {", stdout);
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

static void print_vmm(const struct vmm *vmm, bool rates)
{
	size_t i;

	print_vmm_start(vmm);
	fputs(", \"targets\": [", stdout);
	for (i = 0; i < vmm->targets && flush_output(); i++) {
		fputs(i ? ", " : "", stdout);
		print_target(vmm->target[i], rates);
	}
	fputs("]}", stdout);
}

void json_print_values(const struct monitor *monitor, bool rates)
{
	char time[STAMP_SIZE];
	size_t i;

	putchar('{');
	print_member("time", stamp_of(monitor->time, time));
	fputs(", \"vmms\": [", stdout);
	for (i = 0; i < monitor->vmms; i++) {
		fputs(i ? ", " : "", stdout);
		print_vmm(monitor->vmm[i], rates);
	}
	puts("]}");
}
