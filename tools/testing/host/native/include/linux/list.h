/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/kernel.h>

struct list_head {
	struct list_head *next;
};

#define list_entry(head, type, field)	container_of(head, type, field)

/* The list is not circular: the last entry has no next one. */
#define list_for_each_entry(pos, head, field)					\
	for (struct list_head *_at = (head)->next;				\
	     _at && (pos = list_entry(_at, __typeof__(*pos), field), true);	\
	     _at = _at->next)
