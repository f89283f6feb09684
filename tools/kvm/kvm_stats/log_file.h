/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that records are appended to, whole ones only.
 *
 * When the disk is full records are kept until there is space again.  Standard output is one,
 * too, under the name NULL.
 */
#ifndef LOG_FILE_H
#define LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct log_file {
	const char *name;
	int fd;
	char *pending;		/* whole records that could not be written so far */
	size_t size;
	size_t capacity;
	bool failing;
};

/* False after a complaint. */
bool log_file_open(struct log_file *file, const char *name);

/* By its name, to a new file if the old one was moved away; else goes on with the old one. */
void log_file_reopen(struct log_file *file);

/* Its first line without the newline, allocated; NULL if it is empty or no regular file. */
char *log_file_first_line(const struct log_file *file);

/*
 * Appends the record @text.  False if it is lost, or there is no use in going on: too much
 * has piled up, or nobody reads any more.
 */
bool log_file_write(struct log_file *file, const char *text, size_t size);

/* False after a complaint if records are lost. */
bool log_file_close(struct log_file *file);

#endif /* LOG_FILE_H */
