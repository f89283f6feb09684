// SPDX-License-Identifier: GPL-2.0-only
/* Basic authentication: web_config_permits(). */
#include <crypt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "serve/web_config.h"

/* An unknown user costs as much time as a wrong password. This hash matches no password. */
#define NO_HASH	"$2y$10$abcdefghijklmnopqrstuu................................"

/* ---- base64 ---- */

/* Returns the value of a digit, or -1. */
static int digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* Returns the decoded text, which the caller frees, or NULL. */
static char *decode(const char *text)
{
	size_t len = strcspn(text, "= \t"), used = 0, i;
	char *decoded = malloc(len + 1);
	unsigned int bits = 0;
	int count = 0;

	for (i = 0; decoded && i < len; i++) {
		int value = digit(text[i]);

		if (value < 0) {
			free(decoded);
			return NULL;
		}
		bits = bits << 6 | (unsigned int)value;
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		decoded[used++] = (char)(bits >> count);
	}
	if (decoded)
		decoded[used] = '\0';
	return decoded;
}

/* ---- passwords ---- */

/* The time does not depend on where the texts differ. */
static bool same_text(const char *a, const char *b)
{
	size_t len = strlen(a), i;
	unsigned char different = 0;

	if (len != strlen(b))
		return false;
	for (i = 0; i < len; i++)
		different |= (unsigned char)(a[i] ^ b[i]);
	return !different;
}

static bool matches_hash(const char *password, const char *hash)
{
	struct crypt_data *data = calloc(1, sizeof(*data));
	const char *result = data ? crypt_r(password, hash, data) : NULL;
	bool same = result && same_text(result, hash);

	if (data)
		explicit_bzero(data, sizeof(*data));
	free(data);
	return same;
}

static bool verify(struct web_user *user, const char *password)
{
	if (user->verified && same_text(user->verified, password))
		return true;
	if (!matches_hash(password, user->hash))
		return false;
	free(user->verified);
	user->verified = strdup(password);
	return true;
}

static struct web_user *find_user(const struct web_config *config, const char *name)
{
	size_t i;

	for (i = 0; i < config->users; i++) {
		if (!strcmp(config->user[i].name, name))
			return &config->user[i];
	}
	return NULL;
}

bool web_config_permits(struct web_config *config, const char *authorization)
{
	struct web_user *user;
	char *text, *password;
	bool permits = false;

	if (!config->users)
		return true;
	if (!authorization || strncasecmp(authorization, "Basic ", 6))
		return false;
	text = decode(authorization + 6 + strspn(authorization + 6, " "));
	password = text ? strchr(text, ':') : NULL;
	if (password) {
		*password++ = '\0';
		user = find_user(config, text);
		if (user)
			permits = verify(user, password);
		else
			matches_hash(password, NO_HASH);
		explicit_bzero(password, strlen(password));
	}
	free(text);
	return permits;
}
