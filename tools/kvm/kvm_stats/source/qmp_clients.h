/* SPDX-License-Identifier: GPL-2.0-only */
/* The VMMs that are asked over QMP, for source/qmp.c. */
#ifndef SOURCE_QMP_CLIENTS_H
#define SOURCE_QMP_CLIENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "qmp/session.h"
#include "targets/filter.h"
#include "targets/vmm.h"

/* A VMM that did not answer is asked again after this time. */
#define QMP_RETRY_TIME	(30 * SECOND)

/* A VMM, and its answers to the last commands. */
struct qmp_client {
	struct qmp_session *session;
	size_t targets;			/* those that use the client */
};

/* Initialize it with zeros. */
struct qmp_clients {
	struct qmp_client **client;
	size_t count;
	size_t capacity;
	uint64_t window;		/* start of the time in which @waited was measured */
	uint64_t waited;		/* for VMMs that did not answer, in ns */
};

/* Returns NULL if the process has no client. */
struct qmp_client *qmp_clients_find(const struct qmp_clients *clients, pid_t pid);

/*
 * Finds a QMP socket of @vmm, asks for everything, and waits for the answers. Returns NULL if that
 * fails, and sets @err to -errno and vmm->qmp_path to the socket.
 */
struct qmp_client *qmp_clients_add(struct qmp_clients *clients, const struct filter *filter,
				   struct vmm *vmm, int *err);

/* Asks a known VMM for everything again. Returns 0 or -errno. */
int qmp_clients_ask(struct qmp_clients *clients, struct qmp_client *client);

/* Asks all VMMs for values at the same time. See client->session->err. */
void qmp_clients_sample(struct qmp_clients *clients);

/* Frees the client if no target uses it. */
void qmp_clients_release(struct qmp_clients *clients, struct qmp_client *client);

/* All clients must have been released. */
void qmp_clients_free(struct qmp_clients *clients);

/* Notes the socket in @vmm, for messages. */
void qmp_client_note_path(struct vmm *vmm, const struct qmp_session *session);

#endif /* SOURCE_QMP_CLIENTS_H */
