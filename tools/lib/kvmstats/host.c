// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Reads the host file: checks a pass, and follows the VMs and vCPUs from one pass to the next.
 * host_format.h has the format.
 *
 * The stream is untrusted, because a copy can come from anywhere, and can have another byte order.
 * A pass is used only if all of it is valid, and if there is memory for all of it. Until then the
 * last pass and the one before it are kept, so there are three.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "host_format.h"
#include "internal.h"

/* The largest pass that the library reads, in bytes: 100,000 vCPUs have about half of it. */
#define MAX_PASS	268435456u
#define READ_SIZE	65536u

/* The kernel returns EAGAIN if VMs ended meanwhile. After as many times, it is an error. */
#define MAX_TRIES	1000

/* The records and the samples are in the data of the pass. */
struct kvmstats_host_vcpu {
	const struct kvm_host_vcpu *record;
	struct kvmstats_sample now;
	const struct kvmstats_host_vcpu *before;	/* in the pass before, or NULL */
};

struct kvmstats_host_vm {
	const struct kvm_host_vm *record;
	struct kvmstats_sample now;
	const struct kvmstats_host_vm *before;
	struct kvmstats_host_vcpu *vcpu;	/* in the order of their IDs */
	size_t vcpus;
};

struct pass {
	char *data;			/* in this machine's byte order up to @end */
	size_t size;			/* of the memory */
	size_t used;			/* bytes read; 0: nothing, or the pass is complete */
	size_t end;			/* of the whole records */
	bool swapped;			/* the host has the other byte order */
	struct kvmstats_host_vm *vm;	/* in the order of their identities */
	size_t vms;
	size_t vm_capacity;
	struct kvmstats_host_vcpu *vcpu;	/* in the order of VMs */
	size_t vcpus;
	size_t vcpu_capacity;
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
	char *path;			/* opened for each pass; NULL: @fd has all passes */
	int fd;
	bool owns_fd;
	struct pass pass[3];
	struct pass *now, *before, *next;
	struct kvm_host_header header;	/* of @now */
	struct schemas schemas;
	struct entry *entry;		/* while a pass is taken */
	size_t entries;
	size_t capacity;
	size_t rest_size;
	/* What was read behind the last pass: part of a record's head, and what one read returns */
	char rest[sizeof(struct kvm_host_record) + READ_SIZE];
};

/* ---- byte order ---- */

static void swap(void *from, size_t count, size_t size)
{
	unsigned char *at = from;

	for (; count--; at += size) {
		size_t i;

		for (i = 0; i < size / 2; i++) {
			unsigned char byte = at[i];

			at[i] = at[size - 1 - i];
			at[size - 1 - i] = byte;
		}
	}
}

static void swap_record(struct kvm_host_record *record)
{
	swap(&record->type, 2, 2);
	swap(&record->size, 1, 4);
	swap(&record->vm, 1, 8);
}

static void swap_header(struct kvm_host_header *header)
{
	swap(&header->version, 8, 4);
	swap(&header->session, 5, 8);
}

static void swap_descs(const struct kvm_host_header *header)
{
	char *desc = (char *)header + header->desc_offset;
	size_t count = (size_t)header->vm_descs + header->vcpu_descs;

	for (; count--; desc += header->desc_size) {
		swap(desc + offsetof(struct kvm_stats_desc, flags), 1, 4);
		swap(desc + offsetof(struct kvm_stats_desc, exponent), 2, 2);
		swap(desc + offsetof(struct kvm_stats_desc, offset), 2, 4);
	}
}

/*
 * Gives what follows struct kvm_host_record this machine's byte order. Behind the members are
 * values, and what a later version adds, which is not used. Records that are too short are refused
 * later.
 */
static void swap_content(char *at)
{
	const struct kvm_host_record *record = (const void *)at;

	if (record->type == KVM_HOST_VM && record->size >= sizeof(struct kvm_host_vm)) {
		swap(at + offsetof(struct kvm_host_vm, time), 2, 8);
		swap(at + offsetof(struct kvm_host_vm, pid), 2, 4);
		swap(at + sizeof(struct kvm_host_vm),
		     (record->size - sizeof(struct kvm_host_vm)) / 8, 8);
	} else if (record->type == KVM_HOST_VCPU && record->size >= sizeof(struct kvm_host_vcpu)) {
		swap(at + offsetof(struct kvm_host_vcpu, time), 1, 8);
		swap(at + offsetof(struct kvm_host_vcpu, vcpu_id), 4, 4);
		swap(at + sizeof(struct kvm_host_vcpu),
		     (record->size - sizeof(struct kvm_host_vcpu)) / 8, 8);
	} else if (record->type == KVM_HOST_END) {
		swap(at + offsetof(struct kvm_host_end, monotonic), 2, 8);
		swap(at + offsetof(struct kvm_host_end, vms), 2, 4);
	}
}

/* ---- finding the end of a pass ---- */

static int check_header(const struct kvm_host_header *header)
{
	uint64_t descs = (uint64_t)header->vm_descs + header->vcpu_descs;

	if (header->version != KVM_HOST_VERSION)
		return -EPROTONOSUPPORT;
	if (header->desc_offset < sizeof(*header) || header->desc_offset > header->record.size ||
	    header->desc_size <= sizeof(struct kvm_stats_desc) ||
	    descs > (header->record.size - header->desc_offset) / header->desc_size)
		return -EPROTO;
	if (header->vm_values < sizeof(struct kvm_host_vm) || header->vm_values % 8 ||
	    header->vcpu_values < sizeof(struct kvm_host_vcpu) || header->vcpu_values % 8)
		return -EPROTO;
	return 0;
}

/* Checks the first record of a pass, and gives it this machine's byte order. */
static int take_header(struct pass *pass)
{
	struct kvm_host_header *header = (void *)pass->data;
	int err;

	if (pass->swapped)
		swap_header(header);
	err = check_header(header);
	if (!err && pass->swapped)
		swap_descs(header);
	return err;
}

static int check_record(const struct kvm_host_record *record, bool first)
{
	uint32_t min = sizeof(*record);

	if (first && (record->vm != KVM_HOST_MAGIC || record->type != KVM_HOST_HEADER))
		return -EPROTO;
	if (!first && record->type == KVM_HOST_HEADER)
		return record->vm == KVM_HOST_MAGIC ? -EAGAIN : -EPROTO;
	if (first)
		min = sizeof(struct kvm_host_header);
	else if (record->type == KVM_HOST_END)
		min = sizeof(struct kvm_host_end);
	if (record->size < min || record->size % 8 || record->size > KVMSTATS_MAX_BLOCK)
		return -EPROTO;
	return 0;
}

/*
 * Returns 1 at the end of the pass, 0 if more has to be read, or -errno. -EAGAIN: the next pass
 * begins before this one has ended.
 */
static int find_end(struct pass *pass)
{
	while (pass->used - pass->end >= sizeof(struct kvm_host_record)) {
		char *at = pass->data + pass->end;
		struct kvm_host_record record;
		int err;

		memcpy(&record, at, sizeof(record));
		if (!pass->end)
			pass->swapped = record.vm == __builtin_bswap64(KVM_HOST_MAGIC);
		if (pass->swapped)
			swap_record(&record);
		err = check_record(&record, !pass->end);
		if (err)
			return err;
		if (pass->used - pass->end < record.size)
			return 0;
		memcpy(at, &record, sizeof(record));
		if (!pass->end)
			err = take_header(pass);
		else if (pass->swapped)
			swap_content(at);
		if (err)
			return err;
		pass->end += record.size;
		if (record.type == KVM_HOST_END)
			return 1;
	}
	return 0;
}

/* ---- reading a pass ---- */

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	err = -errno;
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

static int make_space(struct pass *pass)
{
	size_t size = pass->size ? pass->size * 2 : 2 * READ_SIZE;
	char *data;

	if (pass->size - pass->used >= READ_SIZE)
		return 0;
	if (size > MAX_PASS)
		return -EOVERFLOW;
	data = realloc(pass->data, size);
	if (!data)
		return -ENOMEM;
	pass->data = data;
	pass->size = size;
	return 0;
}

/* Returns the number of bytes, 0 at the end of the file, or -errno. */
static ssize_t read_some(int fd, struct pass *pass)
{
	int tries, err = make_space(pass);

	for (tries = 0; !err && tries < MAX_TRIES; tries++) {
		ssize_t n = read(fd, pass->data + pass->used, READ_SIZE);

		if (n >= 0) {
			pass->used += n;
			return n;
		}
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
	return err ? err : -EAGAIN;
}

/* Begins with what was read behind the last pass. */
static int start_pass(struct kvmstats_host *host, struct pass *pass)
{
	int err = make_space(pass);

	if (err)
		return err;
	memcpy(pass->data, host->rest, host->rest_size);
	pass->used = host->rest_size;
	pass->end = 0;
	host->rest_size = 0;
	return 0;
}

/* If read() fails, the next call continues with this pass. */
static int read_pass(struct kvmstats_host *host, struct pass *pass)
{
	int found, err = pass->used ? 0 : start_pass(host, pass);

	while (!err && !(found = find_end(pass))) {
		ssize_t n = read_some(host->fd, pass);

		if (n < 0)
			return (int)n;
		if (!n) {
			err = pass->used || host->path ? -EAGAIN : -ENODATA;
			pass->used = 0;
		}
	}
	if (err)
		return err;
	if (found == 1 || found == -EAGAIN) {
		host->rest_size = pass->used - pass->end;
		memcpy(host->rest, pass->data + pass->end, host->rest_size);
	}
	pass->used = 0;
	return found < 0 ? found : 0;
}

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

/* Sets @schemas to those of the pass. They are the host's own if these have not changed. */
static int parse_schemas(const struct kvmstats_host *host, const struct kvm_host_header *header,
			 struct schemas *schemas)
{
	const char *vm = (const char *)header + header->desc_offset;
	const char *vcpu = vm + (size_t)header->vm_descs * header->desc_size;
	const struct kvmstats_schema *parsed;
	int err;

	*schemas = host->schemas;
	if (header->session == host->header.session &&
	    has_descs(schemas->of[KVMSTATS_KIND_VM], vm, header->vm_descs, header->desc_size) &&
	    has_descs(schemas->of[KVMSTATS_KIND_VCPU], vcpu, header->vcpu_descs, header->desc_size))
		return 0;
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

/* ---- listing and checking the records of a pass ---- */

/* Whether the record has all values of @schema, and numbers that a kernel can have. */
static int add_entry(struct kvmstats_host *host, const struct pass *pass, size_t at,
		     uint32_t offset, const struct kvmstats_schema *schema)
{
	const struct kvm_host_vcpu *vcpu = (const void *)(pass->data + at);
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

static int check_end(const struct kvm_host_end *end, const struct pass *pass)
{
	if (end->record.flags & KVM_HOST_STALE)
		return -ESTALE;
	if (end->record.flags & KVM_HOST_TRUNCATED)
		return -EOVERFLOW;
	return end->vms == pass->vms && end->vcpus == pass->vcpus ? 0 : -EPROTO;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
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
	const struct kvm_host_header *header = (const void *)pass->data;
	const struct kvm_host_record *record = &header->record;
	size_t at;
	int err = 0;

	host->entries = 0;
	pass->vms = 0;
	pass->vcpus = 0;
	for (at = record->size; !err && at < pass->end; at += record->size) {
		record = (const void *)(pass->data + at);
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
	if (!err)
		err = check_end((const void *)record, pass);
	if (!err && host->entries)
		qsort(host->entry, host->entries, sizeof(*host->entry), compare_entries);
	return err;
}

/* ---- the VMs and vCPUs of a pass ---- */

/* Returns @array with space for @count entries of @size bytes, or NULL. */
static void *reserve(void *array, size_t *capacity, size_t count, size_t size)
{
	if (array && count <= *capacity)
		return array;
	array = realloc(array, (count + 1) * size);
	if (array)
		*capacity = count;
	return array;
}

static int reserve_entries(struct pass *pass)
{
	struct kvmstats_host_vcpu *vcpu;
	struct kvmstats_host_vm *vm;

	vm = reserve(pass->vm, &pass->vm_capacity, pass->vms, sizeof(*vm));
	if (!vm)
		return -ENOMEM;
	pass->vm = vm;
	vcpu = reserve(pass->vcpu, &pass->vcpu_capacity, pass->vcpus, sizeof(*vcpu));
	if (!vcpu)
		return -ENOMEM;
	pass->vcpu = vcpu;
	return 0;
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
	const struct kvm_host_header *header = (const void *)pass->data;
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
	const struct kvm_host_header *header = (const void *)pass->data;
	struct kvmstats_host_vm *vm = NULL;
	size_t i, old_vm = 0, old_vcpu = 0;

	pass->vms = 0;
	pass->vcpus = 0;
	for (i = 0; i < host->entries; i++) {
		const struct entry *entry = &host->entry[i];
		const char *at = pass->data + entry->at;
		const struct kvm_host_vcpu *record = (const void *)at;

		if (i + 1 < host->entries && entry[1].vm == entry->vm && entry[1].key == entry->key)
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

static int take_pass(struct kvmstats_host *host, struct pass *pass)
{
	const struct kvm_host_header *header = (const void *)pass->data;
	struct schemas schemas;
	bool same;
	int err;

	err = parse_schemas(host, header, &schemas);
	if (err)
		return err;
	same = schemas.of[KVMSTATS_KIND_VM] == host->schemas.of[KVMSTATS_KIND_VM];
	err = list_entries(host, pass, &schemas);
	if (!err)
		err = reserve_entries(pass);
	if (err) {
		if (!same)
			free_schemas(&schemas);
		return err;
	}
	take_entries(host, pass, &schemas, same ? host->now : NULL);
	take_clocks(pass, &schemas);
	if (!same)
		free_schemas(&host->schemas);
	host->schemas = schemas;
	host->header = *header;
	advance(host);
	return 0;
}

int kvmstats_host_read(struct kvmstats_host *host)
{
	int err;

	if (host->path) {
		host->next->used = 0;
		host->rest_size = 0;
		host->fd = open_path(host->path);
		if (host->fd < 0)
			return host->fd;
	}
	err = read_pass(host, host->next);
	if (host->path)
		close(host->fd);
	return err ? err : take_pass(host, host->next);
}

/* ---- opening and closing ---- */

int kvmstats_host_open_fd(struct kvmstats_host **hostp, int fd)
{
	struct kvmstats_host *host = calloc(1, sizeof(*host));

	*hostp = host;
	if (!host)
		return -ENOMEM;
	host->fd = fd;
	host->now = &host->pass[0];
	host->before = &host->pass[1];
	host->next = &host->pass[2];
	return 0;
}

/* Sockets and BPF iterators have one pass. A copy, or a pipe, can have several. */
static bool has_one_pass(int fd)
{
	struct statfs fs;
	struct stat st;

	return !fstat(fd, &st) && (S_ISSOCK(st.st_mode) ||
				   (!fstatfs(fd, &fs) && (uint32_t)fs.f_type == BPF_FS_MAGIC));
}

/* Opens @path, or else the socket. Stores what it opened. */
static int open_published(const char **path)
{
	int fd, err = open_path(KVMSTATS_HOST_FILE);

	*path = KVMSTATS_HOST_FILE;
	if (err >= 0)
		return err;
	*path = KVMSTATS_HOST_SOCKET;
	fd = open_path(KVMSTATS_HOST_SOCKET);
	/* If neither works, report the file that exists. */
	return fd == -ENOENT ? err : fd;
}

int kvmstats_host_open(struct kvmstats_host **hostp, const char *path)
{
	struct kvmstats_host *host;
	int err, fd;

	*hostp = NULL;
	fd = path ? open_path(path) : open_published(&path);
	if (fd < 0)
		return fd;
	err = kvmstats_host_open_fd(&host, fd);
	if (!err && has_one_pass(fd)) {
		host->path = strdup(path);
		err = host->path ? 0 : -ENOMEM;
	} else if (!err) {
		host->owns_fd = true;
	}
	if (err || host->path)
		close(fd);
	if (err) {
		free(host);
		return err;
	}
	*hostp = host;
	return 0;
}

void kvmstats_host_close(struct kvmstats_host *host)
{
	size_t i;

	if (!host)
		return;
	if (host->owns_fd)
		close(host->fd);
	for (i = 0; i < ARRAY_SIZE(host->pass); i++) {
		free(host->pass[i].data);
		free(host->pass[i].vm);
		free(host->pass[i].vcpu);
	}
	free_schemas(&host->schemas);
	free(host->entry);
	free(host->path);
	free(host);
}

/* ---- what the last pass had ---- */

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
