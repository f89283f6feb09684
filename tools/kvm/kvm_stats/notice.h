/* SPDX-License-Identifier: GPL-2.0-only */
/* What the user selected must exist; and what commands that keep running report of changes. */
#ifndef NOTICE_H
#define NOTICE_H

#include "model.h"

#define VMM_NAME_SIZE	384

/* Writes which VMM it is to @buf: PID 4711 (qemu), guest "web". Returns @buf. */
const char *vmm_name(const struct vmm *vmm, char *buf, size_t size);

/* Returns "the host file", "KVM_STATS_NEXT", or "/proc". */
const char *origin_text(enum kvmstats_origin origin);

/* ---- checks after a sample: they return false with a message ---- */

/* Each PID and guest that the user selected must exist, and at least one VMM with the vCPUs. */
bool check_selected(const struct monitor *monitor, struct message *why);

/*
 * The same, and there must be a VMM if the user selected none. The message is empty if
 * monitor->problem can be the reason.
 */
bool check_vmms(const struct monitor *monitor, struct message *why);

/* The regular expression must match a statistic, if statistics are known. */
bool check_matches(const struct monitor *monitor, struct message *why);

/* ---- notices, on standard error ---- */

/* What has been printed. Initialize it with zeros. */
struct notices {
	bool started;
	enum kvmstats_origin origin;
	struct message problem;
	enum exits_state exits;
};

/*
 * Prints what has changed since the last call: where statistics come from, why they are missing,
 * and whether selected exit statistics are on. The first call also prints the number of VMMs. Call
 * it after each sample, also after a failed one.
 */
void notices_print(struct notices *notices, const struct monitor *monitor);

/* For monitor_options.event: prints that a VMM has appeared or ended. */
void notice_event(const struct vmm *vmm, bool started, void *arg);

/* With -v: prints why each origin was not used, and which names are not final. */
void notice_details(const struct monitor *monitor);

#endif /* NOTICE_H */
