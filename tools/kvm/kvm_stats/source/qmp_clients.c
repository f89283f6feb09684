// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "source/qmp_clients.h"

/* The time for all answers of a sample, or of one VMM that is asked for the first time. */
#define ANSWER_TIME	SECOND
/* If VMMs that do not answer have cost this much in QMP_RETRY_TIME, others get less time. */
#define PATIENCE	(2 * SECOND)
#define SHORT_TIME	(50 * MILLISECOND)

/* ---- clients ---- */

struct qmp_client *qmp_clients_find(const struct qmp_clients *clients, pid_t pid)
{
	size_t i;

	for (i = 0; i < clients->count; i++) {
		if (clients->client[i]->session->pid == pid)
			return clients->client[i];
	}
	return NULL;
}

static void free_client(struct qmp_client *client)
{
	qmp_session_free(client->session);
	free(client);
}

/* Owns @session, also on failure. Returns NULL if memory is exhausted. */
static struct qmp_client *add_client(struct qmp_clients *clients, struct qmp_session *session)
{
	struct qmp_client *client = calloc(1, sizeof(*client));
	struct qmp_client **more;

	more = array_grow(clients->client, clients->count, &clients->capacity, sizeof(*more));
	if (more)
		clients->client = more;
	if (!client || !more) {
		free(client);
		qmp_session_free(session);
		return NULL;
	}
	client->session = session;
	more[clients->count++] = client;
	return client;
}

void qmp_clients_release(struct qmp_clients *clients, struct qmp_client *client)
{
	size_t i;

	if (client->targets)
		return;
	for (i = 0; clients->client[i] != client; i++)
		;
	clients->client[i] = clients->client[--clients->count];
	free_client(client);
}

void qmp_clients_free(struct qmp_clients *clients)
{
	free(clients->client);
	free(clients);
}

/* ---- samples ---- */

void qmp_clients_sample(struct qmp_clients *clients)
{
	struct qmp_session **session = calloc(clients->count + 1, sizeof(*session));
	size_t i;

	for (i = 0; session && i < clients->count; i++) {
		session[i] = clients->client[i]->session;
		qmp_session_start(session[i], QMP_VALUES);
	}
	if (session)
		qmp_sessions_finish(session, clients->count, clock_now() + ANSWER_TIME);
	free(session);
}

/* ---- asking for everything ---- */

void qmp_client_note_path(struct vmm *vmm, const struct qmp_session *session)
{
	snprintf(vmm->qmp_path, sizeof(vmm->qmp_path), "%s", session->socket.path);
}

static uint64_t answer_time(struct qmp_clients *clients)
{
	uint64_t now = clock_now();

	if (now - clients->window > QMP_RETRY_TIME) {
		clients->window = now;
		clients->waited = 0;
	}
	return clients->waited < PATIENCE ? ANSWER_TIME : SHORT_TIME;
}

/* Asks for schemas and vCPUs, too. Returns 0 or -errno. */
static int ask(struct qmp_clients *clients, struct qmp_session *session)
{
	uint64_t time = answer_time(clients);
	uint64_t start = clock_now();

	qmp_session_start(session, QMP_ALL);
	qmp_sessions_finish(&session, 1, start + time);
	if (session->err)
		clients->waited += clock_now() - start;
	return session->err;
}

int qmp_clients_ask(struct qmp_clients *clients, struct qmp_client *client)
{
	return ask(clients, client->session);
}

static int list_sockets(const struct filter *filter, const struct vmm *vmm,
			struct qmp_sockets *sockets)
{
	size_t i;
	int err = 0;

	if (!filter->qmp_paths)
		return qmp_sockets_of_vmm(sockets, vmm->pid);
	for (i = 0; !err && i < filter->qmp_paths; i++)
		err = qmp_sockets_add(sockets, filter->qmp_path[i], vmm->pid, vmm->guest);
	return err;
}

/* Asks over one socket. Takes its path. Returns NULL and sets @err if that fails. */
static struct qmp_session *try_socket(struct qmp_clients *clients, struct qmp_socket *socket,
				      struct vmm *vmm, int *err)
{
	struct qmp_session *session = qmp_session_new(socket, vmm->pid);
	int failed;

	socket->path = NULL;
	if (!session) {
		*err = -ENOMEM;
		return NULL;
	}
	failed = ask(clients, session);
	if (!failed)
		return session;
	/* A socket of another process is the least interesting reason. */
	if (failed != -EREMOTE || *err == -ENXIO) {
		*err = failed;
		qmp_client_note_path(vmm, session);
	}
	qmp_session_free(session);
	return NULL;
}

struct qmp_client *qmp_clients_add(struct qmp_clients *clients, const struct filter *filter,
				   struct vmm *vmm, int *err)
{
	struct qmp_sockets sockets = { 0 };
	struct qmp_session *session = NULL;
	struct qmp_client *client = NULL;
	size_t i;

	vmm->qmp_path[0] = '\0';
	*err = list_sockets(filter, vmm, &sockets);
	if (!*err)
		*err = -ENXIO;
	for (i = 0; !session && i < sockets.count; i++)
		session = try_socket(clients, &sockets.socket[i], vmm, err);
	qmp_sockets_free(&sockets);
	if (session) {
		client = add_client(clients, session);
		*err = client ? 0 : -ENOMEM;
	}
	return client;
}
