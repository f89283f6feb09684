// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/file.h"
#include "proc/task.h"

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

/* proc(5) numbers the fields: 14 is utime, 15 stime, 24 rss, and 43 guest_time. */
static bool parse(struct task *task, const char *text)
{
	uint64_t utime, stime, guest;
	int64_t pages;

	*task = (struct task){ 0 };
	text = parse_name(text, task->name);
	if (!text ||
	    sscanf(text, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64
		   " %*s %*s %*s %*s %*s %*s %*s %*s %" SCNd64
		   " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		   " %" SCNu64, &utime, &stime, &pages, &guest) != 4)
		return false;
	task->user = ns_of_ticks(utime);
	task->kernel = ns_of_ticks(stime);
	task->guest = ns_of_ticks(guest);
	task->memory = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	return true;
}

bool task_read_process(struct task *task, pid_t pid)
{
	char text[1024];

	return proc_read(text, sizeof(text), "%d/stat", (int)pid) && parse(task, text);
}

bool task_read_thread(struct task *task, pid_t pid, pid_t tid)
{
	char text[1024];

	return proc_read(text, sizeof(text), "%d/task/%d/stat", (int)pid, (int)tid) &&
	       parse(task, text);
}

void task_read_waiting(struct task *task, pid_t pid, pid_t tid)
{
	char text[128];

	/* The fields are the time on a CPU, the time waiting for one, and the number of turns. */
	task->has_waiting = proc_read(text, sizeof(text), "%d/task/%d/schedstat", (int)pid,
				      (int)tid) &&
			    sscanf(text, "%*u %" SCNu64, &task->waiting) == 1;
}
