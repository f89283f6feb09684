/* SPDX-License-Identifier: GPL-2.0-only */
/* Run an unmodified QEMU below a root directory. */
#ifndef QEMU_VMM_H
#define QEMU_VMM_H

#include <stdbool.h>
#include <sys/types.h>

#define VMM_CPUS	2

struct vmm_config {
	const char *host;	/* root directory of the build host */
	const char *qemu;	/* the following paths are below @host */
	const char *kernel;
	const char *initrd;
	const char *qmp_socket;	/* NULL, or a path on which QEMU also listens for QMP */
	const char *name;	/* of the guest */
	uid_t uid;		/* the user of QEMU; 0: the current user */
};

struct vmm {
	pid_t pid;		/* 0 after it has been reaped */
	int qmp;		/* the QMP socket; the caller closes it */
	int serial;		/* a file with the output of the guest's serial port */
	int log;		/* a file with QEMU's stderr */
};

/* Starts QEMU. Returns 0 or -errno. On error, no process and no fd is left over. */
int vmm_start(struct vmm *vmm, const struct vmm_config *config);

/* Waits until the guest has written @marker. Returns false on timeout or if QEMU died. */
bool vmm_wait_serial(struct vmm *vmm, const char *marker, int seconds);

/*
 * Waits until QEMU has exited by itself. Returns its wait status, or -1 on timeout.
 */
int vmm_wait_exit(struct vmm *vmm, int seconds);

/* Kills QEMU if it still runs, reaps it, and closes the output files. */
void vmm_stop(struct vmm *vmm);

/* Prints the last output of the guest and of QEMU as notes. */
void vmm_diagnose(const struct vmm *vmm);

#endif /* QEMU_VMM_H */
