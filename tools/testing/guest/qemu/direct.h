/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the statistics fds of QEMU directly, and compare them with the answers of QEMU. */
#ifndef QEMU_DIRECT_H
#define QEMU_DIRECT_H

#include <stdbool.h>
#include <sys/types.h>
#include <jansson.h>
#include <kvmstats.h>

struct direct {
	int fd;
	struct kvmstats_schema *schema;
	struct kvmstats_sample *before;
	struct kvmstats_sample *after;
};

#define DIRECT_NONE	((struct direct){ .fd = -1 })

/*
 * Opens the statistics of the VM of the process @pid if @vcpu is -1, otherwise those of the vCPU
 * with that id. Returns 0 or -errno. Call direct_close() in both cases.
 */
int direct_open(struct direct *direct, pid_t pid, int vcpu);
void direct_close(struct direct *direct);

/* Does the file contain this id? */
bool direct_has_id(const struct direct *direct, const char *id);

/* Do QEMU's @schemas agree with the descriptors? */
bool direct_same_schema(const struct direct *direct, const json_t *schemas);

/* Are all values equal in the two samples? */
bool direct_unchanged(const struct direct *direct);

/* Are all values in @stats equal to those of the first sample? */
bool direct_equal(const struct direct *direct, const json_t *stats);

/* Is each value in @stats that can only grow between those of the two samples? */
bool direct_between(const struct direct *direct, const json_t *stats);

/* Is no value that can only grow smaller in the second sample than in the first? */
bool direct_grown(const struct direct *direct);

#endif /* QEMU_DIRECT_H */
