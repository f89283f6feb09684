/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Reads the statistics of one VM or vCPU that a monitor watches. */
#ifndef KVMSTATS_READER_H
#define KVMSTATS_READER_H

#include "internal.h"
#include "schemas.h"
#include "vmm_files.h"

struct kvmstats_reader {
	const struct kvmstats_target *target;
	/* Copies, because @target is replaced when the fds of the VMM are listed again. */
	enum kvmstats_kind kind;
	int vcpu;
	int vmm_fd;
	uint64_t number;
	enum kvmstats_origin origin;
	int fd;				/* -1 if the statistics are in the file of the VM */
	int err;			/* why it cannot be read, or 0 */
	const struct kvmstats_schema *schema;
	struct kvmstats_sample *now;
	struct kvmstats_sample *before;
};

/* Returns NULL if memory is exhausted. Does not open the statistics. */
struct kvmstats_reader *kvmstats_reader_new(const struct kvmstats_target *target);
void kvmstats_reader_free(struct kvmstats_reader *reader);

/* The reader, which is of @target, reads it from now on. */
void kvmstats_reader_follow(struct kvmstats_reader *reader, const struct kvmstats_target *target);

/* Whether @reader reads the statistics of @target. */
bool kvmstats_reader_is_of(const struct kvmstats_reader *reader,
			   const struct kvmstats_target *target);

/*
 * Opens the statistics, or opens them again: the VMM may have closed its fd, and opened one of
 * another VM with the same number, and the kernel offers no way to detect that. If that fails,
 * an open fd stays. Sets reader->err.
 */
void kvmstats_reader_open(struct kvmstats_reader *reader, struct kvmstats_schemas *schemas);

/* Whether the statistics can be read. */
bool kvmstats_reader_is_open(const struct kvmstats_reader *reader);

/* The reader cannot be read any more, because of @err. */
void kvmstats_reader_fail(struct kvmstats_reader *reader, int err);

/*
 * Reads a new sample, or copies it from the file of the VM, and keeps the previous one. Sets
 * reader->err, and returns it.
 */
int kvmstats_reader_sample(struct kvmstats_reader *reader);

#endif /* KVMSTATS_READER_H */
