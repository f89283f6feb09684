// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pass as objects, and back. host_format.h has the format of a pass.
 *
 *	object			layout					values
 *	host			boot ID, a line for each descriptor	enum host_value
 *	vm ID			""					enum vm_value, statistics
 *	vcpu ID VCPU		""					enum vcpu_value, statistics
 *	names PID START-TIME	four strings, see kvm_host_names	-errno of the names
 *
 * A later version can have more values of the host, and other objects.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kvm_stats.h>

#include "basics.h"
#include "host_format.h"
#include "record/sample.h"

#define HOST		"host"
#define NAME_SIZE	64	/* of an object */

enum host_value {
	HOST_FLAGS, HOST_SESSION, HOST_INSTANCE, HOST_MONOTONIC, HOST_BOOTTIME, HOST_ARRIVAL,
	HOST_END_MONOTONIC, HOST_END_BOOTTIME, HOST_VALUES,
};

enum vm_value { VM_FLAGS, VM_TIME, VM_START_TIME, VM_PID, VM_VCPUS, VM_VALUES };
enum vcpu_value { VCPU_FLAGS, VCPU_TIME, VCPU_TID, VCPU_MODE, VCPU_VALUES };

/* ---- from a pass ---- */

static void put_descs(FILE *to, const struct kvmstats_host *host, enum kvmstats_kind kind)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, kind);
	const struct kvmstats_stat *stat;
	size_t i;

	for (i = 0; (stat = kvmstats_schema_stat(schema, i)); i++)
		fprintf(to, "%s %s %" PRIu32 " %d %u %" PRIu32 " %" PRIu32 "\n",
			kind == KVMSTATS_KIND_VM ? "vm" : "vcpu", kvmstats_stat_name(stat),
			kvmstats_stat_flags(stat), kvmstats_stat_exponent(stat),
			kvmstats_stat_size(stat), kvmstats_stat_offset(stat),
			kvmstats_stat_bucket_size(stat));
}

static void add_header(struct sample *sample, const struct kvmstats_host *host,
		       const struct kvm_host_header *header, const struct kvm_host_end *end)
{
	const uint64_t value[HOST_VALUES] = {
		[HOST_FLAGS] = header->record.flags, [HOST_SESSION] = header->session,
		[HOST_INSTANCE] = header->instance, [HOST_MONOTONIC] = header->monotonic,
		[HOST_BOOTTIME] = header->boottime, [HOST_ARRIVAL] = header->arrival,
		[HOST_END_MONOTONIC] = end->monotonic, [HOST_END_BOOTTIME] = end->boottime,
	};
	char *text = NULL;
	size_t size = 0, i;
	FILE *to = open_memstream(&text, &size);

	if (to) {
		fputs("boot ", to);
		for (i = 0; i < sizeof(header->boot_id); i++)
			fprintf(to, "%02x", header->boot_id[i]);
		fputc('\n', to);
		put_descs(to, host, KVMSTATS_KIND_VM);
		put_descs(to, host, KVMSTATS_KIND_VCPU);
	}
	if (!to || fclose(to))
		sample->text.failed = true;
	else
		sample_add(sample, HOST, text, size, value, HOST_VALUES);
	free(text);
}

/* Adds an object with the values @first and those of the record from @offset on. */
static void add_record(struct sample *sample, const char *name, const uint64_t *first,
		       size_t firsts, const struct kvm_host_record *record, size_t offset)
{
	size_t stats = (record->size - offset) / sizeof(*first);
	const struct object *object = sample_add(sample, name, "", 0, NULL, firsts + stats);

	if (!object)
		return;
	memcpy(object_values(sample, object), first, firsts * sizeof(*first));
	memcpy(object_values(sample, object) + firsts, (const char *)record + offset,
	       stats * sizeof(*first));
}

static void add_vm(struct sample *sample, const struct kvm_host_header *header,
		   const struct kvm_host_vm *vm)
{
	const uint64_t first[VM_VALUES] = {
		[VM_FLAGS] = vm->record.flags, [VM_TIME] = vm->time,
		[VM_START_TIME] = vm->start_time, [VM_PID] = vm->pid, [VM_VCPUS] = vm->vcpus,
	};
	char name[NAME_SIZE];

	sprintf(name, "vm %" PRIx64, (uint64_t)vm->record.vm);
	add_record(sample, name, first, VM_VALUES, &vm->record, header->vm_values);
}

static void add_vcpu(struct sample *sample, const struct kvm_host_header *header,
		     const struct kvm_host_vcpu *vcpu)
{
	const uint64_t first[VCPU_VALUES] = {
		[VCPU_FLAGS] = vcpu->record.flags, [VCPU_TIME] = vcpu->time,
		[VCPU_TID] = vcpu->tid, [VCPU_MODE] = vcpu->mode,
	};
	char name[NAME_SIZE];

	sprintf(name, "vcpu %" PRIx64 " %u", (uint64_t)vcpu->record.vm, vcpu->vcpu_id);
	add_record(sample, name, first, VCPU_VALUES, &vcpu->record, header->vcpu_values);
}

static void add_names(struct sample *sample, const struct kvmstats_vmm *vmm)
{
	const char *names[] = { kvmstats_vmm_comm(vmm), kvmstats_vmm_guest(vmm),
				kvmstats_vmm_uuid(vmm), kvmstats_vmm_cgroup(vmm) };
	const uint64_t error = (uint64_t)-kvmstats_vmm_name_error(vmm);
	struct bytes text = { 0 };
	char name[NAME_SIZE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		bytes_add(&text, names[i] ? names[i] : "", names[i] ? strlen(names[i]) + 1 : 1);
	sprintf(name, "names %d %" PRIu64, (int)kvmstats_vmm_pid(vmm),
		kvmstats_vmm_start_time(vmm));
	if (text.failed)
		sample->text.failed = true;
	else
		sample_add(sample, name, text.data, text.size, &error, 1);
	bytes_free(&text);
}

int sample_add_host(struct sample *sample, const struct kvmstats_host *host)
{
	size_t size, at, i;
	const char *pass = kvmstats_host_pass(host, &size);
	const struct kvm_host_header *header = (const void *)pass;
	const struct kvm_host_record *record;

	if (!pass)
		return -ENODATA;
	for (at = header->record.size; at < size; at += record->size) {
		record = (const void *)(pass + at);
		if (record->type == KVM_HOST_END)
			add_header(sample, host, header, (const void *)record);
		else if (record->type == KVM_HOST_VM)
			add_vm(sample, header, (const void *)record);
		else if (record->type == KVM_HOST_VCPU)
			add_vcpu(sample, header, (const void *)record);
	}
	for (i = 0; i < kvmstats_host_vmms(host); i++)
		add_names(sample, kvmstats_host_vmm(host, i));
	return sample_failed(sample) ? -ENOMEM : 0;
}

/* ---- to a pass ---- */

static void *begin_record(struct bytes *to, enum kvm_host_type type, uint64_t flags, size_t size,
			  uint64_t vm)
{
	struct kvm_host_record *record = bytes_extend(to, size);

	if (!record)
		return NULL;
	memset(record, 0, size);
	record->type = type;
	record->flags = (__u16)flags;
	record->size = (__u32)size;
	record->vm = vm;
	return record;
}

/* Returns the descriptor of a line, or NULL. Stores whether it is one of a VM. */
static const char *parse_desc(const char *line, struct kvm_stats_desc *desc, char *name,
			      bool *is_vm)
{
	int exponent, size, end = 0;
	char kind[8];

	if (sscanf(line, "%7s %47s %" SCNu32 " %d %d %" SCNu32 " %" SCNu32 "%n", kind, name,
		   &desc->flags, &exponent, &size, &desc->offset, &desc->bucket_size, &end) != 7 ||
	    line[end] != '\n')
		return NULL;
	desc->exponent = (__s16)exponent;
	desc->size = (__u16)size;
	*is_vm = !strcmp(kind, "vm");
	return line + end + 1;
}

static bool write_descs(const char *text, struct bytes *to, uint32_t counts[2])
{
	while (text && *text) {
		struct kvm_stats_desc desc = { 0 };
		char name[KVM_HOST_NAME_SIZE] = "";
		bool is_vm;

		text = parse_desc(text, &desc, name, &is_vm);
		/* Those of a VM are the first ones. */
		if (!text || (is_vm && counts[1]))
			return false;
		counts[!is_vm]++;
		bytes_add(to, &desc, sizeof(desc));
		bytes_add(to, name, sizeof(name));
	}
	return !to->failed;
}

static bool parse_boot(const char *text, unsigned char boot[16])
{
	unsigned int byte;
	size_t i;

	for (i = 0; i < 16; i++) {
		if (sscanf(text + 2 * i, "%2x", &byte) != 1)
			return false;
		boot[i] = (unsigned char)byte;
	}
	return true;
}

/* Returns a copy of the layout as a string, which begins with the boot ID, or NULL. */
static char *host_text(const struct sample *sample, const struct object **host)
{
	static const char start[] = "boot ";
	char *text;

	*host = sample_find(sample, HOST);
	if (!*host || (*host)->values < HOST_VALUES || (*host)->layout_size < strlen(start) + 33 ||
	    strncmp(object_layout(sample, *host), start, strlen(start)))
		return NULL;
	text = strndup(object_layout(sample, *host) + strlen(start),
		       (*host)->layout_size - strlen(start));
	if (text && (strlen(text) <= 32 || text[32] != '\n')) {
		free(text);
		text = NULL;
	}
	return text;
}

static bool write_header(const struct sample *sample, struct bytes *to)
{
	const size_t desc_size = sizeof(struct kvm_stats_desc) + KVM_HOST_NAME_SIZE;
	const struct object *object;
	char *text = host_text(sample, &object);
	struct kvm_host_header *header;
	const uint64_t *value;
	uint32_t counts[2] = { 0, 0 };
	bool good;

	if (!text)
		return false;
	value = object_values(sample, object);
	begin_record(to, KVM_HOST_HEADER, value[HOST_FLAGS], sizeof(*header), KVM_HOST_MAGIC);
	good = write_descs(text + 33, to, counts);
	header = (void *)to->data;
	if (good) {
		header->record.size = (__u32)to->size;
		header->version = KVM_HOST_VERSION;
		header->desc_offset = sizeof(*header);
		header->desc_size = desc_size;
		header->vm_descs = counts[0];
		header->vcpu_descs = counts[1];
		header->vm_values = sizeof(struct kvm_host_vm);
		header->vcpu_values = sizeof(struct kvm_host_vcpu);
		header->session = value[HOST_SESSION];
		header->instance = value[HOST_INSTANCE];
		header->monotonic = value[HOST_MONOTONIC];
		header->boottime = value[HOST_BOOTTIME];
		header->arrival = value[HOST_ARRIVAL];
		good = parse_boot(text, header->boot_id);
	}
	free(text);
	return good;
}

static bool write_vm(const struct sample *sample, const struct object *object, uint64_t id,
		     struct bytes *to)
{
	const uint64_t *value = object_values(sample, object);
	struct kvm_host_vm *vm;

	if (object->values < VM_VALUES)
		return false;
	vm = begin_record(to, KVM_HOST_VM, value[VM_FLAGS],
			  sizeof(*vm) + (object->values - VM_VALUES) * sizeof(*value), id);
	if (!vm)
		return false;
	vm->time = value[VM_TIME];
	vm->start_time = value[VM_START_TIME];
	vm->pid = (__u32)value[VM_PID];
	vm->vcpus = (__u32)value[VM_VCPUS];
	memcpy(vm + 1, value + VM_VALUES, (object->values - VM_VALUES) * sizeof(*value));
	return true;
}

static bool write_vcpu(const struct sample *sample, const struct object *object, uint64_t id,
		       uint32_t vcpu_id, struct bytes *to)
{
	const uint64_t *value = object_values(sample, object);
	struct kvm_host_vcpu *vcpu;

	if (object->values < VCPU_VALUES)
		return false;
	vcpu = begin_record(to, KVM_HOST_VCPU, value[VCPU_FLAGS],
			    sizeof(*vcpu) + (object->values - VCPU_VALUES) * sizeof(*value), id);
	if (!vcpu)
		return false;
	vcpu->time = value[VCPU_TIME];
	vcpu->vcpu_id = vcpu_id;
	vcpu->tid = (__u32)value[VCPU_TID];
	vcpu->mode = (__u32)value[VCPU_MODE];
	memcpy(vcpu + 1, value + VCPU_VALUES, (object->values - VCPU_VALUES) * sizeof(*value));
	return true;
}

static bool write_names(const struct sample *sample, const struct object *object, uint32_t pid,
			uint64_t start_time, struct bytes *to)
{
	struct kvm_host_names *names;
	size_t size = sizeof(*names) + (object->layout_size + 7) / 8 * 8;

	names = object->values ? begin_record(to, KVM_HOST_NAMES, 0, size, 0) : NULL;
	if (!names)
		return false;
	names->start_time = start_time;
	names->pid = pid;
	names->error = (__u32)object_values(sample, object)[0];
	memcpy(names + 1, object_layout(sample, object), object->layout_size);
	return true;
}

/* Objects with other names are not part of the pass. */
static bool write_object(const struct sample *sample, const struct object *object,
			 struct bytes *to, struct kvm_host_end *end)
{
	const char *name = object_name(sample, object);
	uint32_t number;
	uint64_t id;

	if (sscanf(name, "vcpu %" SCNx64 " %" SCNu32, &id, &number) == 2)
		return ++end->vcpus && write_vcpu(sample, object, id, number, to);
	if (sscanf(name, "vm %" SCNx64, &id) == 1)
		return ++end->vms && write_vm(sample, object, id, to);
	if (sscanf(name, "names %" SCNu32 " %" SCNu64, &number, &id) == 2)
		return write_names(sample, object, number, id, to);
	return true;
}

int sample_write_pass(const struct sample *sample, struct bytes *to)
{
	const struct object *host = sample_find(sample, HOST);
	struct kvm_host_end end = { 0 }, *written;
	bool good = write_header(sample, to);
	size_t i;

	for (i = 0; good && i < sample_objects(sample); i++)
		good = write_object(sample, sample_object(sample, i), to, &end);
	written = good ? begin_record(to, KVM_HOST_END, 0, sizeof(end), 0) : NULL;
	if (!written)
		return to->failed ? -ENOMEM : -EPROTO;
	written->monotonic = object_values(sample, host)[HOST_END_MONOTONIC];
	written->boottime = object_values(sample, host)[HOST_END_BOOTTIME];
	written->vms = end.vms;
	written->vcpus = end.vcpus;
	return 0;
}

bool sample_get_origin(const struct sample *sample, struct sample_origin *origin)
{
	const struct object *host;
	char *text = host_text(sample, &host);
	bool good = text && parse_boot(text, origin->boot);

	if (good)
		origin->boottime = object_values(sample, host)[HOST_BOOTTIME];
	free(text);
	return good;
}
