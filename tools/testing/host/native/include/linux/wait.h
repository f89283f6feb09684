/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

typedef int wait_queue_head_t;

#define init_waitqueue_head(head)	((void)(head))
