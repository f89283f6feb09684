// SPDX-License-Identifier: GPL-2.0-only
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

#include "lib/clock.h"
#include "qemu/check/table.h"
#include "qemu/vmm.h"

#define STR_(x)		#x
#define STR(x)		STR_(x)

#define OUTPUT_MAX	(256 * 1024)
#define TAIL_MAX	1500

/*
 * The CPU model has no XSAVE, because emulated SVM passes on XSAVE leaves of the test machine that
 * a guest kernel considers inconsistent. Each CPU is a socket, because firmware without ACPI
 * counts only sockets. Without a kernel, the guest is the firmware.
 */
static void exec_qemu(const struct vmm_config *config, int qmp)
{
	char chardev[64], socket[128];
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
		"-chardev", chardev,
		"-mon", "chardev=qmp,mode=control",
		*config->kernel ? "-kernel" : NULL, config->kernel,
		"-initrd", config->initrd,
		"-append", "console=ttyS0 quiet panic=-1",
		config->qmp_socket ? "-qmp" : NULL, socket,
		NULL
	};

	snprintf(chardev, sizeof(chardev), "socket,id=qmp,fd=%d", qmp);
	snprintf(socket, sizeof(socket), "unix:%s,server=on,wait=off",
		 config->qmp_socket ? config->qmp_socket : "");
	execv(config->qemu, (char * const *)argv);
}

/* Executes QEMU below @config->host, in the child. Writes errors to stderr. */
static void execute_qemu(const struct vmm_config *config, const struct vmm *vmm,
			 int qmp, pid_t parent)
{
	const char *what;

	/* With huge pages, the guest would soon have accessed all of its memory. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);

	what = "redirecting QEMU's output";
	if (dup2(vmm->serial, STDOUT_FILENO) < 0 || dup2(vmm->log, STDERR_FILENO) < 0)
		goto fail;
	what = config->host;
	if (chroot(config->host) || chdir("/"))
		goto fail;
	what = "becoming another user";
	if (config->uid && (setgroups(0, NULL) || setgid(config->uid) || setuid(config->uid)))
		goto fail;
	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* setuid() resets it */
	if (getppid() != parent)
		_exit(1);
	what = "/dev/null";
	close(STDIN_FILENO);
	if (open("/dev/null", O_RDONLY) != STDIN_FILENO)
		goto fail;
	what = "the QMP socket";
	if (fcntl(qmp, F_SETFD, 0))
		goto fail;
	what = config->qemu;
	exec_qemu(config, qmp);
fail:
	dprintf(STDERR_FILENO, "%s: %s\n", what, strerror(errno));
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
		execute_qemu(config, vmm, pair[1], parent);
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

/* Returns the content of the output file @fd as a string, which the caller frees. */
static char *read_output(int fd)
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

/* Reaps QEMU if it has exited, and returns whether it has. */
static bool has_exited(struct vmm *vmm, int *status)
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
		char *text = read_output(vmm->serial);
		bool found = text && strstr(text, marker);

		free(text);
		if (found)
			return true;
		if (dead || !ms_until(deadline))
			return false;
		ms_sleep(100);
		dead = has_exited(vmm, &status);
	}
}

int vmm_wait_exit(struct vmm *vmm, int seconds)
{
	long long deadline = ms_now() + seconds * 1000LL;
	int status = -1;

	while (!has_exited(vmm, &status)) {
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
	char *text = read_output(fd);
	char *line, *rest;
	size_t len;

	if (!text)
		return;

	len = strlen(text);
	rest = text + (len > TAIL_MAX ? len - TAIL_MAX : 0);
	note("%s, %zu bytes%s", title, len, len > TAIL_MAX ? ", the last ones:" : ":");
	while ((line = strsep(&rest, "\n")))
		if (*line)
			note("  %s", line);
	free(text);
}

void vmm_diagnose(const struct vmm *vmm)
{
	print_tail("the guest's serial port", vmm->serial);
	print_tail("QEMU's stderr", vmm->log);
}
