// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "source/events.h"
#include "source/mount.h"

#define PATH_SIZE	(PATH_MAX + NAME_MAX + 16)

/* On success, @list owns @name and @filter. */
static int add(struct tracepoints *list, char *name, uint64_t id, char *filter)
{
	struct tracepoint *more;

	more = array_grow(list->tracepoint, list->count, &list->capacity, sizeof(*more));
	if (!more)
		return -ENOMEM;
	list->tracepoint = more;
	list->tracepoint[list->count++] = (struct tracepoint){
		.name = name,
		.counter = { .id = id, .filter = filter },
	};
	return 0;
}

static int add_reason(struct tracepoints *list, const char *event, uint64_t id, const char *field,
		      const struct exit_reason *reason)
{
	char *name = NULL, *filter = NULL;

	if (asprintf(&name, "%s(%s)", event, reason->name) < 0 ||
	    asprintf(&filter, "%s==%u", field, reason->number) < 0 ||
	    add(list, name, id, filter)) {
		free(name);
		free(filter);
		return -ENOMEM;
	}
	return 0;
}

/* The field has other names in some kernels. Then exit reasons are not counted. */
static bool has_field(const char *kvm, const char *event, const char *field)
{
	char path[PATH_SIZE], line[256], text[64];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/format", kvm, event);
	snprintf(text, sizeof(text), " %s;", field);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, "\tfield:") && strstr(line, text);
	fclose(file);
	return found;
}

static int read_id(const char *kvm, const char *event, uint64_t *id)
{
	char path[PATH_SIZE];
	unsigned long long number;
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "%s/%s/id", kvm, event);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	err = fscanf(file, "%llu", &number) == 1 ? 0 : -EIO;
	fclose(file);
	*id = number;
	return err;
}

static int add_event(struct tracepoints *list, const char *kvm, const char *event,
		     const struct exit_reasons *reasons)
{
	char *name = strdup(event);
	uint64_t id = 0;
	size_t i;
	int err = name ? read_id(kvm, event, &id) : -ENOMEM;

	if (!err)
		err = add(list, name, id, NULL);
	if (err) {
		free(name);
		return err;
	}
	if (!reasons || !has_field(kvm, event, reasons->field))
		return 0;
	for (i = 0; !err && i < reasons->reasons; i++)
		err = add_reason(list, event, id, reasons->field, &reasons->reason[i]);
	return err;
}

static int list_events(struct tracepoints *list, const char *kvm,
		       const struct exit_reasons *(*reasons_of)(const char *event))
{
	struct dirent **entry;
	int count = scandir(kvm, &entry, NULL, alphasort);
	int err = count < 0 ? -errno : 0;
	int i;

	for (i = 0; i < count; i++) {
		const char *event = entry[i]->d_name;

		if (!err && *event != '.' && entry[i]->d_type == DT_DIR)
			err = add_event(list, kvm, event, reasons_of(event));
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
	if (err == -ENOENT || (!err && !list->count))
		return -ENODEV;
	return err;
}

static bool find_kvm(char *path, size_t size)
{
	if (!mounted_path("tracefs", "events/kvm", path, size) && !access(path, F_OK))
		return true;
	/* debugfs mounts tracefs on "tracing" when it is first accessed. */
	return !mounted_path("debugfs", "tracing/events/kvm", path, size);
}

int tracepoints_list(struct tracepoints *list, const char *kvm,
		     const struct exit_reasons *(*reasons_of)(const char *event))
{
	char path[PATH_MAX];
	int err;

	*list = (struct tracepoints){ 0 };
	if (!kvm && !find_kvm(path, sizeof(path)))
		return -ENODEV;
	err = list_events(list, kvm ? kvm : path, reasons_of);
	if (err)
		tracepoints_free(list);
	return err;
}

void tracepoints_free(struct tracepoints *list)
{
	while (list->count) {
		list->count--;
		free(list->tracepoint[list->count].name);
		free((char *)list->tracepoint[list->count].counter.filter);
	}
	free(list->tracepoint);
	*list = (struct tracepoints){ 0 };
}

int tracepoints_schema(const struct tracepoints *list, struct kvmstats_schema **schema)
{
	struct kvmstats_desc *desc = calloc(list->count + 1, sizeof(*desc));
	size_t i;
	int err;

	if (!desc)
		return -ENOMEM;
	for (i = 0; i < list->count; i++)
		desc[i] = (struct kvmstats_desc){ .name = list->tracepoint[i].name, .size = 1 };
	err = kvmstats_schema_make(schema, desc, list->count, sizeof(*desc));
	free(desc);
	return err;
}
