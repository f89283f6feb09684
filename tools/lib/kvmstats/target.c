// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Reads a VM or a vCPU: opens its statistics, and keeps the last two samples.
 *
 * A VM and its vCPUs share the file of the VM if the kernel has such files. Otherwise each target
 * has an fd.
 */
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

static void close_fd(struct kvmstats_target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
}

static void free_samples(struct kvmstats_target *target)
{
	kvmstats_sample_free(target->now);
	kvmstats_sample_free(target->before);
	target->now = NULL;
	target->before = NULL;
	target->schema = NULL;
}

void kvmstats_target_fail(struct kvmstats_target *target, int err)
{
	close_fd(target);
	free_samples(target);
	target->err = err;
}

void kvmstats_target_free(struct kvmstats_target *target)
{
	if (target)
		kvmstats_target_fail(target, 0);
	free(target);
}

static int set_schema(struct kvmstats_target *target, const struct kvmstats_schema *schema,
		      size_t size)
{
	int err;

	free_samples(target);
	target->schema = schema;
	err = kvmstats_sample_alloc(&target->now, schema, size);
	return err ? err : kvmstats_sample_alloc(&target->before, schema, size);
}

static const struct kvmstats_file *file_of(const struct kvmstats_target *target)
{
	return target->vmm->files ? &target->vmm->file[target->vm] : NULL;
}

static int open_in_file(struct kvmstats_target *target, const struct kvmstats_file *file)
{
	bool is_vm = target->from.kind == KVMSTATS_KIND_VM;
	const struct kvmstats_schema *schema = is_vm ? file->vm : file->vcpu;

	close_fd(target);
	target->origin = target->vmm->by_number ? KVMSTATS_ORIGIN_NEXT : KVMSTATS_ORIGIN_OPEN;
	if (file->err || target->schema == schema)
		return file->err;
	return set_schema(target, schema, 0);
}

/* Keeps the samples if the file has the same schema as the previous one. */
static int open_fd(struct kvmstats_target *target, int fd, struct kvmstats_schemas *schemas)
{
	const struct kvmstats_schema *schema;
	int err;

	close_fd(target);
	target->fd = fd;
	target->origin = target->from.stats ? KVMSTATS_ORIGIN_DUPLICATED : KVMSTATS_ORIGIN_OPENED;
	if (target->schema && kvmstats_schema_same(target->schema, fd) == 1)
		return 0;
	err = kvmstats_schemas_find(schemas, fd, false, &schema);
	return err ? err : set_schema(target, schema, schema->data_size);
}

/*
 * The VMM may have closed its fd, and opened one of another VM with the same number, and the kernel
 * offers no way to detect that. If an fd cannot be opened again, the open one stays.
 */
void kvmstats_target_open(struct kvmstats_target *target, struct kvmstats_schemas *schemas)
{
	const struct kvmstats_file *file = file_of(target);
	int fd, err;

	if (file) {
		err = open_in_file(target, file);
	} else {
		fd = kvmstats_dup_and_open(target->vmm->pidfd, &target->from);
		if (fd < 0 && target->fd >= 0)
			return;
		err = fd < 0 ? fd : open_fd(target, fd, schemas);
	}
	target->err = 0;
	if (err)
		kvmstats_target_fail(target, err);
}

void kvmstats_target_next(struct kvmstats_target *target)
{
	struct kvmstats_sample *oldest = target->before;

	if (target->err)
		return;
	target->before = target->now;
	target->now = oldest;
	kvmstats_sample_clear(oldest);
}

int kvmstats_target_sample(struct kvmstats_target *target)
{
	ssize_t record = target->from.kind == KVMSTATS_KIND_VM ? -1 : (ssize_t)target->record;
	int err;

	if (target->err)
		return 0;
	if (target->fd < 0)
		err = kvmstats_file_sample(file_of(target), record, target->now);
	else
		err = kvmstats_sample_read(target->now, target->fd);
	if (err)
		kvmstats_target_fail(target, err);
	return err;
}

/* ---- for users of the library ---- */

enum kvmstats_kind kvmstats_target_kind(const struct kvmstats_target *target)
{
	return target->from.kind;
}

int kvmstats_target_vcpu(const struct kvmstats_target *target)
{
	return target->from.vcpu;
}

int kvmstats_target_vm(const struct kvmstats_target *target)
{
	return target->vm;
}

uint64_t kvmstats_target_number(const struct kvmstats_target *target)
{
	return target->number;
}

int kvmstats_target_fd(const struct kvmstats_target *target)
{
	return target->from.fd;
}

int kvmstats_target_error(const struct kvmstats_target *target)
{
	return target->err;
}

enum kvmstats_origin kvmstats_target_origin(const struct kvmstats_target *target)
{
	return target->origin;
}

const struct kvmstats_schema *kvmstats_target_schema(const struct kvmstats_target *target)
{
	return target->schema;
}

const struct kvmstats_sample *kvmstats_target_now(const struct kvmstats_target *target)
{
	return target->now;
}

const struct kvmstats_sample *kvmstats_target_before(const struct kvmstats_target *target)
{
	return target->before;
}
