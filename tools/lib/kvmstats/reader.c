// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * The reader, its spawner and its workers are three kinds of processes:
 *
 *	reader  ---- socket of the spawner: sockets for new workers ---->  spawner
 *	   |                                                                  | clone()
 *	   +------ socket of each worker: paths, and what was read ------>  workers
 *
 * The spawner exists because a worker must not have copies of the fds of VMs, which keep the VMs,
 * and because it must not be a child of this process: the caller of the library may wait for all of
 * its children. The spawner itself never reads, so it never hangs.
 *
 * A process with several threads can use the library. After clone(), locks of other threads are
 * held forever, so the spawner and the workers only call functions that are system calls.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"
#include "reader.h"

/* The number is the same on all architectures except alpha. */
#ifndef SYS_close_range
#define SYS_close_range	436
#endif

#define MAX_FILE	1048576u

/* The limit includes workers that are late for processes that have ended in the meantime. */
#define MAX_WORKERS	(2 * READER_MAX_LATE)

/*
 * How long a worker may take to start a read, and to read. Without a hang, a read takes
 * microseconds, but the worker can have to wait for a CPU. Each timeout halves the time of the next
 * one.
 */
#define START_TIME	SECOND
#define READ_TIME	(SECOND / 5)
#define MIN_READ_TIME	(SECOND / 100)

/*
 * The answer of a worker starts with one byte when it has received the request, then this follows.
 */
struct answer {
	int32_t err;		/* -errno */
	uint32_t size;		/* of the text that follows */
};

/* ---- the workers and the spawner: system calls only ---- */

static bool send_all(int socket, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = send(socket, at, size, MSG_NOSIGNAL);

		if (n < 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

static struct answer read_file(const char *path, char *text)
{
	struct answer answer = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && answer.size < MAX_FILE) {
		n = read(fd, text + answer.size, MAX_FILE - answer.size);
		if (n > 0)
			answer.size += (uint32_t)n;
	}
	if (n < 0)
		answer = (struct answer){ .err = -errno };
	if (fd >= 0)
		close(fd);
	return answer;
}

/* The control data of a message that passes one fd */
union control {
	struct cmsghdr header;
	char buf[CMSG_SPACE(sizeof(int))];
};

static int send_fd(int socket, int fd)
{
	union control control = { 0 };
	char byte = 'K';
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	control.header = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
		.cmsg_len = CMSG_LEN(sizeof(fd)),
	};
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(socket, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Returns -1 at the end of the stream. */
static int receive_fd(int socket)
{
	union control control;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const struct cmsghdr *header;
	int fd;

	if (recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) <= 0)
		return -1;
	header = CMSG_FIRSTHDR(&msg);
	if (!header)
		return -1;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/* Ends when the reader closes its end of the socket, or with the spawner. */
static void __attribute__((__noreturn__)) work(int socket)
{
	char path[READER_PATH_SIZE], started = 1;
	char *text = mmap(NULL, MAX_FILE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	struct answer answer;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (text != MAP_FAILED &&
	       recv(socket, path, sizeof(path), MSG_WAITALL) == sizeof(path) &&
	       send_all(socket, &started, 1)) {
		answer = read_file(path, text);
		if (!send_all(socket, &answer, sizeof(answer)) ||
		    !send_all(socket, text, answer.size))
			break;
	}
	_exit(0);
}

static void close_range_of(unsigned int first, unsigned int last)
{
	unsigned int limit = (unsigned int)sysconf(_SC_OPEN_MAX);

	/* Linux 5.9 and later have the system call. */
	if (first > last || !syscall(SYS_close_range, first, last, 0))
		return;
	for (; first <= last && first < limit; first++)
		close((int)first);
}

static void close_all_except(int fd)
{
	if (fd)
		close_range_of(0, (unsigned int)fd - 1);
	close_range_of((unsigned int)fd + 1, UINT_MAX);
}

/* fork() would call the handlers of pthread_atfork(), and send SIGCHLD to the caller's program. */
static pid_t clone_process(void)
{
	return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
}

/* Ends when the reader closes its end of the socket. */
static void __attribute__((__noreturn__)) spawn(int socket)
{
	size_t workers = 0;
	int worker;

	close_all_except(socket);
	prctl(PR_SET_NAME, "kvmstats-reader");
	/* Do not keep the program's directory busy. */
	if (chdir("/"))
		_exit(1);
	while ((worker = receive_fd(socket)) >= 0) {
		pid_t pid = -1;

		while (workers && waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			workers--;
		if (workers < MAX_WORKERS)
			pid = clone_process();
		if (!pid) {
			close(socket);
			work(worker);
		}
		workers += pid > 0;
		close(worker);
	}
	_exit(0);
}

/* ---- the reader ---- */

int kvmstats_reader_start(struct kvmstats_reader *reader)
{
	sigset_t all, old;
	int pair[2];

	*reader = (struct kvmstats_reader){ .socket = -1, .idle = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	/* The new processes must not run the program's handlers, also not later. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	reader->spawner = clone_process();
	if (!reader->spawner)
		spawn(pair[1]);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	reader->socket = pair[0];
	return reader->spawner < 0 ? -errno : 0;
}

static void close_worker(int *worker)
{
	if (*worker >= 0)
		close(*worker);
	*worker = -1;
}

void kvmstats_reader_stop(struct kvmstats_reader *reader)
{
	close_worker(&reader->idle);
	while (reader->late_reads)
		close(reader->late[--reader->late_reads].worker);
	close_worker(&reader->socket);
	if (reader->spawner <= 0)
		return;
	/* It may be stopped, and not see that the socket is closed. */
	kill(reader->spawner, SIGKILL);
	while (waitpid(reader->spawner, NULL, __WALL) < 0 && errno == EINTR)
		;
	reader->spawner = 0;
}

void kvmstats_reader_renew(struct kvmstats_reader *reader)
{
	reader->timeouts = 0;
}

/* Returns the socket of a worker without a request, or -errno. */
static int take_worker(struct kvmstats_reader *reader)
{
	int worker = reader->idle, pair[2], err;

	reader->idle = -1;
	if (worker >= 0)
		return worker;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	err = send_fd(reader->socket, pair[1]);
	close(pair[1]);
	if (!err)
		return pair[0];
	close(pair[0]);
	return err;
}

/* Returns 0 if there is something to receive at @deadline, also an end, or -ETIMEDOUT. */
static int wait_for(int socket, uint64_t deadline)
{
	struct pollfd poll_fd = { .fd = socket, .events = POLLIN };
	int n;

	do {
		struct timespec timeout = clock_until(deadline);

		n = ppoll(&poll_fd, 1, &timeout, NULL);
	} while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : -ETIMEDOUT;
}

static int receive(int socket, void *to, size_t size)
{
	ssize_t n;

	/* recv() of nothing would wait for something. */
	if (!size)
		return 0;
	do {
		n = recv(socket, to, size, MSG_WAITALL);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)size ? 0 : -EPIPE;
}

/* The worker has read the file, so it sends all of the answer without a delay. */
static int receive_answer(int socket, char **text, size_t *size)
{
	struct answer answer;
	int err = receive(socket, &answer, sizeof(answer));

	if (err)
		return err;
	if (answer.err)
		return answer.err == -ENOENT ? -ESRCH : answer.err;
	*text = malloc(answer.size + 1u);
	if (!*text)
		return -ENOMEM;
	*size = answer.size;
	(*text)[answer.size] = '\0';
	err = receive(socket, *text, answer.size);
	if (err)
		free(*text);
	return err;
}

/* @start_time and @read_time are 0 for a read that is late already. */
static int finish(struct kvmstats_read *read, uint64_t start_time, uint64_t read_time, char **text,
		  size_t *size)
{
	char started;
	int err;

	if (!read->started) {
		err = wait_for(read->worker, clock_now() + start_time);
		if (!err)
			err = receive(read->worker, &started, 1);
		if (err)
			return err;
		read->started = true;
	}
	err = wait_for(read->worker, clock_now() + read_time);
	return err ? err : receive_answer(read->worker, text, size);
}

/* A worker that has answered can do the next read, unless the answer is still in its socket. */
static void release(struct kvmstats_reader *reader, int worker, int err)
{
	if (reader->idle < 0 && err != -EPIPE && err != -ENOMEM)
		reader->idle = worker;
	else
		close(worker);
}

static void forget(struct kvmstats_reader *reader, size_t i)
{
	reader->late[i] = reader->late[--reader->late_reads];
}

/* Returns 0 if there is no such process. */
static ino_t inode_of(const char *path)
{
	size_t len = (size_t)(strchr(path + strlen(kvmstats_places.proc) + 1, '/') - path);
	char process[READER_PATH_SIZE];
	struct stat st;

	snprintf(process, sizeof(process), "%.*s", (int)len, path);
	return stat(process, &st) ? 0 : st.st_ino;
}

/* Forgets reads whose process has ended. Returns the late read of the file, or NULL. */
static struct kvmstats_read *find_late(struct kvmstats_reader *reader, const char *path)
{
	struct kvmstats_read *found = NULL;
	size_t i = 0;

	while (i < reader->late_reads) {
		struct kvmstats_read *late = &reader->late[i];

		if (late->process != inode_of(late->path)) {
			close(late->worker);
			forget(reader, i);
			continue;
		}
		if (!strcmp(late->path, path))
			found = late;
		i++;
	}
	return found;
}

static int finish_late(struct kvmstats_reader *reader, struct kvmstats_read *late, char **text,
		       size_t *size)
{
	int err = finish(late, 0, 0, text, size);

	if (err == -ETIMEDOUT)
		return err;
	release(reader, late->worker, err);
	forget(reader, (size_t)(late - reader->late));
	return err;
}

/* Starts the read. Starts another spawner if it has ended, for example because memory was short. */
static int start_read(struct kvmstats_reader *reader, struct kvmstats_read *read)
{
	int err;

	read->worker = take_worker(reader);
	if (read->worker == -EPIPE) {
		kvmstats_reader_stop(reader);
		err = kvmstats_reader_start(reader);
		if (err)
			return err;
		read->worker = take_worker(reader);
	}
	if (read->worker < 0)
		return read->worker;
	if (send_all(read->worker, read->path, sizeof(read->path)))
		return 0;
	close(read->worker);
	return -EPIPE;
}

int kvmstats_reader_read(struct kvmstats_reader *reader, pid_t pid, const char *name, char **text,
			 size_t *size)
{
	uint64_t patience = READ_TIME >> (reader->timeouts < 16 ? reader->timeouts : 16);
	struct kvmstats_read read = { .worker = -1 };
	struct kvmstats_read *late;
	int err;

	snprintf(read.path, sizeof(read.path), "%s/%d/%s", kvmstats_places.proc, (int)pid, name);
	late = find_late(reader, read.path);
	if (late)
		return finish_late(reader, late, text, size);
	if (reader->late_reads == READER_MAX_LATE)
		return -ETIMEDOUT;
	read.process = inode_of(read.path);
	err = start_read(reader, &read);
	if (err)
		return err;
	err = finish(&read, START_TIME >> (reader->timeouts ? 2 : 0),
		     patience > MIN_READ_TIME ? patience : MIN_READ_TIME, text, size);
	if (err == -ETIMEDOUT) {
		reader->timeouts++;
		reader->late[reader->late_reads++] = read;
	} else {
		release(reader, read.worker, err);
	}
	return err;
}
