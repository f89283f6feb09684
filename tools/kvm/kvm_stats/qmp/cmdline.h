/* SPDX-License-Identifier: GPL-2.0-only */
/* The options on the command line of QEMU, such as "-chardev socket,id=a,path=/run/a,server=on". */
#ifndef QMP_CMDLINE_H
#define QMP_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cmdline {
	char *text;		/* the arguments, each with a NUL at its end */
	size_t size;
};

/* Reads the command line of process @pid. Returns 0 or -errno. */
int cmdline_read(struct cmdline *cmdline, pid_t pid);
void cmdline_free(struct cmdline *cmdline);

/* Returns the argument after @argument, the first one if it is NULL, or NULL at the end. */
const char *cmdline_next(const struct cmdline *cmdline, const char *argument);

/* Whether @argument is the option @name, such as "qmp", with one dash or two. */
bool is_option(const char *argument, const char *name);

/*
 * Returns the value of @key in @option, where commas separate the keys, and ",," is a comma in a
 * value. @implied is the key of the first value, or NULL. The value of a key without "=" is "on".
 * Returns NULL without this key, or without memory. The caller frees the result.
 */
char *option_value(const char *option, const char *implied, const char *key);

/* Whether the value of @key is "on", "yes", "true" or "y". */
bool option_is_on(const char *option, const char *key);

#endif /* QMP_CMDLINE_H */
