// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "proc/file.h"
#include "qmp/cmdline.h"
#include "qmp/socket.h"

/* ---- the list of sockets ---- */

/* Owns @path, also on failure. NULL adds nothing. */
static int add_path(struct qmp_sockets *sockets, char *path, bool from_vmm)
{
	struct qmp_socket *more;

	if (!path)
		return 0;
	more = realloc(sockets->socket, (sockets->count + 1) * sizeof(*more));
	if (!more) {
		free(path);
		return -ENOMEM;
	}
	sockets->socket = more;
	more[sockets->count++] = (struct qmp_socket){ .path = path, .from_vmm = from_vmm };
	return 0;
}

void qmp_sockets_free(struct qmp_sockets *sockets)
{
	while (sockets->count)
		free(sockets->socket[--sockets->count].path);
	free(sockets->socket);
	*sockets = (struct qmp_sockets){ 0 };
}

/* ---- sockets on the command line of the VMM ---- */

/* Returns the path that a character device listens on, or NULL. */
static char *listening_path(const char *option, const char *implied)
{
	return option_is_on(option, "server") ? option_value(option, implied, "path") : NULL;
}

/* Returns the path that the socket device @id listens on, or NULL. */
static char *chardev_path(const struct cmdline *cmdline, const char *id)
{
	const char *argument = NULL;
	bool is_value = false;

	while ((argument = cmdline_next(cmdline, argument))) {
		char *found = is_value ? option_value(argument, NULL, "id") : NULL;
		bool same = found && !strcmp(found, id);

		free(found);
		if (same && !strncmp(argument, "socket,", 7))
			return listening_path(argument, NULL);
		is_value = is_option(argument, "chardev");
	}
	return NULL;
}

/* Returns the path of the monitor that the option -mon @option defines, or NULL. */
static char *mon_path(const struct cmdline *cmdline, const char *option)
{
	char *mode = option_value(option, "chardev", "mode");
	char *id = option_value(option, "chardev", "chardev");
	char *path = NULL;

	if (mode && id && !strcmp(mode, "control"))
		path = chardev_path(cmdline, id);
	free(mode);
	free(id);
	return path;
}

/* The same for -qmp. */
static char *qmp_path(const struct cmdline *cmdline, const char *option)
{
	if (!strncmp(option, "chardev:", 8))
		return chardev_path(cmdline, option + 8);
	return strncmp(option, "unix:", 5) ? NULL : listening_path(option + 5, "path");
}

int qmp_sockets_of_vmm(struct qmp_sockets *sockets, pid_t pid)
{
	const char *argument = NULL, *before = "";
	struct cmdline cmdline;
	int err = cmdline_read(&cmdline, pid);

	while (!err && (argument = cmdline_next(&cmdline, argument))) {
		if (is_option(before, "qmp") || is_option(before, "qmp-pretty"))
			err = add_path(sockets, qmp_path(&cmdline, argument), true);
		else if (is_option(before, "mon"))
			err = add_path(sockets, mon_path(&cmdline, argument), true);
		before = argument;
	}
	cmdline_free(&cmdline);
	return err;
}

/* ---- sockets that the user named ---- */

/* Writes the path with %g and %p replaced. Returns false if it does not fit. */
static bool expand(const char *path, pid_t pid, const char *guest, char *buf, size_t size)
{
	size_t used = 0;

	for (; *path && used < size; path++) {
		if (*path != '%' || !path[1])
			used += (size_t)snprintf(buf + used, size - used, "%c", *path);
		else if (*++path == 'p')
			used += (size_t)snprintf(buf + used, size - used, "%d", (int)pid);
		else if (*path == 'g')
			used += (size_t)snprintf(buf + used, size - used, "%s", guest);
		else
			used += (size_t)snprintf(buf + used, size - used, "%c", *path);
	}
	return used < size;
}

int qmp_sockets_add(struct qmp_sockets *sockets, const char *path, pid_t pid, const char *guest)
{
	bool needs_guest = strstr(path, "%g");
	char buf[PATH_MAX], *copy;

	/* A name with a slash would lead to another directory. */
	if (needs_guest && (!guest || strchr(guest, '/')))
		return 0;
	if (!expand(path, pid, guest, buf, sizeof(buf)))
		return 0;
	copy = strdup(buf);
	return copy ? add_path(sockets, copy, false) : -ENOMEM;
}

/* ---- connections ---- */

/* Returns an fd that refers to the socket file, or -errno. */
static int find_file(const struct qmp_socket *socket, pid_t pid)
{
	char path[PATH_MAX + PROC_PATH_SIZE];
	int fd;

	if (!socket->from_vmm)
		snprintf(path, sizeof(path), "%s", socket->path);
	else if (*socket->path == '/')
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, socket->path);
	else
		snprintf(path, sizeof(path), "/proc/%d/cwd/%s", (int)pid, socket->path);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

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

int qmp_connect(const struct qmp_socket *qmp_socket, pid_t pid)
{
	int file = find_file(qmp_socket, pid);
	int fd, err;

	if (file < 0)
		return file;
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
