/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks QEMU for its statistics over QMP.
 *
 * QEMU serves one client of a QMP socket at a time, so a session connects, asks, and disconnects as
 * soon as it has the answers. Several sessions wait for their answers at the same time.
 */
#ifndef QMP_SESSION_H
#define QMP_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "qmp/socket.h"

/* The IDs of the commands. */
enum qmp_command {
	QMP_CAPABILITIES,
	QMP_STATS_VM,
	QMP_STATS_VCPU,
	QMP_SCHEMAS,
	QMP_CPUS,
	QMP_COMMANDS,
};

/* Sets of commands, as bits. */
#define QMP_VALUES	(1u << QMP_CAPABILITIES | 1u << QMP_STATS_VM | 1u << QMP_STATS_VCPU)
#define QMP_ALL		(QMP_VALUES | 1u << QMP_SCHEMAS | 1u << QMP_CPUS)

struct qmp_session {
	struct qmp_socket socket;
	pid_t pid;
	json_t *answer[QMP_COMMANDS];	/* NULL: no answer */
	/*
	 * Why the last attempt failed, or 0. In addition to the errors of qmp_connect(): -EBUSY: no
	 * greeting. -ETIMEDOUT: no answer. -EPROTO: what was received is not QMP. -EOVERFLOW: the
	 * answers are too long. -ECONNRESET: QEMU closed the connection. -EOPNOTSUPP: QEMU does not
	 * know a command. -EIO: QEMU returned another error.
	 */
	int err;
	/* For session.c only: */
	int fd;				/* -1: not connected */
	bool greeted;
	unsigned int asked;		/* the set of commands */
	unsigned int missing;		/* commands that have no answer yet */
	char *buf;			/* what was received and not parsed yet */
	size_t len;
	size_t size;
	size_t line;			/* index in @buf of the line that is not complete */
	size_t scanned;			/* index in @buf up to which it has no end */
	size_t received;		/* bytes of this attempt */
};

/* Owns the path of @socket, also on failure. Returns NULL if memory is exhausted. */
struct qmp_session *qmp_session_new(const struct qmp_socket *socket, pid_t pid);
void qmp_session_free(struct qmp_session *session);

/* Frees the answers, connects again, and asks a set of commands. Does not wait. */
void qmp_session_start(struct qmp_session *session, unsigned int commands);

/* Waits until all sessions have their answers or have failed. After @deadline the rest fails. */
void qmp_sessions_finish(struct qmp_session * const *session, size_t count, uint64_t deadline);

#endif /* QMP_SESSION_H */
