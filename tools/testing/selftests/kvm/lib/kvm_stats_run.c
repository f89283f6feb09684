// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kvm_stats_run.h"
#include "kvm_stats_file.h"

/* Shared by the process that runs a check and the one that reports it. */
static struct stats_outcome *stats_outcome;

void stats_must_end_in(unsigned int seconds, const char *what)
{
	stats_outcome->message[0] = '\0';
	if (seconds)
		snprintf(stats_outcome->message, sizeof(stats_outcome->message),
			 "not within %u seconds: %s", seconds, what);
	signal(SIGALRM, SIG_DFL);
	alarm(seconds);
}

static void store_outcome(const char *message)
{
	size_t prefix = strlen(STATS_SKIP_PREFIX);

	stats_outcome->verdict = STATS_PASS;
	if (!message)
		return;

	stats_outcome->verdict = STATS_FAIL;
	if (!strncmp(message, STATS_SKIP_PREFIX, prefix)) {
		stats_outcome->verdict = STATS_SKIP;
		message += prefix;
	}
	snprintf(stats_outcome->message, sizeof(stats_outcome->message), "%s",
		 message);
}

/* Is this a process of stats_in_child()? */
static bool is_child;

void stats_end(const char *message)
{
	if (message || !is_child)
		store_outcome(message);
	fflush(NULL);
	_exit(message && is_child);
}

void stats_must(const char *message)
{
	if (message)
		stats_end(message);
}

const char *stats_in_child(struct stats_target *target,
			   const char *(*run)(struct stats_target *target))
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return stats_fail("fork() failed: %s", strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		is_child = true;
		stats_end(run(target));
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	return stats_fail("in another process: %s", stats_outcome->message);
}

static void run_check(const struct stats_suite *suite,
		      const struct stats_check *check)
{
	struct stats_target target = {
		.vcpu_id = suite->vcpu_id,
		.getfd_fd = -1,
		.fd = -1,
		.arg = check->arg,
	};

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (suite->setup)
		stats_must(suite->setup(&target));
	stats_end(check->run(&target));
}

/* Returns the wait status.  Kills all processes that the check has started. */
static int wait_or_kill(pid_t pid, unsigned int seconds)
{
	const struct timespec tick = { .tv_nsec = 2000000 };
	unsigned int ticks = seconds * 500;
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (!ticks--) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return status;
		}
		nanosleep(&tick, NULL);
	}
	kill(-pid, SIGKILL);
	return status;
}

/* A check that did not end by itself fails. */
static void judge_status(int status)
{
	char text[sizeof(stats_outcome->message)];

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;

	stats_outcome->verdict = STATS_FAIL;
	memcpy(text, stats_outcome->message, sizeof(text));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return;
	if (WIFSIGNALED(status))
		snprintf(stats_outcome->message, sizeof(stats_outcome->message),
			 "killed by signal %d %.400s", WTERMSIG(status), text);
	else
		snprintf(stats_outcome->message, sizeof(stats_outcome->message),
			 "exited with status %d %.400s", WEXITSTATUS(status),
			 text);
}

static void reset_outcome(void)
{
	if (!stats_outcome)
		stats_outcome = mmap(NULL, sizeof(*stats_outcome),
				     PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(stats_outcome, 0, sizeof(*stats_outcome));
	stats_outcome->verdict = STATS_FAIL;
}

const struct stats_outcome *stats_run(const struct stats_suite *suite,
				      const struct stats_check *check)
{
	pid_t pid;

	reset_outcome();
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		store_outcome(stats_fail("fork() failed: %s", strerror(errno)));
		return stats_outcome;
	}
	if (!pid)
		run_check(suite, check);
	setpgid(pid, pid);
	judge_status(wait_or_kill(pid, STATS_DEADLINE_SECONDS));
	return stats_outcome;
}

bool stats_param_read(const char *path, char value[STATS_PARAM_SIZE])
{
	FILE *file = fopen(path, "r");
	bool read;

	value[0] = '\0';
	if (!file)
		return false;
	read = fscanf(file, "%31s", value) == 1;
	fclose(file);
	return read;
}

static bool write_param(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");
	bool written;

	if (!file)
		return false;
	written = fputs(value, file) >= 0;
	return !fclose(file) && written;
}

const char *stats_param_set(const char *path, const char *value)
{
	return write_param(path, value) ? NULL :
	       stats_skip("cannot write '%s' to %s: %s", value, path,
			  strerror(errno));
}

bool stats_param_is_on(const char *path)
{
	char value[STATS_PARAM_SIZE];

	return stats_param_read(path, value) &&
	       (value[0] == 'Y' || value[0] == '1');
}

void stats_params_save(struct stats_param *params, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		stats_param_read(params[i].path, params[i].saved);
}

void stats_params_restore(const struct stats_param *params, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		if (params[i].saved[0])
			write_param(params[i].path, params[i].saved);
}
