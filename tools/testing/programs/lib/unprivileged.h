/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_UNPRIVILEGED_H
#define GUEST_UNPRIVILEGED_H

#define UNPRIVILEGED_UID	65534

/* Gives up all privileges of the calling process. Returns NULL or an error message. */
const char *become_unprivileged(void);

#endif /* GUEST_UNPRIVILEGED_H */
