/* SPDX-License-Identifier: GPL-2.0-only */
/* The QEMU under observation: an unmodified one, from the machine at @host. */
#ifndef QEMU_VMM_H
#define QEMU_VMM_H

#include <stdbool.h>
#include <sys/types.h>

#define VMM_CPUS	2

struct vmm_config {
	const char *host;	/* root directory to find QEMU in */
	const char *qemu;	/* this and what follows: paths below @host */
	const char *kernel;
	const char *initrd;
	const char *name;	/* of the guest */
	uid_t uid;		/* what QEMU runs as; 0: as we do */
};

struct vmm {
	pid_t pid;		/* 0 once it has been reaped */
	int qmp;		/* our end of the QMP socket; the caller's to close */
	int serial;		/* what the guest wrote to its serial port */
	int log;		/* what QEMU wrote to stderr */
};

/* Start QEMU.  Returns 0 or -errno; on error nothing is left behind. */
int vmm_start(struct vmm *vmm, const struct vmm_config *config);

/* Wait until the guest has written @marker; false if time ran out or QEMU died. */
bool vmm_wait_serial(struct vmm *vmm, const char *marker, int seconds);

/*
 * Wait until QEMU has exited by itself.  Returns its wait status, or -1 if it
 * has not exited in time.
 */
int vmm_wait_exit(struct vmm *vmm, int seconds);

/* Kill QEMU if it still runs, reap it and close all that vmm_start() opened. */
void vmm_stop(struct vmm *vmm);

/* Print the ends of the guest's and QEMU's output as TAP diagnostics. */
void vmm_diagnose(const struct vmm *vmm);

#endif /* QEMU_VMM_H */
