// SPDX-License-Identifier: GPL-2.0-only
#include <argz.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "guest.h"
#include "model.h"
#include "source/sources.h"
#include "util.h"

/* ---- sockets on the command line of the VMM ---- */

static bool has_suboption(const char *argument, const char *implied, const char *key,
			  const char *expected)
{
	char *value;
	bool same;

	if (kvmstats_find_suboption(argument, implied, key, &value))
		return false;
	same = value && !strcmp(value, expected);
	free(value);
	return same;
}

/* Adds the path of a socket device if QEMU listens on it. */
static int add_device(struct qmp_paths *paths, const char *argument, const char *implied)
{
	static const char * const on[] = { "on", "yes", "true", "y" };
	char *path;
	size_t i;
	int err;

	for (i = 0; !has_suboption(argument, implied, "server", on[i]); ) {
		if (++i == ARRAY_SIZE(on))
			return 0;
	}
	err = kvmstats_find_suboption(argument, implied, "path", &path);
	if (!err && path)
		err = -argz_add(&paths->argz, &paths->size, path);
	free(path);
	return err;
}

/* Adds the device of the option -chardev with this ID. */
static int add_chardev(struct qmp_paths *paths, const char *cmdline, size_t size, const char *id)
{
	const char *argument = NULL;

	while ((argument = kvmstats_find_argument(cmdline, size, "chardev", argument))) {
		if (has_suboption(argument, "backend", "id", id))
			break;
	}
	if (!argument || !has_suboption(argument, "backend", "backend", "socket"))
		return 0;
	return add_device(paths, argument, "backend");
}

/* Adds the device of the option -mon @argument. */
static int add_mon(struct qmp_paths *paths, const char *cmdline, size_t size, const char *argument)
{
	char *id;
	int err;

	if (!has_suboption(argument, "chardev", "mode", "control"))
		return 0;
	err = kvmstats_find_suboption(argument, "chardev", "chardev", &id);
	if (!err && id)
		err = add_chardev(paths, cmdline, size, id);
	free(id);
	return err;
}

/* Adds the device of the option -qmp @argument. */
static int add_qmp(struct qmp_paths *paths, const char *cmdline, size_t size, const char *argument)
{
	if (!strncmp(argument, "chardev:", strlen("chardev:")))
		return add_chardev(paths, cmdline, size, argument + strlen("chardev:"));
	if (!strncmp(argument, "unix:", strlen("unix:")))
		return add_device(paths, argument + strlen("unix:"), "path");
	return 0;
}

int qmp_parse_cmdline(struct qmp_paths *paths, const char *cmdline, size_t size)
{
	static const struct {
		const char *option;
		int (*add)(struct qmp_paths *paths, const char *cmdline, size_t size,
			   const char *argument);
	} options[] = { { "qmp", add_qmp }, { "qmp-pretty", add_qmp }, { "mon", add_mon } };
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		const char *argument = NULL;

		while (!err && (argument = kvmstats_find_argument(cmdline, size, options[i].option,
								  argument)))
			err = options[i].add(paths, cmdline, size, argument);
	}
	return err;
}

int qmp_find_paths(struct qmp_paths *paths, const struct vmm *vmm)
{
	size_t size;
	const char *cmdline = kvmstats_vmm_cmdline(vmm->kvm, &size);

	return cmdline ? qmp_parse_cmdline(paths, cmdline, size) : vmm->unread.name_error;
}

void qmp_find_path(const struct vmm *vmm, char *buf, size_t size)
{
	struct qmp_paths paths = { 0 };

	*buf = '\0';
	if (HAVE_JSON)
		qmp_find_paths(&paths, vmm);
	if (paths.size)
		snprintf(buf, size, "%s", paths.argz);
	free(paths.argz);
}

/* ---- connections ---- */

/* Connects @fd through the file, because a path in struct sockaddr_un has at most 107 bytes. */
static int connect_file(int fd, int file)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", file);
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	return errno == EAGAIN ? -EBUSY : -errno;
}

static int check_peer(int fd, pid_t pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return -errno;
	return peer.pid == pid ? 0 : -EREMOTE;
}

int qmp_connect(const char *path, bool of_vmm, pid_t pid)
{
	char full_path[PATH_MAX + 64] = "";
	int file, fd, err;

	if (of_vmm)
		snprintf(full_path, sizeof(full_path), "/proc/%d/%s/", (int)pid,
			 *path == '/' ? "root" : "cwd");
	strncat(full_path, path, sizeof(full_path) - strlen(full_path) - 1);
	file = open(full_path, O_PATH | O_CLOEXEC);
	if (file < 0)
		return -errno;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	err = fd < 0 ? -errno : connect_file(fd, file);
	close(file);
	if (!err)
		err = check_peer(fd, pid);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

/* ---- messages ---- */

const char *qmp_error_text(int err)
{
	static const struct {
		int err;
		const char *text;
	} messages[] = {
		{ -ENXIO, "found no QMP socket of this process" },
		{ -EREMOTE, "another process listens on the socket" },
		{ -ECONNREFUSED, "no process listens on the socket" },
		{ -EBUSY,
		  "the VMM does not greet; another program may be connected to the socket" },
		{ -ETIMEDOUT, "the VMM does not answer in time" },
		{ -EPROTO, "the VMM does not speak QMP, or its answer is not valid" },
		{ -EOVERFLOW, "the answer is too long" },
		{ -ECONNRESET, "the VMM has closed the connection" },
		{ -EOPNOTSUPP, "this QEMU has no query-stats (QEMU 7.1 and later have it)" },
		{ -EIO, "QEMU cannot read its statistics" },
		{ -ENODATA,
		  "QEMU has no statistics of the VM or vCPU (KVM has them from Linux 5.14 on)" },
		{ -ENOTUNIQ, "the process has several VMs, and QMP knows one" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(messages); i++) {
		if (messages[i].err == err)
			return messages[i].text;
	}
	return error_text(err);
}
