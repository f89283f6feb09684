// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/name.h"

/* With a larger exponent a converted value would consist of zeros only. */
#define MAX_EXPONENT	64

static const struct {
	const char *prefix;
	const char *description;	/* for a statistic without a text in the library */
	const char *addition;		/* to the text in the library */
} kinds[] = {
	[KIND_GUEST] = { "kvm_guest_", "of all vCPUs of a guest", " Sum over all vCPUs." },
	[KIND_VM] = { "kvm_vm_", "of a VM", "" },
	[KIND_VCPU] = { "kvm_vcpu_", "of a vCPU", "" },
	[KIND_DEBUGFS] = { "kvm_debugfs_", "of a VM and its vCPUs, from debugfs",
			   " From debugfs, with the sum over all vCPUs." },
	[KIND_TRACEPOINT] = { "kvm_tracepoint_", "from tracepoints", "" },
};

enum family_type stat_family_type(const struct kvmstats_stat *stat)
{
	switch (kvmstats_stat_type(stat)) {
	case KVMSTATS_TYPE_CUMULATIVE:
		return FAMILY_COUNTER;
	case KVMSTATS_TYPE_INSTANT:
	case KVMSTATS_TYPE_PEAK:
		return FAMILY_GAUGE;
	case KVMSTATS_TYPE_LINEAR_HIST:
	case KVMSTATS_TYPE_LOG_HIST:
		return FAMILY_HISTOGRAM;
	default:
		return FAMILY_UNKNOWN;
	}
}

bool stat_can_scale(const struct kvmstats_stat *stat)
{
	return kvmstats_base_name(kvmstats_stat_base(stat)) &&
	       abs(kvmstats_stat_exponent(stat)) <= MAX_EXPONENT;
}

const char *stat_family_unit(const struct kvmstats_stat *stat)
{
	unsigned int unit = kvmstats_stat_unit(stat);

	if (!stat_can_scale(stat))
		return NULL;
	if (unit == KVMSTATS_UNIT_SECONDS || unit == KVMSTATS_UNIT_BYTES ||
	    unit == KVMSTATS_UNIT_CYCLES)
		return kvmstats_unit_name(unit);
	return NULL;
}

static bool strip_suffix(char *name, const char *suffix)
{
	size_t len = strlen(name), cut = strlen(suffix);

	if (len < cut || strcmp(name + len - cut, suffix))
		return false;
	name[len - cut] = '\0';
	return true;
}

static bool ends_with_unit(const char *name, const char *unit)
{
	size_t len = strlen(name), cut = strlen(unit);

	return len >= cut && !strcmp(name + len - cut, unit) &&
	       (len == cut || name[len - cut - 1] == '_');
}

static void replace_invalid_characters(char *name)
{
	for (; *name; name++) {
		if (!isascii((unsigned char)*name) || !isalnum((unsigned char)*name))
			*name = '_';
	}
}

/* The name of the statistic, or of one that all classes would have together. */
static const char *joint_name(const struct kvmstats_stat *stat, const struct exit_class *class)
{
	if (!class)
		return kvmstats_stat_name(stat);
	return class->is_time ? "exit_ns" : "exits_by_class";
}

char *stat_family_name(enum kind kind, const struct kvmstats_stat *stat,
		       const struct exit_class *class)
{
	const char *unit = stat_family_unit(stat);
	char *stem = strdup(joint_name(stat, class));
	char *name = NULL;

	if (!stem)
		return NULL;
	replace_invalid_characters(stem);
	if (stat_family_type(stat) == FAMILY_COUNTER)
		strip_suffix(stem, "_total");
	if (unit && !strcmp(unit, "seconds"))
		(void)(strip_suffix(stem, "_ns") || strip_suffix(stem, "_us") ||
		       strip_suffix(stem, "_ms"));
	if (unit && ends_with_unit(stem, unit))
		unit = NULL;
	if (asprintf(&name, "%s%s%s%s", kinds[kind].prefix, stem, unit ? "_" : "",
		     unit ? unit : "") < 0)
		name = NULL;
	free(stem);
	return name;
}

static const char *library_text(enum kind kind, const char *name)
{
	const char *text = NULL;

	if (kind != KIND_GUEST && kind != KIND_VCPU)
		text = kvmstats_stat_help(name, KVMSTATS_KIND_VM);
	if (!text && kind != KIND_VM)
		text = kvmstats_stat_help(name, KVMSTATS_KIND_VCPU);
	return text;
}

static char *default_text(enum kind kind, const struct kvmstats_stat *stat)
{
	bool plain = kvmstats_stat_unit(stat) == KVMSTATS_UNIT_BOOLEAN;
	char unit[64] = "", type[32] = "", *help;

	if (!plain && kvmstats_stat_unit_text(stat, unit, sizeof(unit)) < 0)
		snprintf(unit, sizeof(unit), "unit %u", kvmstats_stat_unit(stat));
	if (!kvmstats_type_name(kvmstats_stat_type(stat)))
		snprintf(type, sizeof(type), ", of type %u", kvmstats_stat_type(stat));
	if (asprintf(&help, "KVM's statistic %s %s%s%s%s.", kvmstats_stat_name(stat),
		     kinds[kind].description, type, *unit ? ", counted in " : "", unit) < 0)
		return NULL;
	return help;
}

static const char *class_text(const struct exit_class *class)
{
	return class->is_time ?
	       "Time that KVM spent on the exits of each class, from the exit until the vCPU runs "
	       "again or returns to user space. A class without exits has no series." :
	       "Exits of each class. A class without exits has no series.";
}

char *stat_family_help(enum kind kind, const struct kvmstats_stat *stat,
		       const struct exit_class *class)
{
	const char *text = class ? class_text(class) :
				   library_text(kind, kvmstats_stat_name(stat));
	bool peak = kvmstats_stat_type(stat) == KVMSTATS_TYPE_PEAK;
	char *help, *at;

	if (!text)
		help = default_text(kind, stat);
	else if (asprintf(&help, "%s%s", text, kind == KIND_GUEST && peak ?
			  " Maximum of all vCPUs." : kinds[kind].addition) < 0)
		help = NULL;
	/* The two formats escape these characters differently, so avoid them. */
	for (at = help; at && *at; at++) {
		if (*at == '\\' || *at == '"')
			*at = '?';
	}
	return help;
}
