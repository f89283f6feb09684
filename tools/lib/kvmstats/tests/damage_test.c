// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Test reading statistics files that are damaged at random. Build this test with AddressSanitizer
 * and UndefinedBehaviorSanitizer: like them, the fuzz target ends the program if it finds an error.
 *
 * usage: damage_test [DIRECTORY]	(write valid files, from which a fuzzer can start)
 */
#include "image.h"
#include "schema_fuzz.c"
#include "tap.h"

#define ROUNDS	30000

static uint64_t state = 88172645463325252u;

/* Returns a random number below @limit. The sequence is the same in each run. */
static uint32_t random_below(uint32_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % limit;
}

static size_t make_file(unsigned char *bytes)
{
	struct image image;

	image_init(&image);
	image_add(&image, "exits", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	image_add(&image, "wait", KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS, -9, 32, 0);
	image_add(&image, "size", KVM_STATS_TYPE_LINEAR_HIST | KVM_STATS_UNIT_BYTES |
		  KVM_STATS_BASE_POW2, 10, 8, 4096);
	return image_bytes(&image, bytes);
}

/*
 * Changes one to four bytes, mostly in the header and in the numeric fields of descriptors, and
 * mostly to boundary values.
 */
static void damage(unsigned char *bytes, size_t size)
{
	static const unsigned char limits[] = { 0, 1, 7, 8, 0x7f, 0x80, 0xfe, 0xff };
	int times = 1 + (int)random_below(4);

	while (times--) {
		size_t where = random_below(24);

		if (random_below(2))
			where = 72 + random_below(3) * IMAGE_STRIDE + random_below(20);
		if (!random_below(8))
			where = random_below((uint32_t)size);
		bytes[where] = random_below(3) ? limits[random_below(sizeof(limits))] :
					 (unsigned char)random_below(256);
	}
}

/* Changes up to four aligned words of 32 bits, mostly in the header and in the part for vCPUs. */
static void damage_words(struct vm_image *image)
{
	static const uint32_t limits[] = { 0, 1, 8, 16, 0x7fffffff, 0x80000000, 0xfffffff8, ~0u };
	int times = 1 + (int)random_below(4);

	while (times--) {
		uint32_t *words = random_below(2) ? (uint32_t *)&image->header :
						    (uint32_t *)&image->vcpus;
		size_t count = (random_below(8) ? 24 : sizeof(*image) -
				offsetof(struct vm_image, vcpus)) / sizeof(*words);
		uint32_t *word = &words[random_below((uint32_t)count)];

		if (random_below(2))
			*word = limits[random_below(ARRAY_SIZE(limits))];
		else
			*word += random_below(65) - 32;
	}
}

static void write_seed(const char *dir, const char *name, const void *bytes, size_t size)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file || fwrite(bytes, size, 1, file) != 1 || fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void write_seeds(const char *dir)
{
	unsigned char bytes[sizeof(struct image)];
	struct vm_image image;

	write_seed(dir, "one", bytes, make_file(bytes));
	vm_image_init(&image);
	write_seed(dir, "vcpus", &image, sizeof(image));
}

/* Files are cut at random, too. */
static size_t cut(size_t size)
{
	return size - (random_below(16) ? 0 : random_below((uint32_t)size));
}

int main(int argc, char **argv)
{
	int schemas = 0, files = 0;
	int round;

	if (argc > 1) {
		write_seeds(argv[1]);
		return 0;
	}
	for (round = 0; round < ROUNDS; round++) {
		unsigned char bytes[sizeof(struct image)];
		size_t size = make_file(bytes);
		struct vm_image image;

		damage(bytes, size);
		LLVMFuzzerTestOneInput(bytes, cut(size));
		schemas += accepted;
		vm_image_init(&image);
		damage_words(&image);
		LLVMFuzzerTestOneInput((const uint8_t *)&image, cut(sizeof(image)));
		files += accepted_vcpus;
	}
	printf("# %d schemas and %d files with vCPUs accepted\n", schemas, files);
	tap_ok(schemas > 0 && schemas < ROUNDS, "some damaged files are accepted");
	tap_ok(files > 0 && files < ROUNDS, "some damaged files with vCPUs are accepted");
	return tap_end();
}
