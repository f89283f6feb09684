// SPDX-License-Identifier: GPL-2.0-only
/* The source that uses statistics fds: one fd for each VM and vCPU, with types and units. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sources/fd.h"
#include "targets/vmm.h"

static struct target_key key_of(const struct kvmstats_target *from)
{
	return (struct target_key){
		.source = &source_fd,
		.scope = kvmstats_target_kind(from) == KVMSTATS_VM ? SCOPE_VM : SCOPE_VCPU,
		.vm = kvmstats_target_vm(from),
		.vcpu = kvmstats_target_vcpu(from),
		.vmm_fd = kvmstats_target_fd(from),
	};
}

/*
 * Opens the statistics fd again. The VMM may have closed its fd, and opened one of another VM
 * with the same number; the kernel offers no way to detect that. If the VM is another one,
 * GROWTH_CLEARED is reported because its counters are lower.
 */
static int reopen(struct target *target, const struct kvmstats_target *from)
{
	enum kvmstats_origin origin;
	int fd = kvmstats_target_open(from, &origin);

	if (fd < 0)
		return fd;
	close(target->fd);
	target->fd = fd;
	target->origin = origin == KVMSTATS_TAKEN ? ORIGIN_TAKEN : ORIGIN_OPENED;
	return 0;
}

static int add(struct source_context *context, struct vmm *vmm, const struct kvmstats_target *from)
{
	struct target_key key = key_of(from);
	const struct stat_set *set;
	enum kvmstats_origin origin;
	struct target *target;
	int fd = kvmstats_target_open(from, &origin);
	int err;

	if (fd < 0)
		return fd;
	err = stat_sets_add_fd(&context->sets, fd, &set);
	target = err ? NULL : target_add(vmm, &key, set);
	if (!target) {
		close(fd);
		return err ? err : -ENOMEM;
	}
	target->fd = fd;
	target->origin = origin == KVMSTATS_TAKEN ? ORIGIN_TAKEN : ORIGIN_OPENED;
	return 0;
}

static void note_missing(struct vmm *vmm, const struct kvmstats_target *from)
{
	int vcpu = kvmstats_target_vcpu(from);

	if (vmm->missing++)
		return;
	if (vcpu < 0)
		snprintf(vmm->missing_label, LABEL_SIZE, "vm");
	else
		snprintf(vmm->missing_label, LABEL_SIZE, "vcpu%d", vcpu);
}

static int attach(struct source_context *context, struct vmm *vmm)
{
	int last_err = 0;
	size_t i;

	for (i = 0; i < kvmstats_vmm_targets(vmm->kvm); i++) {
		const struct kvmstats_target *from = kvmstats_vmm_target(vmm->kvm, i);
		struct target_key key = key_of(from);
		struct target *target;
		int err = 0;

		if (!filter_selects_target(context->filter, from))
			continue;
		target = target_keep(vmm, &key);
		if (target)
			reopen(target, from);
		else
			err = add(context, vmm, from);
		if (!err)
			continue;
		last_err = err;
		note_missing(vmm, from);
		if (err == -EMFILE || err == -ENOMEM || err == -ESRCH)
			break;
	}
	return last_err;
}

static int read_target(struct target *target)
{
	return kvmstats_sample_read(target->now, target->fd);
}

static void detach(struct target *target)
{
	close(target->fd);
}

const struct source source_fd = {
	.attach = attach,
	.read = read_target,
	.detach = detach,
};
