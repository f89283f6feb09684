// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"
#include "util.h"

/* Returns the part of @interval, in percent. Some counters of the kernel can decrease. */
static double percent(uint64_t before, uint64_t now, uint64_t interval)
{
	return now > before ? 100.0 * (double)(now - before) / (double)interval : 0;
}

/* ---- tasks ---- */

static uint64_t ns_of_ticks(uint64_t ticks)
{
	return ticks * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* The name is in parentheses, and can contain spaces and parentheses itself. */
static const char *parse_name(const char *text, char *name)
{
	const char *start = strchr(text, '(');
	const char *end = strrchr(text, ')');

	if (!start || !end || end < start)
		return NULL;
	snprintf(name, TASK_NAME_SIZE, "%.*s", (int)(end - start - 1), start + 1);
	return end + 1;
}

/* proc(5) numbers the fields. */
enum {
	STATE = 3, MAJOR_FAULTS = 12, USER_TIME = 14, SYSTEM_TIME = 15, THREADS = 20, RESIDENT = 24,
	PROCESSOR = 39, POLICY = 41, GUEST_TIME = 43,
};

static bool parse_task(struct task *task, const char *text)
{
	uint64_t field[GUEST_TIME + 1];
	int64_t pages;
	size_t i;

	*task = (struct task){ 0 };
	text = parse_name(text, task->name);
	if (!text || *text++ != ' ')
		return false;
	task->state = *text;
	for (i = STATE + 1; i <= GUEST_TIME; i++) {
		text = strchr(text, ' ');
		if (!text)
			return false;
		/* A recording has '-' for what was not used, which becomes 0. */
		field[i] = strtoull(++text, NULL, 10);
	}
	pages = (int64_t)field[RESIDENT];
	task->user = ns_of_ticks(field[USER_TIME]);
	task->kernel = ns_of_ticks(field[SYSTEM_TIME]);
	task->guest = ns_of_ticks(field[GUEST_TIME]);
	task->runtime = task->user + task->kernel;
	task->major_faults = field[MAJOR_FAULTS];
	task->threads = field[THREADS];
	task->memory = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	task->cpu = (int)field[PROCESSOR];
	task->policy = (unsigned int)field[POLICY];
	return true;
}

bool task_read(struct task *task, pid_t pid, pid_t tid)
{
	char text[1024];
	bool read = tid ? proc_read(text, sizeof(text), "%d/task/%d/stat", (int)pid, (int)tid) :
			  proc_read(text, sizeof(text), "%d/stat", (int)pid);

	return read && parse_task(task, text);
}

/* ---- the host ---- */

/* In the order of proc(5) */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, TIMES };

static void parse_times(struct host_times *times, const char *text)
{
	uint64_t t[TIMES] = { 0 };
	size_t i;

	if (sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &t[USER], &t[NICE], &t[SYSTEM],
		   &t[IDLE], &t[IOWAIT], &t[IRQ], &t[SOFTIRQ], &t[STEAL], &t[GUEST],
		   &t[GUEST_NICE]) < 4)
		return;
	*times = (struct host_times){
		/* The times of guests are included in the user times. */
		.guest = t[GUEST] + t[GUEST_NICE],
		.user = t[USER] + t[NICE] - t[GUEST] - t[GUEST_NICE],
		.kernel = t[SYSTEM] + t[IRQ] + t[SOFTIRQ],
		.steal = t[STEAL],
	};
	for (i = USER; i <= STEAL; i++)
		times->all += t[i];
}

/* The file starts with a line for the sum and one for each CPU, of which there can be thousands. */
static void read_stat(struct host *host)
{
	char *text = proc_read_all("stat"), *line;

	if (!text)
		return;
	host->before = host->now;
	parse_times(&host->now, text);
	line = strchr(text, '\n');
	for (host->cpus = 0; line && !strncmp(line, "\ncpu", 4); line = strchr(line + 1, '\n'))
		host->cpus++;
	free(text);
}

static uint64_t memory_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	uint64_t kib = 0;

	if (at)
		sscanf(at + strlen(name), ": %" SCNu64, &kib);
	return kib * 1024;
}

void host_update(struct host *host)
{
	char text[4096];

	read_stat(host);
	if (proc_read(text, sizeof(text), "meminfo")) {
		host->memory = memory_of(text, "MemTotal");
		host->available = memory_of(text, "MemAvailable");
	}
	if (proc_read(text, sizeof(text), "loadavg"))
		sscanf(text, "%lf", &host->load);
}

struct host_use host_use(const struct host *host)
{
	uint64_t all = host->now.all - host->before.all;

	if (!host->before.all || host->now.all <= host->before.all)
		return (struct host_use){ -1, -1, -1, -1 };
	return (struct host_use){
		.guest = percent(host->before.guest, host->now.guest, all),
		.user = percent(host->before.user, host->now.user, all),
		.kernel = percent(host->before.kernel, host->now.kernel, all),
		.steal = percent(host->before.steal, host->now.steal, all),
	};
}

bool host_exit_stats_are_off(void)
{
	char text[8];

	return proc_read(text, sizeof(text), ".." EXIT_STATS_PARAMETER) &&
	       (*text == 'N' || *text == '0');
}
