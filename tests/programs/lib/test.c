// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <signal.h>

#include "kvm_stats_open.h"

#include "lib/test.h"

static const char exit_stats[] = "/sys/module/kvm/parameters/exit_stats";

char *failure;
const struct check *current_check;

/* Where passes() of this thread goes on after a failure. */
static __thread jmp_buf *after_failure;

__attribute__((__constructor__))
static void share_failure(void)
{
	failure = mmap(NULL, STATS_MESSAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void fail(const char *format, ...)
{
	char text[STATS_MESSAGE_SIZE];
	va_list args;

	/* An argument may be the previous message. */
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	memcpy(failure, text, sizeof(text));
	if (after_failure)
		longjmp(*after_failure, 1);
	fflush(NULL);
	_exit(1);
}

void must(const char *message)
{
	if (message)
		fail("%s", message);
}

bool passes(void (*run)(const void *arg), const void *arg)
{
	jmp_buf here;
	bool passed = !setjmp(here);

	if (passed) {
		after_failure = &here;
		run(arg);
	}
	after_failure = NULL;
	return passed;
}

bool kernel_has_stats_open(void)
{
	int kvm = stats_open_kvm();
	int mask = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);

	close(kvm);
	return mask > 0 && (mask & KVM_STATS_CAP_OPEN);
}

bool kernel_has_exit_stats(void)
{
	return !access(exit_stats, F_OK);
}

bool exit_stats_are_enabled(void)
{
	FILE *file = fopen(exit_stats, "re");
	bool enabled = file && fgetc(file) == 'Y';

	if (file)
		fclose(file);
	return enabled;
}

bool exit_stats_enable(bool enable)
{
	FILE *file = fopen(exit_stats, "we");

	if (!file)
		return false;
	fputc(enable ? 'Y' : 'N', file);
	return !fclose(file);
}

static void on_signal(int sig)
{
}

void catch_signal(int sig)
{
	sigaction(sig, &(struct sigaction){ .sa_handler = on_signal }, NULL);
}

void pin(pthread_t thread, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(thread, sizeof(set), &set);
}
