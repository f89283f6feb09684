// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * The model of a host: reads passes from one origin at a time, and follows the VMs and vCPUs from
 * one pass to the next.
 *
 * A pass is used only if all of it is valid, and if there is memory for all of it. Until then the
 * last pass and the one before it are kept, so there are three.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "internal.h"
#include "reader.h"

#define ORIGINS		(KVMSTATS_ORIGIN_PROC + 1)

struct pass {
	struct kvmstats_pass bytes;
	struct kvmstats_host_vm *vm;	/* in the order of their identities */
	size_t vms;
	struct kvmstats_host_vcpu *vcpu;	/* in the order of VMs */
	size_t vcpus;
	int64_t clock_offset;		/* scheduler's clock minus CLOCK_MONOTONIC, or a bit less */
};

struct schemas {
	struct kvmstats_schema *of[2];	/* by enum kvmstats_kind */
	/* Statistics of vCPUs, or NULL */
	const struct kvmstats_stat *clock, *arrival, *queued;
};

/* A record of a VM or vCPU. Sorted, each VM is followed by its vCPUs. */
struct entry {
	uint64_t vm;
	uint64_t key;			/* 0 for the VM, ID + 1 for a vCPU */
	size_t at;			/* in the data */
};

struct kvmstats_host {
	/* How to open the host file for each pass. If both are NULL, the stream has all passes. */
	int (*open_pass)(void *arg);
	void *arg;
	struct kvmstats_stream stream;
	bool owns_fd;
	bool takes_best;		/* of the origins below, before each pass */
	struct kvmstats_next next_vms;
	struct kvmstats_processes processes;
	enum kvmstats_origin origin;	/* of @now */
	int error[ORIGINS];
	struct pass pass[3];
	struct pass *now, *before, *next;
	struct kvm_host_header header;	/* of @now */
	struct schemas schemas;		/* one of @kept */
	struct schemas *kept;		/* of all passes */
	size_t kept_schemas;
	size_t kept_capacity;
	struct entry *entry;		/* while a pass is taken */
	size_t entries;
	size_t capacity;
	struct kvmstats_vmms vmms;	/* of @now */
	bool is_local;			/* the PIDs are those of this machine */
	struct kvmstats_reader reader;	/* of names, if the host is local */
	char path[];			/* of the host file, or "" */
};

/* ---- descriptors ---- */

static bool has_descs(const struct kvmstats_schema *schema, const void *descs, size_t count,
		      size_t size)
{
	return schema && schema->desc_size == count * size &&
	       schema->header.num_desc == count && !memcmp(schema->desc, descs, count * size);
}

static void free_schemas(struct schemas *schemas)
{
	kvmstats_schema_free(schemas->of[KVMSTATS_KIND_VM]);
	kvmstats_schema_free(schemas->of[KVMSTATS_KIND_VCPU]);
}

static int parse_schemas(const struct kvm_host_header *header, struct schemas *schemas)
{
	const char *vm = (const char *)header + header->desc_offset;
	const char *vcpu = vm + (size_t)header->vm_descs * header->desc_size;
	const struct kvmstats_schema *parsed;
	int err;

	*schemas = (struct schemas){ 0 };
	err = kvmstats_schema_parse(&schemas->of[KVMSTATS_KIND_VM], vm, header->vm_descs,
				    header->desc_size);
	if (!err)
		err = kvmstats_schema_parse(&schemas->of[KVMSTATS_KIND_VCPU], vcpu,
					    header->vcpu_descs, header->desc_size);
	if (err) {
		free_schemas(schemas);
		return err;
	}
	parsed = schemas->of[KVMSTATS_KIND_VCPU];
	schemas->clock = kvmstats_schema_find(parsed, "thread_rq_clock_ns");
	schemas->arrival = kvmstats_schema_find(parsed, "thread_last_arrival_ns");
	schemas->queued = kvmstats_schema_find(parsed, "thread_last_queued_ns");
	return 0;
}

static bool are_of(const struct schemas *schemas, const struct kvm_host_header *header)
{
	const char *vm = (const char *)header + header->desc_offset;
	const char *vcpu = vm + (size_t)header->vm_descs * header->desc_size;

	return has_descs(schemas->of[KVMSTATS_KIND_VM], vm, header->vm_descs, header->desc_size) &&
	       has_descs(schemas->of[KVMSTATS_KIND_VCPU], vcpu, header->vcpu_descs,
			 header->desc_size);
}

/* Sets @schemas to those of the pass. All are kept, because users have pointers to statistics. */
static int find_schemas(struct kvmstats_host *host, const struct kvm_host_header *header,
			struct schemas *schemas)
{
	struct schemas *grown;
	size_t i;
	int err;

	for (i = 0; i < host->kept_schemas; i++) {
		if (!are_of(&host->kept[i], header))
			continue;
		*schemas = host->kept[i];
		return 0;
	}
	grown = array_grow(host->kept, host->kept_schemas, &host->kept_capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	host->kept = grown;
	err = parse_schemas(header, schemas);
	if (!err)
		host->kept[host->kept_schemas++] = *schemas;
	return err;
}

/* ---- listing and checking the records of a pass ---- */

/* Whether the record has all values of @schema, and numbers that a kernel can have. */
static int add_entry(struct kvmstats_host *host, const struct pass *pass, size_t at,
		     uint32_t offset, const struct kvmstats_schema *schema)
{
	const struct kvm_host_vcpu *vcpu = (const void *)(pass->bytes.data + at);
	const struct kvm_host_vm *vm = (const void *)vcpu;
	bool is_vm = vm->record.type == KVM_HOST_VM;
	struct entry *grown;

	if (vm->record.size < offset || vm->record.size - offset < schema->data_size)
		return -EPROTO;
	if (is_vm ? vm->pid > INT_MAX : vcpu->vcpu_id > INT_MAX || vcpu->tid > INT_MAX)
		return -EPROTO;
	grown = array_grow(host->entry, host->entries, &host->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	host->entry = grown;
	host->entry[host->entries++] = (struct entry){
		.vm = vm->record.vm,
		.key = is_vm ? 0 : vcpu->vcpu_id + UINT64_C(1),
		.at = at,
	};
	return 0;
}

static bool is_same_entry(const struct entry *a, const struct entry *b)
{
	return a->vm == b->vm && a->key == b->key;
}

static bool has_repeated(const struct kvmstats_host *host)
{
	size_t i;

	for (i = 1; i < host->entries; i++) {
		if (is_same_entry(&host->entry[i - 1], &host->entry[i]))
			return true;
	}
	return false;
}

/*
 * A pass is truncated if the host has too many VMs, or if so many ended meanwhile that it often
 * began again: then it has VMs repeatedly, and the next one can be complete.
 */
static int check_end(const struct kvmstats_host *host, const struct kvm_host_end *end,
		     const struct pass *pass)
{
	if (end->record.flags & KVM_HOST_STALE)
		return -ESTALE;
	if (end->record.flags & KVM_HOST_TRUNCATED)
		return has_repeated(host) ? -EAGAIN : -EOVERFLOW;
	return end->vms == pass->vms && end->vcpus == pass->vcpus ? 0 : -EPROTO;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_numbers(x->vm, y->vm);

	if (!order)
		order = compare_numbers(x->key, y->key);
	return order ? order : compare_numbers(x->at, y->at);
}

/* Counts the VMs and vCPUs, with those that the pass has repeatedly. */
static int list_entries(struct kvmstats_host *host, struct pass *pass,
			const struct schemas *schemas)
{
	const struct kvm_host_header *header = (const void *)pass->bytes.data;
	const struct kvm_host_record *record = &header->record;
	size_t at;
	int err = 0;

	host->entries = 0;
	pass->vms = 0;
	pass->vcpus = 0;
	for (at = record->size; !err && at < pass->bytes.end; at += record->size) {
		record = (const void *)(pass->bytes.data + at);
		if (record->type == KVM_HOST_VM) {
			pass->vms++;
			err = add_entry(host, pass, at, header->vm_values,
					schemas->of[KVMSTATS_KIND_VM]);
		} else if (record->type == KVM_HOST_VCPU) {
			pass->vcpus++;
			err = add_entry(host, pass, at, header->vcpu_values,
					schemas->of[KVMSTATS_KIND_VCPU]);
		}
	}
	if (!err && host->entries)
		qsort(host->entry, host->entries, sizeof(*host->entry), compare_entries);
	return err ? err : check_end(host, (const void *)record, pass);
}

/* ---- the VMs and vCPUs of a pass ---- */

static int reserve_entries(struct pass *pass)
{
	struct kvmstats_host_vm *vm = realloc(pass->vm, (pass->vms + 1) * sizeof(*vm));
	struct kvmstats_host_vcpu *vcpu = realloc(pass->vcpu, (pass->vcpus + 1) * sizeof(*vcpu));

	pass->vm = vm ? vm : pass->vm;
	pass->vcpu = vcpu ? vcpu : pass->vcpu;
	return vm && vcpu ? 0 : -ENOMEM;
}

static struct kvmstats_sample sample(const struct kvmstats_schema *schema, uint64_t time,
				     const char *values)
{
	return (struct kvmstats_sample){
		.schema = schema,
		.time = time ? time : 1,	/* 0 is that of an empty sample */
		.data = (const void *)values,
	};
}

/* VMs are added in the order of their identities: @i is where the search for the last one ended. */
static const struct kvmstats_host_vm *find_vm(const struct pass *before, size_t *i, uint64_t id)
{
	while (before && *i < before->vms && before->vm[*i].record->record.vm < id)
		++*i;
	return before && *i < before->vms && before->vm[*i].record->record.vm == id ?
	       &before->vm[*i] : NULL;
}

static const struct kvmstats_host_vcpu *find_vcpu(const struct kvmstats_host_vm *before, size_t *i,
						  uint32_t id)
{
	while (before && *i < before->vcpus && before->vcpu[*i].record->vcpu_id < id)
		++*i;
	return before && *i < before->vcpus && before->vcpu[*i].record->vcpu_id == id ?
	       &before->vcpu[*i] : NULL;
}

static void learn_clock(struct pass *pass, uint64_t scheduler, uint64_t monotonic)
{
	int64_t offset = (int64_t)(scheduler - monotonic);

	if (scheduler && offset > pass->clock_offset)
		pass->clock_offset = offset;
}

/* Returns 0 if the vCPU does not have the statistic. */
static uint64_t vcpu_value(const struct kvmstats_host_vcpu *vcpu, const struct kvmstats_stat *stat)
{
	uint64_t value = 0;

	if (stat)
		kvmstats_sample_value(&vcpu->now, stat, 0, &value);
	return value;
}

static void take_clocks(struct pass *pass, const struct schemas *schemas)
{
	const struct kvm_host_header *header = (const void *)pass->bytes.data;
	size_t i;

	pass->clock_offset = INT64_MIN;
	learn_clock(pass, header->arrival, header->monotonic);
	for (i = 0; i < pass->vcpus; i++) {
		const struct kvmstats_host_vcpu *vcpu = &pass->vcpu[i];

		learn_clock(pass, vcpu_value(vcpu, schemas->clock), vcpu->record->time);
		learn_clock(pass, vcpu_value(vcpu, schemas->arrival), vcpu->record->time);
	}
}

/* Of a VM or vCPU that the pass has repeatedly, the last record counts. */
static void take_entries(const struct kvmstats_host *host, struct pass *pass,
			 const struct schemas *schemas, const struct pass *before)
{
	const struct kvm_host_header *header = (const void *)pass->bytes.data;
	struct kvmstats_host_vm *vm = NULL;
	size_t i, old_vm = 0, old_vcpu = 0;

	pass->vms = 0;
	pass->vcpus = 0;
	for (i = 0; i < host->entries; i++) {
		const struct entry *entry = &host->entry[i];
		const char *at = pass->bytes.data + entry->at;
		const struct kvm_host_vcpu *record = (const void *)at;

		if (i + 1 < host->entries && is_same_entry(&entry[0], &entry[1]))
			continue;
		if (!entry->key) {
			vm = &pass->vm[pass->vms++];
			vm->record = (const void *)at;
			vm->now = sample(schemas->of[KVMSTATS_KIND_VM], vm->record->time,
					 at + header->vm_values);
			vm->before = find_vm(before, &old_vm, entry->vm);
			vm->vcpu = &pass->vcpu[pass->vcpus];
			vm->vcpus = 0;
			old_vcpu = 0;
		} else if (vm && vm->record->record.vm == entry->vm) {
			pass->vcpu[pass->vcpus++] = (struct kvmstats_host_vcpu){
				.record = record,
				.now = sample(schemas->of[KVMSTATS_KIND_VCPU], record->time,
					      at + header->vcpu_values),
				.before = find_vcpu(vm->before, &old_vcpu, record->vcpu_id),
			};
			vm->vcpus++;
		}
	}
}

/* The pass before the last one is the memory for the next one. */
static void advance(struct kvmstats_host *host)
{
	struct pass *oldest = host->before;

	host->before = host->now;
	host->now = host->next;
	host->next = oldest;
}

static int take_pass(struct kvmstats_host *host, struct pass *pass, enum kvmstats_origin origin)
{
	const struct kvm_host_header *header = (const void *)pass->bytes.data;
	struct schemas schemas;
	bool same;
	int err;

	err = find_schemas(host, header, &schemas);
	if (err)
		return err;
	same = header->session == host->header.session &&
	       !memcmp(schemas.of, host->schemas.of, sizeof(schemas.of));
	err = list_entries(host, pass, &schemas);
	if (!err)
		err = reserve_entries(pass);
	if (!err) {
		take_entries(host, pass, &schemas, same ? host->now : NULL);
		take_clocks(pass, &schemas);
		err = kvmstats_vmms_update(&host->vmms, pass->vm, pass->vms);
	}
	if (err)
		return err;
	host->schemas = schemas;
	host->header = *header;
	host->origin = origin;
	advance(host);
	return 0;
}

/* ---- the host file ---- */

static int connect_to(const char *path)
{
	const struct timeval timeout = { .tv_sec = KVMSTATS_SOCKET_TIME / SECOND };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));	/* of connect() */
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	err = errno == EAGAIN ? -ETIMEDOUT : -errno;
	close(fd);
	return err;
}

static int open_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0)
		return fd;
	return errno == ENXIO ? connect_to(path) : -errno;
}

/* Sockets and BPF iterators have one pass. A copy, or a pipe, can have several. */
static bool has_one_pass(int fd)
{
	struct statfs fs;
	struct stat st;

	return !fstat(fd, &st) && (S_ISSOCK(st.st_mode) ||
				   (!fstatfs(fd, &fs) && (uint32_t)fs.f_type == BPF_FS_MAGIC));
}

static int open_path_of(void *arg)
{
	const struct kvmstats_host *host = arg;

	return open_path(host->path);
}

/* Opens the published file, or else the socket. */
static int open_published(void *arg)
{
	int fd, err = open_path(kvmstats_places.file);

	(void)arg;
	if (err >= 0)
		return err;
	fd = open_path(kvmstats_places.socket);
	/* If neither works, report the file that exists. */
	return fd == -ENOENT ? err : fd;
}

static int read_file(struct kvmstats_host *host, struct kvmstats_pass *pass)
{
	struct kvmstats_stream *stream = &host->stream;
	int err;

	if (!host->open_pass)
		return kvmstats_pass_read(pass, stream);
	pass->used = 0;
	stream->rest_size = 0;
	stream->fd = host->open_pass(host->arg);
	if (stream->fd < 0)
		return stream->fd;
	err = kvmstats_pass_read(pass, stream);
	close(stream->fd);
	return err;
}

/* ---- reading a pass ---- */

static int read_from(struct kvmstats_host *host, enum kvmstats_origin origin)
{
	struct kvmstats_pass *pass = &host->next->bytes;
	int err;

	if (origin == KVMSTATS_ORIGIN_FILE)
		err = read_file(host, pass);
	else if (origin == KVMSTATS_ORIGIN_NEXT)
		err = kvmstats_next_write(&host->next_vms, pass);
	else
		err = kvmstats_processes_write(&host->processes, pass);
	return err ? err : take_pass(host, host->next, origin);
}

/*
 * Each pass comes from the best origin that works then. A shortage of this process is no reason to
 * use another one, nor is a single pass that was cut.
 */
static int read_best(struct kvmstats_host *host)
{
	enum kvmstats_origin origin = KVMSTATS_ORIGIN_FILE;
	int err;

	memset(host->error, 0, sizeof(host->error));
	for (;;) {
		err = read_from(host, origin);
		if (err == -EAGAIN)
			err = read_from(host, origin);
		host->error[origin] = err;
		if (!err || is_resource_shortage(err) || origin == KVMSTATS_ORIGIN_PROC)
			break;
		origin++;
	}
	if (!err && origin == KVMSTATS_ORIGIN_NEXT)
		host->error[origin] = host->next_vms.error;
	else if (!err && origin == KVMSTATS_ORIGIN_PROC)
		host->error[origin] = host->processes.error;
	if (!err && origin != KVMSTATS_ORIGIN_NEXT)
		kvmstats_next_close(&host->next_vms);
	return err;
}

/* The pass of a recording has the names that its host found. */
static int take_names(const struct kvmstats_host *host)
{
	const struct kvmstats_pass *pass = &host->now->bytes;
	const struct kvm_host_record *record;
	size_t at;
	int err = 0;

	for (at = 0; !err && at < pass->end; at += record->size) {
		record = (const void *)(pass->data + at);
		if (record->type == KVM_HOST_NAMES && record->size >= sizeof(struct kvm_host_names))
			err = kvmstats_vmms_take_names(&host->vmms, (const void *)record);
	}
	return err;
}

int kvmstats_host_read(struct kvmstats_host *host)
{
	bool local;
	int err;

	if (host->takes_best) {
		err = read_best(host);
	} else {
		err = read_from(host, KVMSTATS_ORIGIN_FILE);
		host->error[KVMSTATS_ORIGIN_FILE] = err;
	}
	if (err)
		return err;
	local = host->is_local && !kvmstats_host_is_nested(host);
	kvmstats_vmms_name(&host->vmms, local ? &host->reader : NULL);
	return local ? 0 : take_names(host);
}

/* ---- opening and closing ---- */

static struct kvmstats_host *new_host(const char *path)
{
	struct kvmstats_host *host = calloc(1, sizeof(*host) + strlen(path) + 1);

	if (!host)
		return NULL;
	host->stream.fd = -1;
	host->now = &host->pass[0];
	host->before = &host->pass[1];
	host->next = &host->pass[2];
	strcpy(host->path, path);
	return host;
}

/* The host opens each pass, from this machine. */
static int start_local(struct kvmstats_host **hostp, struct kvmstats_host *host,
		       int (*open_pass)(void *arg), void *arg)
{
	int err = kvmstats_reader_start(&host->reader);

	host->is_local = true;
	host->stream.has_one_pass = true;
	host->open_pass = open_pass;
	host->arg = arg;
	if (err)
		kvmstats_host_close(host);
	else
		*hostp = host;
	return err;
}

int kvmstats_host_open_fd(struct kvmstats_host **hostp, int fd)
{
	struct kvmstats_host *host = new_host("");

	*hostp = host;
	if (!host)
		return -ENOMEM;
	host->stream.fd = fd;
	return 0;
}

void kvmstats_host_use_passes(struct kvmstats_host *host, int (*open_pass)(void *arg), void *arg)
{
	host->takes_best = !open_pass;
	host->open_pass = open_pass ? open_pass : open_published;
	host->arg = arg;
	memset(host->error, 0, sizeof(host->error));
	if (open_pass) {
		kvmstats_next_close(&host->next_vms);
		kvmstats_processes_free(&host->processes);
	}
}

int kvmstats_host_open(struct kvmstats_host **hostp, const char *path)
{
	struct kvmstats_host *host = new_host(path ? path : "");
	int fd;

	*hostp = NULL;
	if (!host)
		return -ENOMEM;
	if (!path) {
		host->takes_best = true;
		return start_local(hostp, host, open_published, NULL);
	}
	fd = open_path(path);
	if (fd >= 0 && has_one_pass(fd)) {
		close(fd);
		return start_local(hostp, host, open_path_of, host);
	}
	if (fd < 0) {
		free(host);
		return fd;
	}
	host->stream.fd = fd;
	host->owns_fd = true;
	*hostp = host;
	return 0;
}

void kvmstats_host_close(struct kvmstats_host *host)
{
	size_t i;

	if (!host)
		return;
	if (host->owns_fd)
		close(host->stream.fd);
	if (host->is_local)
		kvmstats_reader_stop(&host->reader);
	kvmstats_next_close(&host->next_vms);
	kvmstats_processes_free(&host->processes);
	kvmstats_vmms_free(&host->vmms);
	for (i = 0; i < ARRAY_SIZE(host->pass); i++) {
		free(host->pass[i].bytes.data);
		free(host->pass[i].vm);
		free(host->pass[i].vcpu);
	}
	while (host->kept_schemas)
		free_schemas(&host->kept[--host->kept_schemas]);
	free(host->kept);
	free(host->entry);
	free(host);
}

/* ---- what the last pass had ---- */

const void *kvmstats_host_pass(const struct kvmstats_host *host, size_t *size)
{
	*size = host->schemas.of[KVMSTATS_KIND_VM] ? host->now->bytes.end : 0;
	return *size ? host->now->bytes.data : NULL;
}

enum kvmstats_origin kvmstats_host_origin(const struct kvmstats_host *host)
{
	return host->origin;
}

int kvmstats_host_error(const struct kvmstats_host *host, enum kvmstats_origin origin)
{
	return (unsigned int)origin < ORIGINS ? host->error[origin] : -EINVAL;
}

uint64_t kvmstats_host_time(const struct kvmstats_host *host)
{
	return host->header.monotonic;
}

uint64_t kvmstats_host_boottime(const struct kvmstats_host *host)
{
	return host->header.boottime;
}

uint64_t kvmstats_host_instance(const struct kvmstats_host *host)
{
	return host->header.instance;
}

int kvmstats_host_is_nested(const struct kvmstats_host *host)
{
	return !!(host->header.record.flags & KVM_HOST_NESTED);
}

const struct kvmstats_schema *kvmstats_host_schema(const struct kvmstats_host *host,
						   enum kvmstats_kind kind)
{
	return host->schemas.of[kind];
}

size_t kvmstats_host_vmms(const struct kvmstats_host *host)
{
	return host->vmms.count;
}

const struct kvmstats_vmm *kvmstats_host_vmm(const struct kvmstats_host *host, size_t i)
{
	return i < host->vmms.count ? host->vmms.vmm[i] : NULL;
}

size_t kvmstats_host_vms(const struct kvmstats_host *host)
{
	return host->now->vms;
}

const struct kvmstats_host_vm *kvmstats_host_vm(const struct kvmstats_host *host, size_t i)
{
	return i < host->now->vms ? &host->now->vm[i] : NULL;
}

uint64_t kvmstats_host_vm_id(const struct kvmstats_host_vm *vm)
{
	return vm->record->record.vm;
}

pid_t kvmstats_host_vm_pid(const struct kvmstats_host_vm *vm)
{
	return (pid_t)vm->record->pid;
}

uint64_t kvmstats_host_vm_start_time(const struct kvmstats_host_vm *vm)
{
	return vm->record->start_time;
}

int kvmstats_host_vm_is_orphan(const struct kvmstats_host_vm *vm)
{
	return vm->record->record.flags & KVM_HOST_ORPHAN;
}

const struct kvmstats_sample *kvmstats_host_vm_now(const struct kvmstats_host_vm *vm)
{
	return &vm->now;
}

const struct kvmstats_sample *kvmstats_host_vm_before(const struct kvmstats_host_vm *vm)
{
	return vm->before ? &vm->before->now : NULL;
}

size_t kvmstats_host_vm_vcpus(const struct kvmstats_host_vm *vm)
{
	return vm->vcpus;
}

const struct kvmstats_host_vcpu *kvmstats_host_vm_vcpu(const struct kvmstats_host_vm *vm, size_t i)
{
	return i < vm->vcpus ? &vm->vcpu[i] : NULL;
}

int kvmstats_host_vcpu_id(const struct kvmstats_host_vcpu *vcpu)
{
	return (int)vcpu->record->vcpu_id;
}

pid_t kvmstats_host_vcpu_tid(const struct kvmstats_host_vcpu *vcpu)
{
	return (pid_t)vcpu->record->tid;
}

const struct kvmstats_sample *kvmstats_host_vcpu_now(const struct kvmstats_host_vcpu *vcpu)
{
	return &vcpu->now;
}

const struct kvmstats_sample *kvmstats_host_vcpu_before(const struct kvmstats_host_vcpu *vcpu)
{
	return vcpu->before ? &vcpu->before->now : NULL;
}

/*
 * The scheduler's clock is that of the run queue, of which the file has old values. The difference
 * to CLOCK_MONOTONIC is at least as large as in each of them, so the wait is at most too short.
 */
uint64_t kvmstats_host_vcpu_waiting(const struct kvmstats_host *host,
				    const struct kvmstats_host_vcpu *vcpu)
{
	uint64_t queued = vcpu_value(vcpu, host->schemas.queued);
	int64_t waiting;

	if (host->now->clock_offset == INT64_MIN || !queued)
		return 0;
	waiting = (int64_t)(vcpu->record->time + (uint64_t)host->now->clock_offset - queued);
	return waiting > 0 ? (uint64_t)waiting : 1;
}
