// SPDX-License-Identifier: GPL-2.0-only
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/libvirt.h"

/* PID, name and UUID are at the beginning of the file. */
#define HEAD_SIZE	16384

/* Returns false if the file cannot be read. */
static bool read_head(const char *path, char *head)
{
	FILE *file = fopen(path, "re");
	size_t size;

	if (!file)
		return false;
	size = fread(head, 1, HEAD_SIZE - 1, file);
	fclose(file);
	head[size] = '\0';
	return size;
}

/* Whether the first element is <domstatus ... pid='PID'>. */
static bool has_pid(const char *head, pid_t pid)
{
	const char *status = strstr(head, "<domstatus "), *end, *found;
	char attribute[32];

	snprintf(attribute, sizeof(attribute), " pid='%d'", (int)pid);
	end = status ? strchr(status, '>') : NULL;
	found = status ? strstr(status, attribute) : NULL;
	return end && found && found < end;
}

static char entity(const char *text, size_t *len)
{
	static const struct {
		const char *name;
		char value;
	} entities[] = {
		{ "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&apos;", '\'' },
		{ "&quot;", '"' },
	};
	size_t i;

	*len = 1;
	for (i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		if (strncmp(text, entities[i].name, strlen(entities[i].name)))
			continue;
		*len = strlen(entities[i].name);
		return entities[i].value;
	}
	return *text;
}

/* Returns the text between @open and @close after @from, or NULL. The caller frees it. */
static char *element(const char *from, const char *open, const char *close)
{
	const char *start = strstr(from, open), *end, *at;
	char *text, *to;
	size_t len;

	start = start ? start + strlen(open) : NULL;
	end = start ? strstr(start, close) : NULL;
	text = end ? malloc((size_t)(end - start) + 1) : NULL;
	if (!text)
		return NULL;
	for (at = start, to = text; at < end; at += len)
		*to++ = entity(at, &len);
	*to = '\0';
	return text;
}

static void store(const char *head, char **name, char **uuid)
{
	const char *domain = strstr(head, "<domain ");

	if (!domain)
		return;
	if (name)
		*name = element(domain, "<name>", "</name>");
	*uuid = element(domain, "<uuid>", "</uuid>");
}

void libvirt_find(const char *dir, pid_t pid, char **name, char **uuid)
{
	char *pattern, *head = malloc(HEAD_SIZE);
	glob_t files = { 0 };
	size_t i;

	if (head && asprintf(&pattern, "%s/*/*.xml", dir) >= 0) {
		if (!glob(pattern, GLOB_NOSORT, NULL, &files)) {
			for (i = 0; i < files.gl_pathc; i++) {
				if (!read_head(files.gl_pathv[i], head) || !has_pid(head, pid))
					continue;
				store(head, name, uuid);
				break;
			}
		}
		globfree(&files);
		free(pattern);
	}
	free(head);
}
