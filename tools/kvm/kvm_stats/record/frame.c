// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "basics.h"
#include "record/frame.h"

/* Above this level, the frames of a host with 200 vCPUs hardly get smaller. */
#define LEVEL		3

/* Of the window, in bits: a reader needs this much memory. */
#define WINDOW		21
#define MAX_WINDOW	23

/* The largest sample that is read, in bytes. It is far larger than that of any host. */
#define MAX_SAMPLE	268435456u

/* A line before each sample: its time, its size in bytes, and the CRC-32 of all this. */
#define HEAD		"sample %" PRIu64 ".%09u %zu"
#define HEAD_SIZE	80
#define SUM		" %08lx\n"
#define SUM_SIZE	10

/* ---- writing ---- */

struct frame_writer {
	ZSTD_CCtx *context;
	unsigned int samples;
	struct sample before;
	struct bytes content;
	struct bytes out;
};

struct frame_writer *frame_writer_new(void)
{
	struct frame_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->context = ZSTD_createCCtx();
	if (!writer->context) {
		free(writer);
		return NULL;
	}
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_windowLog, WINDOW);
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_checksumFlag, 1);
	return writer;
}

void frame_writer_free(struct frame_writer *writer)
{
	if (!writer)
		return;
	ZSTD_freeCCtx(writer->context);
	sample_free(&writer->before);
	bytes_free(&writer->content);
	bytes_free(&writer->out);
	free(writer);
}

void frame_writer_reset(struct frame_writer *writer)
{
	ZSTD_CCtx_reset(writer->context, ZSTD_reset_session_only);
	writer->samples = 0;
}

unsigned int frame_writer_samples(const struct frame_writer *writer)
{
	return writer->samples;
}

/* Compresses what is in @content. */
static const void *pack(struct frame_writer *writer, ZSTD_EndDirective directive, size_t *size)
{
	ZSTD_inBuffer in = { .src = writer->content.data, .size = writer->content.size };
	size_t left;

	writer->out.size = 0;
	writer->out.failed = false;
	do {
		size_t space = ZSTD_CStreamOutSize();
		ZSTD_outBuffer out = {
			.dst = bytes_extend(&writer->out, space), .size = space,
		};

		left = out.dst ? ZSTD_compressStream2(writer->context, &out, &in, directive) : 0;
		if (!out.dst || ZSTD_isError(left)) {
			frame_writer_reset(writer);
			return NULL;
		}
		writer->out.size -= space - out.pos;
	} while (left);
	*size = writer->out.size;
	return writer->out.data;
}

/* Writes the line of a sample to @head. Returns its length. */
static int put_head(char *head, uint64_t time, const struct bytes *body)
{
	int len = sprintf(head, HEAD, time / SECOND, (unsigned int)(time % SECOND), body->size);
	uLong sum = crc32_z(0, (const Bytef *)head, (z_size_t)len);

	sum = crc32_z(sum, (const Bytef *)body->data, body->size);
	return len + sprintf(head + len, SUM, sum);
}

static void copy_bytes(struct bytes *to, const struct bytes *from)
{
	to->size = 0;
	to->failed = false;
	bytes_add(to, from->data, from->size);
}

static bool copy_sample(struct sample *to, const struct sample *from)
{
	to->time = from->time;
	copy_bytes(&to->objects, &from->objects);
	copy_bytes(&to->text, &from->text);
	copy_bytes(&to->value, &from->value);
	copy_bytes(&to->index, &from->index);
	return !sample_failed(to);
}

const void *frame_writer_add(struct frame_writer *writer, const struct sample *sample,
			     size_t *size)
{
	struct bytes *content = &writer->content, body = { 0 };
	char head[HEAD_SIZE];
	const void *out;

	sample_encode(&body, sample, writer->samples ? &writer->before : NULL);
	content->size = 0;
	content->failed = false;
	bytes_add(content, head, (size_t)put_head(head, sample->time, &body));
	bytes_add(content, body.data, body.size);
	if (body.failed || content->failed || !copy_sample(&writer->before, sample))
		frame_writer_reset(writer);
	else
		writer->samples++;
	bytes_free(&body);
	out = writer->samples ? pack(writer, ZSTD_e_flush, size) : NULL;
	return out;
}

const void *frame_writer_end(struct frame_writer *writer, size_t *size)
{
	const void *out;

	*size = 0;
	writer->content.size = 0;
	out = writer->samples ? pack(writer, ZSTD_e_end, size) : "";
	frame_writer_reset(writer);
	return out;
}

/* ---- reading ---- */

struct frame_reader {
	ZSTD_DCtx *context;
	int fd;
	off_t at;			/* of what is read next */
	size_t available;		/* in the buffer */
	ZSTD_inBuffer in;		/* of this, what zstd needs for the next step */
	struct bytes content;		/* decompressed */
	size_t used;			/* of it */
	size_t wanted;			/* what ZSTD_decompressStream() has returned */
	off_t sample_end;		/* what was read when the last sample was complete */
	struct sample sample[2];
	unsigned int samples;
	char buffer[65536];
};

struct frame_reader *frame_reader_new(void)
{
	struct frame_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->context = ZSTD_createDCtx();
	if (!reader->context) {
		free(reader);
		return NULL;
	}
	ZSTD_DCtx_setParameter(reader->context, ZSTD_d_windowLogMax, MAX_WINDOW);
	return reader;
}

void frame_reader_free(struct frame_reader *reader)
{
	if (!reader)
		return;
	ZSTD_freeDCtx(reader->context);
	bytes_free(&reader->content);
	sample_free(&reader->sample[0]);
	sample_free(&reader->sample[1]);
	free(reader);
}

void frame_reader_start(struct frame_reader *reader, int fd, off_t offset)
{
	ZSTD_DCtx_reset(reader->context, ZSTD_reset_session_only);
	reader->fd = fd;
	reader->at = offset;
	reader->in = (ZSTD_inBuffer){ .src = reader->buffer };
	reader->available = 0;
	reader->content.size = 0;
	reader->content.failed = false;
	reader->used = 0;
	reader->wanted = 1;
	reader->sample_end = -1;
	reader->samples = 0;
}

const struct sample *frame_reader_sample(const struct frame_reader *reader)
{
	return &reader->sample[reader->samples % 2];
}

off_t frame_reader_end(const struct frame_reader *reader)
{
	return reader->at - (off_t)(reader->available - reader->in.pos);
}

/*
 * The file can end after a block that ended a sample. There may be nothing between them: after a
 * power cut, a file can end with zeros, which are empty blocks for zstd.
 */
static enum frame_state read_input(struct frame_reader *reader)
{
	ssize_t n = pread(reader->fd, reader->buffer, sizeof(reader->buffer), reader->at);

	if (n > 0) {
		reader->at += n;
		reader->available = (size_t)n;
		reader->in.pos = 0;
		return FRAME_SAMPLE;
	}
	return !n && reader->wanted == 3 && frame_reader_end(reader) == reader->sample_end ?
	       FRAME_UNFINISHED : FRAME_DAMAGED;
}

/* Makes the first @size bytes of what follows available at content.data + used. */
static enum frame_state unpack(struct frame_reader *reader, size_t size)
{
	struct bytes *content = &reader->content;

	if (reader->used) {
		content->size -= reader->used;
		memmove(content->data, content->data + reader->used, content->size);
		reader->used = 0;
	}
	while (content->size < size) {
		size_t space = ZSTD_DStreamOutSize();
		ZSTD_outBuffer out = { .size = space };
		enum frame_state state = FRAME_SAMPLE;

		if (!reader->wanted)
			return content->size ? FRAME_DAMAGED : FRAME_END;
		/* Not more, so that it stops after each block. */
		reader->in.size = reader->in.pos + reader->wanted;
		if (reader->in.size > reader->available)
			reader->in.size = reader->available;
		out.dst = bytes_extend(content, space);
		if (!out.dst)
			return FRAME_DAMAGED;
		reader->wanted = ZSTD_decompressStream(reader->context, &out, &reader->in);
		content->size -= space - out.pos;
		if (ZSTD_isError(reader->wanted))
			return FRAME_DAMAGED;
		if (!out.pos && reader->wanted && reader->in.pos == reader->available)
			state = read_input(reader);
		if (state != FRAME_SAMPLE)
			return state;
	}
	return FRAME_SAMPLE;
}

/* Parses the line of a sample. Returns its length, or 0. */
static size_t parse_head(const char *text, uint64_t *time, size_t *size, uLong *sum)
{
	uint64_t seconds;
	char copy[HEAD_SIZE];
	unsigned int ns;
	size_t len = strcspn(text, "\n") + 1;

	if (sscanf(text, HEAD " %8lx", &seconds, &ns, size, sum) != 4 ||
	    seconds > UINT64_MAX / SECOND - 1 || ns >= SECOND || *size > MAX_SAMPLE)
		return 0;
	*time = seconds * SECOND + ns;
	/* There is one way to write it. */
	snprintf(copy, sizeof(copy), HEAD SUM, seconds, ns, *size, *sum);
	return strncmp(text, copy, len) ? 0 : len;
}

/* Reads the line of the next sample. */
static enum frame_state next_head(struct frame_reader *reader, uint64_t *time, size_t *size,
				  uLong *sum, size_t *len)
{
	static const char sample[] = "sample ";
	enum frame_state state = FRAME_SAMPLE;
	char head[HEAD_SIZE] = "";
	size_t n;

	for (n = 1; n < HEAD_SIZE && state == FRAME_SAMPLE; n++) {
		state = unpack(reader, n);
		if (state != FRAME_SAMPLE)
			return n > 1 ? FRAME_DAMAGED : state;
		head[n - 1] = reader->content.data[n - 1];
		if (n < sizeof(sample) && head[n - 1] != sample[n - 1])
			return FRAME_DAMAGED;
		if (head[n - 1] == '\n')
			break;
	}
	*len = parse_head(head, time, size, sum);
	return *len ? FRAME_SAMPLE : FRAME_DAMAGED;
}

static bool has_sum(const char *head, size_t len, size_t size, uLong sum)
{
	uLong found = crc32_z(0, (const Bytef *)head, len - SUM_SIZE);

	return crc32_z(found, (const Bytef *)head + len, size) == sum;
}

enum frame_state frame_reader_next(struct frame_reader *reader)
{
	const struct sample *before = reader->samples ? frame_reader_sample(reader) : NULL;
	struct sample *sample = &reader->sample[(reader->samples + 1) % 2];
	size_t size, len;
	uint64_t time;
	uLong sum;
	enum frame_state state = next_head(reader, &time, &size, &sum, &len);

	if (state == FRAME_SAMPLE && unpack(reader, len + size) != FRAME_SAMPLE)
		return FRAME_DAMAGED;
	if (state != FRAME_SAMPLE)
		return state;
	if (!has_sum(reader->content.data, len, size, sum) ||
	    !sample_decode(sample, before, reader->content.data + len, size))
		return FRAME_DAMAGED;
	reader->used = len + size;
	reader->sample_end = frame_reader_end(reader);
	sample->time = time;
	reader->samples++;
	return FRAME_SAMPLE;
}

bool frame_reader_peek(struct frame_reader *reader, int fd, off_t offset, uint64_t *time)
{
	size_t size, len;
	uLong sum;

	frame_reader_start(reader, fd, offset);
	return next_head(reader, time, &size, &sum, &len) == FRAME_SAMPLE;
}

/* ---- the frames of a file ---- */

#define MAGIC	"\x28\xb5\x2f\xfd"

/* Returns the size of the header of the frame, or 0 if none begins here. */
static size_t header_size(int fd, off_t offset, bool *has_checksum)
{
	static const unsigned char dictionary[] = { 0, 1, 2, 4 }, content[] = { 0, 2, 4, 8 };
	unsigned char byte[5], flags;

	if (pread(fd, byte, sizeof(byte), offset) != sizeof(byte) || memcmp(byte, MAGIC, 4))
		return 0;
	flags = byte[4];
	*has_checksum = flags & 4;
	/* A frame of a single segment has no descriptor of its window, but the size. */
	return sizeof(byte) + !(flags & 32) + dictionary[flags & 3] + content[flags >> 6] +
	       (flags >> 5 == 1);
}

/* Each block begins with three bytes: whether it is the last one, its type, and its size. */
off_t frame_end(int fd, off_t offset)
{
	bool has_checksum = false, last = false;
	off_t size = lseek(fd, 0, SEEK_END);
	size_t header = header_size(fd, offset, &has_checksum);

	if (!header)
		return -1;
	for (offset += (off_t)header; !last; ) {
		unsigned char byte[3];
		unsigned int block;

		if (pread(fd, byte, sizeof(byte), offset) != sizeof(byte))
			return -1;
		block = byte[0] | byte[1] << 8 | byte[2] << 16;
		last = block & 1;
		/* A block of type 1 is one byte that is repeated. */
		offset += 3 + ((block >> 1 & 3) == 1 ? 1 : block >> 3);
	}
	offset += has_checksum ? 4 : 0;
	return offset <= size ? offset : -1;
}

off_t frame_find(int fd, off_t offset)
{
	char buffer[65536];
	ssize_t n;

	for (; (n = pread(fd, buffer, sizeof(buffer), offset)) >= 4; offset += n - 3) {
		const char *found = memmem(buffer, (size_t)n, MAGIC, 4);

		if (found)
			return offset + (found - buffer);
	}
	return -1;
}
