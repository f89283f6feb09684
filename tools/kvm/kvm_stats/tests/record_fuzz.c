// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fuzz target for libFuzzer: samples of a recording, without their compression and checksums. If
 * one is accepted, its files can be read, and the library can read its pass. With the environment
 * variable SEEDS, valid samples are written to that directory first.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "record/frame.h"
#include "record/recording.h"
#include "recorded.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct sample before;
static const struct bytes none;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *dir = getenv("SEEDS");
	unsigned int n;

	(void)argc;
	(void)argv;
	recorded_sample(&before, 9, NULL);
	for (n = 0; dir && n < 12; n++) {
		struct sample sample = { .time = 0 };
		struct bytes bytes = { 0 };
		char path[256];
		FILE *file;

		recorded_sample(&sample, n, NULL);
		bytes_add(&bytes, n % 2 ? "D" : "W", 1);
		sample_encode(&bytes, &sample, n % 2 ? &before.pass : &none);
		snprintf(path, sizeof(path), "%s/%u", dir, n);
		file = fopen(path, "w");
		CHECK(file && fwrite(bytes.data, bytes.size, 1, file) == 1 && !fclose(file));
		bytes_free(&bytes);
		sample_free(&sample);
	}
	return 0;
}

static void check_files(const struct sample *sample)
{
	const char *at = sample->files.data;
	size_t i;

	for (i = 0; i < sample->count; i++) {
		const char *text = at + strlen(at) + 1;

		CHECK(sample_file(sample, at) == text);
		at = text + strlen(text) + 1;
	}
	CHECK(!sample->count || at == sample->files.data + sample->files.size);
}

static void check_pass(const struct sample *sample)
{
	struct kvmstats_host *host;

	CHECK(!kvmstats_host_open_fd(&host, write_file((void *)sample->pass.data,
						       sample->pass.size)));
	kvmstats_host_read(host);
	kvmstats_host_close(host);
}

/* Encoded again and decoded, it is the same. */
static void check_again(const struct sample *sample, const struct bytes *old)
{
	struct sample again = { .time = sample->time };
	struct bytes bytes = { 0 };

	sample_encode(&bytes, sample, old);
	CHECK(!bytes.failed && sample_decode(&again, old, bytes.data, bytes.size));
	again.time = sample->time;
	CHECK(recorded_same(sample, &again));
	bytes_free(&bytes);
	sample_free(&again);
}

/* Also as a file, which is hardly ever more than damaged. */
static void check_recording(const uint8_t *data, size_t size)
{
	struct message why;
	struct recording *recording;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", write_file(data, size));
	recording = recording_open(path, NULL, NULL, &why);
	while (recording && recording_next(recording))
		;
	recording_close(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sample sample = { .time = 0 };
	const struct bytes *old = size && *data == 'D' ? &before.pass : &none;
	struct sample_origin origin;

	if (size % 16 == 0)
		check_recording(data, size);
	if (size && sample_decode(&sample, old, data + 1, size - 1)) {
		check_files(&sample);
		sample_get_origin(&sample, &origin);
		check_pass(&sample);
		check_again(&sample, old);
	}
	sample_free(&sample);
	return 0;
}
