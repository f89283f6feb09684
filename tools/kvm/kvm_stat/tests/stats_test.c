// SPDX-License-Identifier: GPL-2.0-only
/* Test regular expressions, the selection of statistics, numbers, and names of guests. */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kvm_stat.h"
#include "tap.h"

static void matches(const char *regex, const char *text, bool expected)
{
	regex_t pattern;
	char why[PROBLEM_SIZE];
	bool good = pattern_compile(&pattern, regex, why, sizeof(why));

	if (!tap_ok(good && pattern_matches(&pattern, text) == expected, "'%s' %s '%s'", regex,
		    expected ? "matches" : "does not match", text))
		printf("# %s\n", good ? "" : why);
	if (good)
		regfree(&pattern);
}

static void is_refused(const char *regex, const char *reason)
{
	regex_t pattern;
	char why[PROBLEM_SIZE] = "";

	tap_ok(!pattern_compile(&pattern, regex, why, sizeof(why)) && strstr(why, reason),
	       "'%s' is refused: %s", regex, why);
}

static void test_patterns(void)
{
	matches("exit", "exits", true);
	matches("xit", "exits", false);
	matches("halt|exits", "exits", true);
	matches("b|ab", "ab", true);
	matches("^[^\\(]*$", "kvm_exit", true);
	matches("^[^\\(]*$", "kvm_exit(HLT)", false);
	matches("kvm_exit\\((HLT|CPUID)\\)$", "kvm_exit(HLT)", true);
	is_refused("exits(", "not a regular expression: Unmatched ( or \\(");
	is_refused("[", "not a regular expression");
	is_refused("pages_\\d", "uses \\d of Python");
	is_refused("(?!exit)", "uses (? of Python");
	is_refused(".+?s", "uses +? of Python");
}

/* ---- a fake source ---- */

static int64_t now;
static bool fails;

static bool fake_select(struct source *source, pid_t pid)
{
	return pid == 13 ? source_fails(source, "unlucky") : true;
}

static bool fake_read(struct source *source)
{
	size_t i;

	for (i = 0; i < source->count; i++)
		source->stat[i].value = now;
	return fails ? source_fails(source, "broken") : true;
}

static void fake_reset(struct source *source)
{
	(void)source;
	now = 0;
}

static void test_stats(void)
{
	struct source source = {
		.select = fake_select, .read = fake_read, .reset = fake_reset,
	};
	struct stats stats = { .source = { &source }, .sources = 1, .regex = copy_text("") };

	source_add(&source, "kvm_exit", -1);
	source_add(&source, "kvm_exit(HLT)", 0);
	source_add(&source, "kvm_entry", -1);
	tap_ok(stats_select(&stats, "kvm_exit\\(HLT", 0) && stats.count == 2 &&
	       !strcmp(stats.shown[0]->name, "kvm_exit"), "a part selects the whole");
	now = 100;
	tap_ok(stats_read(&stats) && statistic_growth(stats.shown[0]) == 0,
	       "the first reading has no growth");
	now = 130;
	tap_ok(stats_read(&stats) && statistic_growth(stats.shown[1]) == 30, "the second one has");
	stats_reset(&stats);
	now = 5;
	tap_ok(stats_read(&stats) && statistic_growth(stats.shown[0]) == 0,
	       "after a reset, growth is not negative");
	tap_ok(stats_select(&stats, "", 0) && stats.count == 3 &&
	       !strcmp(stats.shown[0]->name, "kvm_entry"), "statistics are sorted by name");
	tap_ok(!stats_select(&stats, "", 13) && !strcmp(stats.problem, "unlucky"),
	       "a selection that fails is a problem");
	fails = true;
	tap_ok(!stats_read(&stats) && !strcmp(stats.problem, "broken"), "so is a reading");
	fails = false;
	tap_ok(stats_read(&stats) && !*stats.problem, "the next reading clears it");
	while (source.count)
		free(source.stat[--source.count].name);
	free(source.stat);
	free(stats.regex);
	free(stats.shown);
}

/* ---- numbers and guests ---- */

static void test_numbers(void)
{
	char why[PROBLEM_SIZE];
	double delay;
	pid_t pid;

	tap_ok(parse_delay("0.1", &delay, why, sizeof(why)) && delay == 0.1, "0.1 s is a delay");
	tap_ok(parse_delay("25.5", &delay, why, sizeof(why)), "25.5 s is the longest one");
	tap_ok(!parse_delay("25.6", &delay, why, sizeof(why)) &&
	       !parse_delay("0.09", &delay, why, sizeof(why)) &&
	       !parse_delay("nan", &delay, why, sizeof(why)) &&
	       !parse_delay("1x", &delay, why, sizeof(why)) &&
	       !parse_delay("", &delay, why, sizeof(why)), "other delays are refused");
	tap_ok(parse_pid("47", &pid) && pid == 47, "47 is a process ID");
	tap_ok(!parse_pid("0", &pid) && !parse_pid("-1", &pid) && !parse_pid("4x", &pid) &&
	       !parse_pid("", &pid) && !parse_pid("4294967297", &pid), "other IDs are refused");
}

/* A process with the arguments "-name" and @argument. Returns its PID. */
static pid_t start_guest(const char *argument)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		abort();
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ready[1], STDOUT_FILENO);
		execlp("sh", "sh", "-c", "echo; kill -STOP $$", "vmm", "-name", argument, NULL);
		_exit(1);
	}
	if (pid < 0 || read(ready[0], &c, 1) != 1)
		abort();
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void has_name(const char *argument, const char *expected)
{
	pid_t pid = start_guest(argument), found = 0;
	char name[256];

	guest_name(pid, name, sizeof(name));
	if (!tap_ok(!strcmp(name, expected), "-name %s names a guest '%s'", argument, expected))
		printf("# found '%s'\n", name);
	if (*expected)
		tap_ok(guest_find(expected, &found) == 1 && found == pid, "it is found by name");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_guests(void)
{
	has_name("kvm-stat-test-1", "kvm-stat-test-1");
	has_name("guest=kvm-stat-test,,2,debug-threads=on", "kvm-stat-test,2");
	has_name("debug-threads=on,kvm-stat-test-3", "kvm-stat-test-3");
	has_name("debug-threads=on", "");
	tap_ok(!process_exists(0x7fffffff), "no process has the highest ID");
}

int main(void)
{
	test_patterns();
	test_stats();
	test_numbers();
	test_guests();
	return tap_end();
}
