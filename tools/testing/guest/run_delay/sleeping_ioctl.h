/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ioctl of a vCPU, other than KVM_RUN, during which the thread sleeps: it writes to a page that
 * is missing until another thread supplies it (userfaultfd).
 */
#ifndef RUN_DELAY_SLEEPING_IOCTL_H
#define RUN_DELAY_SLEEPING_IOCTL_H

#include <stdbool.h>

#include "vcpu/guest.h"

bool sleeping_ioctl_begin(void);
void sleeping_ioctl_end(void);

/* A `run` of struct runner. Only one thread can call it. */
bool sleeping_ioctl(struct guest *guest);

#endif /* RUN_DELAY_SLEEPING_IOCTL_H */
