/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages about the QMP sockets of VMMs. */
#ifndef MESSAGES_QMP_H
#define MESSAGES_QMP_H

#include <stdbool.h>
#include <stddef.h>

#include "targets/vmm.h"

/* Writes why QMP has no statistics of @vmm to @buf, after the path of the socket. */
const char *qmp_reason(const struct vmm *vmm, char *buf, size_t size);

/* Prints the reason, and the advice. */
void explain_qmp(const struct vmm *vmm);

/* Prints what the user can do about the error @err of QMP. */
void suggest_qmp(int err);

/* If QEMU has a QMP socket, prints the advice to add --qmp, and returns true. */
bool offer_qmp(const struct vmm *vmm);

#endif /* MESSAGES_QMP_H */
