/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MESSAGES_NAME_H
#define MESSAGES_NAME_H

#include "targets/vmm.h"

#define VMM_NAME_SIZE	256

/* Writes the name of @vmm in messages, 'PID 4711 (qemu), guest "web"', and returns @buf. */
const char *vmm_name(const struct vmm *vmm, char *buf, size_t size);

#endif /* MESSAGES_NAME_H */
