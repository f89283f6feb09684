/* SPDX-License-Identifier: GPL-2.0-only */
/* Output, text, time and files of /proc: nothing about statistics. */
#ifndef UTIL_H
#define UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "basics.h"

/* ---- standard output and standard error ---- */

/* Prints one line to standard error, after the name of the program. */
void complain(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* Prints that memory is exhausted, and returns false. */
bool out_of_memory(void);

/* Call it once, before anything is printed. */
void start_output(void);

/*
 * Flushes standard output. If data is lost, returns false, and prints a message the first time,
 * except if the reader of a pipe has closed it. Call it often when printing much.
 */
bool flush_output(void);

/* Returns the ending of a noun after the number @n: "" or "s". */
const char *plural(size_t n);

/* Whether @text ends with @end, and is longer. */
bool ends_with(const char *text, const char *end);

/* Whether @text is in @list, which ends with NULL. */
bool is_one_of(const char *text, const char * const *list);

/*
 * Copies @text to @buf, and replaces by '?' what a terminal could interpret: control characters,
 * bidirectional controls and bytes that are not UTF-8. Returns @buf. Every name that another
 * program chose must pass through it, such as the name of a guest.
 */
const char *sanitize(const char *text, char *buf, size_t size);

/*
 * Opens a file, which is created if it does not exist. A new file can be read by all users,
 * whatever the umask is: those who read logs and files for node_exporter are other users. Not for
 * programs with threads.
 */
int open_readable(const char *name, int flags);

/* ---- UTF-8 from other programs, which may be invalid or hostile ---- */

/*
 * Decodes the first character of @text, which must not be empty. Returns its length in bytes, or
 * 0 if the first byte does not begin a valid character.
 */
size_t utf8_decode(const char *text, uint32_t *character);

/*
 * Whether a terminal only shows the character. Control characters (C0, DEL and C1) can start
 * escape sequences, and bidirectional controls can change the order of the text around them.
 */
bool utf8_is_harmless(uint32_t character);

/* ---- time ---- */

#define STAMP_SIZE	40

/*
 * Writes a time of CLOCK_MONOTONIC, as local time with its zone to @buf, which has
 * STAMP_SIZE bytes: "2026-11-23T18:30:05.250+01:00" (RFC 3339). Returns @buf.
 */
const char *stamp_of(uint64_t time, char *buf);

/* The same for a time of CLOCK_REALTIME. */
const char *stamp_of_wall(uint64_t wall, char *buf);

/* ---- files of the kernel: /proc, and cgroups ---- */

/*
 * All reads of such files pass through these functions, so that a recording can have what they
 * return, and can answer them later. In a directory, they read the names that begin with a digit,
 * such as those of threads: one in each line.
 */

/* Reads the beginning of a file as a string. Returns false if it is empty or cannot be read. */
bool read_text(char *buf, size_t size, const char *path);
bool has_kernel_file(const char *path);

/*
 * Reads a file of the kernel itself, as a kernel_reader_t does: returns the length of the string,
 * or -1 if it cannot be read.
 */
ssize_t read_kernel_file(char *buf, size_t size, const char *path);

/* From now on, @read answers instead of the kernel. NULL: the kernel does. */
typedef ssize_t kernel_reader_t(char *buf, size_t size, const char *path, void *arg);
void kernel_set_reader(kernel_reader_t *read, void *arg);

#define PROC_PATH_SIZE	256

/* Reads files from this directory instead of /proc, for tests. @root must stay valid. */
void proc_set_root(const char *root);

/*
 * Reads the beginning of a file in /proc as a string. Returns false if the file does not exist or
 * cannot be read.
 */
bool proc_read(char *buf, size_t size, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/*
 * Calls @found with each number above 0 in a file of /proc, or that is the name of an entry in a
 * directory, until it returns false. Returns whether all calls returned true.
 */
bool proc_list(bool (*found)(pid_t id, void *arg), void *arg, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/* Returns all of a file or directory in /proc, which the caller frees, or NULL. */
char *proc_read_all(const char *format, ...)
	__attribute__((__format__(__printf__, 1, 2)));

#endif /* UTIL_H */
