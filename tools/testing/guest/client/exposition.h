/* SPDX-License-Identifier: GPL-2.0-only */
/* Find metrics in the output of kvm-stats serve, and compare them with the answers of QEMU. */
#ifndef CLIENT_EXPOSITION_H
#define CLIENT_EXPOSITION_H

#include <stdbool.h>
#include <sys/types.h>
#include <jansson.h>

/* The labels of a series: those of the VM if @vcpu is -1, otherwise those of the vCPU. */
struct exposed {
	pid_t pid;
	const char *guest;
	int vcpu;
};

/*
 * Returns the value of NAME{@labels @more}, or "" if the text does not contain
 * it. The string is valid until the next call.
 */
const char *exposition_value(const char *text, const struct exposed *labels, const char *name,
			     const char *more);

/* Is @value the value of NAME{pid,guest}, a metric of the VMM itself? */
bool exposition_of_vmm(const char *text, const struct exposed *labels, const char *name,
		       const char *value);

/* Does any line have this PID in its labels? */
bool exposition_names(const char *text, pid_t pid);

/*
 * Checks that each of QEMU's @stats has a metric with the same value. For histograms, the number of
 * samples must agree. Returns the name of a statistic that differs, or NULL.
 */
const char *exposition_difference(const char *text, const struct exposed *labels,
				  const json_t *stats, const json_t *schemas);

#endif /* CLIENT_EXPOSITION_H */
