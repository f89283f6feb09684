/* SPDX-License-Identifier: GPL-2.0-only */
/* Find metrics in the output of kvm-stats serve, and compare them with the answers of QEMU. */
#ifndef CLIENT_EXPOSITION_H
#define CLIENT_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <jansson.h>

/*
 * The labels of a series: those of the guest and its VM if @vcpu is -1, otherwise those of the
 * vCPU. The guests of these tests have no UUID.
 */
struct exposed {
	const char *guest;
	int vcpu;
};

/*
 * Returns the value of NAME{@labels @more}, or "" if the text does not contain
 * it. The string is valid until the next call.
 */
const char *exposition_value(const char *text, const struct exposed *labels, const char *name,
			     const char *more);

/* Is @value the value of NAME{guest,uuid}, a metric of the guest itself? */
bool exposition_of_vmm(const char *text, const struct exposed *labels, const char *name,
		       const char *value);

/* Does any line have this PID in its labels? */
bool exposition_names(const char *text, pid_t pid);

/*
 * Checks that each of QEMU's @stats has a metric with the same value, except for histograms:
 * serve has only those of the whole guest. Returns the name of a statistic that differs, or NULL.
 */
const char *exposition_difference(const char *text, const struct exposed *labels,
				  const json_t *stats, const json_t *schemas);

/* Adds the number of samples of the histogram @name to @count. */
void exposition_count_samples(const json_t *stats, const char *name, uint64_t *count);

/* Does the histogram @stat of the guest have this number of samples? */
bool exposition_has_samples(const char *text, const char *guest, const char *stat, uint64_t count);

#endif /* CLIENT_EXPOSITION_H */
