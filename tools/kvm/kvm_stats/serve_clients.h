/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections, and how long each may last.
 *
 * A client has to send its request, and to take the answer, within fixed times, however
 * busy it seems to be in between; and when there are many that have not sent theirs, the
 * oldest of these has to go, so that there is always room for one that wants something.
 */
#ifndef SERVE_CLIENTS_H
#define SERVE_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_CLIENTS	32

struct client {
	int fd;
	uint64_t since;		/* ns of CLOCK_MONOTONIC */
	bool request_received;		/* its request has come */
	bool disconnected;		/* it has been cut off */
	bool used;
};

struct clients {
	struct client client[MAX_CLIENTS];
	size_t count;
};

/* NULL: there are too many, which the HTTP library's own limit should not let happen. */
struct client *client_add(struct clients *clients, int fd, uint64_t now);
void client_remove(struct clients *clients, struct client *client);

/* Cuts off those whose time is over. */
void clients_expire(struct clients *clients, uint64_t now);

/* When the next one's time is over; UINT64_MAX: there is none. */
uint64_t clients_deadline(const struct clients *clients);

#endif /* SERVE_CLIENTS_H */
