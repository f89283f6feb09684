/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TLS and passwords of the HTTP server, in the web configuration file format of Prometheus'
 * exporters. A setting that is not supported is an error, because it is there for security.
 */
#ifndef SERVE_WEB_CONFIG_H
#define SERVE_WEB_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct web_user {
	char *name;
	char *hash;		/* of the password, by bcrypt */
	char *verified;		/* a password that matched, because bcrypt is slow; or NULL */
};

struct web_config {
	char *cert;		/* PEM; NULL: no TLS */
	char *key;		/* PEM */
	const char *min_version;	/* names of TLS versions, such as "TLS12"; NULL: default */
	const char *max_version;
	struct web_user *user;
	size_t users;		/* 0: no password is needed */
};

/* Prints a message and returns false if the file is not valid. */
bool web_config_read(struct web_config *config, const char *file);
void web_config_free(struct web_config *config);

/*
 * Returns the priorities of GnuTLS for the TLS versions of @config. @buf has WEB_PRIORITIES_SIZE
 * bytes.
 */
#define WEB_PRIORITIES_SIZE	128
const char *web_config_priorities(const struct web_config *config, char *buf);

/*
 * Whether the header Authorization has the name and the password of a user. @authorization is the
 * value of the header, NULL if the request does not have it.
 */
bool web_config_permits(struct web_config *config, const char *authorization);

#endif /* SERVE_WEB_CONFIG_H */
