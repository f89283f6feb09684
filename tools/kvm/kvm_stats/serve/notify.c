// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/output.h"
#include "serve/notify.h"

static int send_state(const char *path, const char *state)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	size_t len = strlen(path);
	int fd, err = 0;

	if (len >= sizeof(name.sun_path))
		return -ENAMETOOLONG;
	memcpy(name.sun_path, path, len);
	if (*path == '@')
		name.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&name,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		err = -errno;
	close(fd);
	return err;
}

void notify_manager(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	int err;

	if (!path || (*path != '/' && *path != '@'))
		return;
	err = send_state(path, state);
	if (err)
		complain("cannot send %s to the service manager: %s", state, strerror(-err));
}
