// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/array.h"
#include "base/output.h"
#include "serve/web_config.h"

#define MAX_PEM		1048576
#define BCRYPT_LENGTH	60

/* What the functions below share. */
struct reader {
	const char *file;
	yaml_document_t document;
	struct web_config *config;
};

struct setting {
	const char *name;
	bool (*set)(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value);
};

static bool fail(const struct reader *reader, const yaml_node_t *node, const char *what,
		 const char *name)
{
	complain("%s:%zu: %s%s%s%s", reader->file, node->start_mark.line + 1, what,
		 name ? " '" : "", name ? name : "", name ? "'" : "");
	return false;
}

static const char *text_of(const yaml_node_t *node)
{
	if (!node || node->type != YAML_SCALAR_NODE)
		return NULL;
	return (const char *)node->data.scalar.value;
}

/* ---- mappings ---- */

typedef bool (*pair_fn)(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value,
			const struct setting *settings);

static bool read_mapping(struct reader *reader, const yaml_node_t *node, pair_fn fn,
			 const struct setting *settings)
{
	const yaml_node_pair_t *pair;

	/* A key without a value has an empty text. */
	if (text_of(node) && !*text_of(node))
		return true;
	if (node->type != YAML_MAPPING_NODE)
		return fail(reader, node, "expected settings, one on each line", NULL);
	for (pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(&reader->document, pair->key);
		const yaml_node_t *value = yaml_document_get_node(&reader->document, pair->value);

		if (!text_of(key))
			return fail(reader, key, "expected the name of a setting", NULL);
		if (!fn(reader, key, value, settings))
			return false;
	}
	return true;
}

static bool set_one(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value,
		    const struct setting *settings)
{
	for (; settings->name; settings++) {
		if (!strcmp(settings->name, text_of(key)))
			return settings->set(reader, key, value);
	}
	return fail(reader, key, "kvm-stats does not support the setting", text_of(key));
}

/* ---- TLS ---- */

/* File names are relative to the directory of the configuration file. */
static char *path_of(const struct reader *reader, const char *name)
{
	const char *slash = strrchr(reader->file, '/');
	char *path;

	if (*name == '/' || !slash)
		return strdup(name);
	if (asprintf(&path, "%.*s/%s", (int)(slash - reader->file), reader->file, name) < 0)
		return NULL;
	return path;
}

/* Returns the content of a file, or NULL after printing a message. */
static char *read_pem(const struct reader *reader, const char *name)
{
	char *path = path_of(reader, name), *data = calloc(1, MAX_PEM);
	FILE *file = path && data ? fopen(path, "re") : NULL;

	if (file && fread(data, 1, MAX_PEM - 1, file) && !ferror(file)) {
		fclose(file);
		free(path);
		return data;
	}
	complain("%s: cannot read: %s", path ? path : name,
		 errno ? strerror(errno) : "it is empty");
	if (file)
		fclose(file);
	free(path);
	free(data);
	return NULL;
}

static bool set_pem(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value,
		    char **pem)
{
	const char *text = text_of(value);
	bool is_file = strstr(text_of(key), "_file");

	if (!text || !*text)
		return fail(reader, value, "expected a value of", text_of(key));
	if (*pem)
		return fail(reader, key, "this was set before:", text_of(key));
	errno = 0;
	*pem = is_file ? read_pem(reader, text) : strdup(text);
	return *pem;
}

static bool set_cert(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value)
{
	return set_pem(reader, key, value, &reader->config->cert);
}

static bool set_key(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value)
{
	return set_pem(reader, key, value, &reader->config->key);
}

static bool set_client_auth(struct reader *reader, const yaml_node_t *key,
			    const yaml_node_t *value)
{
	(void)key;
	if (text_of(value) && !strcmp(text_of(value), "NoClientCert"))
		return true;
	return fail(reader, value, "kvm-stats does not support certificates of clients; "
		    "use a reverse proxy instead of", text_of(value));
}

/* The names of the versions, and those in GnuTLS, from old to new. */
static const struct {
	const char *name;
	const char *gnutls;
} versions[] = {
	{ "TLS10", "1.0" }, { "TLS11", "1.1" }, { "TLS12", "1.2" }, { "TLS13", "1.3" },
};

static bool set_version(struct reader *reader, const yaml_node_t *value, const char **version)
{
	size_t i;

	for (i = 0; text_of(value) && i < ARRAY_SIZE(versions); i++) {
		if (strcmp(versions[i].name, text_of(value)))
			continue;
		*version = versions[i].name;
		return true;
	}
	return fail(reader, value, "expected TLS10, TLS11, TLS12 or TLS13", NULL);
}

static bool set_min_version(struct reader *reader, const yaml_node_t *key,
			    const yaml_node_t *value)
{
	(void)key;
	return set_version(reader, value, &reader->config->min_version);
}

static bool set_max_version(struct reader *reader, const yaml_node_t *key,
			    const yaml_node_t *value)
{
	(void)key;
	return set_version(reader, value, &reader->config->max_version);
}

const char *web_config_priorities(const struct web_config *config, char *buf)
{
	const char *min = config->min_version ? config->min_version : "TLS12";
	const char *max = config->max_version ? config->max_version : "TLS13";
	size_t used = (size_t)snprintf(buf, WEB_PRIORITIES_SIZE, "NORMAL:-VERS-ALL");
	size_t i;

	for (i = ARRAY_SIZE(versions); i-- > 0;) {
		if (strcmp(versions[i].name, min) >= 0 && strcmp(versions[i].name, max) <= 0)
			used += (size_t)snprintf(buf + used, WEB_PRIORITIES_SIZE - used,
						 ":+VERS-TLS%s", versions[i].gnutls);
	}
	return buf;
}

static bool set_tls(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value)
{
	static const struct setting settings[] = {
		{ "cert_file", set_cert }, { "cert", set_cert },
		{ "key_file", set_key }, { "key", set_key },
		{ "client_auth_type", set_client_auth },
		{ "min_version", set_min_version }, { "max_version", set_max_version },
		{ 0 },
	};

	if (!read_mapping(reader, value, set_one, settings))
		return false;
	if (reader->config->cert && reader->config->key)
		return true;
	return fail(reader, key, "cert_file and key_file are needed for", text_of(key));
}

/* ---- users ---- */

static bool is_bcrypt(const char *hash)
{
	return strlen(hash) == BCRYPT_LENGTH && hash[0] == '$' && hash[1] == '2' &&
	       strchr("aby", hash[2]) && hash[3] == '$';
}

static bool add_user(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value,
		     const struct setting *settings)
{
	struct web_config *config = reader->config;
	struct web_user *more;

	(void)settings;
	if (!text_of(value) || !is_bcrypt(text_of(value)))
		return fail(reader, key, "expected the bcrypt hash of the password of",
			    text_of(key));
	more = reallocarray(config->user, config->users + 1, sizeof(*more));
	if (!more)
		return fail(reader, key, "out of memory", NULL);
	config->user = more;
	more[config->users] = (struct web_user){
		.name = strdup(text_of(key)), .hash = strdup(text_of(value)),
	};
	if (!more[config->users].name || !more[config->users++].hash)
		return fail(reader, key, "out of memory", NULL);
	return true;
}

static bool set_users(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value)
{
	if (!read_mapping(reader, value, add_user, NULL))
		return false;
	/* Without users everyone would have access. */
	return reader->config->users || fail(reader, key, "expected users after", text_of(key));
}

/* ---- the file ---- */

static bool read_document(struct reader *reader)
{
	static const struct setting settings[] = {
		{ "tls_server_config", set_tls }, { "basic_auth_users", set_users }, { 0 },
	};
	const yaml_node_t *root = yaml_document_get_root_node(&reader->document);

	if (root)
		return read_mapping(reader, root, set_one, settings);
	complain("%s: the file is empty", reader->file);
	return false;
}

static bool read_yaml(struct reader *reader, FILE *file)
{
	yaml_parser_t parser;
	bool good;

	if (!yaml_parser_initialize(&parser)) {
		complain("out of memory");
		return false;
	}
	yaml_parser_set_input_file(&parser, file);
	good = yaml_parser_load(&parser, &reader->document);
	if (good) {
		good = read_document(reader);
		yaml_document_delete(&reader->document);
	} else {
		complain("%s:%zu: this is not YAML: %s", reader->file,
			 parser.problem_mark.line + 1, parser.problem ? parser.problem : "?");
	}
	yaml_parser_delete(&parser);
	return good;
}

bool web_config_read(struct web_config *config, const char *name)
{
	struct reader reader = { .file = name, .config = config };
	FILE *file = fopen(name, "re");
	bool good;

	if (!file) {
		complain("%s: cannot read: %s", name, strerror(errno));
		return false;
	}
	good = read_yaml(&reader, file);
	fclose(file);
	return good;
}

static void free_secret(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void web_config_free(struct web_config *config)
{
	while (config->users) {
		struct web_user *user = &config->user[--config->users];

		free(user->name);
		free_secret(user->hash);
		free_secret(user->verified);
	}
	free(config->user);
	free(config->cert);
	free_secret(config->key);
	*config = (struct web_config){ 0 };
}
