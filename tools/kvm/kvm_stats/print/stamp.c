// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "print/stamp.h"
#include "util.h"

/* Returns the ns of the second, and stores the local time in @tm. */
static uint64_t local_time(uint64_t time, struct tm *tm)
{
	struct timespec now;
	uint64_t wall;
	time_t seconds;

	clock_gettime(CLOCK_REALTIME, &now);
	wall = (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec - (clock_now() - time);
	seconds = (time_t)(wall / SECOND);
	localtime_r(&seconds, tm);
	return wall % SECOND;
}

const char *stamp_of(uint64_t time, char *buf)
{
	struct tm tm;
	uint64_t ns = local_time(time, &tm);
	char zone[8];
	size_t len = strftime(buf, STAMP_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);

	strftime(zone, sizeof(zone), "%z", &tm);	/* "+0100" */
	snprintf(buf + len, STAMP_SIZE - len, ".%03" PRIu64 "%.3s:%.2s", ns / MILLISECOND, zone,
		 zone + 3);
	return buf;
}

const char *stamp_of_kvm_stat(uint64_t time, char *buf)
{
	struct tm tm;

	local_time(time, &tm);
	strftime(buf, STAMP_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
	return buf;
}
