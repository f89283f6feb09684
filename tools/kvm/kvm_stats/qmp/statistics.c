// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "qmp/statistics.h"

static bool has_string(const json_t *object, const char *key, const char *text)
{
	const char *found = json_string_value(json_object_get(object, key));

	return found && !strcmp(found, text);
}

/* ---- vCPUs ---- */

static int by_index(const void *a, const void *b)
{
	const struct qmp_vcpu *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

static bool parse_vcpu(const json_t *cpu, struct qmp_vcpu *vcpu)
{
	const json_t *index = json_object_get(cpu, "cpu-index");

	vcpu->path = json_string_value(json_object_get(cpu, "qom-path"));
	if (!vcpu->path || !json_is_number(index) || json_number_value(index) < 0 ||
	    json_number_value(index) > INT_MAX)
		return false;
	vcpu->index = (int)json_number_value(index);
	return true;
}

int qmp_list_vcpus(const json_t *cpus, struct qmp_vcpu **vcpup, size_t *count)
{
	struct qmp_vcpu *vcpu = calloc(json_array_size(cpus) + 1, sizeof(*vcpu));
	size_t i;

	if (!vcpu)
		return -ENOMEM;
	for (i = 0; i < json_array_size(cpus); i++) {
		if (!parse_vcpu(json_array_get(cpus, i), &vcpu[i])) {
			free(vcpu);
			return -EPROTO;
		}
	}
	qsort(vcpu, i, sizeof(*vcpu), by_index);
	*vcpup = vcpu;
	*count = i;
	return 0;
}

/* ---- query-stats ---- */

static bool is_result_of(const json_t *result, const char *path)
{
	return has_string(result, "provider", "kvm") &&
	       (!path || has_string(result, "qom-path", path));
}

const json_t *qmp_find_stats(const json_t *answer, const char *path, size_t *hint)
{
	size_t count = json_array_size(answer);
	size_t i;

	for (i = 0; i < count; i++) {
		size_t at = (*hint + i) % count;
		const json_t *result = json_array_get(answer, at);

		if (!is_result_of(result, path))
			continue;
		*hint = at;
		return json_object_get(result, "stats");
	}
	return NULL;
}

/* Returns the value of a statistic, or NULL. @hint is as for qmp_find_stats(). */
static const json_t *find_value(const json_t *stats, const char *name, size_t *hint)
{
	size_t count = json_array_size(stats);
	size_t i;

	for (i = 0; i < count; i++) {
		size_t at = (*hint + i) % count;
		const json_t *stat = json_array_get(stats, at);

		if (!has_string(stat, "name", name))
			continue;
		*hint = at;
		return json_object_get(stat, "value");
	}
	return NULL;
}

/* A number above INT64_MAX is a negative one in jansson. */
static bool number_of(const json_t *value, uint64_t *number)
{
	if (json_is_boolean(value))
		*number = json_is_true(value);
	else
		*number = (uint64_t)json_integer_value(value);
	return json_is_boolean(value) || json_is_integer(value);
}

/* The number of values, or 0 if @value is not one of a statistic. */
static unsigned int size_of(const json_t *value)
{
	if (json_is_array(value))
		return json_array_size(value) <= UINT16_MAX ?
		       (unsigned int)json_array_size(value) : 0;
	return json_is_number(value) || json_is_boolean(value);
}

/* QEMU lists the last bucket of a histogram first. */
static bool copy_value(const json_t *value, unsigned int size, uint64_t *to)
{
	unsigned int n;

	if (size_of(value) != size)
		return false;
	if (!json_is_array(value))
		return number_of(value, to);
	for (n = 0; n < size; n++) {
		if (!number_of(json_array_get(value, size - 1 - n), &to[n]))
			return false;
	}
	return true;
}

int qmp_copy_values(const struct kvmstats_schema *schema, const json_t *stats, uint64_t *values)
{
	size_t count = json_array_size(stats);
	size_t hint = count;
	size_t i;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		size_t first = kvmstats_stat_offset(stat) / sizeof(*values);
		const json_t *value;

		/* QEMU lists the last statistic of the schema first. */
		hint = hint ? hint - 1 : 0;
		value = find_value(stats, kvmstats_stat_name(stat), &hint);
		if (!copy_value(value, kvmstats_stat_size(stat), &values[first]))
			return -EPROTO;
	}
	return 0;
}

/* ---- query-stats-schemas ---- */

static const json_t *find_schema(const json_t *schemas, const char *target)
{
	size_t i;

	for (i = 0; i < json_array_size(schemas); i++) {
		const json_t *schema = json_array_get(schemas, i);

		if (has_string(schema, "provider", "kvm") && has_string(schema, "target", target))
			return json_object_get(schema, "stats");
	}
	return NULL;
}

/* Returns the number of the name that the library has for it, or -1. */
static int number_of_name(const char *name, const char *(*name_of)(unsigned int number))
{
	int number;

	for (number = 0; name_of(number); number++) {
		if (!strcmp(name_of(number), name))
			return number;
	}
	return -1;
}

/* QEMU leaves out the unit of a plain number. */
static bool set_unit(struct kvmstats_desc *desc, const json_t *described)
{
	const char *unit = json_string_value(json_object_get(described, "unit"));
	double base = json_number_value(json_object_get(described, "base"));
	double exponent = json_number_value(json_object_get(described, "exponent"));
	int number = unit ? number_of_name(unit, kvmstats_unit_name) : KVMSTATS_UNIT_NONE;

	if (number < 0 || exponent < INT16_MIN || exponent > INT16_MAX)
		return false;
	desc->unit = number;
	desc->base = base == 2 ? KVMSTATS_BASE_POW2 : KVMSTATS_BASE_POW10;
	desc->exponent = (int)exponent;
	return true;
}

static bool set_type(struct kvmstats_desc *desc, const json_t *described)
{
	const char *type = json_string_value(json_object_get(described, "type"));
	double bucket_size = json_number_value(json_object_get(described, "bucket-size"));
	int number = type ? number_of_name(type, kvmstats_type_name) : -1;

	if (number < 0 || bucket_size < 0 || bucket_size > UINT32_MAX)
		return false;
	desc->type = number;
	desc->bucket_size = (uint32_t)bucket_size;
	return true;
}

/* Names are printed on terminals and in other formats. */
static bool is_printable(const char *name)
{
	const char *at;

	for (at = name; *at >= ' ' && *at <= '~'; at++)
		;
	return *name && !*at;
}

/* Returns false if the statistic is left out. */
static bool describe(const json_t *described, const json_t *stats, size_t *hint,
		     struct kvmstats_desc *desc)
{
	const char *name = json_string_value(json_object_get(described, "name"));

	*desc = (struct kvmstats_desc){ .name = name };
	if (!name || !is_printable(name))
		return false;
	desc->size = size_of(find_value(stats, name, hint));
	return desc->size && set_type(desc, described) && set_unit(desc, described);
}

int qmp_make_schema(const json_t *schemas, const char *target, const json_t *stats,
		    struct kvmstats_schema **schema)
{
	const json_t *described = find_schema(schemas, target);
	size_t left = json_array_size(described);
	struct kvmstats_desc *desc = calloc(left + 1, sizeof(*desc));
	size_t count = 0, hint = 0;
	int err = -ENODATA;

	if (!desc)
		return -ENOMEM;
	/* QEMU lists the kernel's last statistic first. */
	while (left) {
		left--;
		if (describe(json_array_get(described, left), stats, &hint, &desc[count]))
			count++;
	}
	if (count)
		err = kvmstats_schema_make(schema, desc, count, sizeof(*desc));
	free(desc);
	return err;
}
