/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports the state of the service to the service manager, as sd_notify(3) does. */
#ifndef SERVE_NOTIFY_H
#define SERVE_NOTIFY_H

/* @state is "READY=1" or "STOPPING=1". Does nothing unless $NOTIFY_SOCKET is set. */
void notify_manager(const char *state);

#endif /* SERVE_NOTIFY_H */
