/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPENMETRICS_LIBVIRT_H
#define OPENMETRICS_LIBVIRT_H

#include <sys/types.h>

/*
 * Finds the guest with the VMM @pid in the files DIR/DRIVER/NAME.xml, in which libvirt keeps the
 * state of running guests. Stores name and UUID, which the caller frees. A pointer that is NULL
 * is not stored to. Leaves both unchanged if no file has this PID, or the files cannot be read.
 */
void libvirt_find(const char *dir, pid_t pid, char **name, char **uuid);

#endif /* OPENMETRICS_LIBVIRT_H */
