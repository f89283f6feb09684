// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <linux/capability.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/serve.h"
#include "util.h"

#define BACKLOG		1024
#define NOBODY		65534
#define PROGRAM_FD	3
/* It receives at once. If it did not, the collector could neither write its file nor end. */
#define SEND_TIMEOUT	5	/* in s */

/* ---- the address ---- */

/* Returns the addresses that @text means, or NULL. Without a host it is that of all addresses. */
static struct addrinfo *resolve_address(const char *text, int family)
{
	struct addrinfo hints = {
		.ai_family = family, .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
	}, *found;
	const char *colon = strrchr(text, ':');
	bool bracket = *text == '[';
	char host[NI_MAXHOST];
	size_t len = colon ? (size_t)(colon - text) : 0;

	/* getaddrinfo() accepts a sign, white space and numbers of more than 16 bits. */
	if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    strtoul(colon + 1, NULL, 10) > USHRT_MAX || len >= sizeof(host))
		return NULL;
	if (bracket && (len < 2 || text[len - 1] != ']'))
		return NULL;
	snprintf(host, sizeof(host), "%.*s", (int)len - 2 * bracket, text + bracket);
	if (bracket != !!strchr(host, ':'))
		return NULL;
	return getaddrinfo(*host ? host : NULL, colon + 1, &hints, &found) ? NULL : found;
}

bool address_is_valid(const char *text)
{
	struct addrinfo *found = resolve_address(text, *text == ':' ? AF_INET6 : AF_UNSPEC);

	if (found)
		freeaddrinfo(found);
	return found;
}

/* Returns a socket, or -1 with errno. */
static int listen_on(const char *text, int family)
{
	struct addrinfo *to = resolve_address(text, family);
	int one = 1, only_ipv6 = 0, fd = -1, err;

	if (to)
		fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && *text == ':')
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_ipv6, sizeof(only_ipv6));
	/* Otherwise bind() fails while connections of a previous run are in TIME_WAIT. */
	if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
			bind(fd, to->ai_addr, to->ai_addrlen) || listen(fd, BACKLOG))) {
		err = errno;
		close(fd);
		errno = err;
		fd = -1;
	}
	if (to)
		freeaddrinfo(to);
	return fd;
}

static const char *advice(int error)
{
	switch (error) {
	case EADDRINUSE:
		return ". Choose another port with --listen.";
	case EADDRNOTAVAIL:
		return ". 'ip address' lists the addresses of this machine.";
	case EACCES:
		return ". Choose a port above 1023 with --listen.";
	default:
		return "";
	}
}

/* Returns a nonblocking listening socket, or -1 after printing an error. */
static int open_listener(const char *text)
{
	int fd = listen_on(text, *text == ':' ? AF_INET6 : AF_UNSPEC);

	/* The kernel can lack IPv6, or have it disabled. */
	if (fd < 0 && *text == ':' && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
		fd = listen_on(text, AF_INET);
	if (fd < 0)
		complain("cannot listen on %s: %s%s", text, strerror(errno), advice(errno));
	return fd;
}

/* Writes the URL, with the port that the kernel chose if the user asked for port 0. */
static void write_url(int fd, char *url)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

	if (!getsockname(fd, (struct sockaddr *)&name, &len))
		getnameinfo((struct sockaddr *)&name, len, host, sizeof(host), port, sizeof(port),
			    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(url, ADDRESS_URL_SIZE, strchr(host, ':') ? "http://[%.46s]:%.5s" :
		 "http://%.46s:%.5s", host, port);
}

/* ---- the process ---- */

/* Finds the program next to kvm-stats, as in the build tree, or in the directory libexec. */
static int open_program(char *path)
{
	static const char * const directories[] = { ".", "../libexec" };
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;
	int fd = -1;

	self[len > 0 ? len : 0] = '\0';
	dirname(self);
	for (i = 0; i < 2 && fd < 0; i++) {
		snprintf(path, 2 * PATH_MAX, "%s/%s/%s", self, directories[i], HTTP_PROGRAM);
		fd = open(path, O_PATH | O_CLOEXEC);
	}
	if (fd < 0)
		complain("cannot serve HTTP: there is no program %s in %s or %s/../libexec. Write "
			 "a file for node_exporter with --textfile, or build kvm-stats again with "
			 "libmicrohttpd (Debian: libmicrohttpd-dev).", HTTP_PROGRAM, self, self);
	return fd;
}

/*
 * Gives up all rights, which the program verifies. A root without capabilities still owns the
 * files of root, so it becomes another user, unless the user namespace does not have this user,
 * or something forbids it.
 */
static bool drop_rights(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	unsigned long capability;

	for (capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	if (!geteuid() && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			   setresuid(NOBODY, NOBODY, NOBODY)) &&
	    errno != EINVAL && errno != EPERM)
		return false;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	/* systemd's filter forbids it. Then exec() drops the capabilities, except those of root. */
	syscall(SYS_capset, &header, none);
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* In the new process. The program is executed by its fd, because nobody may not find its path. */
static void __attribute__((__noreturn__)) execute(int program, int listener, int socket,
						  const char *path)
{
	char name[] = HTTP_PROGRAM, *arguments[] = { name, NULL };
	/* Duplicate the fds to numbers above those that the program expects */
	int fd[] = {
		fcntl(listener, F_DUPFD_CLOEXEC, 10), fcntl(socket, F_DUPFD_CLOEXEC, 10),
		fcntl(program, F_DUPFD_CLOEXEC, 10),
	};

	if (dup2(fd[0], HTTP_LISTENER) >= 0 && dup2(fd[1], HTTP_COLLECTOR) >= 0 &&
	    dup3(fd[2], PROGRAM_FD, O_CLOEXEC) >= 0 &&
	    !syscall(__NR_close_range, PROGRAM_FD + 1, ~0u, 0) && drop_rights())
		fexecve(PROGRAM_FD, arguments, environ);
	complain("cannot start %s without rights: %s%s", path, strerror(errno), errno == EACCES ?
		 ". The user nobody must be able to execute it." : "");
	_exit(1);
}

bool http_start(struct http_process *http, const char *address)
{
	struct timeval timeout = { .tv_sec = SEND_TIMEOUT };
	int listener = open_listener(address), program, pair[2];
	char path[2 * PATH_MAX];

	if (listener < 0)
		return false;
	write_url(listener, http->url);
	program = open_program(path);
	if (program >= 0 && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		http->pid = fork();
		if (!http->pid)
			execute(program, listener, pair[1], path);
		http->fd = pair[0];
		close(pair[1]);
		setsockopt(http->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
		if (http->pid < 0)
			complain("cannot start %s: %s", path, strerror(errno));
	}
	if (program >= 0)
		close(program);
	close(listener);
	return http->pid > 0;
}

bool http_end(struct http_process *http)
{
	int status = 0;

	if (http->fd < 0)
		return true;
	/* It ends when it sees the end of the socket. */
	close(http->fd);
	http->fd = -1;
	if (http->pid <= 0)
		return false;
	while (waitpid(http->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		complain("%s was killed by signal %d", HTTP_PROGRAM, WTERMSIG(status));
	else if (status)
		complain("%s failed with exit status %d", HTTP_PROGRAM, WEXITSTATUS(status));
	return !status;
}
