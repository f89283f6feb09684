// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Test VMs of one host with different statistics: one has exit statistics, the other does not have
 * them. Later it has them, too, when its file is opened again.
 *
 * The linker replaces the functions that open files by those here.
 */
#include <errno.h>
#include <fcntl.h>

#include "tap.h"
#include "vm_image.h"
#include "vmm_files.h"
#include "vmm_state.h"
#include "watch.h"

#define EXITS_STATS	(VM_IMAGE_STATS + 1)

struct exits_record {
	struct kvm_stats_record record;
	uint64_t value[EXITS_STATS];
};

/* The file of a VM with exit statistics: each vCPU has a third value. */
struct exits_image {
	struct kvm_stats_header header;
	char id[IMAGE_NAME_SIZE];
	struct kvm_stats_vcpus vcpus;
	struct vm_image_desc vm_desc[VM_IMAGE_STATS];
	struct vm_image_desc vcpu_desc[EXITS_STATS];
	uint64_t value[VM_IMAGE_STATS];
	struct exits_record record[VM_IMAGE_VCPUS];
};

/* Which of the VMs 1 and 2 has exit statistics. */
static bool has_exits[2];

static void exits_image_init(struct exits_image *image, const struct vm_image *plain)
{
	int i;

	memset(image, 0, sizeof(*image));
	memcpy(image, plain, offsetof(struct vm_image, vcpu_desc));
	memcpy(image->vcpu_desc, plain->vcpu_desc, sizeof(plain->vcpu_desc));
	memcpy(image->value, plain->value, sizeof(plain->value));
	vm_image_set_desc(image->vcpu_desc, VM_IMAGE_STATS, "exit_io");
	image->header.data_offset = offsetof(struct exits_image, value);
	image->vcpus.num_desc = EXITS_STATS;
	image->vcpus.records_offset = offsetof(struct exits_image, record);
	image->vcpus.record_size = sizeof(struct exits_record);
	for (i = 0; i < VM_IMAGE_VCPUS; i++) {
		memcpy(&image->record[i], &plain->record[i], sizeof(plain->record[i]));
		image->record[i].value[VM_IMAGE_STATS] = 5000 + i;
	}
}

/* Returns the file of VM @number, which is 1 or 2. */
static int open_vm(uint64_t number)
{
	struct exits_image exits;
	struct vm_image plain;

	vm_image_init(&plain);
	plain.vcpus.vm = number;
	exits_image_init(&exits, &plain);
	if (has_exits[number - 1])
		return bytes_fd((const unsigned char *)&exits, sizeof(exits));
	return vm_image_fd(&plain);
}

int __wrap_kvmstats_open_kvm(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_kvmstats_next_open(int kvm, uint64_t *vm)
{
	(void)kvm;
	return *vm < 2 ? open_vm(++*vm) : -ENOENT;
}

/* The fds of the VMs in the VMM are 1 and 2. */
int __wrap_kvmstats_dup_and_open_all(int pidfd, const struct kvmstats_fd *entry)
{
	(void)pidfd;
	return open_vm((uint64_t)entry->fd);
}

/* ---- ways to open the files ---- */

static int add_by_number(struct kvmstats_vmm *vmm)
{
	int err = kvmstats_vmm_add_file(vmm, open_vm(1));

	return err ? err : kvmstats_vmm_add_file(vmm, open_vm(2));
}

static int open_with_fds(struct kvmstats_vmm *vmm)
{
	struct kvmstats_fd fd[] = {
		{ .fd = 1, .kind = KVMSTATS_KIND_VM, .vcpu = -1 },
		{ .fd = 2, .kind = KVMSTATS_KIND_VM, .vcpu = -1 },
	};
	const struct kvmstats_fds fds = { .fd = fd, .count = 2 };

	vmm->by_number = false;
	return kvmstats_vmm_open_files(vmm, &fds);
}

/* A sample opens the files of a VMM again whose process is not known. */
static int open_at_sample(struct kvmstats_vmm *vmm)
{
	(void)vmm;
	return 0;
}

static const struct way {
	const char *name;
	bool has_pid;
	int (*open)(struct kvmstats_vmm *vmm);
	int (*reopen)(struct kvmstats_vmm *vmm);
} ways[] = {
	{ "opened by number", true, add_by_number, kvmstats_vmm_reopen_files },
	{ "opened for each sample", false, add_by_number, open_at_sample },
	{ "opened with the fds of the VMM", true, open_with_fds, open_with_fds },
};

/* ---- the test ---- */

static int64_t value_of(const struct kvmstats_watch *watch, uint64_t number, int vcpu,
			const char *name)
{
	size_t i;

	for (i = 0; i < watch->readers; i++) {
		const struct kvmstats_reader *reader = watch->reader[i];
		const struct kvmstats_stat *stat;
		uint64_t value;

		if (reader->number != number || reader->vcpu != vcpu || !reader->schema)
			continue;
		stat = kvmstats_schema_find(reader->schema, name);
		if (stat && !kvmstats_sample_value(reader->now, stat, 0, &value))
			return (int64_t)value;
	}
	return -1;
}

static bool has_values(const struct kvmstats_watch *watch, uint64_t number)
{
	return value_of(watch, number, -1, "flushes") == 1001 &&
	       value_of(watch, number, 10, "exits") == 100 &&
	       value_of(watch, number, 20, "halts") == 201;
}

static void test(const struct way *way, struct kvmstats_watch *watch,
		 struct kvmstats_schemas *schemas)
{
	const struct kvmstats_monitor_options options = { 0 };
	int err = way->open(watch->vmm);

	tap_ok(err >= 0, "files of two VMs are %s", way->name);
	kvmstats_watch_attach(watch, &options, schemas);
	kvmstats_watch_sample(watch);
	tap_ok(has_values(watch, 1) && value_of(watch, 1, 10, "exit_io") == -1,
	       "the VM without exit statistics is read");
	tap_ok(has_values(watch, 2) && value_of(watch, 2, 10, "exit_io") == 5001,
	       "the VM with exit statistics is read");
	tap_is(schemas->count, 4, "each schema is stored once");

	has_exits[0] = true;
	tap_ok(way->reopen(watch->vmm) >= 0, "the files are opened again");
	if (way->reopen != open_at_sample)
		kvmstats_watch_attach(watch, &options, schemas);
	tap_is(kvmstats_watch_sample(watch), way->reopen == open_at_sample,
	       "a sample reports other statistics unless they were known before");
	tap_ok(has_values(watch, 1) && value_of(watch, 1, 20, "exit_io") == 5002,
	       "a VM that has other statistics than before is read");
	tap_ok(has_values(watch, 2) && value_of(watch, 2, 20, "exit_io") == 5002,
	       "the other VM is still read");
	tap_is(schemas->count, 4, "there is no further schema");
	tap_is(kvmstats_watch_sample(watch), 0, "the next sample reports nothing");
}

static void test_way(const struct way *way)
{
	struct kvmstats_schemas schemas = { 0 };
	struct kvmstats_watch *watch;
	struct kvmstats_vmm *vmm;

	has_exits[0] = false;
	has_exits[1] = true;
	if (kvmstats_vmm_open_by_number(&vmm, way->has_pid ? getpid() : 0, &schemas))
		exit(1);
	watch = kvmstats_watch_new(vmm);
	test(way, watch, &schemas);
	kvmstats_watch_free(watch);
	kvmstats_schemas_free(&schemas);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		test_way(&ways[i]);
	return tap_end();
}
