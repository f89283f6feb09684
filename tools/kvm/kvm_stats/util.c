// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

/* ---- standard output and standard error ---- */

/*
 * The buffer has space for all output between two calls of flush_output(). So only fflush() writes,
 * and errno says why that failed.
 */
#define OUTPUT_BUFFER	262144

void complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("kvm-stats: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

bool out_of_memory(void)
{
	complain("out of memory");
	return false;
}

void start_output(void)
{
	static char buffer[OUTPUT_BUFFER];

	/* write() then returns EPIPE, which flush_output() handles like other errors. */
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

bool flush_output(void)
{
	static bool failed;
	int err;

	if (failed)
		return false;
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	err = errno;
	failed = true;
	/* The reader of a pipe has all that it wanted: head(1), for example. */
	if (err != EPIPE)
		complain("cannot write the output: %s",
			 err ? strerror(err) : "an earlier write failed");
	return false;
}

const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && !strcmp(text + len - end_len, end);
}

bool is_one_of(const char *text, const char * const *list)
{
	while (*list && strcmp(text, *list))
		list++;
	return *list;
}

int open_readable(const char *name, int flags)
{
	mode_t before = umask(022);
	int fd = open(name, flags | O_CREAT | O_CLOEXEC, 0644);
	int err = errno;

	umask(before);
	errno = err;
	return fd;
}

/* ---- UTF-8 ---- */

/* Returns the length of a character in bytes, or 0 if its first byte is not valid. */
static size_t utf8_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 0;
}

static bool is_valid(uint32_t character, size_t len)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return character >= smallest[len] && character <= 0x10ffff &&
	       (character < 0xd800 || character > 0xdfff);
}

size_t utf8_decode(const char *text, uint32_t *character)
{
	const unsigned char *byte = (const unsigned char *)text;
	size_t len = utf8_length(*byte);
	size_t i;

	if (len <= 1) {
		*character = *byte;
		return len;
	}
	*character = *byte & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (byte[i] & 0x3f);
	}
	return is_valid(*character, len) ? len : 0;
}

bool utf8_is_harmless(uint32_t character)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} harmful[] = {
		{ 0, 0x1f },		/* C0 */
		{ 0x7f, 0x9f },		/* DEL and C1 */
		{ 0x61c, 0x61c },	/* Arabic letter mark */
		{ 0x200e, 0x200f },	/* left-to-right and right-to-left mark */
		{ 0x2028, 0x202e },	/* separators, embeddings and overrides */
		{ 0x2066, 0x2069 },	/* isolates */
		{ 0xfeff, 0xfeff },	/* byte order mark */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(harmful); i++) {
		if (character >= harmful[i].first && character <= harmful[i].last)
			return false;
	}
	return true;
}

const char *sanitize(const char *text, char *buf, size_t size)
{
	size_t used = 0;

	while (*text && used + 1 < size) {
		uint32_t character;
		size_t len = utf8_decode(text, &character);

		if (!len || !utf8_is_harmless(character)) {
			buf[used++] = '?';
		} else if (used + len < size) {
			memcpy(buf + used, text, len);
			used += len;
		} else {
			break;
		}
		text += len ? len : 1;
	}
	buf[used] = '\0';
	return buf;
}

/* ---- time ---- */

const char *stamp_of_wall(uint64_t wall, char *buf)
{
	time_t seconds = (time_t)(wall / SECOND);
	struct tm tm = { 0 };
	char zone[8];
	size_t len;

	localtime_r(&seconds, &tm);
	len = strftime(buf, STAMP_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);	/* "+0100" */
	snprintf(buf + len, STAMP_SIZE - len, ".%03" PRIu64 "%.3s:%.2s",
		 wall % SECOND / MILLISECOND, zone, zone + 3);
	return buf;
}

const char *stamp_of(uint64_t time, char *buf)
{
	return stamp_of_wall(clock_read(CLOCK_REALTIME) - (clock_now() - time), buf);
}

/* ---- files of the kernel ---- */

/* The longest text of a file. /proc/stat of 1024 CPUs is less than a tenth of it. */
#define MAX_TEXT	1048576

/* Writes the numbers that are the names of files in a directory, such as those of threads. */
static ssize_t list_numbers(int fd, char *buf, size_t size)
{
	struct dirent *dirent;
	DIR *dir = fdopendir(fd);
	size_t used = 0;

	if (!dir) {
		close(fd);
		return -1;
	}
	while ((dirent = readdir(dir))) {
		size_t len = strlen(dirent->d_name);

		if (*dirent->d_name < '0' || *dirent->d_name > '9' || used + len + 1 > size)
			continue;
		memcpy(buf + used, dirent->d_name, len);
		buf[used + len] = '\n';
		used += len + 1;
	}
	closedir(dir);
	return (ssize_t)used;
}

ssize_t read_kernel_file(char *buf, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	/* Long files have several parts, of almost a page each. */
	do {
		n = read(fd, buf + used, size - 1 - used);
		used += n > 0 ? (size_t)n : 0;
	} while (n > 2048 && used < size - 1);
	if (n < 0 && errno == EISDIR) {
		n = list_numbers(fd, buf, size - 1);
		used = n > 0 ? (size_t)n : 0;
	} else {
		close(fd);
	}
	buf[used] = '\0';
	return used ? (ssize_t)used : n;
}

/* What answers instead of the kernel's files, or NULL */
static kernel_reader_t *reader;
static void *reader_arg;

void kernel_set_reader(kernel_reader_t *read, void *arg)
{
	reader = read;
	reader_arg = arg;
}

static ssize_t read_any(char *buf, size_t size, const char *path)
{
	return reader ? reader(buf, size, path, reader_arg) : read_kernel_file(buf, size, path);
}

bool read_text(char *buf, size_t size, const char *path)
{
	return read_any(buf, size, path) > 0;
}

bool has_kernel_file(const char *path)
{
	char buf[16];

	return read_any(buf, sizeof(buf), path) >= 0;
}

static const char *proc_root = "/proc";

void proc_set_root(const char *root)
{
	proc_root = root;
}

static void put_path(char *path, const char *format, va_list args)
{
	int len = snprintf(path, PROC_PATH_SIZE, "%s/", proc_root);

	if (len > 0 && len < PROC_PATH_SIZE)
		vsnprintf(path + len, PROC_PATH_SIZE - len, format, args);
}

bool proc_read(char *buf, size_t size, const char *format, ...)
{
	char path[PROC_PATH_SIZE];
	va_list args;

	va_start(args, format);
	put_path(path, format, args);
	va_end(args);
	return read_text(buf, size, path);
}

static char *read_all(const char *format, va_list args)
{
	char path[PROC_PATH_SIZE], *buf = malloc(MAX_TEXT);

	put_path(path, format, args);
	if (buf && read_text(buf, MAX_TEXT, path))
		return buf;
	free(buf);
	return NULL;
}

char *proc_read_all(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = read_all(format, args);
	va_end(args);
	return text;
}

bool proc_list(bool (*found)(pid_t id, void *arg), void *arg, const char *format, ...)
{
	char *text, *at, *end;
	bool good = true;
	va_list args;

	va_start(args, format);
	text = read_all(format, args);
	va_end(args);
	for (at = text; good && at && *at; at = end) {
		pid_t id = (pid_t)strtol(at, &end, 10);

		if (end == at)
			break;
		good = id <= 0 || found(id, arg);
	}
	free(text);
	return good;
}
