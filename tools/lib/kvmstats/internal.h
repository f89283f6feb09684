/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* What the rooms of the library share. */
#ifndef KVMSTATS_INTERNAL_H
#define KVMSTATS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/kvm_stats.h>

#include "kvmstats.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* schema.c */

struct kvmstats_stat {
	const struct kvmstats_schema *schema;
	const char *name;
	uint32_t flags;
	int exponent;
	unsigned int size;
	uint32_t offset;
	uint32_t bucket_size;
};

struct kvmstats_schema {
	struct kvm_stats_header header;
	char *desc;			/* as read */
	size_t desc_size;
	struct kvmstats_stat *stat;
	size_t data_size;
};

/* Far more than any kernel has, and still little memory. */
#define KVMSTATS_MAX_BLOCK	16777216u

size_t kvmstats_schema_data_size(const struct kvmstats_schema *schema);
uint32_t kvmstats_schema_data_offset(const struct kvmstats_schema *schema);

/* file.c */

/* Fills @buf from @offset on: 0, or -EPROTO if the file ends before. */
int kvmstats_pread_all(int fd, void *buf, size_t size, uint64_t offset);

/*
 * The whole of a file under /proc, with a NUL behind it: allocated, and its
 * length in @len.  What is beyond @max bytes is left out.
 */
int kvmstats_read_proc(pid_t pid, const char *name, size_t max, char **text, size_t *len);

/* fds.c: what the links in /proc/PID/fd name */

struct kvmstats_fd {
	int fd;
	enum kvmstats_kind kind;
	bool stats;		/* of statistics, not of the VM or vCPU itself */
	int vcpu;		/* -1 for VMs */
};

/* What a link like "anon_inode:kvm-vcpu:0" says; its number is left alone. */
bool kvmstats_fds_parse(const char *link, struct kvmstats_fd *entry);

struct kvmstats_fds {
	struct kvmstats_fd *fd;
	size_t count;
	size_t room;
};

/*
 * VMs before vCPUs, by vCPU, what itself is before its statistics, by number:
 * 0 or -errno; no fds of KVM at all is 0 too.  @fds starts empty, or as an earlier scan
 * left it, whose memory is used again.
 */
int kvmstats_fds_scan(struct kvmstats_fds *fds, pid_t pid);

/* 1 as soon as one is found, 0 if there is none. */
int kvmstats_fds_any(pid_t pid);

/*
 * Of those that are the same open file leaves one: 1, or 0 where the kernel
 * cannot compare files.
 */
int kvmstats_fds_distinct(struct kvmstats_fds *fds, pid_t pid);
int kvmstats_fds_copy(struct kvmstats_fds *to, const struct kvmstats_fds *from);
bool kvmstats_fds_equal(const struct kvmstats_fds *a, const struct kvmstats_fds *b);
void kvmstats_fds_free(struct kvmstats_fds *fds);

/* take.c */

/* A copy of fd @entry of the process, if it still is what it was. */
int kvmstats_take(int pidfd, const struct kvmstats_fd *entry);

/* The statistics fd of VM or vCPU @entry of the process, opened by us. */
int kvmstats_take_and_open(int pidfd, const struct kvmstats_fd *entry);

/* The statistics fd of a VM or vCPU fd of our own. */
int kvmstats_open_stats(int kvm_fd);

int kvmstats_pidfd_open(pid_t pid);
int kvmstats_pidfd_alive(int pidfd);

/* guest.c */

/* Allocated; NULL in @name if it has none. */
int kvmstats_guest_name(pid_t pid, char **name);

#endif /* KVMSTATS_INTERNAL_H */
