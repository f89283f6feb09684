// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <sched.h>
#include <sys/resource.h>

#include <linux/compiler.h>

#include "kvm_stats_thread.h"

int stats_nth_cpu(unsigned int nth)
{
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !nth--)
			return cpu;
	return -1;
}

void stats_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	TEST_ASSERT(!sched_setaffinity(0, sizeof(set), &set),
		    "cannot run on CPU %d: %s", cpu, strerror(errno));
}

static void *run_vcpu(void *arg)
{
	struct stats_vcpu_thread *vcpu = arg;
	struct rusage usage;

	stats_pin(vcpu->cpu);
	getrusage(RUSAGE_THREAD, &usage);
	vcpu->sleeps = usage.ru_nvcsw;
	WRITE_ONCE(vcpu->tid, syscall(SYS_gettid));
	stats_run_guest(vcpu->guest);
	return NULL;
}

void stats_vcpu_start(struct stats_vcpu_thread *vcpu,
		      const struct stats_guest *guest, int cpu)
{
	vcpu->guest = guest;
	vcpu->cpu = cpu;
	vcpu->tid = 0;
	TEST_ASSERT(!pthread_create(&vcpu->thread, NULL, run_vcpu, vcpu),
		    "cannot create a thread");
	while (!READ_ONCE(vcpu->tid))
		usleep(100);
}

void stats_vcpu_join(struct stats_vcpu_thread *vcpu)
{
	pthread_join(vcpu->thread, NULL);
}

bool stats_thread_sleeps(pid_t tid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (file) {
		if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		fclose(file);
	}
	return state == 'S';
}

/* Returns the number after @field in the status of the thread, or 0. */
static uint64_t thread_status(pid_t tid, const char *field)
{
	uint64_t count = 0;
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, field, strlen(field))) {
			count = strtoull(line + strlen(field), NULL, 10);
			break;
		}
	fclose(file);
	return count;
}

uint64_t stats_thread_sleep_count(pid_t tid)
{
	return thread_status(tid, "voluntary_ctxt_switches:");
}

uint64_t stats_thread_preemption_count(pid_t tid)
{
	return thread_status(tid, "nonvoluntary_ctxt_switches:");
}
