/* SPDX-License-Identifier: GPL-2.0-only */
/* What kvm-stats serve exposes, held against what QEMU says. */
#ifndef CLIENT_EXPOSITION_H
#define CLIENT_EXPOSITION_H

#include <stdbool.h>
#include <sys/types.h>
#include <jansson.h>

/* Whose series: a VMM's VM, or vCPU @vcpu if that is not -1. */
struct exposed {
	pid_t pid;
	const char *guest;
	int vcpu;
};

/* The value of NAME{labels of @whose @more}, "" if there is none: until the next call. */
const char *exposition_value(const char *text, const struct exposed *whose, const char *name,
			     const char *more);

/* NAME{pid,guest} of the VMM itself is @value. */
bool exposition_of_vmm(const char *text, const struct exposed *whose, const char *name,
		       const char *value);

/* Any line that has this PID in its labels. */
bool exposition_names(const char *text, pid_t pid);

/*
 * Each of QEMU's @stats is there under its name in OpenMetrics, and with QEMU's value.  Returns
 * the name of one that is not, or NULL; histograms are held against the number of their samples.
 */
const char *exposition_lacks(const char *text, const struct exposed *whose, const json_t *stats,
			     const json_t *schemas);

#endif /* CLIENT_EXPOSITION_H */
