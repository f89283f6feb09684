/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics read straight from the fds, past QEMU, to hold its answers against. */
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
 * Open the statistics of process @pid: of its VM if @vcpu is -1, else of the
 * vCPU with that ID.  Returns 0 or -errno; direct_close() is due in both cases.
 */
int direct_open(struct direct *direct, pid_t pid, int vcpu);
void direct_close(struct direct *direct);

/* The ID string in the file is @id. */
bool direct_has_id(const struct direct *direct, const char *id);

/* QEMU's @schemas say what the descriptors say. */
bool direct_same_schema(const struct direct *direct, const json_t *schemas);

/* No value changed from the sample before to the sample after. */
bool direct_still(const struct direct *direct);

/* All values in @stats are those of the sample before. */
bool direct_equal(const struct direct *direct, const json_t *stats);

/* Whatever can only grow lies, in @stats, between the two samples. */
bool direct_between(const struct direct *direct, const json_t *stats);

/* Whatever can only grow has not shrunk from one sample to the other. */
bool direct_grown(const struct direct *direct);

#endif /* QEMU_DIRECT_H */
