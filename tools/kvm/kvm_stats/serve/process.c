// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/process.h"

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * SECOND + time->tv_nsec;
}

/* Returns the time since the start of the process, in ns. */
static uint64_t age(uint64_t start_ticks)
{
	struct timespec now;
	uint64_t start = start_ticks * SECOND / sysconf(_SC_CLK_TCK);

	clock_gettime(CLOCK_BOOTTIME, &now);
	return ns_of(&now) > start ? ns_of(&now) - start : 0;
}

/* The fields 22 to 24 of the file are the start, and the virtual and resident memory. */
static void read_stat(struct process_figures *figures)
{
	static uint64_t start;	/* read once, because the clock can be set later */
	FILE *file = fopen("/proc/self/stat", "re");
	uint64_t ticks, virtual;
	struct timespec now;
	int64_t pages;

	if (!file)
		return;
	if (fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
		   "%*d %*d %*d %*d %*d %" SCNu64 " %" SCNu64 " %" SCNd64, &ticks, &virtual,
		   &pages) == 3) {
		figures->virtual = virtual;
		figures->resident = (uint64_t)pages * sysconf(_SC_PAGESIZE);
		clock_gettime(CLOCK_REALTIME, &now);
		if (!start)
			start = ns_of(&now) - age(ticks);
		figures->start = start;
	}
	fclose(file);
}

/* From Linux 6.2 on, the size of the directory is the number of its entries. */
static uint64_t count_fds(void)
{
	struct dirent *entry;
	uint64_t count = 0;
	struct stat stat_buf;
	DIR *dir;

	if (!stat("/proc/self/fd", &stat_buf) && stat_buf.st_size)
		return (uint64_t)stat_buf.st_size;
	dir = opendir("/proc/self/fd");
	while (dir && (entry = readdir(dir)))
		count += *entry->d_name != '.';
	if (dir)
		closedir(dir);
	return count ? count - 1 : 0;	/* without that of the directory */
}

void process_read(struct process_figures *figures)
{
	struct rlimit limit;
	struct timespec cpu;

	memset(figures, 0, sizeof(*figures));
	read_stat(figures);
	figures->open_fds = count_fds();
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		figures->max_fds = limit.rlim_cur;
	if (!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu))
		figures->cpu_time = ns_of(&cpu);
}
