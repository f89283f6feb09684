// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the frequency of the build host's TSC in kHz. The TSC of an emulated x86 CPU has
 * the same frequency. Without ACPI, its kernel has no timer to measure it with.
 */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static double ms_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };
	unsigned long long start = __rdtsc();
	double start_ms = ms_now();

	nanosleep(&pause, NULL);
	printf("%.0f\n", (__rdtsc() - start) / (ms_now() - start_ms));
	return 0;
}
