// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Reads the host file: checks a pass, and follows the VMs and vCPUs from one pass to the next.
 * host_format.h has the format.
 *
 * The stream is untrusted, because a copy can come from anywhere, and can have another byte order.
 * A pass is used only if all of it is valid.
 */
#include <endian.h>
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

/* The kernel returns EAGAIN if VMs ended while it read them. This many times in a row is an error. */
#define MAX_TRIES	1000

struct kvmstats_host_vcpu {
	uint32_t id;
	uint32_t tid;
	uint64_t pass;			/* the last one that had it */
	uint64_t time;			/* of the values, CLOCK_MONOTONIC of the host */
	struct kvmstats_sample *now, *before;
};

struct kvmstats_host_vm {
	uint64_t id;
	uint64_t pass;
	uint64_t start_time;
	uint32_t pid;
	bool orphan;
	struct kvmstats_sample *now, *before;
	struct kvmstats_host_vcpu **vcpu;	/* in the order of their IDs */
	size_t vcpus;
	size_t capacity;
};

struct kvmstats_host {
	char *path;			/* opened for each pass; NULL: @fd has all passes */
	int fd;
	bool owns_fd;
	char *data;			/* the pass, and behind it what was read of the next one */
	size_t size;
	size_t used;			/* bytes in @data */
	size_t end;			/* of the pass in @data */
	bool swapped;			/* the host has the other byte order */
	struct kvm_host_header header;	/* of the last good pass, in this machine's byte order */
	char *descs;			/* of the same; in this machine's byte order */
	struct kvmstats_schema *schema[2];	/* by enum kvmstats_kind */
	uint64_t *values;		/* of one record, in this machine's byte order */
	uint64_t passes;
	int64_t clock_offset;		/* scheduler's clock minus CLOCK_MONOTONIC, or a bit less */
	struct kvmstats_host_vm **vm;	/* in the order of their IDs */
	size_t vms;
	size_t capacity;
};

/* ---- byte order ---- */

static uint16_t get16(const struct kvmstats_host *host, uint16_t value)
{
	return host->swapped ? __builtin_bswap16(value) : value;
}

static uint32_t get32(const struct kvmstats_host *host, uint32_t value)
{
	return host->swapped ? __builtin_bswap32(value) : value;
}

static uint64_t get64(const struct kvmstats_host *host, uint64_t value)
{
	return host->swapped ? __builtin_bswap64(value) : value;
}

static struct kvm_host_record get_record(const struct kvmstats_host *host, const char *at)
{
	struct kvm_host_record record;

	memcpy(&record, at, sizeof(record));
	record.type = get16(host, record.type);
	record.flags = get16(host, record.flags);
	record.size = get32(host, record.size);
	record.vm = get64(host, record.vm);
	return record;
}

static struct kvm_host_header get_header(const struct kvmstats_host *host)
{
	struct kvm_host_header header;
	uint32_t *number = &header.version;

	memcpy(&header, host->data, sizeof(header));
	header.record = get_record(host, host->data);
	for (; number <= &header.reserved; number++)
		*number = get32(host, *number);
	header.session = get64(host, header.session);
	header.instance = get64(host, header.instance);
	header.monotonic = get64(host, header.monotonic);
	header.boottime = get64(host, header.boottime);
	header.arrival = get64(host, header.arrival);
	return header;
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

static int make_space(struct kvmstats_host *host)
{
	size_t size = host->size ? host->size * 2 : 2 * READ_SIZE;
	char *data;

	if (host->size - host->used >= READ_SIZE)
		return 0;
	if (size > MAX_PASS)
		return -EOVERFLOW;
	data = realloc(host->data, size);
	if (!data)
		return -ENOMEM;
	host->data = data;
	host->size = size;
	return 0;
}

/* Returns the number of bytes, 0 at the end of the file, or -errno. */
static ssize_t read_some(struct kvmstats_host *host)
{
	int tries, err = make_space(host);

	for (tries = 0; !err && tries < MAX_TRIES; tries++) {
		ssize_t n = read(host->fd, host->data + host->used, READ_SIZE);

		if (n >= 0) {
			host->used += n;
			return n;
		}
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
	return err ? err : -EAGAIN;
}

/* Finds out the byte order. Returns 0 or -EPROTO. */
static int check_magic(struct kvmstats_host *host)
{
	struct kvm_host_record record;

	memcpy(&record, host->data, sizeof(record));
	host->swapped = record.vm == __builtin_bswap64(KVM_HOST_MAGIC);
	record = get_record(host, host->data);
	if (record.vm != KVM_HOST_MAGIC || record.type != KVM_HOST_HEADER)
		return -EPROTO;
	return record.size < sizeof(struct kvm_host_header) ? -EPROTO : 0;
}

/* Finds the end of the pass. Returns 1, 0 if more has to be read, or -EPROTO. */
static int find_end(struct kvmstats_host *host)
{
	while (host->used - host->end >= sizeof(struct kvm_host_record)) {
		struct kvm_host_record record;

		if (!host->end && check_magic(host))
			return -EPROTO;
		record = get_record(host, host->data + host->end);
		if (record.size < sizeof(record) || record.size % 8 ||
		    record.size > KVMSTATS_MAX_BLOCK || (record.type == KVM_HOST_HEADER && host->end))
			return -EPROTO;
		if (host->used - host->end < record.size)
			return 0;
		host->end += record.size;
		if (record.type == KVM_HOST_END)
			return record.size < sizeof(struct kvm_host_end) ? -EPROTO : 1;
	}
	return 0;
}

static int read_pass(struct kvmstats_host *host)
{
	int found;

	host->used -= host->end;
	if (host->used)
		memmove(host->data, host->data + host->end, host->used);
	host->end = 0;
	for (;;) {
		ssize_t n;

		found = find_end(host);
		if (found)
			return found < 0 ? found : 0;
		n = read_some(host);
		if (n < 0)
			return (int)n;
		if (!n)
			return host->used ? -EAGAIN : -ENODATA;
	}
}

/* ---- checking a pass ---- */

static int check_header(const struct kvm_host_header *header)
{
	uint64_t descs = (uint64_t)header->vm_descs + header->vcpu_descs;

	if (header->version != KVM_HOST_VERSION)
		return -EPROTONOSUPPORT;
	if (header->desc_size <= sizeof(struct kvm_stats_desc) || header->desc_size > 4096)
		return -EPROTO;
	if (header->desc_offset < sizeof(*header) || header->desc_offset > header->record.size ||
	    descs * header->desc_size > header->record.size - header->desc_offset)
		return -EPROTO;
	if (header->vm_values < sizeof(struct kvm_host_vm) || header->vm_values % 8 ||
	    header->vcpu_values < sizeof(struct kvm_host_vcpu) || header->vcpu_values % 8)
		return -EPROTO;
	return 0;
}

/* Whether the record of a VM or vCPU, if it is one, has all of its values. */
static bool has_values(const struct kvm_host_record *record, uint32_t offset,
		       const struct kvmstats_schema *schema)
{
	return record->size >= offset && record->size - offset >= schema->data_size;
}

/* Checks all records behind the header, before anything is changed. */
static int check_records(const struct kvmstats_host *host, const struct kvm_host_header *header,
			 struct kvmstats_schema * const *schema)
{
	struct kvm_host_end end;
	uint32_t vms = 0, vcpus = 0;
	size_t at = header->record.size, last = 0;

	while (at < host->end) {
		struct kvm_host_record record = get_record(host, host->data + at);

		if (record.type == KVM_HOST_VM) {
			vms++;
			if (!has_values(&record, header->vm_values, schema[KVMSTATS_KIND_VM]))
				return -EPROTO;
		} else if (record.type == KVM_HOST_VCPU) {
			vcpus++;
			if (!has_values(&record, header->vcpu_values, schema[KVMSTATS_KIND_VCPU]))
				return -EPROTO;
		}
		last = at;
		at += record.size;
	}
	memcpy(&end, host->data + last, sizeof(end));
	end.record = get_record(host, host->data + last);
	if (end.record.flags & KVM_HOST_STALE)
		return -ESTALE;
	if (end.record.flags & KVM_HOST_TRUNCATED)
		return -EAGAIN;
	return get32(host, end.vms) == vms && get32(host, end.vcpus) == vcpus ? 0 : -EPROTO;
}

/* ---- descriptors ---- */

/* Returns the descriptors in this machine's byte order, or NULL if memory is exhausted. */
static char *copy_descs(const struct kvmstats_host *host, const struct kvm_host_header *header)
{
	size_t count = (size_t)header->vm_descs + header->vcpu_descs, i;
	char *descs = malloc(count * header->desc_size + 1);

	if (!descs)
		return NULL;
	memcpy(descs, host->data + header->desc_offset, count * header->desc_size);
	for (i = 0; i < count; i++) {
		struct kvm_stats_desc desc;

		memcpy(&desc, descs + i * header->desc_size, sizeof(desc));
		desc.flags = get32(host, desc.flags);
		desc.exponent = (int16_t)get16(host, (uint16_t)desc.exponent);
		desc.size = get16(host, desc.size);
		desc.offset = get32(host, desc.offset);
		desc.bucket_size = get32(host, desc.bucket_size);
		memcpy(descs + i * header->desc_size, &desc, sizeof(desc));
	}
	return descs;
}

static bool same_descs(const struct kvmstats_host *host, const struct kvm_host_header *header,
		       const char *descs)
{
	return host->descs && host->header.session == header->session &&
	       host->header.vm_descs == header->vm_descs &&
	       host->header.vcpu_descs == header->vcpu_descs &&
	       host->header.desc_size == header->desc_size &&
	       !memcmp(host->descs, descs,
		       ((size_t)header->vm_descs + header->vcpu_descs) * header->desc_size);
}

static void free_schemas(struct kvmstats_schema **schema)
{
	kvmstats_schema_free(schema[KVMSTATS_KIND_VM]);
	kvmstats_schema_free(schema[KVMSTATS_KIND_VCPU]);
	schema[KVMSTATS_KIND_VM] = NULL;
	schema[KVMSTATS_KIND_VCPU] = NULL;
}

static int parse_schemas(const struct kvm_host_header *header, const char *descs,
			 struct kvmstats_schema **schema)
{
	int err = kvmstats_schema_parse(&schema[KVMSTATS_KIND_VM], descs, header->vm_descs,
					header->desc_size);

	if (!err)
		err = kvmstats_schema_parse(&schema[KVMSTATS_KIND_VCPU],
					    descs + (size_t)header->vm_descs * header->desc_size,
					    header->vcpu_descs, header->desc_size);
	if (err)
		free_schemas(schema);
	return err;
}

/* ---- VMs and vCPUs ---- */

static void free_vcpu(struct kvmstats_host_vcpu *vcpu)
{
	kvmstats_sample_free(vcpu->now);
	kvmstats_sample_free(vcpu->before);
	free(vcpu);
}

static void free_vm(struct kvmstats_host_vm *vm)
{
	size_t i;

	for (i = 0; i < vm->vcpus; i++)
		free_vcpu(vm->vcpu[i]);
	kvmstats_sample_free(vm->now);
	kvmstats_sample_free(vm->before);
	free(vm->vcpu);
	free(vm);
}

static void free_vms(struct kvmstats_host *host)
{
	size_t i;

	for (i = 0; i < host->vms; i++)
		free_vm(host->vm[i]);
	host->vms = 0;
}

/* Copies the values of a record, of @schema. The last sample becomes the one before, once a pass. */
static int set_sample(struct kvmstats_host *host, const struct kvmstats_schema *schema,
		      struct kvmstats_sample **now, struct kvmstats_sample **before, bool first,
		      const char *values, uint64_t time)
{
	size_t count = schema->data_size / sizeof(uint64_t), i;

	if (first) {
		struct kvmstats_sample *oldest = *before;

		*before = *now;
		*now = oldest;
	}
	if (!*now && kvmstats_sample_new(now, schema))
		return -ENOMEM;
	memcpy(host->values, values, schema->data_size);
	for (i = 0; host->swapped && i < count; i++)
		host->values[i] = __builtin_bswap64(host->values[i]);
	return kvmstats_sample_set(*now, host->values, count, time ? time : 1);
}

/* Returns where a VM with this ID is or would be. */
static size_t vm_index(const struct kvmstats_host *host, uint64_t id)
{
	size_t low = 0, high = host->vms;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (host->vm[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the VM with this ID, which is new if it was not known, or NULL if memory is exhausted. */
static struct kvmstats_host_vm *get_vm(struct kvmstats_host *host, uint64_t id)
{
	size_t i = vm_index(host, id);
	struct kvmstats_host_vm *vm, **grown;

	if (i < host->vms && host->vm[i]->id == id)
		return host->vm[i];
	grown = array_grow(host->vm, host->vms, &host->capacity, sizeof(*host->vm));
	if (!grown)
		return NULL;
	host->vm = grown;
	vm = calloc(1, sizeof(*vm));
	if (!vm)
		return NULL;
	vm->id = id;
	memmove(&host->vm[i + 1], &host->vm[i], (host->vms - i) * sizeof(*host->vm));
	host->vm[i] = vm;
	host->vms++;
	return vm;
}

static size_t vcpu_index(const struct kvmstats_host_vm *vm, uint32_t id)
{
	size_t low = 0, high = vm->vcpus;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (vm->vcpu[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct kvmstats_host_vcpu *get_vcpu(struct kvmstats_host_vm *vm, uint32_t id)
{
	size_t i = vcpu_index(vm, id);
	struct kvmstats_host_vcpu *vcpu, **grown;

	if (i < vm->vcpus && vm->vcpu[i]->id == id)
		return vm->vcpu[i];
	grown = array_grow(vm->vcpu, vm->vcpus, &vm->capacity, sizeof(*vm->vcpu));
	if (!grown)
		return NULL;
	vm->vcpu = grown;
	vcpu = calloc(1, sizeof(*vcpu));
	if (!vcpu)
		return NULL;
	vcpu->id = id;
	memmove(&vm->vcpu[i + 1], &vm->vcpu[i], (vm->vcpus - i) * sizeof(*vm->vcpu));
	vm->vcpu[i] = vcpu;
	vm->vcpus++;
	return vcpu;
}

/* ---- taking a pass ---- */

static int take_vm(struct kvmstats_host *host, const char *at)
{
	struct kvm_host_record record = get_record(host, at);
	struct kvmstats_host_vm *vm = get_vm(host, record.vm);
	struct kvm_host_vm from;
	bool first;

	if (!vm)
		return -ENOMEM;
	memcpy(&from, at, sizeof(from));
	first = vm->pass != host->passes;
	vm->pass = host->passes;
	vm->pid = get32(host, from.pid);
	vm->start_time = get64(host, from.start_time);
	vm->orphan = record.flags & KVM_HOST_ORPHAN;
	return set_sample(host, host->schema[KVMSTATS_KIND_VM], &vm->now, &vm->before, first,
			  at + host->header.vm_values, get64(host, from.time));
}

static void learn_clock(struct kvmstats_host *host, uint64_t scheduler, uint64_t monotonic)
{
	int64_t offset = (int64_t)(scheduler - monotonic);

	if (scheduler && offset > host->clock_offset)
		host->clock_offset = offset;
}

static bool vcpu_value(const struct kvmstats_host *host, const struct kvmstats_host_vcpu *vcpu,
		       const char *name, uint64_t *value)
{
	const struct kvmstats_stat *stat;

	stat = kvmstats_schema_find(host->schema[KVMSTATS_KIND_VCPU], name);
	return stat && !kvmstats_sample_value(vcpu->now, stat, 0, value);
}

/* The vCPU's VM can have its record behind it. */
static int take_vcpu(struct kvmstats_host *host, const char *at)
{
	struct kvmstats_host_vm *vm = get_vm(host, get_record(host, at).vm);
	struct kvmstats_host_vcpu *vcpu;
	struct kvm_host_vcpu from;
	uint64_t clock;
	bool first;
	int err;

	memcpy(&from, at, sizeof(from));
	vcpu = vm ? get_vcpu(vm, get32(host, from.vcpu_id)) : NULL;
	if (!vcpu)
		return -ENOMEM;
	first = vcpu->pass != host->passes;
	vcpu->pass = host->passes;
	vcpu->tid = get32(host, from.tid);
	vcpu->time = get64(host, from.time);
	err = set_sample(host, host->schema[KVMSTATS_KIND_VCPU], &vcpu->now, &vcpu->before, first,
			 at + host->header.vcpu_values, vcpu->time);
	if (!err && vcpu_value(host, vcpu, "thread_rq_clock_ns", &clock))
		learn_clock(host, clock, vcpu->time);
	if (!err && vcpu_value(host, vcpu, "thread_last_arrival_ns", &clock))
		learn_clock(host, clock, vcpu->time);
	return err;
}

/* Removes vCPUs that the pass does not have. One without its VM is not complete. */
static void remove_vcpus(struct kvmstats_host_vm *vm, uint64_t pass)
{
	size_t kept = 0, i;

	for (i = 0; i < vm->vcpus; i++) {
		if (vm->vcpu[i]->pass == pass)
			vm->vcpu[kept++] = vm->vcpu[i];
		else
			free_vcpu(vm->vcpu[i]);
	}
	vm->vcpus = kept;
}

static void remove_vms(struct kvmstats_host *host)
{
	size_t kept = 0, i;

	for (i = 0; i < host->vms; i++) {
		struct kvmstats_host_vm *vm = host->vm[i];

		if (vm->pass == host->passes) {
			remove_vcpus(vm, host->passes);
			host->vm[kept++] = vm;
		} else {
			free_vm(vm);
		}
	}
	host->vms = kept;
}

static int take_records(struct kvmstats_host *host)
{
	size_t at = host->header.record.size;
	int err = 0;

	host->passes++;
	host->clock_offset = INT64_MIN;
	learn_clock(host, host->header.arrival, host->header.monotonic);
	while (!err && at < host->end) {
		struct kvm_host_record record = get_record(host, host->data + at);

		if (record.type == KVM_HOST_VM)
			err = take_vm(host, host->data + at);
		else if (record.type == KVM_HOST_VCPU)
			err = take_vcpu(host, host->data + at);
		at += record.size;
	}
	remove_vms(host);
	return err;
}

/* Takes other descriptors, or another session. All VMs are new then. Owns @descs and the schemas. */
static int change_schemas(struct kvmstats_host *host, char *descs, struct kvmstats_schema **schema)
{
	size_t size = schema[KVMSTATS_KIND_VM]->data_size;
	uint64_t *values;

	if (schema[KVMSTATS_KIND_VCPU]->data_size > size)
		size = schema[KVMSTATS_KIND_VCPU]->data_size;
	values = realloc(host->values, size + 1);
	if (!values) {
		free_schemas(schema);
		free(descs);
		return -ENOMEM;
	}
	free_vms(host);
	free_schemas(host->schema);
	free(host->descs);
	host->values = values;
	host->descs = descs;
	memcpy(host->schema, schema, sizeof(host->schema));
	return 0;
}

static int take_pass(struct kvmstats_host *host)
{
	struct kvm_host_header header = get_header(host);
	struct kvmstats_schema *new_schema[2] = { NULL, NULL };
	char *descs;
	bool same;
	int err;

	err = check_header(&header);
	if (err)
		return err;
	descs = copy_descs(host, &header);
	if (!descs)
		return -ENOMEM;
	same = same_descs(host, &header, descs);
	if (!same)
		err = parse_schemas(&header, descs, new_schema);
	if (!err)
		err = check_records(host, &header, same ? host->schema : new_schema);
	if (err || same) {
		free(descs);
		free_schemas(new_schema);
	} else {
		err = change_schemas(host, descs, new_schema);
	}
	if (err)
		return err;
	host->header = header;
	return take_records(host);
}

int kvmstats_host_read(struct kvmstats_host *host)
{
	int err;

	if (host->path) {
		host->used = 0;
		host->end = 0;
		host->fd = open_path(host->path);
		if (host->fd < 0)
			return host->fd;
	}
	err = read_pass(host);
	if (host->path)
		close(host->fd);
	return err ? err : take_pass(host);
}

/* ---- opening and closing ---- */

int kvmstats_host_open_fd(struct kvmstats_host **hostp, int fd)
{
	struct kvmstats_host *host = calloc(1, sizeof(*host));

	*hostp = host;
	if (!host)
		return -ENOMEM;
	host->fd = fd;
	return 0;
}

/* Sockets and BPF iterators have one pass. A copy, or a pipe, can have several. */
static bool has_one_pass(int fd)
{
	struct statfs fs;
	struct stat st;

	return !fstat(fd, &st) && (S_ISSOCK(st.st_mode) ||
				   (!fstatfs(fd, &fs) && fs.f_type == BPF_FS_MAGIC));
}

static bool may_read(const char *path)
{
	int fd = open_path(path);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int kvmstats_host_open(struct kvmstats_host **hostp, const char *path)
{
	struct kvmstats_host *host;
	int err, fd;

	*hostp = NULL;
	if (!path)
		path = may_read(KVMSTATS_HOST_FILE) ? KVMSTATS_HOST_FILE : KVMSTATS_HOST_SOCKET;
	fd = open_path(path);
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
	if (!host)
		return;
	if (host->owns_fd)
		close(host->fd);
	free_vms(host);
	free_schemas(host->schema);
	free(host->vm);
	free(host->descs);
	free(host->values);
	free(host->data);
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
	return host->schema[kind];
}

size_t kvmstats_host_vms(const struct kvmstats_host *host)
{
	return host->vms;
}

const struct kvmstats_host_vm *kvmstats_host_vm(const struct kvmstats_host *host, size_t i)
{
	return i < host->vms ? host->vm[i] : NULL;
}

uint64_t kvmstats_host_vm_id(const struct kvmstats_host_vm *vm)
{
	return vm->id;
}

pid_t kvmstats_host_vm_pid(const struct kvmstats_host_vm *vm)
{
	return (pid_t)vm->pid;
}

uint64_t kvmstats_host_vm_start_time(const struct kvmstats_host_vm *vm)
{
	return vm->start_time;
}

int kvmstats_host_vm_is_orphan(const struct kvmstats_host_vm *vm)
{
	return vm->orphan;
}

const struct kvmstats_sample *kvmstats_host_vm_now(const struct kvmstats_host_vm *vm)
{
	return vm->now;
}

const struct kvmstats_sample *kvmstats_host_vm_before(const struct kvmstats_host_vm *vm)
{
	return vm->before;
}

size_t kvmstats_host_vm_vcpus(const struct kvmstats_host_vm *vm)
{
	return vm->vcpus;
}

const struct kvmstats_host_vcpu *kvmstats_host_vm_vcpu(const struct kvmstats_host_vm *vm, size_t i)
{
	return i < vm->vcpus ? vm->vcpu[i] : NULL;
}

int kvmstats_host_vcpu_id(const struct kvmstats_host_vcpu *vcpu)
{
	return (int)vcpu->id;
}

pid_t kvmstats_host_vcpu_tid(const struct kvmstats_host_vcpu *vcpu)
{
	return (pid_t)vcpu->tid;
}

const struct kvmstats_sample *kvmstats_host_vcpu_now(const struct kvmstats_host_vcpu *vcpu)
{
	return vcpu->now;
}

const struct kvmstats_sample *kvmstats_host_vcpu_before(const struct kvmstats_host_vcpu *vcpu)
{
	return vcpu->before;
}

/*
 * The scheduler's clock is that of the run queue, of which the file has old values. The difference
 * to CLOCK_MONOTONIC is at least as large as in each of them, so the wait is at most too short.
 */
uint64_t kvmstats_host_vcpu_waiting(const struct kvmstats_host *host,
				    const struct kvmstats_host_vcpu *vcpu)
{
	uint64_t queued;
	int64_t waiting;

	if (host->clock_offset == INT64_MIN ||
	    !vcpu_value(host, vcpu, "thread_last_queued_ns", &queued) || !queued)
		return 0;
	waiting = (int64_t)(vcpu->time + (uint64_t)host->clock_offset - queued);
	return waiting > 0 ? (uint64_t)waiting : 1;
}
