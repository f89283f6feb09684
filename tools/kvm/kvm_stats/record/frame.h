/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples in frames of zstd. The first sample of a frame is whole, each other one the difference to
 * the one before. Each sample can be read once it is written: the frame has no end until the
 * next one begins. kvm-stats-record(1) describes the format.
 */
#ifndef RECORD_FRAME_H
#define RECORD_FRAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/sample.h"

/* ---- writing ---- */

/*
 * How many samples a frame has. If it is damaged, up to so many are lost. With 16 of them, a
 * recording is a fifth larger.
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

/* Returns the number of samples since the frame began. */
unsigned int frame_writer_samples(const struct frame_writer *writer);

/* Returns the bytes that end the frame, as above. The next sample begins another one. */
const void *frame_writer_end(struct frame_writer *writer, size_t *size);

/* The next sample begins a frame. */
void frame_writer_reset(struct frame_writer *writer);

/* ---- reading ---- */

struct frame_reader;

struct frame_reader *frame_reader_new(void);
void frame_reader_free(struct frame_reader *reader);

/* Begins to read the frame at @offset. @fd must stay open. */
void frame_reader_start(struct frame_reader *reader, int fd, off_t offset);

enum frame_state {
	FRAME_SAMPLE,		/* frame_reader_sample() is the next one */
	FRAME_END,
	FRAME_UNFINISHED,	/* the file ends after the last sample */
	FRAME_DAMAGED,		/* the rest of the frame cannot be read */
};

enum frame_state frame_reader_next(struct frame_reader *reader);

/* After FRAME_END, returns where the frame ends. */
off_t frame_reader_end(const struct frame_reader *reader);

/* Valid until the next call of frame_reader_next(). */
const struct sample *frame_reader_sample(const struct frame_reader *reader);

/* Reads the time of the first sample in the frame at @offset. Returns false if it is damaged. */
bool frame_reader_peek(struct frame_reader *reader, int fd, off_t offset, uint64_t *time);

/*
 * Returns where the frame at @offset ends, without reading what is in it, or -1 if it has no end,
 * or if no frame begins here.
 */
off_t frame_end(int fd, off_t offset);

/* Returns where the next bytes are with which a frame begins, or -1. */
off_t frame_find(int fd, off_t offset);

#endif /* RECORD_FRAME_H */
