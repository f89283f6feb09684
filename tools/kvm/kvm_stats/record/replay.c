// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/recording.h"
#include "replay.h"
#include "util.h"

struct replay {
	struct replay_options options;
	struct recording *recording;
	const struct sample *sample;	/* the last one, or NULL */
	uint64_t time;			/* of it */
	bool gap;
	bool skipped;			/* before the next sample: a gap, or it is an earlier one */
	int fd;				/* in memory: the pass */
};

static ssize_t read_recorded(char *buf, size_t size, const char *path, void *arg)
{
	const struct replay *replay = arg;
	const char *text = replay->sample ? sample_file(replay->sample, path) : NULL;

	snprintf(buf, size, "%s", text ? text : "");
	return text ? (ssize_t)strlen(buf) : -1;
}

bool replay_is_recording(const char *path)
{
	return recording_is_one(path);
}

/* ---- samples ---- */

/* Returns the next sample that is not skipped, or NULL. */
static const struct sample *next_sample(struct replay *replay)
{
	uint64_t interval = replay->options.interval;
	uint64_t from = replay->time ? replay->time + interval - interval / 20 : 0;
	uint64_t until = replay->options.at && !replay->options.goes_on ? replay->options.at :
			 replay->options.until;
	const struct sample *sample;

	replay->gap = replay->skipped;
	replay->skipped = false;
	do {
		sample = recording_next(replay->recording);
		if (!sample || (until && sample->time > until))
			return NULL;
		replay->gap |= recording_has_gap(replay->recording);
		/* If the clock was set back, the sample is earlier than the last one. */
	} while (sample->time < from && sample->time >= replay->time && !replay->gap);
	return sample;
}

/* The library reads each pass from the start of the file. */
static int write_pass(const struct replay *replay)
{
	const struct bytes *pass = &replay->sample->pass;

	if (ftruncate(replay->fd, 0) || lseek(replay->fd, 0, SEEK_SET) ||
	    pwrite(replay->fd, pass->data, pass->size, 0) != (ssize_t)pass->size)
		return -errno;
	return 0;
}

int replay_next(struct replay *replay)
{
	const struct sample *sample = next_sample(replay);

	replay->sample = sample;
	if (!sample)
		return -ENODATA;
	replay->time = sample->time;
	return write_pass(replay);
}

int replay_back(struct replay *replay, size_t steps)
{
	replay->sample = NULL;
	replay->time = 0;
	replay->skipped = true;
	return recording_back(replay->recording, steps);
}

void replay_skip(struct replay *replay, size_t samples)
{
	replay->sample = NULL;
	while (samples-- && recording_next(replay->recording))
		replay->skipped |= recording_has_gap(replay->recording);
}

int replay_fd(const struct replay *replay)
{
	return replay->fd;
}

uint64_t replay_time(const struct replay *replay)
{
	return replay->time;
}

bool replay_has_gap(const struct replay *replay)
{
	return replay->gap;
}

/* ---- opening and closing ---- */

/*
 * For growth at a time, the sample before that one is the first. Returns false, and sets why there
 * is nothing to show, such as that the recording begins later.
 */
static bool find_start(struct replay *replay, struct message *why)
{
	const struct replay_options *options = &replay->options;
	uint64_t span = options->span > options->interval ? options->span : options->interval;
	uint64_t wanted = options->at ? options->at : options->until;
	uint64_t start = options->at ? options->at : options->since;
	int err = recording_seek(replay->recording, start);
	const struct sample *sample = err ? NULL : recording_next(replay->recording);
	char begin[STAMP_SIZE];

	if (options->since && options->until && options->until < options->since)
		return message_set(why, "--until is before --since");
	if (sample && (!wanted || sample->time <= wanted)) {
		if (options->at && span)
			start = sample->time > span ? sample->time - span : 0;
		err = recording_seek(replay->recording, start);
		if (!err)
			return true;
	}
	if (err && err != -ENODATA)
		message_set(why, "cannot read the recording: %s", strerror(-err));
	else if (sample)
		message_set(why, "the recording has no samples at this time. It begins at %s",
			    stamp_of_wall(sample->time, begin));
	else
		message_set(why, "the recording has no samples");
	message_object(why, "%s", options->dir);
	return false;
}

struct replay *replay_open(const struct replay_options *options,
			   void (*notice)(const struct message *notice, void *arg), void *arg,
			   struct message *why)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay) {
		message_no_memory(why);
		return NULL;
	}
	replay->options = *options;
	if (!options->dir)
		replay->options.dir = RECORDING_DIR;
	replay->fd = memfd_create("pass", MFD_CLOEXEC);
	if (replay->fd < 0)
		message_no_memory(why);
	else
		replay->recording = recording_open(replay->options.dir, notice, arg, why);
	if (!replay->recording || !find_start(replay, why)) {
		replay_close(replay);
		return NULL;
	}
	kernel_set_reader(read_recorded, replay);
	return replay;
}

void replay_close(struct replay *replay)
{
	if (!replay)
		return;
	kernel_set_reader(NULL, NULL);
	recording_close(replay->recording);
	if (replay->fd >= 0)
		close(replay->fd);
	free(replay);
}
