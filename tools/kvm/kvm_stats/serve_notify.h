/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling the service manager, by the protocol of sd_notify(3). */
#ifndef SERVE_NOTIFY_H
#define SERVE_NOTIFY_H

/* "READY=1", "STOPPING=1"; does nothing unless $NOTIFY_SOCKET names who wants to know. */
void notify_manager(const char *state);

#endif /* SERVE_NOTIFY_H */
