// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "watch.h"

struct kvmstats_watch *kvmstats_watch_new(struct kvmstats_vmm *vmm)
{
	struct kvmstats_watch *watch = calloc(1, sizeof(*watch));

	if (watch)
		watch->vmm = vmm;
	else
		kvmstats_vmm_close(vmm);
	return watch;
}

static void free_readers(struct kvmstats_reader **reader, size_t readers)
{
	while (readers--) {
		if (reader[readers])
			kvmstats_reader_free(reader[readers]);
	}
	free(reader);
}

void kvmstats_watch_free(struct kvmstats_watch *watch)
{
	free_readers(watch->reader, watch->readers);
	/* Closing the pidfd also removes it from the epoll set of the monitor. */
	kvmstats_vmm_close(watch->vmm);
	free(watch);
}

/* ---- readers ---- */

/* The readers of the previous scan. Those that the VMM still has are taken out. */
struct old_readers {
	struct kvmstats_reader **reader;
	size_t count;
	size_t cursor;		/* at which the next search starts */
};

/* The order of targets rarely changes, so the first comparison usually hits. */
static struct kvmstats_reader *take(struct old_readers *old, const struct kvmstats_target *target)
{
	size_t i;

	for (i = 0; i < old->count; i++) {
		size_t at = (old->cursor + i) % old->count;
		struct kvmstats_reader *reader = old->reader[at];

		if (!reader || !kvmstats_reader_is_of(reader, target))
			continue;
		old->reader[at] = NULL;
		old->cursor = at + 1;
		kvmstats_reader_follow(reader, target);
		return reader;
	}
	return NULL;
}

static bool is_left(const struct old_readers *old)
{
	size_t i;

	for (i = 0; i < old->count; i++) {
		if (old->reader[i])
			return true;
	}
	return false;
}

/* After these errors, other statistics of the VMM cannot be opened either. */
static bool concerns_all(int err)
{
	return err == -EMFILE || err == -ENOMEM || err == -ESRCH;
}

/* Opens each reader, until an error concerns all. Returns whether one has changed its state. */
static bool open_readers(struct kvmstats_watch *watch, struct kvmstats_schemas *schemas)
{
	bool changed = false;
	int fatal = 0;
	size_t i;

	for (i = 0; i < watch->readers; i++) {
		struct kvmstats_reader *reader = watch->reader[i];
		const struct kvmstats_schema *schema = reader->schema;
		bool was_open = kvmstats_reader_is_open(reader);

		if (!fatal || was_open)
			kvmstats_reader_open(reader, schemas);
		else
			reader->err = fatal;
		changed |= was_open != kvmstats_reader_is_open(reader) || schema != reader->schema;
		if (concerns_all(reader->err))
			fatal = reader->err;
	}
	return changed;
}

static bool is_selected(const struct kvmstats_target *target,
			const struct kvmstats_monitor_options *options)
{
	return !options->selects_target || options->selects_target(target, options->arg);
}

/* Takes over or adds a reader for each selected target. Returns 1 if any was added, or 0. */
static int list_readers(struct kvmstats_watch *watch, struct old_readers *old,
			const struct kvmstats_monitor_options *options)
{
	size_t targets = kvmstats_vmm_targets(watch->vmm);
	int added = 0;
	size_t i;

	watch->reader = calloc(targets + 1, sizeof(struct kvmstats_reader *));
	watch->readers = 0;
	for (i = 0; watch->reader && i < targets; i++) {
		const struct kvmstats_target *target = kvmstats_vmm_target(watch->vmm, i);
		struct kvmstats_reader *reader;

		if (!is_selected(target, options))
			continue;
		reader = take(old, target);
		if (!reader) {
			reader = kvmstats_reader_new(target);
			added = 1;
		}
		if (!reader)
			return -ENOMEM;
		watch->reader[watch->readers++] = reader;
	}
	return watch->reader ? added : -ENOMEM;
}

int kvmstats_watch_attach(struct kvmstats_watch *watch,
			  const struct kvmstats_monitor_options *options,
			  struct kvmstats_schemas *schemas)
{
	struct old_readers old = { .reader = watch->reader, .count = watch->readers };
	int ret = list_readers(watch, &old, options);
	bool changed = ret > 0 || is_left(&old);

	free_readers(old.reader, old.count);
	changed |= open_readers(watch, schemas);
	return ret < 0 ? ret : changed;
}

int kvmstats_watch_sample(struct kvmstats_watch *watch)
{
	int failed = watch->readers && kvmstats_vmm_read_files(watch->vmm);
	size_t i;

	for (i = 0; i < watch->readers; i++) {
		struct kvmstats_reader *reader = watch->reader[i];

		failed |= !reader->err && kvmstats_reader_sample(reader);
	}
	return failed;
}

/* ---- for users of the library ---- */

const struct kvmstats_vmm *kvmstats_watch_vmm(const struct kvmstats_watch *watch)
{
	return watch->vmm;
}

size_t kvmstats_watch_readers(const struct kvmstats_watch *watch)
{
	return watch->readers;
}

const struct kvmstats_reader *kvmstats_watch_reader(const struct kvmstats_watch *watch, size_t i)
{
	return i < watch->readers ? watch->reader[i] : NULL;
}
