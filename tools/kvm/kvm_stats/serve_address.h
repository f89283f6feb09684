/* SPDX-License-Identifier: GPL-2.0-only */
/* Where to listen. */
#ifndef SERVE_ADDRESS_H
#define SERVE_ADDRESS_H

#include <sys/socket.h>

#define ADDRESS_DEFAULT	"127.0.0.1:10203"

struct address {
	struct sockaddr_storage name;
	socklen_t len;
};

/* "127.0.0.1:10203" or "[::1]:10203": 0, or -EINVAL. */
int address_parse(struct address *address, const char *text);

/* A socket that listens and does not block, or -1 after a complaint. */
int address_listen(const struct address *address, const char *text);

/* Where @fd listens: "http://127.0.0.1:10203"; with port 0 the kernel has chosen one. */
#define ADDRESS_URL_SIZE	80
const char *address_url(int fd, char *buf);

#endif /* SERVE_ADDRESS_H */
