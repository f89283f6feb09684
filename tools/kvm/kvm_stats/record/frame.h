/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples in frames of zstd. The first sample of a frame is whole, each other one the difference to
 * the one before. Each sample can be read once it is written: the frame has no end until the
 * next one begins. kvm-stats-record(1) describes the format.
 */
#ifndef RECORD_FRAME_H
#define RECORD_FRAME_H

#include "record/sample.h"

/* ---- writing ---- */

/*
 * How many samples a frame has. If it is damaged, up to so many are lost. With 16 of them, a
 * recording is 7 % larger.
 */
#define FRAME_SAMPLES	60

struct frame_writer;

/* Returns NULL if memory is exhausted. */
struct frame_writer *frame_writer_new(void);
void frame_writer_free(struct frame_writer *writer);

/*
 * Returns the bytes to append for the sample, valid until the next call, and their number, or NULL
 * if memory is exhausted. If they cannot be written, call frame_writer_reset().
 */
const void *frame_writer_add(struct frame_writer *writer, const struct sample *sample,
			     size_t *size);

/* Returns the bytes that end the frame, as above. The next sample begins another one. */
const void *frame_writer_end(struct frame_writer *writer, size_t *size);

/* The next sample begins a frame. */
void frame_writer_reset(struct frame_writer *writer);

/* ---- reading ---- */

struct frame_reader;

struct frame_reader *frame_reader_new(void);
void frame_reader_free(struct frame_reader *reader);

/* Begins to read a frame. @data has all that the file has from it on, and must stay valid. */
void frame_reader_start(struct frame_reader *reader, const void *data, size_t size);

enum frame_state {
	FRAME_SAMPLE,		/* frame_reader_sample() is the next one */
	FRAME_END,		/* of the frame, or of the file after a sample */
	FRAME_DAMAGED,		/* the rest of the frame cannot be read */
};

enum frame_state frame_reader_next(struct frame_reader *reader);

/* Returns how many bytes of the data were read. */
size_t frame_reader_used(const struct frame_reader *reader);

/* Valid until the next call of frame_reader_next(). */
const struct sample *frame_reader_sample(const struct frame_reader *reader);

/* Reads the time of the first sample of a frame. Returns false if it is damaged. */
bool frame_reader_peek(struct frame_reader *reader, const void *data, size_t size, uint64_t *time);

/* Returns where in the data the next bytes are with which a frame begins, or NULL. */
const char *frame_find(const char *data, size_t size);

/* Returns the size of the frame at @data, without reading what is in it, or 0 if it has no end. */
size_t frame_size(const char *data, size_t size);

#endif /* RECORD_FRAME_H */
