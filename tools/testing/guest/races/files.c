// SPDX-License-Identifier: GPL-2.0-only
/* Read statistics files while other threads use them, and check what the reads return. */
#define _GNU_SOURCE
#include <poll.h>

#include "kvm_stats_checks.h"
#include "kvm_stats_open.h"

#include "races/races.h"

#define BEYOND		40	/* how far reads go beyond the end of the file */
#define VM_NUMBER	STATS_DESC_OFFSET	/* of a file with vCPUs; differs between VMs */

/*
 * What all files of VMs, all files of vCPUs, or all files of VMs with their vCPUs have in
 * common. Files of the last kind have between 0 and RACES_VCPUS records, and grow. If the kernel
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

static const char *model_load(struct model *model, int fd)
{
	const char *message = stats_file_load(&model->file, fd);
	const struct kvm_stats_header *header = &model->file.header;

	if (message)
		return message;
	model->size = model->file.size;
	model->num = (model->size - data_offset(model)) / sizeof(uint64_t);
	model->never_falls = calloc(model->num, sizeof(*model->never_falls));
	mark_never_falls(model->never_falls, model->file.bytes + header->desc_offset,
			 header->num_desc);
	return NULL;
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

static const char *whole_model_load(int vm)
{
	struct stats_vm_file file;
	struct model *model = &whole_model;
	const char *message;
	size_t i;
	int fd;

	message = stats_open(vm, 0, &fd);
	if (message)
		return message;
	message = model_load(model, fd);
	if (!message)
		message = stats_vm_file_load(&file, fd);
	close(fd);
	if (message)
		return message;
	model->record_size = file.vcpus.record_size;
	model->size = file.vcpus.records_offset + RACES_VCPUS * model->record_size;
	model->num = (model->size - data_offset(model)) / sizeof(uint64_t);
	model->never_falls = realloc(model->never_falls, model->num);
	memset(model->never_falls + (file.vcpus.records_offset - data_offset(model)) /
	       sizeof(uint64_t), 0, RACES_VCPUS * model->record_size / sizeof(uint64_t));
	for (i = 0; i < RACES_VCPUS; i++)
		mark_record(model, &file.vcpus, i);
	stats_vm_file_free(&file);
	return NULL;
}

/* @with_vcpus: the kernel has files of VMs with their vCPUs. */
const char *models_load(bool with_vcpus)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (!message)
		message = model_load(&vm_model, fds[STATS_FD_VM_STATS]);
	if (!message)
		message = model_load(&vcpu_model, fds[STATS_FD_VCPU_STATS]);
	if (!message && with_vcpus)
		message = whole_model_load(fds[STATS_FD_VM]);
	else if (!message)
		whole_model = vm_model.size > vcpu_model.size ? vm_model : vcpu_model;
	stats_close_fds(fds);
	return message;
}

size_t models_largest(void)
{
	return whole_model.size + BEYOND;
}

/* ---- files that a thread holds ---- */

/* @id is the id that the file must have, or NULL if it is not known. */
void held_open(struct held *held, int fd, const char *id)
{
	*held = (struct held){ .fd = fd, .expected_id = id };
}

void held_close(struct held *held)
{
	if (held->fd >= 0 && close(held->fd))
		violation(ERRORS_ARE_RIGHT, "close of a statistics fd: %s", strerror(errno));
	free(held->last);
	held_open(held, -1, NULL);
}

/* A file with vCPUs does not hold its VM. */
static bool has_ended(const struct held *held)
{
	struct pollfd poll_fd = { .fd = held->fd };

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents == POLLHUP &&
	       (!held->model || held->model->record_size);
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
	struct kvm_stats_header header;
	const struct iovec parts[] = {
		{ .iov_base = &header, .iov_len = STATS_HEADER_SIZE },
		{ .iov_base = held->id, .iov_len = STATS_NAME_SIZE },
	};
	char *id = held->id;
	ssize_t got;

	if (held->model)
		return true;
	got = preadv(held->fd, parts, ARRAY_SIZE(parts), 0);
	if (got != STATS_HEADER_SIZE + STATS_NAME_SIZE) {
		/* dup_any() may have duplicated another file that got the number of a closed fd. */
		if (!has_ended(held) &&
		    (held->expected_id || got >= 0 || (errno != EINVAL && errno != ESPIPE)))
			violation(SIZES_ARE_RIGHT, "a read of header and id returns %zd: %s",
				  got, strerror(errno));
		return false;
	}
	if (!id_is_ours(id) || (held->expected_id && strcmp(id, held->expected_id)))
		violation(IDS_ARE_RIGHT, "the id is '%.47s', expected %s", id,
			  held->expected_id ? held->expected_id : "one of this process");
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

/* The end of the VM can cut a read. */
static bool is_cut(const struct held *held, size_t len, ssize_t got, int err)
{
	return (got < 0 ? err == ENODEV : (size_t)got <= len) && has_ended(held);
}

static void check_read(struct held *held, const uint8_t *buf, size_t at, size_t len,
		       ssize_t got)
{
	int err = errno;

	if ((got < 0 || !size_is_right(held, at, len, got)) && !is_cut(held, len, got, err)) {
		violation(SIZES_ARE_RIGHT,
			  "a read of %zu bytes at %zu returns %zd (%s), the size is %zu or %u records less",
			  len, at, got, got < 0 ? strerror(err) : "no error",
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

static void random_part(struct racer *racer, size_t size, size_t *at, size_t *len)
{
	*at = random_below(racer, 3) ? random_below(racer, size + BEYOND) : 0;
	*len = size + BEYOND - *at;
	if (!random_below(racer, 2))
		*len = random_below(racer, *len);
}

static unsigned int split(struct racer *racer, struct iovec piece[2], size_t len)
{
	size_t first = random_below(racer, len + 1);

	piece[0] = (struct iovec){ .iov_base = racer->buf, .iov_len = first };
	piece[1] = (struct iovec){ .iov_base = racer->buf + first, .iov_len = len - first };
	return 2;
}

/* Reads a random part of the file, or all of it. */
void held_read(struct racer *racer, struct held *held)
{
	struct iovec piece[2];
	size_t at, len;
	ssize_t got;

	if (!held_identify(held)) {
		held_close(held);
		return;
	}
	random_part(racer, held->model->size, &at, &len);
	if (random_below(racer, 2))
		got = pread(held->fd, racer->buf, len, at);
	else
		got = preadv(held->fd, piece, split(racer, piece, len), at);
	check_read(held, racer->buf, at, len, got);
}

static void seek_from_end(struct held *held, off_t by)
{
	off_t at = lseek(held->fd, by, SEEK_END);

	if (at < 0 ? !has_ended(held) : !ends_at(held, at - by))
		violation(SIZES_ARE_RIGHT, "lseek to %lld from the end returns %lld: %s",
			  (long long)by, (long long)at, strerror(errno));
	if (held->pos >= 0)
		held->pos = at;
}

static void held_seek(struct racer *racer, struct held *held)
{
	off_t to = random_below(racer, vm_model.size + 1);
	off_t by = to, at;
	int whence = SEEK_SET;

	if (held->pos >= 0 && !random_below(racer, 2)) {
		whence = SEEK_CUR;
		by = to - held->pos;
	} else if (!random_below(racer, 2)) {
		seek_from_end(held, -to);
		return;
	}
	at = lseek(held->fd, by, whence);
	if (at != to)
		violation(SIZES_ARE_RIGHT, "lseek to %lld returns %lld: %s", (long long)to,
			  (long long)at, strerror(errno));
	if (held->pos >= 0)
		held->pos = at;
}

/* Moves the file position, or reads from there. */
void held_read_on(struct racer *racer, struct held *held)
{
	struct iovec piece[2];
	size_t at, len;
	ssize_t got;

	if (!held->movable || !held_identify(held))
		return;
	if (!random_below(racer, 3)) {
		held_seek(racer, held);
		return;
	}
	random_part(racer, held->model->size, &at, &len);
	if (random_below(racer, 2))
		got = read(held->fd, racer->buf, len);
	else
		got = readv(held->fd, piece, split(racer, piece, len));
	if (held->pos >= 0) {
		check_read(held, racer->buf, held->pos, len, got);
		held->pos += got > 0 ? got : 0;
	} else if (got < 0 ? !has_ended(held) : (size_t)got > len) {
		violation(SIZES_ARE_RIGHT, "a read of %zu bytes returns %zd: %s", len, got,
			  strerror(errno));
	}
}

/*
 * Reads from an fd that other threads may close. Before or during the call, its number may
 * become unused or that of any other file of this process.
 */
void shared_read(struct racer *racer, int fd)
{
	size_t at, len;
	ssize_t got;

	random_part(racer, whole_model.size, &at, &len);
	got = pread(fd, racer->buf, len, at);
	if (got < 0) {
		if (errno != EBADF && errno != ESPIPE && errno != EINVAL && errno != ENODEV)
			violation(ERRORS_ARE_RIGHT,
				  "pread of a file that another thread may close: %s",
				  strerror(errno));
		return;
	}
	if ((size_t)got > len)
		violation(SIZES_ARE_RIGHT, "a pread of %zu bytes returns %zd", len, got);
	else if (!constants_equal(racer->buf, at, got, &vm_model, NULL) &&
		 !constants_equal(racer->buf, at, got, &vcpu_model, NULL) &&
		 !constants_equal(racer->buf, at, got, &whole_model, NULL))
		violation(CONSTANTS_NEVER_CHANGE,
			  "%zd bytes at %zu are of no kind of statistics file", got, at);
}
