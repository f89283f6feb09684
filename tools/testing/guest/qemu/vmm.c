// SPDX-License-Identifier: GPL-2.0-only
/* The QEMU under observation: an unmodified one, from the machine at @host. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "tap.h"
#include "vmm.h"

#define STR_(x)		#x
#define STR(x)		STR_(x)

#define OUTPUT_MAX	(256 * 1024)
#define TAIL_MAX	1500

/*
 * A plain CPU: emulated SVM passes the XSAVE leaves of its host on in a way that
 * a guest kernel finds inconsistent.  Sockets, because firmware without ACPI
 * counts those only.
 */
static void exec_qemu(const struct vmm_config *config, int qmp)
{
	char chardev[64];
	const char * const argv[] = {
		config->qemu,
		"-name", config->name,
		"-accel", "kvm",
		"-cpu", "kvm64,-vme",
		"-smp", STR(VMM_CPUS) ",sockets=" STR(VMM_CPUS),
		"-m", "256",
		"-display", "none",
		"-no-user-config", "-nodefaults", "-no-reboot",
		"-serial", "stdio",
		"-kernel", config->kernel,
		"-initrd", config->initrd,
		"-append", "console=ttyS0 quiet panic=-1",
		"-chardev", chardev,
		"-mon", "chardev=qmp,mode=control",
		NULL
	};

	snprintf(chardev, sizeof(chardev), "socket,id=qmp,fd=%d", qmp);
	execv(config->qemu, (char * const *)argv);
}

/* In the child: become QEMU inside @config->host, or say on stderr why not. */
static void become_qemu(const struct vmm_config *config, const struct vmm *vmm,
			int qmp, pid_t parent)
{
	const char *step;

	/* In huge pages the guest would soon have touched all of its memory. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);

	step = "redirecting QEMU's output";
	if (dup2(vmm->serial, STDOUT_FILENO) < 0 || dup2(vmm->log, STDERR_FILENO) < 0)
		goto fail;
	step = config->host;
	if (chroot(config->host) || chdir("/"))
		goto fail;
	step = "becoming another user";
	if (config->uid && (setgroups(0, NULL) || setgid(config->uid) || setuid(config->uid)))
		goto fail;
	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* another user has lost it */
	if (getppid() != parent)
		_exit(1);
	step = "/dev/null";
	close(STDIN_FILENO);
	if (open("/dev/null", O_RDONLY) != STDIN_FILENO)
		goto fail;
	step = "the QMP socket";
	if (fcntl(qmp, F_SETFD, 0))
		goto fail;
	step = config->qemu;
	exec_qemu(config, qmp);
fail:
	dprintf(STDERR_FILENO, "%s: %s\n", step, strerror(errno));
	_exit(127);
}

static int open_outputs(struct vmm *vmm)
{
	vmm->serial = memfd_create("serial", MFD_CLOEXEC);
	vmm->log = memfd_create("log", MFD_CLOEXEC);
	return vmm->serial < 0 || vmm->log < 0 ? -errno : 0;
}

int vmm_start(struct vmm *vmm, const struct vmm_config *config)
{
	pid_t parent = getpid();
	int pair[2] = { -1, -1 };
	int ret;

	*vmm = (struct vmm){ .qmp = -1, .serial = -1, .log = -1 };

	ret = open_outputs(vmm);
	if (ret)
		goto stop;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		ret = -errno;
		goto stop;
	}

	fflush(stdout);
	vmm->pid = fork();
	if (!vmm->pid)
		become_qemu(config, vmm, pair[1], parent);
	ret = vmm->pid < 0 ? -errno : 0;

	close(pair[1]);
	if (!ret) {
		vmm->qmp = pair[0];
		return 0;
	}
	vmm->pid = 0;
	close(pair[0]);
stop:
	vmm_stop(vmm);
	return ret;
}

/* All that is in the output file @fd, as a string to free. */
static char *output(int fd)
{
	char *text = malloc(OUTPUT_MAX + 1);
	ssize_t n;
	size_t i;

	if (!text)
		return NULL;

	n = pread(fd, text, OUTPUT_MAX, 0);
	if (n < 0)
		n = 0;
	for (i = 0; i < (size_t)n; i++)		/* firmware clears the screen */
		if (!text[i] || text[i] == '\r' || text[i] == '\033')
			text[i] = ' ';
	text[n] = '\0';
	return text;
}

/* Reap QEMU if it has exited. */
static bool exited(struct vmm *vmm, int *status)
{
	if (vmm->pid && waitpid(vmm->pid, status, WNOHANG) == vmm->pid)
		vmm->pid = 0;
	return !vmm->pid;
}

bool vmm_wait_serial(struct vmm *vmm, const char *marker, int seconds)
{
	long long deadline = ms_now() + seconds * 1000LL;
	bool dead = false;
	int status;

	for (;;) {
		char *text = output(vmm->serial);
		bool found = text && strstr(text, marker);

		free(text);
		if (found)
			return true;
		if (dead || !ms_until(deadline))
			return false;
		ms_sleep(100);
		dead = exited(vmm, &status);
	}
}

int vmm_wait_exit(struct vmm *vmm, int seconds)
{
	long long deadline = ms_now() + seconds * 1000LL;
	int status = -1;

	while (!exited(vmm, &status)) {
		if (!ms_until(deadline))
			return -1;
		ms_sleep(50);
	}
	return status;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void vmm_stop(struct vmm *vmm)
{
	if (vmm->pid) {
		kill(vmm->pid, SIGKILL);
		waitpid(vmm->pid, NULL, 0);
		vmm->pid = 0;
	}
	close_fd(&vmm->serial);
	close_fd(&vmm->log);
}

static void print_tail(const char *title, int fd)
{
	char *text = output(fd);
	char *line, *rest;
	size_t len;

	if (!text)
		return;

	len = strlen(text);
	rest = text + (len > TAIL_MAX ? len - TAIL_MAX : 0);
	tap_note("%s, %zu bytes%s", title, len, len > TAIL_MAX ? ", the end:" : ":");
	while ((line = strsep(&rest, "\n")))
		if (*line)
			tap_note("  %s", line);
	free(text);
}

void vmm_diagnose(const struct vmm *vmm)
{
	print_tail("the guest's serial port", vmm->serial);
	print_tail("QEMU's stderr", vmm->log);
}
