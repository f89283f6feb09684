// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proc/file.h"
#include "proc/host.h"

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
	};
	for (i = USER; i <= STEAL; i++)
		times->all += t[i];
}

/* The file starts with a line for the sum and one for each CPU, of which there can be thousands. */
static void read_stat(struct host *host)
{
	char path[PROC_PATH_SIZE], line[256];
	FILE *file;

	proc_path(path, "stat");
	file = fopen(path, "re");
	if (!file)
		return;
	host->before = host->now;
	for (host->cpus = 0; fgets(line, sizeof(line), file) && !strncmp(line, "cpu", 3);) {
		if (line[3] == ' ')
			parse_times(&host->now, line);
		else
			host->cpus++;
	}
	fclose(file);
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

static double percent(uint64_t before, uint64_t now, uint64_t all)
{
	return now > before ? 100.0 * (double)(now - before) / (double)all : 0;
}

struct host_use host_use(const struct host *host)
{
	uint64_t all = host->now.all - host->before.all;

	if (!host->before.all || host->now.all <= host->before.all)
		return (struct host_use){ -1, -1, -1 };
	return (struct host_use){
		.guest = percent(host->before.guest, host->now.guest, all),
		.user = percent(host->before.user, host->now.user, all),
		.kernel = percent(host->before.kernel, host->now.kernel, all),
	};
}

bool host_exit_stats_are_off(void)
{
	char text[8];

	return proc_read(text, sizeof(text), ".." EXIT_STATS_PARAMETER) &&
	       (*text == 'N' || *text == '0');
}
