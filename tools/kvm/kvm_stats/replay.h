/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording instead of a host: its samples feed the model of the library, and answer reads of the
 * kernel's files. It is in the folder record/.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

/* Where kvm-stats-record.service writes */
#define RECORDING_DIR	"/var/log/kvm-stats"

/* Times are of CLOCK_REALTIME, in ns. 0: not set */
struct replay_options {
	const char *dir;	/* a directory or a file; NULL: RECORDING_DIR */
	uint64_t at;
	uint64_t since;
	uint64_t until;
	/* Skips samples that follow the last one after less than this. 0: only one is wanted. */
	uint64_t interval;
	uint64_t span;		/* if it is longer: how long before @at to begin */
	bool goes_on;		/* after @at */
};

struct replay;

#if HAVE_ZSTD
/* Whether the file is a recording, and not a host file. */
bool replay_is_recording(const char *path);

/*
 * Begins with the sample at @since or, before one that has growth at @at, one interval earlier.
 * @notice prints messages about damage. Returns NULL with the reason in @why. Only one replay can
 * exist at a time.
 */
struct replay *replay_open(const struct replay_options *options,
			   void (*notice)(const struct message *notice, void *arg), void *arg,
			   struct message *why);

/* Takes the next sample. -ENODATA: the selected time has no other one. */
int replay_next(struct replay *replay);

/* The next sample is @steps before the last one, or the first one. */
int replay_back(struct replay *replay, size_t steps);

/* Skips samples before the next one. */
void replay_skip(struct replay *replay, size_t samples);

/* Returns an fd from which the library reads the passes of all samples. */
int replay_fd(const struct replay *replay);

/* Returns when the last sample was recorded. */
uint64_t replay_time(const struct replay *replay);

/* Whether samples are missing before the last one, or the host was booted before it. */
bool replay_has_gap(const struct replay *replay);
void replay_close(struct replay *replay);
#else
static inline bool replay_is_recording(const char *path) { return false; }

static inline struct replay *replay_open(const struct replay_options *options,
					 void (*notice)(const struct message *notice, void *arg),
					 void *arg, struct message *why)
{
	message_set(why, "recordings cannot be read: kvm-stats was built without libzstd");
	return NULL;
}

static inline int replay_next(struct replay *replay) { return -ENODATA; }
static inline int replay_back(struct replay *replay, size_t steps) { return -ENODATA; }
static inline void replay_skip(struct replay *replay, size_t samples) { }
static inline int replay_fd(const struct replay *replay) { return -1; }
static inline uint64_t replay_time(const struct replay *replay) { return 0; }
static inline bool replay_has_gap(const struct replay *replay) { return false; }
static inline void replay_close(struct replay *replay) { }
#endif

#endif /* REPLAY_H */
