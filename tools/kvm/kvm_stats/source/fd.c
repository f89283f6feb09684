// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "source/sources.h"
#include "targets/vmm.h"

struct target_key target_key_of(const struct source *source, const struct kvmstats_target *from)
{
	return (struct target_key){
		.source = source,
		.scope = kvmstats_target_kind(from) == KVMSTATS_KIND_VM ? SCOPE_VM : SCOPE_VCPU,
		.vm = kvmstats_target_vm(from),
		.vcpu = kvmstats_target_vcpu(from),
		.vmm_fd = kvmstats_target_fd(from),
		.number = kvmstats_target_number(from),
	};
}

/* The monitor of the library owns the samples. Nobody changes them here. */
static void set_samples(struct target *target, const struct kvmstats_reader *reader)
{
	target->now = (struct kvmstats_sample *)kvmstats_reader_now(reader);
	target->before = (struct kvmstats_sample *)kvmstats_reader_before(reader);
}

static enum origin origin_of(const struct kvmstats_reader *reader)
{
	switch (kvmstats_reader_origin(reader)) {
	case KVMSTATS_ORIGIN_OPENED:
		break;
	case KVMSTATS_ORIGIN_DUPLICATED:
		return ORIGIN_TAKEN;
	case KVMSTATS_ORIGIN_NEXT:
		return ORIGIN_NEXT;
	case KVMSTATS_ORIGIN_OPEN:
		return ORIGIN_OPEN;
	}
	return ORIGIN_OPENED;
}

/* Returns 0, or why the reader has no target. */
static int attach_reader(struct source_context *context, struct vmm *vmm,
			 const struct kvmstats_reader *reader)
{
	struct target_key key = target_key_of(&source_fd, kvmstats_reader_target(reader));
	const struct stat_set *set;
	struct target *target;
	int err = kvmstats_reader_error(reader);

	if (err)
		return err;
	/* If another VM with other statistics takes the place of a VM, it is another target. */
	key.schema = kvmstats_reader_schema(reader);
	target = target_keep(vmm, &key);
	if (!target) {
		err = stat_sets_add_shared(&context->sets, key.schema, &set);
		target = err ? NULL : target_add(vmm, &key, set);
	}
	if (!target)
		return -ENOMEM;
	target->private = (void *)reader;
	target->origin = origin_of(reader);
	set_samples(target, reader);
	return 0;
}

static int attach(struct source_context *context, struct vmm *vmm)
{
	int last_err = 0;
	size_t i;

	for (i = 0; i < kvmstats_watch_readers(vmm->watch); i++) {
		const struct kvmstats_reader *reader = kvmstats_watch_reader(vmm->watch, i);
		int err = attach_reader(context, vmm, reader);

		if (err)
			last_err = err;
	}
	return last_err;
}

/* The library has read the sample already. */
static int read_target(struct target *target)
{
	const struct kvmstats_reader *reader = target->private;

	set_samples(target, reader);
	return kvmstats_reader_error(reader);
}

static void detach(struct target *target)
{
	(void)target;
}

const struct source source_fd = {
	.attach = attach,
	.read = read_target,
	.has_samples = true,
	.detach = detach,
};
