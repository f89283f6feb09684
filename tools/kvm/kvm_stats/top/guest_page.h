/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of guests, and of the VMs and vCPUs of a guest. */
#ifndef TOP_GUEST_PAGE_H
#define TOP_GUEST_PAGE_H

#include <stddef.h>

#include "top/page.h"
#include "top/sampler.h"

/* @guests is the page of all guests, which has the history of the guest of @page. */
void guest_page_update(struct page *page, struct page *guests, struct sampler *sampler);

/* Updates the times of the vCPUs, and the classes of exits. */
void guest_page_update_times(struct page *page, struct sampler *sampler);

/* Writes the name and the PID, or only the PID. Returns @buf. */
const char *guest_title(char *buf, size_t size, const struct vmm *vmm);

#endif /* TOP_GUEST_PAGE_H */
