// SPDX-License-Identifier: GPL-2.0-only
/* Reads of statistics files while others do anything to them, and what is found. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "kvm_stats_checks.h"

#include "races.h"

#define BEYOND		40	/* how far reads go behind the end */

/* What all files of a kind have in common. */
struct model {
	struct stats_file file;
	size_t num;		/* of values */
	bool *never_falls;	/* by value */
};

static struct model vm_model, vcpu_model;

static size_t data_offset(const struct model *model)
{
	return model->file.header.data_offset;
}

static const char *model_load(struct model *model, int fd)
{
	const char *message = stats_file_load(&model->file, fd);
	const struct kvm_stats_desc *desc;
	uint32_t i, j;

	if (message)
		return message;
	model->num = (model->file.size - data_offset(model)) / sizeof(uint64_t);
	model->never_falls = calloc(model->num, sizeof(*model->never_falls));
	for (i = 0; (desc = stats_file_desc(&model->file, i)); i++) {
		uint32_t type = desc->flags & KVM_STATS_TYPE_MASK;

		for (j = 0; j < desc->size; j++)
			model->never_falls[desc->offset / sizeof(uint64_t) + j] =
				type != KVM_STATS_TYPE_INSTANT;
	}
	return NULL;
}

const char *models_load(void)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (!message)
		message = model_load(&vm_model, fds[STATS_FD_VM_STATS]);
	if (!message)
		message = model_load(&vcpu_model, fds[STATS_FD_VCPU_STATS]);
	stats_close_fds(fds);
	return message;
}

size_t models_largest(void)
{
	size_t vm = vm_model.file.size, vcpu = vcpu_model.file.size;

	return (vm > vcpu ? vm : vcpu) + BEYOND;
}

/* Files that a thread holds */

/* @id: what it must be, or NULL */
void held_open(struct held *held, int fd, const char *id)
{
	*held = (struct held){ .fd = fd, .id = id };
}

void held_close(struct held *held)
{
	if (held->fd >= 0 && close(held->fd))
		broken(ERRORS_FIT, "close of a statistics fd: %s", strerror(errno));
	free(held->last);
	held_open(held, -1, NULL);
}

static const struct model *model_of_id(const char *id)
{
	return strchr(id, '/') ? &vcpu_model : &vm_model;
}

static bool id_is_ours(const char id[STATS_NAME_SIZE])
{
	char vm[STATS_NAME_SIZE];
	size_t len = snprintf(vm, sizeof(vm), "kvm-%d", getpid());

	return stats_text_is_padded(id, STATS_NAME_SIZE) && !strncmp(id, vm, len) &&
	       (!id[len] || !strncmp(id + len, "/vcpu-", 6));
}

/* What kind of file it is, is known from its id. */
static bool held_identify(struct held *held)
{
	char *id = held->found_id;
	ssize_t got;

	if (held->model)
		return true;
	got = pread(held->fd, id, STATS_NAME_SIZE, STATS_HEADER_SIZE);
	if (got != STATS_NAME_SIZE) {
		/* By the number that it had, another file may have been found. */
		if (held->id || got >= 0 || (errno != EINVAL && errno != ESPIPE))
			broken(SIZES_FIT, "pread of the id gives %zd: %s", got,
			       strerror(errno));
		return false;
	}
	if (!id_is_ours(id) || (held->id && strcmp(id, held->id)))
		broken(IDS_FIT, "the id is '%.47s', expected %s", id,
		       held->id ? held->id : "one of this process");
	held->model = model_of_id(id);
	held->last = calloc(held->model->num, sizeof(*held->last));
	return true;
}

/* What of the @got bytes read at @at lies between @start and @end? */
static bool part_of(size_t at, size_t got, size_t start, size_t end, size_t *from,
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
	size_t from, size;

	if (part_of(at, got, 0, STATS_HEADER_SIZE, &from, &size) &&
	    memcmp(buf + from - at, file + from, size))
		return false;
	if (id && part_of(at, got, STATS_HEADER_SIZE, STATS_DESC_OFFSET, &from, &size) &&
	    memcmp(buf + from - at, id + from - STATS_HEADER_SIZE, size))
		return false;
	return !part_of(at, got, STATS_DESC_OFFSET, data_offset(model), &from, &size) ||
	       !memcmp(buf + from - at, file + from, size);
}

static void check_value(struct held *held, size_t i, uint64_t value)
{
	if (held->model->never_falls[i] && value < held->last[i])
		broken(COUNTERS_NEVER_FALL, "value %zu of %s fell from %llu to %llu", i,
		       held->found_id, (unsigned long long)held->last[i],
		       (unsigned long long)value);
	held->last[i] = value;
}

/* Those that were read whole. */
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

static void check_read(struct held *held, const uint8_t *buf, size_t at, size_t len,
		       ssize_t got)
{
	size_t size = held->model->file.size;
	size_t left = at < size ? size - at : 0;
	size_t expected = left < len ? left : len;

	if (got != (ssize_t)expected) {
		broken(SIZES_FIT, "a read of %zu at %zu gives %zd (%s), expected %zu",
		       len, at, got, got < 0 ? strerror(errno) : "no error", expected);
		return;
	}
	if (!constants_equal(buf, at, got, held->model, held->found_id))
		broken(CONSTANTS_STAY, "header, id or descriptors of %s changed",
		       held->found_id);
	check_values(held, buf, at, got);
}

static void random_part(struct racer *racer, size_t size, size_t *at, size_t *len)
{
	*at = below(racer, 3) ? below(racer, size + BEYOND) : 0;
	*len = below(racer, 2) ? size + BEYOND - *at : below(racer, size + BEYOND - *at);
}

static unsigned int split(struct racer *racer, struct iovec piece[2], size_t len)
{
	size_t first = below(racer, len + 1);

	piece[0] = (struct iovec){ .iov_base = racer->buf, .iov_len = first };
	piece[1] = (struct iovec){ .iov_base = racer->buf + first, .iov_len = len - first };
	return 2;
}

/* At a random place, or the whole of it. */
void held_read(struct racer *racer, struct held *held)
{
	struct iovec piece[2];
	size_t at, len;
	ssize_t got;

	if (!held_identify(held)) {
		held_close(held);
		return;
	}
	random_part(racer, held->model->file.size, &at, &len);
	if (below(racer, 2))
		got = pread(held->fd, racer->buf, len, at);
	else
		got = preadv(held->fd, piece, split(racer, piece, len), at);
	check_read(held, racer->buf, at, len, got);
}

static void held_seek(struct racer *racer, struct held *held)
{
	off_t to = below(racer, held->model->file.size + 1);
	off_t by = to, at;
	int whence = SEEK_SET;

	if (held->pos >= 0 && !below(racer, 2)) {
		whence = SEEK_CUR;
		by = to - held->pos;
	} else if (!below(racer, 2)) {
		whence = SEEK_END;
		by = to - (off_t)held->model->file.size;
	}
	at = lseek(held->fd, by, whence);
	if (at != to)
		broken(SIZES_FIT, "lseek to %lld gives %lld: %s", (long long)to,
		       (long long)at, strerror(errno));
	if (held->pos >= 0)
		held->pos = at;
}

/* By the file's position. */
void held_walk(struct racer *racer, struct held *held)
{
	struct iovec piece[2];
	size_t at, len;
	ssize_t got;

	if (!held->movable || !held_identify(held))
		return;
	if (!below(racer, 3)) {
		held_seek(racer, held);
		return;
	}
	random_part(racer, held->model->file.size, &at, &len);
	if (below(racer, 2))
		got = read(held->fd, racer->buf, len);
	else
		got = readv(held->fd, piece, split(racer, piece, len));
	if (held->pos >= 0) {
		check_read(held, racer->buf, held->pos, len, got);
		held->pos += got > 0 ? got : 0;
	} else if (got < 0 || (size_t)got > len) {
		broken(SIZES_FIT, "a read of %zu gives %zd: %s", len, got,
		       strerror(errno));
	}
}

/* The number may be that of no file by now, of any of ours, or become it midway. */
void anyone_read(struct racer *racer, int fd)
{
	size_t at, len;
	ssize_t got;

	random_part(racer, vcpu_model.file.size, &at, &len);
	got = pread(fd, racer->buf, len, at);
	if (got < 0) {
		if (errno != EBADF && errno != ESPIPE && errno != EINVAL)
			broken(ERRORS_FIT, "pread of a file that others close: %s",
			       strerror(errno));
		return;
	}
	if ((size_t)got > len)
		broken(SIZES_FIT, "a pread of %zu gives %zd", len, got);
	else if (!constants_equal(racer->buf, at, got, &vm_model, NULL) &&
		 !constants_equal(racer->buf, at, got, &vcpu_model, NULL))
		broken(CONSTANTS_STAY, "%zd bytes at %zu are neither a VM's nor a vCPU's",
		       got, at);
}
