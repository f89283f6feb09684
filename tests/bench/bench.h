/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting of instructions, shared by the files of the program. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <linux/kvm.h>
#include <linux/kvm_stats.h>

/* A system call without the wrapper of the C library. */
static inline long kernel_call(long nr, long a, long b, long c, long d)
{
	register long r10 asm("r10") = d;
	long result;

	asm volatile("syscall"
		     : "=a" (result)
		     : "a" (nr), "D" (a), "S" (b), "d" (c), "r" (r10)
		     : "rcx", "r11", "memory");
	return result;
}

/* Print @what and errno, and end the program, if @result is negative.  Return @result. */
int must(int result, const char *what);

/*
 * Return the median of the instructions of @run.  It returns a negative errno if it fails.
 * @after, which may be NULL, gets its result and is not counted.
 */
double count(long (*run)(void), void (*after)(long result));

/* guest.c */
double count_out(long unused);
double count_cpuid(long unused);

/* sample.c */
enum sample_value { SAMPLE_START, SAMPLE_INSTRUCTIONS, SAMPLE_CALLS };

double sample(long value);

#endif /* BENCH_H */
