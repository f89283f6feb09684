// SPDX-License-Identifier: GPL-2.0-only
/* Read statistics files while other threads use them, and check what the reads return. */
#define _GNU_SOURCE

#include "kvm_stats_checks.h"
#include "kvm_stats_open.h"

#include "races/races.h"

#define BEYOND		40	/* how far reads go beyond the end of the file */
#define VM_NUMBER	STATS_DESC_OFFSET	/* of an observer's file; differs between files */

/*
 * What all files of VMs, all files of vCPUs, or all files of observers have in common. Files of the
 * last kind have between 0 and RACES_VCPUS records, and grow until their VM ends. If the kernel
 * does not have such files, whole_model is a copy of the larger other model.
 */
struct model {
	struct stats_file file;
	size_t size;		/* of the largest file */
	size_t record_size;	/* 0 in files without records */
	size_t num;		/* number of words after the descriptors in the largest file */
	bool *never_falls;	/* for each of these words */
};

static struct model vm_model, vcpu_model, whole_model;

static size_t data_offset(const struct model *model)
{
	return model->file.header.data_offset;
}

static void mark_never_falls(bool *never_falls, const uint8_t *descs, uint32_t num)
{
	const struct kvm_stats_desc *desc;
	uint32_t i, j;

	for (i = 0; i < num; i++) {
		desc = (const void *)(descs + i * STATS_DESC_SIZE);
		for (j = 0; j < desc->size; j++)
			never_falls[desc->offset / sizeof(uint64_t) + j] =
				(desc->flags & KVM_STATS_TYPE_MASK) != KVM_STATS_TYPE_INSTANT;
	}
}

static void model_load(struct model *model, int fd)
{
	const struct kvm_stats_header *header = &model->file.header;

	must(stats_file_load(&model->file, fd));
	model->size = model->file.size;
	model->num = (model->size - data_offset(model)) / sizeof(uint64_t);
	model->never_falls = calloc(model->num, sizeof(*model->never_falls));
	mark_never_falls(model->never_falls, model->file.bytes + header->desc_offset,
			 header->num_desc);
}

/* The id of a vCPU, at the start of its record, does not fall either. */
static void mark_record(struct model *model, const struct kvm_stats_vcpus *vcpus, size_t i)
{
	size_t start = vcpus->records_offset + i * vcpus->record_size - data_offset(model);
	bool *never_falls = model->never_falls + start / sizeof(uint64_t);

	never_falls[0] = true;
	mark_never_falls(never_falls + vcpus->data_offset / sizeof(uint64_t),
			 model->file.bytes + vcpus->desc_offset, vcpus->num_desc);
}

static void whole_model_load(int vm)
{
	struct stats_vm_file file;
	struct model *model = &whole_model;
	size_t i;
	int fd;

	must(stats_open(vm, &fd));
	model_load(model, fd);
	must(stats_vm_file_load(&file, fd));
	close(fd);
	model->record_size = file.vcpus.record_size;
	model->size = file.vcpus.records_offset + RACES_VCPUS * model->record_size;
	model->num = (model->size - data_offset(model)) / sizeof(uint64_t);
	model->never_falls = realloc(model->never_falls, model->num);
	memset(model->never_falls + (file.vcpus.records_offset - data_offset(model)) /
	       sizeof(uint64_t), 0, RACES_VCPUS * model->record_size / sizeof(uint64_t));
	for (i = 0; i < RACES_VCPUS; i++)
		mark_record(model, &file.vcpus, i);
	stats_vm_file_free(&file);
}

void models_load(bool with_vcpus)
{
	int fds[STATS_NUM_FDS];

	must(stats_bare_vm(fds));
	model_load(&vm_model, fds[STATS_FD_VM_STATS]);
	model_load(&vcpu_model, fds[STATS_FD_VCPU_STATS]);
	if (with_vcpus)
		whole_model_load(fds[STATS_FD_VM]);
	else
		whole_model = vm_model.size > vcpu_model.size ? vm_model : vcpu_model;
	stats_close_fds(fds);
}

size_t models_largest(void)
{
	return whole_model.size + BEYOND;
}

/* ---- files that a thread holds ---- */

void held_close(struct held *held)
{
	if (held->fd >= 0 && close(held->fd))
		violation(ERRORS_ARE_RIGHT, "close of a statistics fd: %s", strerror(errno));
	free(held->last);
	*held = (struct held){ .fd = -1 };
}

static const struct model *model_of(const struct kvm_stats_header *header, const char *id)
{
	if (strchr(id, '/'))
		return &vcpu_model;
	return header->flags & KVM_STATS_HEADER_VCPUS ? &whole_model : &vm_model;
}

static bool id_is_ours(const char id[STATS_NAME_SIZE])
{
	char vm[STATS_NAME_SIZE];
	size_t len = snprintf(vm, sizeof(vm), "kvm-%d", getpid());

	return stats_text_is_padded(id, STATS_NAME_SIZE) && !strncmp(id, vm, len) &&
	       (!id[len] || !strncmp(id + len, "/vcpu-", 6));
}

/* Finds out by its header and id what the file contains. */
static bool held_identify(struct held *held)
{
	uint8_t start[STATS_HEADER_SIZE + STATS_NAME_SIZE];
	struct kvm_stats_header header;
	char *id = held->id;
	ssize_t got;

	if (held->model)
		return true;
	got = pread(held->fd, start, sizeof(start), 0);
	if (got != sizeof(start)) {
		/* The VM of an observer's file may have ended. */
		if (held->expected_id[0] || got >= 0 || errno != ENODEV)
			violation(SIZES_ARE_RIGHT, "a read of header and id returns %zd: %s",
				  got, strerror(errno));
		return false;
	}
	memcpy(&header, start, sizeof(header));
	memcpy(id, start + sizeof(header), STATS_NAME_SIZE);
	if (!id_is_ours(id) || (held->expected_id[0] && strcmp(id, held->expected_id)))
		violation(IDS_ARE_RIGHT, "the id is '%.47s', expected %s", id,
			  held->expected_id[0] ? held->expected_id : "one of this process");
	held->model = model_of(&header, id);
	held->last = calloc(held->model->num, sizeof(*held->last));
	return true;
}

/*
 * Intersects the @got bytes that were read at @at with the range from @start to @end. Returns
 * false if the intersection is empty.
 */
static bool intersect(size_t at, size_t got, size_t start, size_t end, size_t *from,
		      size_t *size)
{
	*from = at > start ? at : start;
	end = at + got < end ? at + got : end;
	*size = end > *from ? end - *from : 0;
	return *size;
}

static bool constants_equal(const uint8_t *buf, size_t at, size_t got,
			    const struct model *model, const char *id)
{
	const uint8_t *file = model->file.bytes;
	size_t from, size, descs = STATS_DESC_OFFSET;

	if (model->record_size)
		descs = VM_NUMBER + sizeof(uint64_t);
	if (intersect(at, got, 0, STATS_HEADER_SIZE, &from, &size) &&
	    memcmp(buf + from - at, file + from, size))
		return false;
	if (id && intersect(at, got, STATS_HEADER_SIZE, STATS_DESC_OFFSET, &from, &size) &&
	    memcmp(buf + from - at, id + from - STATS_HEADER_SIZE, size))
		return false;
	return !intersect(at, got, descs, data_offset(model), &from, &size) ||
	       !memcmp(buf + from - at, file + from, size);
}

static void check_value(struct held *held, size_t i, uint64_t value)
{
	if (held->model->never_falls[i] && value < held->last[i])
		violation(COUNTERS_NEVER_FALL, "value %zu of %s fell from %llu to %llu", i,
			  held->id, (unsigned long long)held->last[i],
			  (unsigned long long)value);
	held->last[i] = value;
}

/* Checks the values that were read completely. */
static void check_values(struct held *held, const uint8_t *buf, size_t at, size_t got)
{
	size_t data = data_offset(held->model), i;
	uint64_t value;

	for (i = 0; i < held->model->num; i++) {
		size_t offset = data + i * sizeof(value);

		if (offset < at || offset + sizeof(value) > at + got)
			continue;
		memcpy(&value, buf + offset - at, sizeof(value));
		check_value(held, i, value);
	}
}

/*
 * Can the file end at @end? The file has at least the records that were seen before. Remembers
 * how many it has.
 */
static bool ends_at(struct held *held, size_t end)
{
	const struct model *model = held->model;
	size_t left = model->size - end, records;

	if (!model->record_size || end > model->size)
		return end == model->size;
	records = RACES_VCPUS - left / model->record_size;
	if (left % model->record_size || left / model->record_size > RACES_VCPUS ||
	    records < held->records)
		return false;
	held->records = records;
	return true;
}

/* A read returns less than requested only at the end of the file. */
static bool size_is_right(struct held *held, size_t at, size_t len, size_t got)
{
	const struct model *model = held->model;
	size_t smallest = model->size - (RACES_VCPUS - held->records) * model->record_size;

	if (got == len)
		return !len || at + len <= model->size;
	return got < len && (got ? ends_at(held, at + got) : at >= smallest);
}

/* After its VM has ended, no read of an observer's file may succeed. */
static bool vm_has_ended(struct held *held)
{
	uint8_t byte;

	held->ended |= held->model->record_size && pread(held->fd, &byte, 1, 0) < 0 &&
		       errno == ENODEV;
	return held->ended;
}

/* The end of the VM can cut a read. */
static bool result_is_right(struct held *held, size_t at, size_t len, ssize_t got)
{
	if (got < 0)
		return errno == ENODEV && vm_has_ended(held);
	return !(held->ended && len) && (size_is_right(held, at, len, got) || vm_has_ended(held));
}

static void check_read(struct held *held, const uint8_t *buf, size_t at, size_t len,
		       ssize_t got)
{
	if (!result_is_right(held, at, len, got)) {
		violation(SIZES_ARE_RIGHT,
			  "a read of %zu bytes at %zu returns %zd (%s), the size is %zu or %u records less",
			  len, at, got, got < 0 ? strerror(errno) : "no error",
			  held->model->size, RACES_VCPUS - held->records);
		return;
	}
	if (got < 0)
		return;
	if (!constants_equal(buf, at, got, held->model, held->id))
		violation(CONSTANTS_NEVER_CHANGE, "header, id or descriptors of %s changed",
			  held->id);
	check_values(held, buf, at, got);
}

static size_t below(uint64_t *random, size_t limit)
{
	return random_next(random) % limit;
}

static void random_part(uint64_t *random, size_t size, size_t *at, size_t *len)
{
	*at = below(random, 3) ? below(random, size + BEYOND) : 0;
	*len = size + BEYOND - *at;
	if (!below(random, 2))
		*len = below(random, *len);
}

void held_read(struct held *held, uint64_t *random, uint8_t *buf)
{
	struct iovec piece[2];
	size_t at, len;
	ssize_t got;

	if (!held_identify(held)) {
		held_close(held);
		return;
	}
	random_part(random, held->model->size, &at, &len);
	piece[0] = (struct iovec){ .iov_base = buf, .iov_len = below(random, len + 1) };
	piece[1] = (struct iovec){ .iov_base = buf + piece[0].iov_len,
				   .iov_len = len - piece[0].iov_len };
	if (below(random, 2))
		got = pread(held->fd, buf, len, at);
	else
		got = preadv(held->fd, piece, 2, at);
	check_read(held, buf, at, len, got);
}

void shared_read(int fd, uint64_t *random, uint8_t *buf)
{
	size_t at, len;
	ssize_t got;

	random_part(random, whole_model.size, &at, &len);
	got = pread(fd, buf, len, at);
	if (got < 0) {
		if (errno != EBADF && errno != ESPIPE && errno != EINVAL && errno != ENODEV)
			violation(ERRORS_ARE_RIGHT,
				  "pread of a file that another thread may close: %s",
				  strerror(errno));
		return;
	}
	if ((size_t)got > len)
		violation(SIZES_ARE_RIGHT, "a pread of %zu bytes returns %zd", len, got);
	else if (!constants_equal(buf, at, got, &vm_model, NULL) &&
		 !constants_equal(buf, at, got, &vcpu_model, NULL) &&
		 !constants_equal(buf, at, got, &whole_model, NULL))
		violation(CONSTANTS_NEVER_CHANGE,
			  "%zd bytes at %zu are of no kind of statistics file", got, at);
}
