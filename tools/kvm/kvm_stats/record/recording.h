/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording: the segments of a directory in the order in which they were written, or one file.
 * Damaged frames are skipped.
 */
#ifndef RECORD_RECORDING_H
#define RECORD_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "message.h"
#include "record/sample.h"

/* ---- the names of segments ---- */

struct segment {
	uint64_t number;		/* the order in which they were written, from 1 */
	uint64_t time;			/* CLOCK_REALTIME of its first sample, in ns, without ns */
	off_t size;
};

#define SEGMENT_NAME_SIZE	64

/* Writes "kvm-stats-00000042-20261128T220000Z.zst" to @name. Returns @name. */
const char *segment_name(const struct segment *segment, char *name);

/*
 * Lists the segments in a directory, in the order of their numbers. Returns their number, or
 * -errno. The caller frees *@segments.
 */
ssize_t segments_list(const char *dir, struct segment **segments);

/* ---- reading ---- */

struct recording;

/*
 * Opens a directory or a file. @notice is called for what is found while the recording is read: it
 * is damaged, a clock was set, a host was booted. Returns NULL with the reason in @why.
 */
struct recording *recording_open(const char *path,
				 void (*notice)(const struct message *notice, void *arg),
				 void *arg, struct message *why);
void recording_close(struct recording *recording);

/* Whether the file is a recording. Others are host files. */
bool recording_is_one(const char *path);

/*
 * The next sample is the last one in the recording whose time is not after @time or, if there is
 * none, the first one. Returns 0 or -errno. -ENODATA: the recording has no sample.
 */
int recording_seek(struct recording *recording, uint64_t time);

/* The next sample is the one @count samples before the last one read, or the first one. */
int recording_back(struct recording *recording, size_t count);

/* Returns the next sample, valid until the next call, or NULL at the end of the recording. */
const struct sample *recording_next(struct recording *recording);

/* Whether samples were lost between the last two that were read: they have no common interval. */
bool recording_has_gap(const struct recording *recording);

#endif /* RECORD_RECORDING_H */
