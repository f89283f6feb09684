// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "basics.h"
#include "record/frame.h"

/* Above this level, a sample of a host with 200 vCPUs costs more than 2 ms of CPU time. */
#define LEVEL		6

/* Of the window, in bits: a reader needs this much memory. */
#define WINDOW		21
#define MAX_WINDOW	23

/*
 * A line before each sample: its time, its size in bytes, and the CRC-32 of all this and of the
 * samples before it in the frame, because damage can make zstd repeat one of these. zstd has a
 * checksum, too, but at the end of the frame, after the samples were used.
 */
#define HEAD		"sample %11" PRIu64 ".%09u %9zu"
#define SUM		" %08lx\n"
#define SUM_SIZE	10
#define HEAD_SIZE	(7 + 11 + 10 + 10 + SUM_SIZE)

/* ---- writing ---- */

struct frame_writer {
	ZSTD_CCtx *context;
	unsigned int samples;
	uLong sum;			/* of the last sample */
	struct bytes before;		/* its pass */
	struct bytes content;
	struct bytes out;
};

struct frame_writer *frame_writer_new(void)
{
	struct frame_writer *writer = calloc(1, sizeof(*writer));

	if (writer)
		writer->context = ZSTD_createCCtx();
	if (!writer || !writer->context) {
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
	bytes_free(&writer->before);
	bytes_free(&writer->content);
	bytes_free(&writer->out);
	free(writer);
}

void frame_writer_reset(struct frame_writer *writer)
{
	ZSTD_CCtx_reset(writer->context, ZSTD_reset_session_only);
	bytes_clear(&writer->before);
	writer->samples = 0;
	writer->sum = 0;
}

/* Adds to @out what zstd makes of @content. */
static bool pack(struct frame_writer *writer, ZSTD_EndDirective directive)
{
	ZSTD_inBuffer in = { .src = writer->content.data, .size = writer->content.size };
	size_t left = 0, space = ZSTD_CStreamOutSize();

	do {
		ZSTD_outBuffer out = {
			.dst = bytes_extend(&writer->out, space), .size = space,
		};

		if (out.dst)
			left = ZSTD_compressStream2(writer->context, &out, &in, directive);
		if (!out.dst || ZSTD_isError(left)) {
			frame_writer_reset(writer);
			return false;
		}
		writer->out.size -= space - out.pos;
	} while (left);
	return true;
}

static bool end_frame(struct frame_writer *writer)
{
	bool good;

	bytes_clear(&writer->content);
	good = !writer->samples || pack(writer, ZSTD_e_end);
	frame_writer_reset(writer);
	return good;
}

/* Sets the content to the line of the sample, and its bytes. */
static bool set_content(struct frame_writer *writer, const struct sample *sample)
{
	struct bytes *content = &writer->content;
	char head[HEAD_SIZE + 1];
	size_t size;

	bytes_clear(content);
	bytes_extend(content, HEAD_SIZE);
	sample_encode(content, sample, &writer->before);
	if (content->failed)
		return false;
	size = content->size - HEAD_SIZE;
	sprintf(head, HEAD, sample->time / SECOND, (unsigned int)(sample->time % SECOND), size);
	writer->sum = crc32_z(writer->sum, (const Bytef *)head, HEAD_SIZE - SUM_SIZE);
	writer->sum = crc32_z(writer->sum, (const Bytef *)content->data + HEAD_SIZE, size);
	sprintf(head + HEAD_SIZE - SUM_SIZE, SUM, writer->sum);
	memcpy(content->data, head, HEAD_SIZE);
	bytes_clear(&writer->before);
	bytes_add(&writer->before, sample->pass.data, sample->pass.size);
	return !writer->before.failed && size <= MAX_SAMPLE;
}

const void *frame_writer_add(struct frame_writer *writer, const struct sample *sample,
			     size_t *size)
{
	bytes_clear(&writer->out);
	if (writer->samples >= FRAME_SAMPLES && !end_frame(writer))
		return NULL;
	if (!set_content(writer, sample) || !pack(writer, ZSTD_e_flush)) {
		frame_writer_reset(writer);
		return NULL;
	}
	writer->samples++;
	*size = writer->out.size;
	return writer->out.data;
}

const void *frame_writer_end(struct frame_writer *writer, size_t *size)
{
	bool good;

	bytes_clear(&writer->out);
	good = end_frame(writer);
	*size = writer->out.size;
	return good ? writer->out.data : NULL;
}

/* ---- reading ---- */

struct frame_reader {
	ZSTD_DCtx *context;
	ZSTD_inBuffer in;		/* its size: up to what zstd needs for the next step */
	size_t size;			/* of all data */
	struct bytes content;		/* decompressed */
	size_t used;			/* of it */
	size_t wanted;			/* what ZSTD_decompressStream() has returned */
	size_t sample_end;		/* what was read when the last sample was complete */
	struct sample sample[2];
	unsigned int samples;
	uLong sum;			/* of the last one */
};

struct frame_reader *frame_reader_new(void)
{
	struct frame_reader *reader = calloc(1, sizeof(*reader));

	if (reader)
		reader->context = ZSTD_createDCtx();
	if (!reader || !reader->context) {
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

void frame_reader_start(struct frame_reader *reader, const void *data, size_t size)
{
	ZSTD_DCtx_reset(reader->context, ZSTD_reset_session_only);
	reader->in = (ZSTD_inBuffer){ .src = data };
	reader->size = size;
	bytes_clear(&reader->content);
	reader->used = 0;
	reader->wanted = 1;
	reader->sample_end = SIZE_MAX;
	reader->samples = 0;
	reader->sum = 0;
}

const struct sample *frame_reader_sample(const struct frame_reader *reader)
{
	return &reader->sample[reader->samples % 2];
}

size_t frame_reader_used(const struct frame_reader *reader)
{
	return reader->in.pos;
}

/*
 * The file can end after a block that ended a sample. There may be nothing between them: after a
 * power cut, a file can end with zeros, which are empty blocks for zstd.
 */
static bool is_cut_well(const struct frame_reader *reader)
{
	return reader->wanted == 3 && reader->in.pos == reader->sample_end;
}

/* Makes the first @size bytes of what follows available at content.data + used. */
static enum frame_state unpack(struct frame_reader *reader, size_t size)
{
	struct bytes *content = &reader->content;
	size_t space = ZSTD_DStreamOutSize();

	if (reader->used) {
		content->size -= reader->used;
		memmove(content->data, content->data + reader->used, content->size);
		reader->used = 0;
	}
	while (content->size < size) {
		ZSTD_outBuffer out = { .size = space };
		size_t left = reader->size - reader->in.pos;

		if (!reader->wanted)
			return content->size ? FRAME_DAMAGED : FRAME_END;
		/* Not more, so that it stops after each block. */
		reader->in.size = reader->in.pos + (reader->wanted < left ? reader->wanted : left);
		out.dst = bytes_extend(content, space);
		if (!out.dst)
			return FRAME_DAMAGED;
		reader->wanted = ZSTD_decompressStream(reader->context, &out, &reader->in);
		content->size -= space - out.pos;
		if (ZSTD_isError(reader->wanted))
			return FRAME_DAMAGED;
		if (!out.pos && reader->wanted && reader->in.pos == reader->size)
			return is_cut_well(reader) ? FRAME_END : FRAME_DAMAGED;
	}
	return FRAME_SAMPLE;
}

/* Reads the line of the next sample. */
static enum frame_state next_head(struct frame_reader *reader, uint64_t *time, size_t *size,
				  uLong *sum)
{
	enum frame_state state = unpack(reader, HEAD_SIZE);
	char head[HEAD_SIZE + 1] = "";
	unsigned int ns;
	uint64_t seconds;

	if (state != FRAME_SAMPLE)
		return state;
	memcpy(head, reader->content.data, HEAD_SIZE);
	if (sscanf(head, HEAD " %8lx", &seconds, &ns, size, sum) != 4 ||
	    seconds > UINT64_MAX / SECOND - 1 || ns >= SECOND || *size > MAX_SAMPLE)
		return FRAME_DAMAGED;
	*time = seconds * SECOND + ns;
	return FRAME_SAMPLE;
}

enum frame_state frame_reader_next(struct frame_reader *reader)
{
	static const struct bytes none;
	const struct bytes *before = reader->samples ? &frame_reader_sample(reader)->pass : &none;
	struct sample *sample = &reader->sample[(reader->samples + 1) % 2];
	const unsigned char *content;
	enum frame_state state;
	uLong sum, found;
	uint64_t time;
	size_t size;

	state = next_head(reader, &time, &size, &sum);
	if (state != FRAME_SAMPLE)
		return state;
	if (unpack(reader, HEAD_SIZE + size) != FRAME_SAMPLE)
		return FRAME_DAMAGED;
	content = (const unsigned char *)reader->content.data;
	found = crc32_z(reader->sum, content, HEAD_SIZE - SUM_SIZE);
	if (crc32_z(found, content + HEAD_SIZE, size) != sum ||
	    !sample_decode(sample, before, content + HEAD_SIZE, size))
		return FRAME_DAMAGED;
	reader->used = HEAD_SIZE + size;
	reader->sample_end = reader->in.pos;
	reader->sum = sum;
	sample->time = time;
	reader->samples++;
	return FRAME_SAMPLE;
}

bool frame_reader_peek(struct frame_reader *reader, const void *data, size_t size, uint64_t *time)
{
	size_t sample_size;
	uLong sum;

	frame_reader_start(reader, data, size);
	return next_head(reader, time, &sample_size, &sum) == FRAME_SAMPLE;
}

/* ---- the frames of a file ---- */

const char *frame_find(const char *data, size_t size)
{
	return memmem(data, size, "\x28\xb5\x2f\xfd", 4);
}

size_t frame_size(const char *data, size_t size)
{
	size_t found = ZSTD_findFrameCompressedSize(data, size);

	return ZSTD_isError(found) ? 0 : found;
}
