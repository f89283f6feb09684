/* SPDX-License-Identifier: GPL-2.0-only */
/* QMP: QEMU's control protocol, one JSON object per line over a socket. */
#ifndef QEMU_QMP_H
#define QEMU_QMP_H

#include <stddef.h>
#include <jansson.h>

struct qmp {
	int fd;
	char *buf;		/* bytes received but not yet parsed */
	size_t len;
	size_t size;
	json_t *greeting;
	char error[256];	/* why the last call returned NULL */
};

/*
 * Takes ownership of the connected socket @fd, waits for the greeting and leaves negotiation mode.
 * Returns 0, or -1 and sets @qmp->error. Call qmp_close() in both cases.
 */
int qmp_open(struct qmp *qmp, int fd);
void qmp_close(struct qmp *qmp);

/*
 * Executes @command. Consumes @args, which may be NULL. Returns the "return" member as a new
 * reference, or NULL and sets @qmp->error, which is the error message of QEMU if QEMU refused the
 * command.
 */
json_t *qmp_call(struct qmp *qmp, const char *command, json_t *args);

#endif /* QEMU_QMP_H */
