// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm-stats-relay: sends the host file to every process that connects to its socket.
 *
 * It reads a whole pass into its own memory, and then sends it. So each reader gets a complete
 * pass, and one that stalls delays neither the kernel nor other readers. The only right of the
 * process is to read the host file. What readers send is ignored. If MAX_READERS are connected,
 * others wait in the backlog.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "host_format.h"
#include "kvmstats.h"
#include "util.h"

#define INHERITED	3		/* the fd of the socket that systemd passes */
#define MAX_READERS	64u
#define MAX_PASS	268435456u	/* in bytes: that of the library */
#define READ_SIZE	65536u
#define MAX_TRIES	1000		/* of a read() that returns EAGAIN */

/* Readers that connect within this time after the start of a pass share it. */
#define SHARE_TIME	(100 * MILLISECOND)
/* A reader is disconnected if it receives nothing for STALL_TIME, and SEND_TIME after its pass. */
#define STALL_TIME	(5 * SECOND)
#define SEND_TIME	(60 * SECOND)
#define IDLE_SECONDS	60u
/* How often times are checked while there is a reader, and how long a failed accept() pauses. */
#define TICK		(100 * MILLISECOND)

struct pass {
	char *data;
	size_t allocated;
	size_t size;		/* bytes in @data */
	size_t end;		/* of the records that were checked */
	unsigned int users;	/* readers, and @current */
	uint64_t until;		/* new readers share the pass until then */
};

struct reader {
	int fd;
	struct pass *pass;
	size_t sent;
	uint64_t progress;	/* when it took something */
};

static const char *source = KVMSTATS_HOST_FILE;
static int listener;
static struct reader readers[MAX_READERS];
static unsigned int connected;
static struct pass *current;
static size_t memory;		/* of all passes, in bytes */
static bool paused;		/* accept() failed */
static volatile sig_atomic_t ending;

/* Readers may try again forever, so only a failure that differs from the last one is reported. */
static void report(const char *what, int err)
{
	static int reported;
	const char *hint = "";

	if (err == -ENOENT)
		hint = ". Publish it: kvm-stats publish";
	else if (err == -EACCES)
		hint = ". The relay must be a member of the group of this file";
	else if (err == -EPROTO)
		hint = ". It is not a host file of this machine";
	else if (err == -ENODATA)
		hint = ". It ends before its last record";
	if (err && err != reported)
		complain("%s: %s%s", what, strerror(-err), hint);
	reported = err;
}

/* ---- passes ---- */

static void put_pass(struct pass *pass)
{
	if (!pass || --pass->users)
		return;
	memory -= pass->allocated;
	free(pass->data);
	free(pass);
}

/* Sets errno if it fails. */
static bool make_space(struct pass *pass)
{
	size_t size = pass->allocated ? pass->allocated * 2 : 2 * READ_SIZE;
	char *data;

	if (pass->allocated - pass->size >= READ_SIZE)
		return true;
	errno = EFBIG;
	data = size <= MAX_PASS ? realloc(pass->data, size) : NULL;
	if (!data)
		return false;
	memory += size - pass->allocated;
	pass->data = data;
	pass->allocated = size;
	return true;
}

/* Returns 1 if the pass has its last record, 0 if more has to be read, or -EPROTO. */
static int find_end(struct pass *pass)
{
	struct kvm_host_record record;

	while (pass->size - pass->end >= sizeof(record)) {
		memcpy(&record, pass->data + pass->end, sizeof(record));
		if (record.size < sizeof(record) || record.size % 8 ||
		    (pass->end ? record.type == KVM_HOST_HEADER :
		     record.type != KVM_HOST_HEADER || record.vm != KVM_HOST_MAGIC))
			return -EPROTO;
		if (pass->size - pass->end < record.size)
			return 0;
		pass->end += record.size;
		if (record.type == KVM_HOST_END)
			return 1;
	}
	return 0;
}

/* Returns 0 or -errno; -ENODATA: the last record is missing. */
static int read_pass(struct pass *pass)
{
	/* Reads of the host file never block. Those of another file could. */
	int fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int tries = 0, found = fd < 0 ? -errno : 0;

	while (!found) {
		ssize_t n = make_space(pass) ? read(fd, pass->data + pass->size, READ_SIZE) : -1;

		if (n > 0) {
			tries = 0;
			pass->size += n;
			found = find_end(pass);
		} else if (!n) {
			found = -ENODATA;
		} else if (errno != EAGAIN || ++tries == MAX_TRIES) {
			found = -errno;
		}
	}
	if (fd >= 0)
		close(fd);
	return found < 0 ? found : 0;
}

static void drop_current(void)
{
	put_pass(current);
	current = NULL;
}

/* If a pass takes long, readers share it for longer, so that the relay uses at most half a CPU. */
static void update_current(void)
{
	uint64_t start = clock_now(), took;
	int err = -ENOMEM;

	if (current && start < current->until)
		return;
	drop_current();
	current = calloc(1, sizeof(*current));
	if (current) {
		current->users = 1;
		err = read_pass(current);
		took = clock_now() - start;
		current->until = start + (2 * took > SHARE_TIME ? 2 * took : SHARE_TIME);
	}
	report(source, err);
	if (err)
		drop_current();
}

/* ---- readers ---- */

static void disconnect(unsigned int i)
{
	static char ignored[READ_SIZE];

	/* If data of the reader is left, its read() returns ECONNRESET instead of the end. */
	recv(readers[i].fd, ignored, sizeof(ignored), MSG_DONTWAIT);
	close(readers[i].fd);
	put_pass(readers[i].pass);
	readers[i] = readers[--connected];
}

/* Returns false if the reader has everything, or is gone. */
static bool send_to(struct reader *reader)
{
	ssize_t n = send(reader->fd, reader->pass->data + reader->sent,
			 reader->pass->end - reader->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN;
	reader->sent += n;
	reader->progress = clock_now();
	return reader->sent < reader->pass->end;
}

static bool is_late(const struct reader *reader, uint64_t now)
{
	return now > reader->progress + STALL_TIME || now > reader->pass->until + SEND_TIME;
}

/* The order is backwards, because disconnect() moves the last reader. */
static void serve_readers(const struct pollfd *polled)
{
	uint64_t now = clock_now();
	unsigned int i;

	for (i = connected; i--;) {
		if ((polled[i].revents && !send_to(&readers[i])) || is_late(&readers[i], now))
			disconnect(i);
	}
}

/* All passes in memory together have at most twice the size of the largest one. */
static bool may_accept(void)
{
	return connected < MAX_READERS && memory <= MAX_PASS && !paused;
}

/*
 * Readers that connect while the pass is read share it, too. The limit of the memory is not checked
 * again, because the new pass may have reached it.
 */
static void accept_readers(void)
{
	unsigned int i;

	update_current();
	for (i = 0; i < MAX_READERS && connected < MAX_READERS; i++) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0) {
			paused = errno != EAGAIN && errno != ECONNABORTED;
			if (paused)
				report("connections cannot be accepted", -errno);
			return;
		}
		readers[connected++] = (struct reader){ fd, current, 0, clock_now() };
		if (current)
			current->users++;
		else
			disconnect(connected - 1);
	}
}

/* Returns after @idle ns without a reader, if not 0, or at a signal. @mask permits the signals. */
static void run(uint64_t idle, const sigset_t *mask)
{
	struct pollfd polled[MAX_READERS + 1];

	while (!ending) {
		bool busy = connected || current || paused;
		uint64_t timeout = busy ? TICK : idle;
		struct timespec time = clock_until(clock_now() + timeout);
		unsigned int i, listening = connected;

		for (i = 0; i < connected; i++)
			polled[i] = (struct pollfd){ .fd = readers[i].fd, .events = POLLOUT };
		polled[listening] = (struct pollfd){ .fd = may_accept() ? listener : -1,
						     .events = POLLIN };
		if (!ppoll(polled, connected + 1, timeout ? &time : NULL, mask) && !busy)
			return;
		serve_readers(polled);
		paused = false;
		if (polled[listening].revents)
			accept_readers();
		if (current && clock_now() >= current->until)
			drop_current();
	}
}

/* ---- start and end ---- */

static bool inherit_socket(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");

	listener = INHERITED;
	if (pid && atoi(pid) == getpid() && fds && !strcmp(fds, "1"))
		return true;
	complain("the relay has no socket. Start kvm-stats-relay.socket, or use --listen PATH");
	return false;
}

/* The umask decides who may connect. */
static bool listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	errno = ENAMETOOLONG;
	listener = strlen(path) < sizeof(address.sun_path) ?
		   socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (listener >= 0 && !bind(listener, (struct sockaddr *)&address, sizeof(address)) &&
	    !listen(listener, SOMAXCONN))
		return true;
	complain("cannot listen at %s: %s%s", path, strerror(errno),
		 errno == EADDRINUSE ? ". Remove it if no other relay uses it" : "");
	return false;
}

static void on_signal(int signal)
{
	(void)signal;
	ending = 1;
}

static const char usage[] =
	"Usage: kvm-stats-relay [--listen PATH] [--idle SECONDS] [FILE]\n"
	"\n"
	"Send the host file (default: " KVMSTATS_HOST_FILE ") to every process that\n"
	"connects. systemd starts this program: see kvm-stats-publish(8).\n"
	"\n"
	"  -l, --listen=PATH    listen at this socket, not at that of systemd\n"
	"  -i, --idle=SECONDS   end after this time without a reader (default: 60 with\n"
	"                       the socket of systemd, otherwise 0: never)\n"
	"  -h, --help           print this help\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "listen", required_argument, NULL, 'l' },
		{ "idle", required_argument, NULL, 'i' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *path = NULL, *idle = NULL;
	sigset_t signals, mask;
	int option;

	while ((option = getopt_long(argc, argv, "l:i:h", options, NULL)) != -1) {
		if (option == 'l')
			path = optarg;
		else if (option == 'i' && strspn(optarg, "0123456789") == strlen(optarg))
			idle = optarg;
		else
			return fputs(usage, option == 'h' ? stdout : stderr), option == 'h' ? 0 : 2;
	}
	if (optind < argc)
		source = argv[optind];
	if (path ? !listen_at(path) : !inherit_socket())
		return 1;
	fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	/* They only interrupt ppoll(). */
	sigprocmask(SIG_BLOCK, &signals, &mask);
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	run((idle ? strtoul(idle, NULL, 10) : path ? 0 : IDLE_SECONDS) * SECOND, &mask);
	if (path)
		unlink(path);
	return 0;
}
