/* SPDX-License-Identifier: GPL-2.0-only */
/* QMP: QEMU's control protocol, one JSON object per line over a socket. */
#ifndef QEMU_QMP_H
#define QEMU_QMP_H

#include <stddef.h>
#include <jansson.h>

struct qmp {
	int fd;
	char *buf;		/* bytes received, not yet taken as a line */
	size_t len;
	size_t size;
	json_t *greeting;
	char error[256];	/* why the last call returned NULL */
};

/*
 * Take over the connected socket @fd, wait for the greeting and leave
 * negotiation mode.  Returns 0, or -1 with @qmp->error set; qmp_close() is due
 * in both cases.
 */
int qmp_open(struct qmp *qmp, int fd);
void qmp_close(struct qmp *qmp);

/*
 * Execute @command; @args is consumed and may be NULL.  Returns the "return"
 * member as a new reference, or NULL with @qmp->error set: to QEMU's own
 * description if it refused the command.
 */
json_t *qmp_call(struct qmp *qmp, const char *command, json_t *args);

#endif /* QEMU_QMP_H */
