/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of statistics, and of the bars of a histogram. */
#ifndef TOP_STAT_PAGE_H
#define TOP_STAT_PAGE_H

#include "top/page.h"
#include "top/sampler.h"

/* The totals must be those of the page's scope. */
void stat_page_update(struct page *page, const struct sampler *sampler);
void stat_page_update_histogram(struct page *page, const struct sampler *sampler);

#endif /* TOP_STAT_PAGE_H */
