/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file to which a log appends records. If a record cannot be written, because the disk is full,
 * it is lost, and the file still ends with a whole record. The functions print what fails.
 */
#ifndef READ_LOG_FILE_H
#define READ_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct log_file {
	const char *name;	/* NULL: standard output */
	int fd;
	bool failing;		/* the last record is lost */
	size_t lost;		/* records since the file was opened */
};

bool log_file_open(struct log_file *file, const char *name);

/* Returns -1 if it is not a regular file. */
off_t log_file_size(const struct log_file *file);

/*
 * Appends the record @text. Returns false if the log cannot continue: standard output cannot be
 * written, or the file is a pipe without a reader.
 */
bool log_file_write(struct log_file *file, const char *text, size_t size);

/* Opens the file by its name again, for log rotation. If that fails, keeps the old file. */
void log_file_reopen(struct log_file *file);

/* Returns false if records are lost. */
bool log_file_close(struct log_file *file);

#endif /* READ_LOG_FILE_H */
