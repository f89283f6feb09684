/* SPDX-License-Identifier: GPL-2.0-only */
/* The address of the HTTP server. */
#ifndef SERVE_ADDRESS_H
#define SERVE_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#define ADDRESS_DEFAULT	"127.0.0.1:10203"

struct address {
	struct sockaddr_storage name;
	socklen_t len;
	bool all;	/* IPv6 and IPv4 */
};

/*
 * Parses "127.0.0.1:10203", "[::1]:10203", or ":10203", which means all IPv6 and IPv4 addresses of
 * the machine. Returns 0 or -EINVAL.
 */
int address_parse(struct address *address, const char *text);

/*
 * Returns a nonblocking listening socket, or -1 after printing an error. @text is the address
 * as the user wrote it.
 */
int address_listen(const struct address *address, const char *text);

/*
 * Returns the URL of the listening socket @fd, such as "http://127.0.0.1:10203", with the port
 * that the kernel chose if the user asked for port 0. @buf has ADDRESS_URL_SIZE bytes.
 */
#define ADDRESS_URL_SIZE	80
const char *address_url(int fd, const char *scheme, char *buf);

#endif /* SERVE_ADDRESS_H */
