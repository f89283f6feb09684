// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "basics.h"
#include "record/frame.h"
#include "record/recording.h"
#include "record/store.h"

/* How much a segment has at most, and how many there are at least for each limit. */
#define SEGMENT_TIME	(3600 * SECOND)
#define SEGMENT_SIZE	67108864u
#define MIN_SEGMENTS	8

struct store {
	int dir;			/* locked */
	int fd;				/* of the current segment, or -1 */
	struct store_limits limits;
	struct frame_writer *writer;
	struct segment *segment;	/* the last one is the current one */
	size_t segments;
	uint64_t last_number;
	uint64_t last_time;		/* of a sample */
	bool has_removed;		/* segments for this sample, because there was no space */
	size_t aged;			/* segments that were removed for this sample, by age */
	uint64_t removed;		/* when one was, whose space was not free afterwards */
	size_t dropped;			/* samples since the last one that was written */
	int error;			/* why: -errno, or 0 */
	int remove_error;		/* why a segment could not be removed: errno, or 0 */
};

/* ---- limits ---- */

static uint64_t size_of_all(const struct store *store)
{
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < store->segments; i++)
		size += (uint64_t)store->segment[i].size;
	return size;
}

static void close_segment(struct store *store)
{
	if (store->fd >= 0)
		close(store->fd);
	store->fd = -1;
	frame_writer_reset(store->writer);
}

/* Removes a segment, also the current one, which is the last one. */
static void remove_segment(struct store *store, size_t i)
{
	struct segment *segment = &store->segment[i];
	char name[SEGMENT_NAME_SIZE];

	if (i == --store->segments)
		close_segment(store);
	if (unlinkat(store->dir, segment_name(segment, name), 0) && errno != ENOENT)
		store->remove_error = errno;
	memmove(segment, segment + 1, (store->segments - i) * sizeof(*segment));
}

/* Returns false if the store has no segment. */
static bool remove_oldest(struct store *store)
{
	if (!store->segments)
		return false;
	remove_segment(store, 0);
	return true;
}

/*
 * All samples are younger than the limit, because the first one of each segment is. After the clock
 * was set back, the first segments can be the youngest ones.
 */
static void apply_limits(struct store *store, uint64_t now, uint64_t more)
{
	size_t i;

	for (i = store->segments; i--;) {
		if (store->segment[i].time + store->limits.age >= now)
			continue;
		remove_segment(store, i);
		store->aged++;
	}
	while (size_of_all(store) + more > store->limits.size && remove_oldest(store))
		;
}

/* What is not known is 0. */
static struct statvfs space_of(const struct store *store)
{
	struct statvfs fs;

	return fstatvfs(store->dir, &fs) ? (struct statvfs){ .f_bavail = 0 } : fs;
}

static bool is_almost_full(const struct store *store)
{
	struct statvfs fs = space_of(store);

	return fs.f_bavail < fs.f_blocks * STORE_FREE_PERCENT / 100;
}

/* Btrfs frees the space of a file up to 30 s after it was removed. */
#define FREE_DELAY	(60 * SECOND)

/* Removes the oldest segment. Returns whether its space is free now. */
static bool make_space(struct store *store, uint64_t time)
{
	struct statvfs before = space_of(store);

	if (time - store->removed < FREE_DELAY || !remove_oldest(store))
		return false;
	store->has_removed = true;
	if (space_of(store).f_bavail > before.f_bavail)
		return true;
	store->removed = time;
	return false;
}

/* ---- writing ---- */

static int begin_segment(struct store *store, uint64_t time)
{
	struct segment *more = reallocarray(store->segment, store->segments + 1, sizeof(*more));
	const struct segment segment = { .number = store->last_number + 1, .time = time };
	char name[SEGMENT_NAME_SIZE];

	if (!more)
		return -ENOMEM;
	store->segment = more;
	store->fd = openat(store->dir, segment_name(&segment, name),
			   O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0640);
	if (store->fd < 0)
		return -errno;
	store->last_number++;
	more[store->segments++] = segment;
	/* The group reads it, whatever the umask is. */
	return fchmod(store->fd, 0640) ? -errno : 0;
}

/* Appends all of it, or nothing. */
static int append(struct store *store, const void *data, size_t size)
{
	struct segment *current = &store->segment[store->segments - 1];
	ssize_t n = write(store->fd, data, size);
	int err = n < 0 && errno != EDQUOT ? -errno : -ENOSPC;

	if (n == (ssize_t)size) {
		current->size += n;
		return 0;
	}
	if (n > 0 && ftruncate(store->fd, current->size))
		err = -errno;
	return err;
}

/* A frame without an end can be read, too, so errors are ignored. */
static void end_segment(struct store *store)
{
	const void *data;
	size_t size;

	if (store->fd < 0)
		return;
	data = frame_writer_end(store->writer, &size);
	if (data && size)
		append(store, data, size);
	fdatasync(store->fd);
	close_segment(store);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The times in a segment are ascending. */
static bool needs_new_segment(const struct store *store, uint64_t time)
{
	const struct segment *current;

	if (store->fd < 0)
		return false;
	current = &store->segment[store->segments - 1];
	return time < store->last_time ||
	       time - current->time >= least(SEGMENT_TIME, store->limits.age / MIN_SEGMENTS) ||
	       (uint64_t)current->size >= least(SEGMENT_SIZE, store->limits.size / MIN_SEGMENTS);
}

/* What was compressed cannot be compressed again in the same frame, so @data must be written. */
static int append_sample(struct store *store, const struct sample *sample)
{
	size_t size;
	const void *data;
	int err = 0;

	if (store->fd < 0)
		err = begin_segment(store, sample->time);
	data = err ? NULL : frame_writer_add(store->writer, sample, &size);
	if (!err && !data)
		err = -ENOMEM;
	if (!err) {
		apply_limits(store, sample->time, size);
		/* The limit may be less than this segment. */
		err = store->fd < 0 ? -EFBIG : append(store, data, size);
	}
	if (err && store->fd >= 0 && !store->segment[store->segments - 1].size)
		remove_segment(store, store->segments - 1);
	else if (err)
		close_segment(store);
	return err;
}

/* Removes segments until there is space, or there will be. */
static int append_somehow(struct store *store, const struct sample *sample)
{
	int err;

	while (is_almost_full(store)) {
		if (store->segments <= 1)
			return -ENOSPC;
		if (!make_space(store, sample->time))
			break;
	}
	err = append_sample(store, sample);
	while (err == -ENOSPC && make_space(store, sample->time))
		err = append_sample(store, sample);
	return err;
}

static void report_drop(struct message *notice, int err, bool has_removed)
{
	message_set(notice, "%ssamples are dropped: %s",
		    has_removed ? "the oldest samples were removed, and " : "",
		    err == -EFBIG ? "a sample is larger than --max-size" : strerror(-err));
	if (err == -ENOSPC)
		message_advice(notice, "At least %d %% of the file system must be free",
			       STORE_FREE_PERCENT);
	else if (err == -EFBIG)
		message_advice(notice, "Use a larger --max-size");
}

bool store_append(struct store *store, const struct sample *sample, struct message *notice)
{
	int err;

	*notice = (struct message){ 0 };
	store->has_removed = false;
	store->aged = 0;
	if (needs_new_segment(store, sample->time))
		end_segment(store);
	apply_limits(store, sample->time, 0);
	err = append_somehow(store, sample);
	store->last_time = sample->time;
	if (err && err != store->error) {
		report_drop(notice, err, store->has_removed);
	} else if (!err && store->error) {
		message_set(notice, "samples are written again; %zu %s dropped", store->dropped,
			    store->dropped == 1 ? "was" : "were");
	} else if (store->remove_error) {
		message_set(notice, "an old segment cannot be removed: %s",
			    strerror(store->remove_error));
		message_advice(notice, "Until it is removed, the recording is above its limits");
		store->remove_error = 0;
	} else if (store->has_removed) {
		message_set(notice, "the file system is almost full: the oldest samples were "
			    "removed");
	} else if (store->aged > 1) {
		message_set(notice, "%zu segments were removed at once, because they became older "
			    "than --max-age", store->aged);
		message_advice(notice, "If the clock is wrong, set it: it decides what is old");
	}
	store->dropped = err ? store->dropped + 1 : 0;
	store->error = err;
	return !err;
}

/* ---- opening and closing ---- */

static struct store *refuse(struct store *store, const char *path, int err, struct message *why)
{
	store_close(store);
	if (err == -EWOULDBLOCK)
		message_set(why, "another process records to this directory");
	else if (err == -ENOSPC)
		message_set(why, "less than %d %% of the file system is free", STORE_FREE_PERCENT);
	else
		message_set(why, "cannot record to the directory: %s", strerror(-err));
	message_object(why, "%s", path);
	message_advice(why, "Use another directory with --dir");
	return NULL;
}

static int open_dir(struct store *store, const char *path)
{
	bool made = !mkdir(path, 0750);
	ssize_t count;

	if (!made && errno != EEXIST)
		return -errno;
	store->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store->dir < 0 || (made && fchmod(store->dir, 0750)) ||
	    flock(store->dir, LOCK_EX | LOCK_NB) ||
	    faccessat(store->dir, ".", W_OK | X_OK, AT_EACCESS))
		return -errno;
	count = segments_list(path, &store->segment);
	if (count < 0)
		return (int)count;
	store->segments = (size_t)count;
	if (count)
		store->last_number = store->segment[count - 1].number;
	return is_almost_full(store) ? -ENOSPC : 0;
}

struct store *store_open(const char *path, const struct store_limits *limits, struct message *why)
{
	struct store *store = calloc(1, sizeof(*store));
	int err;

	if (!store) {
		message_no_memory(why);
		return NULL;
	}
	store->fd = -1;
	store->dir = -1;
	store->limits = *limits;
	store->writer = frame_writer_new();
	err = store->writer ? open_dir(store, path) : -ENOMEM;
	return err ? refuse(store, path, err, why) : store;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	end_segment(store);
	if (store->dir >= 0)
		close(store->dir);
	frame_writer_free(store->writer);
	free(store->segment);
	free(store);
}
