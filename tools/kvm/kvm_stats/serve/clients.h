/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The HTTP connections and their timeouts.
 *
 * A client must send its request and receive the response within fixed times; activity does
 * not extend them. If many clients are connected, the oldest one that has not sent its request
 * is disconnected, so that silent clients cannot use up all connections.
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
	bool request_received;
	bool disconnected;	/* shut down, but the HTTP library has not closed it yet */
	bool used;
};

struct clients {
	struct client client[MAX_CLIENTS];
	size_t count;
};

/*
 * Returns NULL if there are MAX_CLIENTS connections already. The connection limit of the HTTP
 * library should prevent that.
 */
struct client *client_add(struct clients *clients, int fd, uint64_t now);
void client_remove(struct clients *clients, struct client *client);

/* Disconnects the clients that have exceeded their timeouts. */
void clients_expire(struct clients *clients, uint64_t now);

/* Returns the time of the next timeout, or UINT64_MAX if no client is connected. */
uint64_t clients_deadline(const struct clients *clients);

#endif /* SERVE_CLIENTS_H */
