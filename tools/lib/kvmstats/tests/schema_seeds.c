// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Write valid statistics files, from which the fuzzer of schema_fuzz.c starts.
 *
 * usage: schema_seeds DIRECTORY
 */
#include "image.h"

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

int main(int argc, char **argv)
{
	unsigned char bytes[sizeof(struct image)];
	struct vm_image vm_image;
	struct image image;

	if (argc != 2)
		return 2;
	image_init(&image);
	image_add(&image, "exits", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	image_add(&image, "wait", KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS, -9, 32, 0);
	image_add(&image, "size", KVM_STATS_TYPE_LINEAR_HIST | KVM_STATS_UNIT_BYTES |
		  KVM_STATS_BASE_POW2, 10, 8, 4096);
	write_seed(argv[1], "one", bytes, image_bytes(&image, bytes));
	vm_image_init(&vm_image);
	write_seed(argv[1], "vcpus", &vm_image, sizeof(vm_image));
	return 0;
}
