// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>

#include "host_format.h"
#include "lib/host_stats.h"
#include "lib/test.h"

#define HOST_FILE	"/run/kvm-stats/host.pin"
#define MAX_PASS	(4 << 20)

/* One pass. It begins with the header and the descriptors. */
struct pass {
	uint8_t *data;
	size_t size;
	const struct kvm_host_header *header;
};

/* Returns false if there is no host file. */
static bool read_pass(struct pass *pass)
{
	int fd = open(HOST_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	pass->size = 0;
	pass->data = malloc(MAX_PASS);
	pass->header = (const void *)pass->data;
	while ((n = read(fd, pass->data + pass->size, MAX_PASS - pass->size)) != 0) {
		if (n > 0)
			pass->size += n;
		else if (errno != EAGAIN)
			fail(HOST_FILE ": %s", strerror(errno));
	}
	close(fd);
	return true;
}

/* The descriptors of vCPUs */
static const uint8_t *descriptors(const struct pass *pass)
{
	return pass->data + pass->header->desc_offset +
	       pass->header->vm_descs * pass->header->desc_size;
}

bool host_file_has_exits(void)
{
	struct pass pass;
	bool found = false;
	uint32_t i;

	if (!read_pass(&pass))
		return false;
	for (i = 0; i < pass.header->vcpu_descs; i++) {
		const struct kvm_stats_desc *desc =
			(const void *)(descriptors(&pass) + i * pass.header->desc_size);

		found |= !strcmp(desc->name, "exit_mmio");
	}
	free(pass.data);
	return found;
}

#define for_each_record(at, pass)							\
	for ((at) = (const void *)(pass)->data;						\
	     (const uint8_t *)(at) < (pass)->data + (pass)->size;			\
	     (at) = (const void *)((const uint8_t *)(at) + (at)->size))

static bool is_own_vm(const struct pass *pass, uint64_t vm)
{
	const struct kvm_host_record *at;

	for_each_record(at, pass)
		if (at->type == KVM_HOST_VM && at->vm == vm &&
		    ((const struct kvm_host_vm *)at)->pid == (uint32_t)getpid())
			return true;
	return false;
}

static bool is_own_vcpu(const struct pass *pass, const struct kvm_host_record *at, bool of_thread)
{
	const struct kvm_host_vcpu *vcpu = (const void *)at;

	return at->type == KVM_HOST_VCPU && is_own_vm(pass, at->vm) &&
	       (!of_thread || vcpu->tid == (uint32_t)syscall(SYS_gettid));
}

/* The newest VM is the first one. If a pass has a vCPU repeatedly, its last record counts. */
static const struct kvm_host_vcpu *find_vcpu(const struct pass *pass, bool of_thread)
{
	const struct kvm_host_record *at, *found = NULL;

	for_each_record(at, pass)
		if (is_own_vcpu(pass, at, of_thread) && (!found || found->vm == at->vm))
			found = at;
	return (const void *)found;
}

void host_file_read(struct stats_file *stats)
{
	const struct kvm_host_vcpu *vcpu;
	struct kvm_stats_header *header;
	size_t descs, values;
	struct pass pass;

	if (!read_pass(&pass))
		fail(HOST_FILE ": %s", strerror(errno));
	vcpu = find_vcpu(&pass, true) ?: find_vcpu(&pass, false);
	if (!vcpu)
		fail(HOST_FILE " does not have the vCPU of this process");
	descs = pass.header->vcpu_descs * pass.header->desc_size;
	values = vcpu->record.size - pass.header->vcpu_values;
	stats_file_free(stats);
	stats->size = sizeof(*header) + descs + values;
	stats->bytes = calloc(1, stats->size);
	header = (void *)stats->bytes;
	header->name_size = KVM_HOST_NAME_SIZE;
	header->num_desc = pass.header->vcpu_descs;
	header->desc_offset = sizeof(*header);
	header->data_offset = sizeof(*header) + descs;
	stats->header = *header;
	memcpy(stats->bytes + header->desc_offset, descriptors(&pass), descs);
	memcpy(stats->bytes + header->data_offset,
	       (const uint8_t *)vcpu + pass.header->vcpu_values, values);
	free(pass.data);
}
