// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Write valid files, from which the fuzzers of schema_fuzz.c and host_fuzz.c start.
 *
 * usage: fuzz_seeds SCHEMA-DIRECTORY HOST-DIRECTORY
 */
#include "host_image.h"

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

static void write_schemas(const char *dir)
{
	unsigned char bytes[sizeof(struct image)];
	struct vm_image vm_image;
	struct image image;

	image_init(&image);
	image_add(&image, "exits", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	image_add(&image, "wait", KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS, -9, 32, 0);
	image_add(&image, "size", KVM_STATS_TYPE_LINEAR_HIST | KVM_STATS_UNIT_BYTES |
		  KVM_STATS_BASE_POW2, 10, 8, 4096);
	write_seed(dir, "one", bytes, image_bytes(&image, bytes));
	vm_image_init(&vm_image);
	write_seed(dir, "vcpus", &vm_image, sizeof(vm_image));
}

/* Two passes, and a VM that ends, starts again, and is there twice */
static void write_host(const char *dir, const char *name, struct host_image image)
{
	host_image_pass(&image, 1);
	host_image_header(&image, 0);
	host_image_record(&image, KVM_HOST_ALIVE, 0, 16, 0);
	host_image_vm(&image, 10, KVM_HOST_ORPHAN, 100);
	host_image_names(&image, 10, 110, "vmm\0web\0\0scope", sizeof("vmm\0web\0\0scope"));
	host_image_vcpu(&image, 10, 1, 101);
	host_image_vm(&image, 10, 0, 102);
	host_image_end(&image, 0);
	write_seed(dir, name, image.data, image.size);
	free(image.data);
}

int main(int argc, char **argv)
{
	struct host_image image = { .time = 1000, .arrival = 900, .rq_clock = 950,
				    .last_arrival = 800, .last_queued = 700 };

	if (argc != 3)
		return 2;
	write_schemas(argv[1]);
	write_host(argv[2], "host", image);
	image.swapped = true;
	write_host(argv[2], "swapped", image);
	image.more_header = 8;
	image.more_desc = 8;
	image.more_record = 16;
	write_host(argv[2], "later", image);
	return 0;
}
