// SPDX-License-Identifier: GPL-2.0-only
#include <sys/socket.h>

#include "base/clock.h"
#include "serve/clients.h"

#define REQUEST_TIMEOUT		(5 * SECOND)
#define CONNECTION_TIMEOUT	(60 * SECOND)
/* With this many clients, each new one replaces the oldest that has not sent its request. */
#define EVICT_THRESHOLD		(MAX_CLIENTS - 8)

/* The HTTP library sees the shutdown and closes the connection. */
static void disconnect(struct client *client)
{
	shutdown(client->fd, SHUT_RDWR);
	client->disconnected = true;
}

static uint64_t deadline_of(const struct client *client)
{
	return client->since + (client->request_received ? CONNECTION_TIMEOUT : REQUEST_TIMEOUT);
}

static bool is_idle(const struct client *client)
{
	return client->used && !client->request_received && !client->disconnected;
}

static struct client *oldest_idle(struct clients *clients)
{
	struct client *oldest = NULL;
	size_t i;

	for (i = 0; i < MAX_CLIENTS; i++) {
		struct client *client = &clients->client[i];

		if (is_idle(client) && (!oldest || client->since < oldest->since))
			oldest = client;
	}
	return oldest;
}

struct client *client_add(struct clients *clients, int fd, uint64_t now)
{
	struct client *idle = clients->count >= EVICT_THRESHOLD ? oldest_idle(clients) : NULL;
	size_t i;

	if (idle)
		disconnect(idle);
	for (i = 0; i < MAX_CLIENTS; i++) {
		if (clients->client[i].used)
			continue;
		clients->client[i] = (struct client){ .fd = fd, .since = now, .used = true };
		clients->count++;
		return &clients->client[i];
	}
	return NULL;
}

void client_remove(struct clients *clients, struct client *client)
{
	client->used = false;
	clients->count--;
}

void clients_expire(struct clients *clients, uint64_t now)
{
	size_t i;

	for (i = 0; i < MAX_CLIENTS; i++) {
		struct client *client = &clients->client[i];

		if (client->used && !client->disconnected && deadline_of(client) <= now)
			disconnect(client);
	}
}

uint64_t clients_deadline(const struct clients *clients)
{
	uint64_t next = UINT64_MAX;
	size_t i;

	for (i = 0; i < MAX_CLIENTS; i++) {
		const struct client *client = &clients->client[i];

		if (client->used && !client->disconnected && deadline_of(client) < next)
			next = deadline_of(client);
	}
	return next;
}
