// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "serve/address.h"

#define BACKLOG		1024
#define MAX_PORT	65535

/* Returns the port after the colon at @colon, or -1. */
static int parse_port(const char *colon)
{
	char *end;
	long port;

	if (*colon != ':' || colon[1] < '0' || colon[1] > '9')
		return -1;
	errno = 0;
	port = strtol(colon + 1, &end, 10);
	return errno || *end || port > MAX_PORT ? -1 : (int)port;
}

static int parse_ipv4(struct address *address, const char *host, int port)
{
	struct sockaddr_in *name = (struct sockaddr_in *)&address->name;

	name->sin_family = AF_INET;
	name->sin_port = htons((uint16_t)port);
	address->len = sizeof(*name);
	return inet_pton(AF_INET, host, &name->sin_addr) == 1 ? 0 : -EINVAL;
}

static int parse_ipv6(struct address *address, const char *host, int port)
{
	struct sockaddr_in6 *name = (struct sockaddr_in6 *)&address->name;

	name->sin6_family = AF_INET6;
	name->sin6_port = htons((uint16_t)port);
	address->len = sizeof(*name);
	return inet_pton(AF_INET6, host, &name->sin6_addr) == 1 ? 0 : -EINVAL;
}

int address_parse(struct address *address, const char *text)
{
	char host[INET6_ADDRSTRLEN];
	bool ipv6 = *text == '[';
	const char *start = text + ipv6;
	size_t len = strcspn(start, ipv6 ? "]" : ":");
	int port;

	memset(address, 0, sizeof(*address));
	if (len >= sizeof(host) || (ipv6 && start[len] != ']'))
		return -EINVAL;
	memcpy(host, start, len);
	host[len] = '\0';
	port = parse_port(start + len + ipv6);
	if (port < 0)
		return -EINVAL;
	address->all = !ipv6 && !len;
	if (address->all)
		return parse_ipv6(address, "::", port);
	return ipv6 ? parse_ipv6(address, host, port) : parse_ipv4(address, host, port);
}

static int open_socket(const struct address *address)
{
	int fd = socket(address->name.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1, only_ipv6 = 0;
	int err;

	if (fd < 0)
		return -errno;
	if (address->all)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_ipv6, sizeof(only_ipv6));
	/* Without this, bind() fails while connections of a previous run are in TIME_WAIT. */
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, (const struct sockaddr *)&address->name, address->len) &&
	    !listen(fd, BACKLOG))
		return fd;
	err = -errno;
	close(fd);
	return err;
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

/* The same port of all IPv4 addresses. */
static struct address ipv4_of(const struct address *address)
{
	const struct sockaddr_in6 *name = (const struct sockaddr_in6 *)&address->name;
	struct address ipv4 = { 0 };

	parse_ipv4(&ipv4, "0.0.0.0", ntohs(name->sin6_port));
	return ipv4;
}

int address_listen(const struct address *address, const char *text)
{
	int fd = open_socket(address);

	/* The kernel can lack IPv6, or have it disabled. */
	if (address->all && (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)) {
		struct address ipv4 = ipv4_of(address);

		fd = open_socket(&ipv4);
	}
	if (fd >= 0)
		return fd;
	complain("cannot listen on %s: %s%s", text, strerror(-fd), advice(-fd));
	return -1;
}

const char *address_url(int fd, const char *scheme, char *buf)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)&name;
	const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)&name;
	char host[INET6_ADDRSTRLEN];

	if (getsockname(fd, (struct sockaddr *)&name, &len))
		return "?";
	if (name.ss_family == AF_INET)
		snprintf(buf, ADDRESS_URL_SIZE, "%s://%s:%d", scheme,
			 inet_ntop(AF_INET, &ipv4->sin_addr, host, sizeof(host)),
			 ntohs(ipv4->sin_port));
	else
		snprintf(buf, ADDRESS_URL_SIZE, "%s://[%s]:%d", scheme,
			 inet_ntop(AF_INET6, &ipv6->sin6_addr, host, sizeof(host)),
			 ntohs(ipv6->sin6_port));
	return buf;
}
