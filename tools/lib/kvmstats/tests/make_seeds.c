// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Writes the seed files of schema_fuzz to a directory.
 *
 * usage: make_seeds DIRECTORY
 */
#include "vm_image.h"

static void write_file(const char *dir, const char *name, const void *bytes, size_t size)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file || !fwrite(bytes, size, 1, file) || fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void write_seed(const char *dir, const char *name, const struct image *image)
{
	unsigned char bytes[sizeof(*image)];

	write_file(dir, name, bytes, image_bytes(image, bytes));
}

int main(int argc, char **argv)
{
	struct vm_image vm_image;
	struct image image;

	if (argc != 2)
		return 2;
	image_init(&image);
	write_seed(argv[1], "empty", &image);
	image_add(&image, "exits", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	write_seed(argv[1], "one", &image);
	image_add(&image, "halt_wait_ns", KVM_STATS_TYPE_CUMULATIVE | KVM_STATS_UNIT_SECONDS,
		  -9, 1, 0);
	image_add(&image, "blocking", KVM_STATS_TYPE_INSTANT | KVM_STATS_UNIT_BOOLEAN, 0, 1, 0);
	image_add(&image, "size", KVM_STATS_TYPE_PEAK | KVM_STATS_UNIT_BYTES | KVM_STATS_BASE_POW2,
		  10, 1, 0);
	image.data[0] = 7;
	image.data[1] = UINT64_MAX;
	write_seed(argv[1], "units", &image);
	image_add(&image, "linear", KVM_STATS_TYPE_LINEAR_HIST, 0, 5, 100);
	image_add(&image, "log", KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS, -9, 4, 0);
	image_add(&image, "later", 0xfff, -32768, 2, 0xffffffff);
	write_seed(argv[1], "histograms", &image);
	/* The values have another order than the descriptors. */
	image_desc(&image, 0)->offset = 8;
	image_desc(&image, 1)->offset = 0;
	write_seed(argv[1], "order", &image);
	vm_image_init(&vm_image);
	write_file(argv[1], "vcpus", &vm_image, sizeof(vm_image));
	return 0;
}
