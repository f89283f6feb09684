/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

typedef int wait_queue_head_t;

#define init_waitqueue_head(head)	((void)(head))
#define wake_up_all(head)		((void)(head))
