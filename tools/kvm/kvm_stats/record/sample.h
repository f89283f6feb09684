/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recorded sample: what kvm-stats read of a host at one time. It has a pass of the host file, and
 * the texts of files in /proc and of cgroups.
 */
#ifndef RECORD_SAMPLE_H
#define RECORD_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest pass and the largest texts, in bytes: those that the library reads are not larger. */
#define MAX_SAMPLE	268435456u

/* Memory that grows. After a failure it does not change any more. */
struct bytes {
	char *data;
	size_t size;
	size_t capacity;
	bool failed;
};

/* Adds @size bytes, which the caller sets. Returns NULL if memory is exhausted. */
void *bytes_extend(struct bytes *bytes, size_t size);
void bytes_add(struct bytes *bytes, const void *from, size_t size);

/* Removes the content, and keeps the memory. */
void bytes_clear(struct bytes *bytes);
void bytes_free(struct bytes *bytes);

/* Initialize it with zeros. */
struct sample {
	uint64_t time;			/* CLOCK_REALTIME, in ns */
	/* As host_format.h has it, with the names of VMMs, in the byte order of the host */
	struct bytes pass;
	struct bytes files;		/* for each: path and text, two strings */
	struct bytes index;		/* hash table of uint32_t: offset of a path + 1, or 0 */
	size_t count;			/* of files */
};

/* Removes everything, and keeps the memory. */
void sample_clear(struct sample *sample);
void sample_free(struct sample *sample);

/* Whether memory was exhausted while something was added. */
bool sample_failed(const struct sample *sample);

/* Adds a file, unless the sample has it already. */
void sample_add_file(struct sample *sample, const char *path, const char *text);

/* Returns the text of a file, valid until one is added, or NULL. */
const char *sample_file(const struct sample *sample, const char *path);

/* Whether the host of the pass has the other byte order. */
bool pass_is_swapped(const struct bytes *pass);

/* What identifies the boot of a host, and the time since then: they reveal gaps. */
struct sample_origin {
	unsigned char boot[16];
	uint64_t boottime;		/* in ns */
};

/* Returns false if the pass does not have it. */
bool sample_get_origin(const struct sample *sample, struct sample_origin *origin);

/* ---- codec.c: the bytes of a sample ---- */

/* Adds the bytes that sample_decode() reads. @before is the pass before, or empty. */
void sample_encode(struct bytes *to, const struct sample *sample, const struct bytes *before);

/*
 * Sets all of @sample except for its time. Returns false if the bytes are not valid, or if memory
 * is exhausted.
 */
bool sample_decode(struct sample *sample, const struct bytes *before, const void *data,
		   size_t size);

#endif /* RECORD_SAMPLE_H */
