/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run checks, and report each as a test case. Only the file with main() includes this header,
 * because tap.h has static counters.
 */
#ifndef GUEST_RUN_H
#define GUEST_RUN_H

#include "kvm_stats_run.h"
#include "lib/test.h"
#include "tap.h"

/* Runs the check in a process of its own, whose end removes what a failure leaves. */
static inline enum tap_verdict try_check(const struct check *check)
{
	const char *why;
	int status;
	pid_t pid;

	strcpy(failure, "the process of the check was killed");
	fflush(NULL);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		current_check = check;
		why = check->skip ? check->skip() : NULL;
		if (why)
			strcpy(failure, why);
		else
			check->run();
		fflush(NULL);
		_exit(why ? TAP_SKIP : TAP_OK);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : TAP_NOT_OK;
}

static inline void run_check(const char *group, const struct check *check)
{
	enum tap_verdict verdict;
	unsigned int attempt = 1;

	if (!tap_selected(group, check->name))
		return;
	while ((verdict = try_check(check)) == TAP_NOT_OK && attempt < check->attempts)
		printf("# attempt %u: %s\n", attempt++, failure);
	tap_report(verdict, group, check->name, failure);
}

static inline void run_checks(const char *group, const struct check *checks)
{
	for (; checks->name; checks++)
		run_check(group, checks);
}

/* Reports what the functions of the KVM selftests return. */
static inline void report(const char *group, const char *name, const char *message)
{
	tap_report(message ? TAP_NOT_OK : TAP_OK, group, name, message);
}

/* Calls @run as a test case in this process, and returns whether it passed. */
static inline bool report_run(const char *group, const char *name, void (*run)(const void *arg),
			      const void *arg)
{
	bool passed = passes(run, arg);

	report(group, name, passed ? NULL : failure);
	return passed;
}

/* Ends the program, which cannot run any check, if @message is not NULL. */
static inline void bail_out(const char *message)
{
	if (message) {
		printf("Bail out! %s\n", message);
		exit(1);
	}
}

/* Allocates memory that the processes of all checks share. Exits if that fails. */
static inline void *shared_memory(size_t size)
{
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	bail_out(shared == MAP_FAILED ? strerror(errno) : NULL);
	return shared;
}

/* ---- suites of the KVM selftests ---- */

/* LEFT_OUT has the names of checks that are skipped, separated by blanks. */
static inline bool is_left_out(const char *name)
{
	char list[128], word[64];

	snprintf(list, sizeof(list), " %s ", getenv("LEFT_OUT") ?: "");
	snprintf(word, sizeof(word), " %s ", name);
	return strstr(list, word);
}

/* The check that runs. */
static const struct stats_suite *suite_now;
static const struct stats_check *check_now;

static inline void run_now(const void *arg)
{
	struct stats_target *target = (void *)arg;

	must(suite_now->setup ? suite_now->setup(target) : NULL);
	must(check_now->run(target));
}

static inline const char *run_until_failure(struct stats_target *target)
{
	return passes(run_now, target) ? NULL : failure;
}

/* Unlike those of the KVM selftests, the checks can call fail() and must(). */
static inline void run_suites(const struct stats_suite *suites, size_t num)
{
	static const enum tap_verdict verdicts[] = {
		[STATS_PASS] = TAP_OK,
		[STATS_FAIL] = TAP_NOT_OK,
		[STATS_SKIP] = TAP_SKIP,
	};
	size_t i, cases = 0;

	for (i = 0; i < num; i++)
		cases += suites[i].num;
	tap_plan(cases);

	for (suite_now = suites; suite_now < suites + num; suite_now++) {
		const struct stats_suite suite = { .vcpu_id = suite_now->vcpu_id };

		for (i = 0; i < suite_now->num; i++) {
			const struct stats_check check = {
				.run = run_until_failure, .arg = suite_now->checks[i].arg,
			};
			const struct stats_outcome *outcome;

			check_now = &suite_now->checks[i];
			if (is_left_out(check_now->name)) {
				tap_report(TAP_SKIP, suite_now->name, check_now->name,
					   "LEFT_OUT names it");
				continue;
			}
			outcome = stats_run(&suite, &check);
			tap_report(verdicts[outcome->verdict], suite_now->name, check_now->name,
				   outcome->message);
		}
	}
}

#endif /* GUEST_RUN_H */
