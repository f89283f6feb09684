/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file to which records are appended. It never ends with a partial record.
 *
 * When the disk is full, records are kept in memory until there is space again. The name NULL
 * means standard output.
 */
#ifndef LOG_FILE_H
#define LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "util.h"

struct log_file {
	const char *name;
	int fd;
	struct text pending;	/* whole records that are not written yet */
	bool failing;
};

/* Prints a message and returns false if it fails. */
bool log_file_open(struct log_file *file, const char *name);

/* Opens the file by its name again, for log rotation. If that fails, keeps the old file. */
void log_file_reopen(struct log_file *file);

/*
 * Returns the first line without its newline. The caller frees it. Returns NULL if the file is
 * empty or not a regular file.
 */
char *log_file_first_line(const struct log_file *file);

/*
 * Appends the record @text, or keeps it until it can be written. Returns false if the caller
 * should give up: too many records are pending, or the reader of a pipe is gone.
 */
bool log_file_write(struct log_file *file, const char *text, size_t size);

/* Prints a message and returns false if records are lost. */
bool log_file_close(struct log_file *file);

#endif /* LOG_FILE_H */
