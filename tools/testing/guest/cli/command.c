// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"

#define MAX_ARGS	24

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

static void split_arguments(char *line, char **argv)
{
	int argc = 0;
	char *save;

	argv[argc++] = "kvm-stats";
	for (line = strtok_r(line, " ", &save); line; line = strtok_r(NULL, " ", &save)) {
		if (argc < MAX_ARGS - 1)
			argv[argc++] = line;
	}
	argv[argc] = NULL;
}

/* Becomes another user with one capability, which programs that it executes inherit. */
static bool become(uid_t uid, unsigned int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	prctl(PR_SET_KEEPCAPS, 1);
	if (setgroups(0, NULL) || setgid(uid) || setuid(uid))
		return false;
	data[cap / 32].permitted = 1u << cap % 32;
	data[cap / 32].effective = data[cap / 32].permitted;
	data[cap / 32].inheritable = data[cap / 32].permitted;
	return !syscall(SYS_capset, &header, data) &&
	       !prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
}

static void exec_program(const char *path, uid_t uid, const char *arguments)
{
	char line[256], *argv[MAX_ARGS];

	snprintf(line, sizeof(line), "%s", arguments);
	split_arguments(line, argv);
	if (uid == PERFMON_UID && !become(uid, CAP_PERFMON))
		_exit(126);
	if (uid && uid != PERFMON_UID && (setgroups(0, NULL) || setgid(uid) || setuid(uid)))
		_exit(126);
	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* setuid() resets it */
	execv(path, argv);
	_exit(127);
}

static bool own_pid_namespace;

void command_in_pid_namespace(bool own)
{
	own_pid_namespace = own;
}

/* Continues in a child, which is the first process of the namespace. */
static void enter_pid_namespace(void)
{
	pid_t pid = unshare(CLONE_NEWPID) ? -1 : fork();
	int status;

	if (!pid)
		return;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		_exit(126);
	_exit(WEXITSTATUS(status));
}

void command_exec(uid_t uid, const char *arguments)
{
	if (own_pid_namespace)
		enter_pid_namespace();
	exec_program(getenv("KVM_STATS") ?: "/bin/kvm-stats", uid, arguments);
	_exit(127);
}

static void exec_of_build_host(const char *arguments)
{
	const char *host = getenv("BOOT_HOST");

	if (host && (chroot(host) || chdir("/")))
		_exit(126);
	exec_program("/tmp/boot/kvm-stats", 0, arguments);
}

static void open_pipe(struct run *run, int fds[2])
{
	if (pipe2(fds, O_CLOEXEC)) {
		perror("# pipe2");
		exit(1);
	}
	run->out = fds[0];
	run->len = 0;
	run->text[0] = '\0';
	run->status = -1;
	fflush(stdout);
}

/* Returns true in the child. Its output goes to @to, or to a pipe if that is -1. */
static bool run_fork(struct run *run, int to)
{
	int fds[2];

	open_pipe(run, fds);
	run->pid = fork();
	if (!run->pid) {
		dup2(to >= 0 ? to : fds[1], STDOUT_FILENO);
		dup2(to >= 0 ? to : fds[1], STDERR_FILENO);
		return true;
	}
	close(fds[1]);
	return false;
}

static void run_start(struct run *run, int to, uid_t uid, const char *format, va_list args)
{
	char line[256];

	vsnprintf(line, sizeof(line), format, args);
	if (run_fork(run, to))
		command_exec(uid, line);
}

void run_of_build_host(struct run *run, const char *format, ...)
{
	char line[256];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (run_fork(run, -1))
		exec_of_build_host(line);
}

bool run_more(struct run *run, int timeout)
{
	struct pollfd poll_fd = { .fd = run->out, .events = POLLIN };
	ssize_t n;

	if (poll(&poll_fd, 1, timeout) != 1)
		return false;
	n = read(run->out, run->text + run->len, sizeof(run->text) - 1 - run->len);
	if (n <= 0)
		return false;
	run->len += n;
	run->text[run->len] = '\0';
	return true;
}

bool run_end(struct run *run)
{
	time_t limit = time(NULL) + TIME_LIMIT;
	int status;

	while (run_more(run, TIME_LIMIT * 1000) && time(NULL) < limit)
		;
	while (!waitpid(run->pid, &status, WNOHANG)) {
		if (time(NULL) >= limit) {
			kill(run->pid, SIGKILL);
			waitpid(run->pid, NULL, 0);
			close(run->out);
			return false;
		}
		usleep(10000);
	}
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	close(run->out);
	return true;
}

void run_command(struct run *run, int to, uid_t uid, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	run_start(run, to, uid, format, args);
	va_end(args);
	run_end(run);
}

void run_in_background(struct run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	run_start(run, -1, 0, format, args);
	va_end(args);
}
