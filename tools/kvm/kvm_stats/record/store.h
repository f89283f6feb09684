/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory of segments to which samples are appended, and which never gets larger or older than
 * its limits. A process that begins to write begins a segment, and never changes an earlier one.
 */
#ifndef RECORD_STORE_H
#define RECORD_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "message.h"
#include "record/sample.h"

struct store;

struct store_limits {
	uint64_t age;			/* of a sample, in ns */
	uint64_t size;			/* of all segments, in bytes */
};

/* The part of the file system that always stays free, in percent */
#define STORE_FREE_PERCENT	5

/* Makes the directory if it does not exist. Returns NULL with the reason in @why. */
struct store *store_open(const char *path, const struct store_limits *limits, struct message *why);

/*
 * Appends the sample. Returns false if it was dropped, for example because the disk is full. Sets
 * @notice if the user has to know what happened, and clears it if not.
 */
bool store_append(struct store *store, const struct sample *sample, struct message *notice);

/* Ends the segment. */
void store_close(struct store *store);

#endif /* RECORD_STORE_H */
