/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts and ends the process that serves HTTP. */
#ifndef SERVE_LAUNCH_H
#define SERVE_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#define ADDRESS_DEFAULT	"127.0.0.1:10203"
#define ADDRESS_URL_SIZE	80

struct http_process {
	int fd;				/* nonblocking, to the process; -1: it does not run */
	pid_t pid;
	char url[ADDRESS_URL_SIZE];	/* "http://127.0.0.1:10203" */
};

/*
 * Whether @text is "127.0.0.1:10203", "[::1]:10203", or ":10203", which means all IPv6 and IPv4
 * addresses of the machine.
 */
bool address_is_valid(const char *text);

/* Starts the process. Prints a message and returns false if that fails. */
bool http_start(struct http_process *http, const char *address);

/* Returns false, after a message, if the process did not end by itself and without an error. */
bool http_end(struct http_process *http);

#endif /* SERVE_LAUNCH_H */
