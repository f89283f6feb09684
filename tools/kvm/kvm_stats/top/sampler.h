/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads samples of the host, and fills pages from the last ones. */
#ifndef TOP_SAMPLER_H
#define TOP_SAMPLER_H

#include <stdbool.h>

#include "model.h"
#include "proc.h"
#include "sums.h"
#include "top/exits.h"
#include "top/page.h"
#include "why/evidence.h"

/* Initialize it with zeros. */
struct sampler {
	struct monitor *monitor;
	struct host host;
	struct totals totals;
	struct exits exits;
	struct evidence evidence;	/* its user sets the window */
	bool counts_growth;		/* values count from the last reset */
};

/*
 * Reads the next sample. Returns false, with the reason in @why, if memory is exhausted. Other
 * errors are in monitor->problem.
 */
bool sampler_read(struct sampler *sampler, struct message *why);

/* ---- pages of guests, and of the VMs and vCPUs of a guest ---- */

/* @guests is the page of all guests, which has the history of the guest of @page. */
void guest_page_update(struct page *page, struct page *guests, struct sampler *sampler);

/* Updates the times of the vCPUs, and the classes of exits. */
void guest_page_update_times(struct page *page, struct sampler *sampler);

/* Writes the name and the PID, or only the PID. Returns @buf. */
const char *guest_title(char *buf, size_t size, const struct vmm *vmm);

/* ---- pages of statistics, and of the bars of a histogram ---- */

/* The totals must be those of the page's scope. */
void stat_page_update(struct page *page, const struct sampler *sampler);
void stat_page_update_histogram(struct page *page, const struct sampler *sampler);

#endif /* TOP_SAMPLER_H */
