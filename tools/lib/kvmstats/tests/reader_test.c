// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test that reads which hang delay nothing. The files that hang are FIFOs without a writer. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"
#include "reader.h"
#include "tap.h"

#define FIFOS	(READER_MAX_LATE + 4)

static char dir[] = "/tmp/readerXXXXXX";
static struct kvmstats_reader reader;

static void fifo_path(char *path, int i)
{
	snprintf(path, PATH_MAX, "%s/%d", dir, i);
}

/* Reads /proc/PID/NAME, or FIFO @i, for which the name leads out of /proc. */
static int read_name(pid_t pid, const char *name, char **text, size_t *size)
{
	*text = NULL;
	*size = 0;
	return kvmstats_reader_read(&reader, pid, name, text, size);
}

static int read_fifo(pid_t pid, int i, char **text)
{
	char name[READER_PATH_SIZE];
	size_t size;

	snprintf(name, sizeof(name), "../..%.30s/%d", dir, i);
	return read_name(pid, name, text, &size);
}

/* Returns whether the worker reads what is written to the FIFO. */
static bool write_fifo(int i)
{
	char path[PATH_MAX];
	int fd;
	bool written;

	fifo_path(path, i);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	written = fd >= 0 && write(fd, "late", 4) == 4;
	if (fd >= 0)
		close(fd);
	return written;
}

/* Waits for a read that is late. */
static int await_fifo(pid_t pid, int i, char **text)
{
	uint64_t end = clock_now() + 10 * SECOND;
	int err;

	do {
		err = read_fifo(pid, i, text);
		usleep(1000);
	} while (err == -ETIMEDOUT && clock_now() < end);
	return err;
}

static bool reads_own_name(void)
{
	size_t size;
	char *text;
	bool same = !read_name(getpid(), "comm", &text, &size) && size == strlen(text) &&
		    !strcmp(text, "reader_test\n");

	free(text);
	return same;
}

static size_t count_fds(pid_t pid)
{
	char path[32];
	struct dirent *entry;
	size_t count = 0;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	fds = opendir(path);
	while (fds && (entry = readdir(fds)))
		count += *entry->d_name != '.';
	if (fds)
		closedir(fds);
	return count;
}

/* Returns the first child of the process, or 0. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	pid_t child = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%d", &child) != 1)
		child = 0;
	if (file)
		fclose(file);
	return child;
}

/* A process that has ended has no command line, and a kernel without cgroups an empty file. */
static bool reads_empty_file(void)
{
	pid_t pid = fork();
	size_t size = 1;
	siginfo_t info;
	char *text;
	bool empty;

	if (!pid)
		_exit(0);
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	alarm(10);
	empty = !read_name(pid, "cmdline", &text, &size) && !size && text && !*text;
	alarm(0);
	free(text);
	waitpid(pid, NULL, 0);
	return empty;
}

static void test_reads(void)
{
	size_t size;
	char *text;
	int idle, i;
	pid_t pid;

	tap_ok(reads_empty_file(), "an empty file is read");
	tap_ok(reads_own_name(), "a file is read");
	idle = reader.idle;
	pid = child_of(reader.spawner);
	for (i = 0; i < 100 && reads_own_name(); i++)
		;
	tap_ok(i == 100 && reader.idle == idle, "one worker does all reads");
	tap_is(read_name(getpid(), "nosuch", &text, &size), -ESRCH, "a file that does not exist");
	tap_is(read_name(getpid(), "mem", &text, &size), -EIO, "another error is returned");
	tap_ok(reads_own_name() && child_of(reader.spawner) == pid, "the worker continues");
}

static void test_processes(void)
{
	pid_t worker = child_of(reader.spawner);

	tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
	       "programs that wait for all their children do not see the reader's");
	tap_is((long long)count_fds(reader.spawner), 1,
	       "the spawner has its socket, and no other fd");
	tap_ok(worker && count_fds(worker) == 1, "a worker has its socket, and no other fd");
}

static void test_late(void)
{
	uint64_t start = clock_now(), took;
	char *text;

	tap_is(read_fifo(getpid(), 0, &text), -ETIMEDOUT, "a read that hangs is late");
	took = clock_now() - start;
	tap_ok(took >= SECOND / 5 && took < 2 * SECOND, "after 0.2 s: %d ms",
	       (int)(took / MILLISECOND));
	tap_ok(reads_own_name(), "another file is read meanwhile");
	start = clock_now();
	tap_ok(read_fifo(getpid(), 0, &text) == -ETIMEDOUT && clock_now() - start < SECOND / 10,
	       "the next call for the same file does not wait");
	tap_is((long long)reader.late_reads, 1, "and starts no other read");
	tap_ok(write_fifo(0), "the read goes on");
	tap_ok(!await_fifo(getpid(), 0, &text) && !strcmp(text, "late"),
	       "and its result is returned");
	free(text);
	tap_is((long long)reader.late_reads, 0, "then nothing is late");
}

static void test_many(void)
{
	uint64_t start = clock_now(), took;
	char *text;
	int late = 0, i;

	kvmstats_reader_renew(&reader);
	for (i = 0; i < FIFOS; i++)
		late += read_fifo(getpid(), i, &text) == -ETIMEDOUT;
	took = clock_now() - start;
	tap_is(late, FIFOS, "many reads hang");
	tap_ok(took < 2 * SECOND, "they wait for less than two seconds together: %d ms",
	       (int)(took / MILLISECOND));
	tap_is((long long)reader.late_reads, READER_MAX_LATE, "the number of workers is limited");
	for (i = 0; i < READER_MAX_LATE; i++) {
		if (!write_fifo(i) || await_fifo(getpid(), i, &text))
			break;
		free(text);
	}
	tap_is(i, READER_MAX_LATE, "all of them are finished");
	tap_ok(reads_own_name(), "then files are read again");
}

static void test_ends(void)
{
	pid_t child = fork();
	size_t size;
	char *text;

	while (!child)
		pause();
	tap_is(read_fifo(child, 0, &text), -ETIMEDOUT, "a read of another process hangs");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	tap_ok(reads_own_name(), "other files are read after this process has ended");
	tap_is((long long)reader.late_reads, 0, "and its read is forgotten");
	kill(reader.spawner, SIGKILL);
	while (kill(reader.spawner, 0) == 0 && waitpid(reader.spawner, NULL, WNOHANG | __WALL) <= 0)
		usleep(1000);
	/* The worker ends with the spawner. */
	read_name(getpid(), "comm", &text, &size);
	free(text);
	tap_ok(reads_own_name(), "another spawner replaces one that was killed");
	child = reader.spawner;
	kill(child, SIGSTOP);
	kvmstats_reader_stop(&reader);
	tap_ok(kill(child, 0) < 0, "the end of the reader ends the spawner, also a stopped one");
}

int main(void)
{
	char path[PATH_MAX];
	int i;

	if (!mkdtemp(dir))
		return 1;
	for (i = 0; i < FIFOS; i++) {
		fifo_path(path, i);
		mkfifo(path, 0600);
	}
	tap_is(kvmstats_reader_start(&reader), 0, "a reader starts");
	test_reads();
	test_processes();
	test_late();
	test_many();
	test_ends();
	for (i = 0; i < FIFOS; i++) {
		fifo_path(path, i);
		unlink(path);
	}
	rmdir(dir);
	return tap_end();
}
