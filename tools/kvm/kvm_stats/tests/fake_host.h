/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A monitor of a fake host, for tests. Its host file is in memory, and begins with
 * fake_host_open(). Each pass is written with fake_host_vm() and fake_host_vcpu(), and
 * fake_host_sample() ends and reads it.
 */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "basics.h"
#include "host_image.h"
#include "model.h"

struct fake_stat {
	const char *name;
	uint32_t flags;			/* KVM_STATS_TYPE_... */
	int exponent;
	unsigned int size;
	uint32_t bucket_size;
};

struct fake_host {
	struct host_image image;
	const struct fake_stat *vm_stat, *vcpu_stat;
	size_t vm_stats, vcpu_stats;
	int fd;
	off_t written;
	struct filter filter;
	struct monitor_options options;
	struct monitor *monitor;
};

static inline void fake_host_fail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static inline void fake_host_put_descs(struct host_image *image, const struct fake_stat *stat,
				       size_t stats)
{
	unsigned int offset = 0;
	size_t i;

	for (i = 0; i < stats; i++) {
		size_t at = image->size + offsetof(struct kvm_stats_desc, bucket_size);

		host_image_desc(image, stat[i].name, stat[i].flags, stat[i].exponent, stat[i].size,
				offset);
		host_image_patch(image, at, stat[i].bucket_size, 4);
		offset += 8 * stat[i].size;
	}
}

/* Begins a pass, one second after the last one. */
static inline void fake_host_begin_pass(struct fake_host *host)
{
	struct host_image *image = &host->image;

	image->size = 0;
	image->time += SECOND - image->time % SECOND;
	host_image_begin(image, 0, host->vm_stats, host->vcpu_stats);
	fake_host_put_descs(image, host->vm_stat, host->vm_stats);
	fake_host_put_descs(image, host->vcpu_stat, host->vcpu_stats);
}

/* From the next pass on, VMs and vCPUs have these statistics, as after publishing again. */
static inline void fake_host_set_stats(struct fake_host *host, const struct fake_stat *vm_stat,
				       size_t vm_stats, const struct fake_stat *vcpu_stat,
				       size_t vcpu_stats)
{
	host->vm_stat = vm_stat;
	host->vm_stats = vm_stats;
	host->vcpu_stat = vcpu_stat;
	host->vcpu_stats = vcpu_stats;
	host->image.session++;
	fake_host_begin_pass(host);
}

static inline void fake_host_put_values(struct host_image *image, const struct fake_stat *stat,
					size_t stats, const uint64_t *value)
{
	unsigned int n;
	size_t i;

	for (i = 0; i < stats; i++) {
		for (n = 0; n < stat[i].size; n++)
			host_image_put(image, value ? *value++ : 0, 8);
	}
}

static inline size_t fake_host_values_size(const struct fake_stat *stat, size_t stats)
{
	size_t size = 0, i;

	for (i = 0; i < stats; i++)
		size += 8 * stat[i].size;
	return size;
}

/* Adds a VM with these values, or with zeros if @value is NULL. */
static inline void fake_host_vm(struct fake_host *host, uint64_t id, pid_t pid,
				const uint64_t *value)
{
	host_image_vm_members(&host->image, id, 0, (uint64_t)pid,
			      fake_host_values_size(host->vm_stat, host->vm_stats));
	fake_host_put_values(&host->image, host->vm_stat, host->vm_stats, value);
}

/* Adds a vCPU of VM @id. Its thread has the ID 10000 + @vcpu. */
static inline void fake_host_vcpu(struct fake_host *host, uint64_t id, uint32_t vcpu,
				  const uint64_t *value)
{
	host_image_vcpu_members(&host->image, id, vcpu, 10000 + vcpu,
				fake_host_values_size(host->vcpu_stat, host->vcpu_stats));
	fake_host_put_values(&host->image, host->vcpu_stat, host->vcpu_stats, value);
}

/* Ends the pass, reads it, and begins the next one. Returns what monitor_sample() returns. */
static inline int fake_host_sample(struct fake_host *host)
{
	struct host_image *image = &host->image;
	struct message why;
	char path[64];
	int err;

	host_image_end(image, 0);
	if (write(host->fd, image->data, image->size) != (ssize_t)image->size)
		fake_host_fail("the host file cannot be written");
	host->written += image->size;
	fake_host_begin_pass(host);
	if (!host->monitor) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", host->fd);
		host->options.filter = &host->filter;
		host->options.from = path;
		if (monitor_open(&host->monitor, &host->options, &why))
			fake_host_fail(why.what);
		host->monitor->options.from = "fake";
	}
	err = monitor_sample(host->monitor);
	/* Free the memory of what has been read. */
	fallocate(host->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, host->written);
	return err;
}

static inline void fake_host_open(struct fake_host *host, const struct fake_stat *vm_stat,
				  size_t vm_stats, const struct fake_stat *vcpu_stat,
				  size_t vcpu_stats)
{
	*host = (struct fake_host){
		.fd = memfd_create("host", MFD_CLOEXEC), .image.stands_still = true,
	};
	if (host->fd < 0)
		fake_host_fail("memfd_create() failed");
	fake_host_set_stats(host, vm_stat, vm_stats, vcpu_stat, vcpu_stats);
}

static inline void fake_host_close(struct fake_host *host)
{
	monitor_close(host->monitor);
	filter_free(&host->filter);
	free(host->image.data);
	close(host->fd);
}

#endif /* FAKE_HOST_H */
