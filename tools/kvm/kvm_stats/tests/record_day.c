// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes samples to a directory, as many as wanted: those of a recording, again and again, each
 * 10 s after the last one. Prints their size, and the CPU time and memory that it needs to write
 * one, without reading a host.
 *
 * usage: record_day RECORDING DIR [SAMPLES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "basics.h"
#include "host_format.h"
#include "record/recording.h"
#include "record/store.h"

#define INTERVAL	(10 * SECOND)

/* Sets the time, as if no clock was ever set. */
static void set_time(struct sample *sample, size_t n)
{
	struct kvm_host_header *header = (void *)sample->pass.data;

	sample->time = UINT64_C(1764370800) * SECOND + n * INTERVAL;
	header->boottime = 1000 * SECOND + n * INTERVAL;
}

int main(int argc, char **argv)
{
	const struct store_limits limits = { .age = 30 * 86400 * SECOND, .size = UINT64_MAX / 2 };
	size_t n, samples = argc > 3 ? strtoul(argv[3], NULL, 10) : 8640;
	struct recording *recording;
	struct segment *list;
	struct message why;
	struct store *store;
	struct rusage usage;
	uint64_t size = 0, used = 0;
	ssize_t count;

	if (argc < 3)
		return 2;
	recording = recording_open(argv[1], NULL, NULL, &why);
	store = store_open(argv[2], &limits, &why);
	if (!recording || !store)
		return 1;
	for (n = 0; n < samples; n++) {
		const struct sample *next = recording_next(recording);
		struct sample sample;
		uint64_t start;

		if (!next) {
			recording_seek(recording, 0);
			next = recording_next(recording);
		}
		if (!next)
			return 1;
		sample = *next;
		set_time(&sample, n);
		start = clock_read(CLOCK_PROCESS_CPUTIME_ID);
		store_append(store, &sample, &why);
		used += clock_read(CLOCK_PROCESS_CPUTIME_ID) - start;
	}
	store_close(store);
	recording_close(recording);
	count = segments_list(argv[2], &list);
	while (count-- > 0)
		size += (uint64_t)list[count].size;
	getrusage(RUSAGE_SELF, &usage);
	printf("%zu samples: %.1f MiB, %.0f bytes and %.2f ms of CPU time each; memory %.1f MiB\n",
	       samples, (double)size / 1048576, (double)size / (double)samples,
	       (double)used / (double)samples / 1e6, (double)usage.ru_maxrss / 1024);
	return 0;
}
