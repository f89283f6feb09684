/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run checks of KVM statistics, each in a process of its own: one that hangs
 * is killed and counts as failed, and what one leaves behind is gone before
 * the next one starts.  Reporting is left to the program.
 */
#ifndef SELFTEST_KVM_STATS_RUN_H
#define SELFTEST_KVM_STATS_RUN_H

#include <signal.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "kvm_stats_file.h"

#define STATS_DEADLINE_SECONDS	60	/* emulated and under KASAN, some take long */
#define STATS_SKIP_PREFIX	"SKIP "

/* A VM or a vCPU, and an open file of its statistics. */
struct stats_target {
	int vcpu_id;		/* -1 for a VM */
	int getfd_fd;		/* the fd that answers KVM_STATS_GETFD */
	int fd;			/* the statistics fd that it gave */
	struct stats_file file;	/* what that held while nothing ran */
	void *machine;		/* the program's own */
	unsigned int arg;	/* the check's argument */
};

struct stats_check {
	const char *name;
	const char *(*run)(struct stats_target *target);
	unsigned int arg;
};

#define STATS_CHECK(check_name, function, ...) \
	{ .name = check_name, .run = function, ##__VA_ARGS__ }

struct stats_suite {
	const char *name;
	int vcpu_id;
	const struct stats_check *checks;
	size_t num;
	const char *(*setup)(struct stats_target *target);
};

enum stats_verdict { STATS_PASS, STATS_FAIL, STATS_SKIP };

struct stats_outcome {
	enum stats_verdict verdict;
	char message[512];
};

/* Shared by the process that runs a check and the one that reports it. */
static struct stats_outcome *stats_outcome;

static inline __printf(1, 2)
const char *stats_skip(const char *fmt, ...)
{
	const char *message;
	va_list args;

	va_start(args, fmt);
	message = stats_message(STATS_SKIP_PREFIX, fmt, args);
	va_end(args);
	return message;
}

/*
 * What is done from here on must be done in @seconds; @what is the complaint
 * if it is not.  0 seconds call it off.
 */
static inline void stats_must_end_in(unsigned int seconds, const char *what)
{
	stats_outcome->message[0] = '\0';
	if (seconds)
		snprintf(stats_outcome->message, sizeof(stats_outcome->message),
			 "not within %u seconds: %s", seconds, what);
	signal(SIGALRM, SIG_DFL);
	alarm(seconds);
}

static inline void stats_conclude(const char *message)
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

static inline void stats_run_here(const struct stats_suite *suite,
				  const struct stats_check *check)
{
	struct stats_target target = {
		.vcpu_id = suite->vcpu_id,
		.getfd_fd = -1,
		.fd = -1,
		.arg = check->arg,
	};
	const char *message = suite->setup ? suite->setup(&target) : NULL;

	stats_conclude(message ? message : check->run(&target));
}

/* What @run says in another process, which has its own memory. */
static inline const char *
stats_in_child(struct stats_target *target,
	       const char *(*run)(struct stats_target *target))
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return stats_fail("fork: %s", strerror(errno));
	if (!pid) {
		const char *message;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		message = run(target);
		if (message)
			stats_conclude(message);
		_exit(message ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	return stats_fail("in another process: %s", stats_outcome->message);
}

/* Returns the status that waitpid() gives, after killing if need be. */
static inline int stats_wait(pid_t pid, unsigned int seconds)
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

static inline void stats_judge_end(int status)
{
	char what[sizeof(stats_outcome->message)];

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;

	stats_outcome->verdict = STATS_FAIL;
	memcpy(what, stats_outcome->message, sizeof(what));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return;
	if (WIFSIGNALED(status))
		snprintf(stats_outcome->message, sizeof(stats_outcome->message),
			 "killed by signal %d %.400s", WTERMSIG(status), what);
	else
		snprintf(stats_outcome->message, sizeof(stats_outcome->message),
			 "ended with exit status %d %.400s",
			 WEXITSTATUS(status), what);
}

static inline const struct stats_outcome *
stats_run(const struct stats_suite *suite, const struct stats_check *check)
{
	pid_t pid;

	if (!stats_outcome)
		stats_outcome = mmap(NULL, sizeof(*stats_outcome),
				     PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(stats_outcome, 0, sizeof(*stats_outcome));
	stats_outcome->verdict = STATS_FAIL;
	fflush(NULL);

	pid = fork();
	if (pid < 0) {
		stats_conclude(stats_fail("fork: %s", strerror(errno)));
		return stats_outcome;
	}
	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		stats_run_here(suite, check);
		fflush(NULL);
		_exit(0);
	}
	setpgid(pid, pid);
	stats_judge_end(stats_wait(pid, STATS_DEADLINE_SECONDS));
	return stats_outcome;
}

#endif /* SELFTEST_KVM_STATS_RUN_H */
