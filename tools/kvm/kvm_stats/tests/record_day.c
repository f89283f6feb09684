// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a day of a large host to a directory, made of the recording of a small one: guests and
 * vCPUs are those of the recording, several times, each from another sample on. The day has a
 * sample for each STEP samples of the recording. Prints its size, and the CPU time and memory that
 * it needs to write a sample, without reading a host.
 *
 * usage: record_day RECORDING DIR GUESTS VCPUS STEP [SAMPLES]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "basics.h"
#include "record/recording.h"
#include "record/store.h"

#define INTERVAL	(10 * SECOND)
#define BOOTTIME	4	/* see record/pass.c */
#define MAX_SOURCES	4096
#define MAX_NAMES	1024

static struct sample source[MAX_SOURCES];
static size_t sources, step;

struct names {
	const char *name[MAX_NAMES];
	size_t count;
};

static void copy_object(struct sample *to, const struct sample *from, const struct object *object,
			const char *name)
{
	sample_add(to, name, object_layout(from, object), object->layout_size,
		   object_values(from, object), object->values);
}

static void load(const char *path)
{
	struct message why;
	struct recording *recording = recording_open(path, NULL, NULL, &why);
	const struct sample *sample;
	size_t i;

	while (recording && sources < MAX_SOURCES && (sample = recording_next(recording))) {
		struct sample *to = &source[sources++];

		to->time = sample->time;
		for (i = 0; i < sample_objects(sample); i++)
			copy_object(to, sample, sample_object(sample, i),
				    object_name(sample, sample_object(sample, i)));
	}
	recording_close(recording);
}

/* Lists the objects of the first sample whose names begin with @start. */
static struct names names_of(const char *start)
{
	struct names names = { .count = 0 };
	size_t i;

	for (i = 0; i < sample_objects(&source[0]); i++) {
		const char *name = object_name(&source[0], sample_object(&source[0], i));

		if (!strncmp(name, start, strlen(start)) && names.count < MAX_NAMES)
			names.name[names.count++] = name;
	}
	return names;
}

/* No two vCPUs grow alike: clocks differ by a millisecond, other growth by a quarter. */
static uint64_t vary(uint64_t growth)
{
	uint64_t noise = (uint64_t)random();

	if (growth >> 63 || growth < 16)
		return growth;
	return growth > 5 * SECOND ? growth + noise % MILLISECOND :
				     growth - growth / 8 + noise % (growth / 4);
}

/*
 * Adds object @from of the recording as @name: what it grew by in interval @n, which begins at
 * another sample for each @seed, is added to what it was in @before.
 */
static void add_grown(struct sample *to, const struct sample *before, const char *from,
		      const char *name, size_t n, size_t seed)
{
	size_t at = (n * step + seed * 37) % (sources - step), i;
	const struct sample *old = &source[at], *now = &source[at + step];
	const struct object *was = sample_find(old, from), *is = sample_find(now, from);
	const struct object *last, *added;

	if (!was || !is)
		return;
	last = sample_find(before, name);
	copy_object(to, now, is, name);
	added = sample_find(to, name);
	if (!added || !last || last->values != is->values || was->values != is->values)
		return;
	for (i = 0; i < is->values; i++)
		object_values(to, added)[i] = object_values(before, last)[i] +
			vary(object_values(now, is)[i] - object_values(old, was)[i]);
}

static void add_guest(struct sample *to, const struct sample *before, size_t n, size_t guest,
		      size_t vcpus)
{
	static struct names vm, vcpu, names;
	char name[300], start[64];
	struct names files;
	size_t i;
	int pid;

	if (!vm.count) {
		vm = names_of("vm ");
		vcpu = names_of("vcpu ");
		names = names_of("names ");
	}
	sprintf(name, "vm %zx", 0x1000 + guest);
	add_grown(to, before, vm.name[guest % vm.count], name, n, guest);
	for (i = 0; i < vcpus; i++) {
		sprintf(name, "vcpu %zx %zu", 0x1000 + guest, i);
		add_grown(to, before, vcpu.name[(guest * vcpus + i) % vcpu.count], name, n,
			  guest * vcpus + i);
	}
	sscanf(names.name[guest % names.count], "names %d", &pid);
	sprintf(name, "names %zu 5", 1000 + guest);
	add_grown(to, before, names.name[guest % names.count], name, n, guest);
	sprintf(start, "/proc/%d/", pid);
	files = names_of(start);
	for (i = 0; i < files.count; i++) {
		snprintf(name, sizeof(name), "/proc/%zu/%s", 1000 + guest,
			 files.name[i] + strlen(start));
		add_grown(to, before, files.name[i], name, n, guest);
	}
}

static void make_sample(struct sample *to, const struct sample *before, size_t n, size_t guests,
			size_t vcpus)
{
	static const char * const hosts[] = { "host", "/proc/stat", "/proc/meminfo",
					      "/proc/loadavg" };
	size_t i;

	sample_clear(to);
	to->time = UINT64_C(1764370800) * SECOND + n * INTERVAL;
	for (i = 0; i < ARRAY_SIZE(hosts); i++)
		add_grown(to, before, hosts[i], hosts[i], n, 0);
	/* No clock is set. */
	object_values(to, sample_find(to, "host"))[BOOTTIME] = 1000 * SECOND + n * INTERVAL;
	for (i = 0; i < guests; i++)
		add_guest(to, before, n, i, vcpus / guests);
}

static double cpu_seconds(void)
{
	return (double)clock_read(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

int main(int argc, char **argv)
{
	const struct store_limits limits = { .age = 30 * 86400 * SECOND, .size = UINT64_MAX / 2 };
	size_t n, samples = argc > 6 ? strtoul(argv[6], NULL, 10) : 8640;
	struct sample sample[2] = { { .time = 0 }, { .time = 0 } };
	double used = 0;
	struct segment *list;
	struct message why;
	struct store *store;
	struct rusage usage;
	uint64_t size = 0;
	ssize_t count;

	if (argc < 6)
		return 2;
	load(argv[1]);
	step = strtoul(argv[5], NULL, 10);
	store = store_open(argv[2], &limits, &why);
	if (!store || sources <= step)
		return 1;
	for (n = 0; n < samples; n++) {
		double start;

		make_sample(&sample[n % 2], &sample[(n + 1) % 2], n, strtoul(argv[3], NULL, 10),
			    strtoul(argv[4], NULL, 10));
		start = cpu_seconds();
		store_append(store, &sample[n % 2], &why);
		used += cpu_seconds() - start;
	}
	store_close(store);
	count = segments_list(argv[2], &list);
	while (count-- > 0)
		size += (uint64_t)list[count].size;
	getrusage(RUSAGE_SELF, &usage);
	printf("%zu samples of %zu objects: %.1f MiB, %.0f bytes and %.2f ms of CPU time each; "
	       "memory %.1f MiB, of which the source has a part\n", samples,
	       sample_objects(&sample[0]), (double)size / 1048576, (double)size / (double)samples,
	       1000 * used / (double)samples, (double)usage.ru_maxrss / 1024);
	return 0;
}
