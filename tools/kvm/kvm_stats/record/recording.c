// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basics.h"
#include "record/frame.h"
#include "record/recording.h"
#include "util.h"

/* ---- segments ---- */

#define NAME_TIME	"%Y%m%dT%H%M%SZ.zst"

const char *segment_name(const struct segment *segment, char *name)
{
	time_t seconds = (time_t)(segment->time / SECOND);
	int len = snprintf(name, SEGMENT_NAME_SIZE, "kvm-stats-%08" PRIu64 "-", segment->number);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(name + len, (size_t)(SEGMENT_NAME_SIZE - len), NAME_TIME, &tm);
	return name;
}

static bool parse_segment(const char *name, struct segment *segment)
{
	char copy[SEGMENT_NAME_SIZE];
	struct tm tm = { 0 };
	const char *rest;
	int len = 0;

	if (sscanf(name, "kvm-stats-%" SCNu64 "-%n", &segment->number, &len) != 1 || !len ||
	    !segment->number)
		return false;
	rest = strptime(name + len, NAME_TIME, &tm);
	segment->time = (uint64_t)timegm(&tm) * SECOND;
	/* Only what segment_name() writes can be opened and removed again. */
	return rest && !*rest && !strcmp(segment_name(segment, copy), name);
}

static int by_number(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

ssize_t segments_list(const char *path, struct segment **segments)
{
	struct segment *list = NULL, *more;
	size_t count = 0, capacity = 0;
	struct dirent *dirent;
	DIR *dir = opendir(path);

	*segments = NULL;
	if (!dir)
		return -errno;
	while ((dirent = readdir(dir))) {
		struct segment segment;
		struct stat st;

		if (!parse_segment(dirent->d_name, &segment) ||
		    fstatat(dirfd(dir), dirent->d_name, &st, 0))
			continue;
		segment.size = st.st_size;
		more = array_grow(list, count, &capacity, sizeof(*list));
		if (!more)
			break;
		list = more;
		list[count++] = segment;
	}
	closedir(dir);
	if (count)
		qsort(list, count, sizeof(*list), by_number);
	*segments = list;
	return (ssize_t)count;
}

/* ---- the files of a recording ---- */

/* The largest file that is read, in bytes: all that is recorded by default */
#define MAX_FILE	2147483648

struct frame {
	size_t offset;
	uint64_t time;			/* of its first sample */
};

struct recording {
	char *path;
	bool is_dir;
	struct segment *segment;	/* of a directory; a file counts as one */
	size_t segments;
	void (*notice)(const struct message *notice, void *arg);
	void *arg;
	struct frame_reader *reader;
	size_t next_segment;		/* the one after the current one */
	char *data;			/* of the current one */
	size_t size;
	struct frame *frame;
	size_t frames;
	size_t frame_capacity;
	size_t next_frame;		/* the one after that which is being read */
	unsigned int samples;		/* that were read of the frame */
	bool in_frame;
	size_t end;			/* where the next frame has to begin, SIZE_MAX: not known */
	bool lost;			/* since the last sample */
	bool gap;			/* between the last two samples */
	uint64_t last_time;		/* of the last sample that was read; 0: none since a seek */
	struct sample_origin last;
};

static void report(const struct recording *recording, const char *what)
{
	struct message notice;
	char name[SEGMENT_NAME_SIZE];

	message_set(&notice, "%s", what);
	message_object(&notice, "%s", recording->is_dir ?
		       segment_name(&recording->segment[recording->next_segment - 1], name) :
		       recording->path);
	if (recording->notice)
		recording->notice(&notice, recording->arg);
}

/*
 * Adds the next frame from @offset on from which a sample can be read. Returns 1, 0 if no frame
 * follows, or -ENOMEM.
 */
static int add_frame(struct recording *recording, size_t offset)
{
	const char *end = recording->data + recording->size, *found = recording->data + offset;
	struct frame *more, frame;

	for (;; found++) {
		found = frame_find(found, (size_t)(end - found));
		if (!found)
			return 0;
		if (frame_reader_peek(recording->reader, found, (size_t)(end - found), &frame.time))
			break;
	}
	frame.offset = (size_t)(found - recording->data);
	more = array_grow(recording->frame, recording->frames, &recording->frame_capacity,
			  sizeof(*more));
	if (!more)
		return -ENOMEM;
	recording->frame = more;
	more[recording->frames++] = frame;
	return 1;
}

/*
 * A frame is unfinished or damaged if none begins where it seems to end. Then another one may begin
 * anywhere. Reading the frames reveals what is between them.
 */
static int list_frames(struct recording *recording)
{
	size_t offset = 0;
	int found;

	while ((found = add_frame(recording, offset)) > 0) {
		size_t begin = recording->frame[recording->frames - 1].offset;
		const char *at = recording->data + begin;
		size_t left = recording->size - begin, size = frame_size(at, left);

		if (size < left && frame_find(at + size, left - size) != at + size)
			size = 0;
		offset = begin + (size ? size : 1);
	}
	return found;
}

/* Reads all of a file. Returns 0 or -errno. */
static int load(struct recording *recording, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : st.st_size > MAX_FILE ? -EFBIG : 0;
	if (!err)
		recording->data = malloc((size_t)st.st_size + 1);
	if (!err && !recording->data)
		err = -ENOMEM;
	while (!err && (n = read(fd, recording->data + recording->size,
				 (size_t)st.st_size - recording->size)) > 0)
		recording->size += (size_t)n;
	err = n < 0 ? -errno : err;
	close(fd);
	return err;
}

static void free_segment(struct recording *recording)
{
	free(recording->data);
	recording->data = NULL;
	recording->size = 0;
	recording->frames = 0;
}

/* Returns 0 or -errno. A segment that retention has removed meanwhile has no frames. */
static int enter_segment(struct recording *recording, size_t number)
{
	char path[PATH_MAX], name[SEGMENT_NAME_SIZE];
	int err;

	free_segment(recording);
	recording->next_segment = number + 1;
	recording->in_frame = false;
	recording->next_frame = 0;
	recording->end = 0;
	if (recording->is_dir)
		snprintf(path, sizeof(path), "%s/%s", recording->path,
			 segment_name(&recording->segment[number], name));
	else
		snprintf(path, sizeof(path), "%s", recording->path);
	err = load(recording, path);
	if (err == -ENOENT && recording->is_dir)
		return 0;
	return err ? err : list_frames(recording);
}

static struct recording *refuse(struct recording *recording, const char *path, int err,
				struct message *why)
{
	recording_close(recording);
	message_set(why, "cannot read the recording: %s", strerror(-err));
	message_object(why, "%s", path);
	if (err == -ENOENT)
		message_advice(why, "'kvm-stats record' makes recordings");
	else if (err == -EACCES)
		message_advice(why, "Run as root, or become a member of the group kvm-stats");
	return NULL;
}

bool recording_is_one(const char *path)
{
	struct stat st;
	char begin[4];
	bool is_one;
	int fd;

	/* Do not open a pipe: when it is closed, its writer gets SIGPIPE. */
	if (stat(path, &st))
		return false;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_one = read(fd, begin, sizeof(begin)) == sizeof(begin) &&
		 frame_find(begin, sizeof(begin));
	close(fd);
	return is_one;
}

struct recording *recording_open(const char *path,
				 void (*notice)(const struct message *notice, void *arg),
				 void *arg, struct message *why)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	struct stat st;
	ssize_t count = 1;

	if (!recording) {
		message_no_memory(why);
		return NULL;
	}
	recording->notice = notice;
	recording->arg = arg;
	recording->path = strdup(path);
	recording->reader = frame_reader_new();
	if (!recording->path || !recording->reader)
		count = -ENOMEM;
	else if (stat(path, &st))
		count = -errno;
	else if (S_ISDIR(st.st_mode))
		count = segments_list(path, &recording->segment);
	if (count < 0)
		return refuse(recording, path, (int)count, why);
	recording->is_dir = S_ISDIR(st.st_mode);
	recording->segments = (size_t)count;
	return recording;
}

void recording_close(struct recording *recording)
{
	if (!recording)
		return;
	free_segment(recording);
	frame_reader_free(recording->reader);
	free(recording->frame);
	free(recording->segment);
	free(recording->path);
	free(recording);
}

/* ---- reading ---- */

static void enter_frame(struct recording *recording, size_t number)
{
	size_t offset = recording->frame[number].offset;

	frame_reader_start(recording->reader, recording->data + offset, recording->size - offset);
	recording->next_frame = number + 1;
	recording->samples = 0;
	recording->in_frame = true;
	recording->end = SIZE_MAX;
}

/* Whether a recorder can still be writing the frame. */
static bool is_last_frame(const struct recording *recording)
{
	return recording->next_frame == recording->frames &&
	       recording->next_segment == recording->segments;
}

static void leave_frame(struct recording *recording, enum frame_state state)
{
	recording->in_frame = false;
	if (state == FRAME_END)
		recording->end = recording->frame[recording->next_frame - 1].offset +
				 frame_reader_used(recording->reader);
	if (state == FRAME_DAMAGED && recording->samples && is_last_frame(recording))
		report(recording, "the last sample is not complete");
	else if (state == FRAME_DAMAGED)
		recording->lost = true;
}

/* Enters the next frame. Returns false at the end of the recording. */
static bool next_frame(struct recording *recording)
{
	while (recording->next_frame >= recording->frames) {
		int err;

		recording->lost |= recording->end < recording->size;
		if (recording->next_segment >= recording->segments)
			return false;
		err = enter_segment(recording, recording->next_segment);
		if (err)
			report(recording, strerror(-err));
		recording->lost |= err != 0;
	}
	recording->lost |= recording->end != SIZE_MAX &&
			   recording->frame[recording->next_frame].offset != recording->end;
	enter_frame(recording, recording->next_frame);
	return true;
}

/* A clock that is adjusted slowly differs by less than this between two samples. */
#define CLOCK_JUMP	SECOND

/* Compares the sample with the last one, and reports what is between them. */
static void examine_gap(struct recording *recording, const struct sample *sample)
{
	struct sample_origin now = { .boottime = 0 }, *last = &recording->last;
	char what[200], from[STAMP_SIZE], to[STAMP_SIZE];
	bool known = sample_get_origin(sample, &now);
	int64_t jump = (int64_t)(sample->time - recording->last_time) -
		       (int64_t)(now.boottime - last->boottime);

	stamp_of_wall(recording->last_time, from);
	stamp_of_wall(sample->time, to);
	recording->gap = recording->lost;
	*what = '\0';
	if (recording->last_time && known && memcmp(now.boot, last->boot, sizeof(now.boot))) {
		snprintf(what, sizeof(what), "the host was booted between %s and %s", from, to);
		recording->gap = true;
	} else if (recording->last_time && known &&
		   (jump > (int64_t)CLOCK_JUMP || jump < -(int64_t)CLOCK_JUMP)) {
		snprintf(what, sizeof(what), "the clock was set %s by %.3f s after %s, to %s",
			 jump > 0 ? "forward" : "back", (double)(jump > 0 ? jump : -jump) / 1e9,
			 from, to);
	}
	if (*what)
		report(recording, what);
	if (recording->lost) {
		snprintf(what, sizeof(what), recording->last_time ?
			 "damaged: samples between %s and %s are lost" :
			 "damaged: samples before %s%s are lost",
			 recording->last_time ? from : "", to);
		report(recording, what);
	}
	recording->lost = false;
	recording->last = now;
	recording->last_time = sample->time;
}

const struct sample *recording_next(struct recording *recording)
{
	for (;;) {
		enum frame_state state;

		if (!recording->in_frame && !next_frame(recording))
			break;
		state = frame_reader_next(recording->reader);
		if (state == FRAME_SAMPLE) {
			const struct sample *sample = frame_reader_sample(recording->reader);

			recording->samples++;
			examine_gap(recording, sample);
			return sample;
		}
		leave_frame(recording, state);
	}
	if (recording->lost)
		report(recording, "damaged: the last samples are lost");
	recording->lost = false;
	return NULL;
}

bool recording_has_gap(const struct recording *recording)
{
	return recording->gap;
}

/* ---- seeking ---- */

/* Enters the last frame of the segment that begins at or before @time. */
static bool seek_frame(struct recording *recording, uint64_t time)
{
	size_t i = recording->frames;

	while (i--) {
		if (recording->frame[i].time <= time) {
			enter_frame(recording, i);
			return true;
		}
	}
	return false;
}

/* Reads @count samples of the current frame. Returns how many it has before it ends. */
static unsigned int skip_samples(struct recording *recording, unsigned int count, uint64_t until)
{
	unsigned int n = 0;

	while (n < count && frame_reader_next(recording->reader) == FRAME_SAMPLE &&
	       frame_reader_sample(recording->reader)->time <= until)
		n++;
	return n;
}

/* The next sample is sample @number of the frame. */
static void enter_sample(struct recording *recording, size_t frame, unsigned int number)
{
	enter_frame(recording, frame);
	recording->samples = skip_samples(recording, number, UINT64_MAX);
	recording->last_time = 0;
	recording->lost = false;
}

/* Returns 0, or -errno if no segment can be entered. */
static int seek_segment(struct recording *recording, uint64_t time)
{
	size_t i = recording->segments;
	int err;

	while (i--) {
		if (recording->is_dir && recording->segment[i].time > time)
			continue;
		err = enter_segment(recording, i);
		if (err)
			return err;
		if (seek_frame(recording, time))
			return 0;
	}
	return enter_segment(recording, 0);
}

/*
 * Enters the last frame before the current one that has a sample which is not damaged. Returns how
 * many it has, or 0 if there is no such frame.
 */
static unsigned int previous_frame(struct recording *recording)
{
	size_t frame = recording->next_frame - 1, segment = recording->next_segment - 1;
	unsigned int samples = 0;

	while (!samples) {
		while (!frame) {
			if (!segment || enter_segment(recording, --segment))
				return 0;
			frame = recording->frames;
		}
		enter_frame(recording, --frame);
		samples = skip_samples(recording, UINT_MAX, UINT64_MAX);
	}
	return samples;
}

int recording_seek(struct recording *recording, uint64_t time)
{
	unsigned int count = 0;
	int err = recording->segments ? seek_segment(recording, time) : -ENODATA;

	if (err)
		return err;
	recording->last_time = 0;
	recording->lost = false;
	if (recording->in_frame)
		count = skip_samples(recording, UINT_MAX, time);
	if (recording->in_frame && !count) {
		count = previous_frame(recording);
		err = count ? 0 : enter_segment(recording, 0);
	}
	if (count)
		enter_sample(recording, recording->next_frame - 1, count - 1);
	else if (!err && !next_frame(recording))
		err = -ENODATA;
	return err;
}

int recording_back(struct recording *recording, size_t count)
{
	size_t read = recording->samples;

	if (!recording->next_segment || !recording->next_frame)
		return -ENODATA;
	while (read < count + 1) {
		unsigned int more = previous_frame(recording);

		if (!more)
			return recording_seek(recording, 0);
		read += more;
	}
	enter_sample(recording, recording->next_frame - 1, (unsigned int)(read - count - 1));
	return 0;
}
