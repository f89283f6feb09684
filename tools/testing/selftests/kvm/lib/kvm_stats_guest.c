// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <sched.h>
#include <sys/resource.h>

#include <linux/compiler.h>

#include "kvm_stats_guest.h"
#include "kvm_util_internal.h"

static int open_stats(int getfd_fd)
{
	const char *message;
	int fd;

	message = stats_getfd(getfd_fd, &fd);
	TEST_ASSERT(!message, "%s", message);
	return fd;
}

int stats_vcpu_fd(struct kvm_vm *vm, uint32_t vcpu_id)
{
	return vcpu_find(vm, vcpu_id)->fd;
}

struct stats_guest stats_guest_of(struct kvm_vm *vm, uint32_t vcpu_id)
{
	return (struct stats_guest) {
		.vm = vm,
		.vcpu_id = vcpu_id,
		.vm_stats = open_stats(vm_get_fd(vm)),
		.vcpu_stats = open_stats(stats_vcpu_fd(vm, vcpu_id)),
	};
}

/* A check runs in its own process, so one variable is enough. */
const char *stats_use_guest(struct stats_target *target, struct kvm_vm *vm,
			    uint32_t vcpu_id)
{
	static struct stats_guest guest;

	guest = stats_guest_of(vm, vcpu_id);
	target->machine = &guest;
	return NULL;
}

uint64_t stats_run_guest(const struct stats_guest *guest)
{
	struct kvm_run *run = vcpu_state(guest->vm, guest->vcpu_id);
	struct ucall uc;

	do {
		vcpu_run(guest->vm, guest->vcpu_id);
		get_ucall(guest->vm, guest->vcpu_id, &uc);
	} while (!uc.cmd && run->exit_reason == KVM_EXIT_MMIO);

	TEST_ASSERT(uc.cmd != UCALL_ABORT, "%s at line %lu",
		    (const char *)uc.args[0], uc.args[1]);
	TEST_ASSERT(uc.cmd, "the exit reason is %u (%s), expected a ucall",
		    run->exit_reason, exit_reason_str(run->exit_reason));
	return uc.cmd;
}

struct stats_snapshot stats_now(const struct stats_guest *guest)
{
	struct stats_snapshot now;
	const char *message;

	message = stats_file_load(&now.vm, guest->vm_stats);
	if (!message)
		message = stats_file_load(&now.vcpu, guest->vcpu_stats);
	TEST_ASSERT(!message, "%s", message);
	return now;
}

void stats_snapshot_free(struct stats_snapshot *snapshot)
{
	stats_file_free(&snapshot->vm);
	stats_file_free(&snapshot->vcpu);
}

/* No statistic of a VM has the name of a statistic of a vCPU. */
const uint64_t *stats_values(const struct stats_snapshot *snapshot,
			     const char *name, unsigned int *num)
{
	const struct stats_file *file = &snapshot->vm;
	const struct kvm_stats_desc *desc = stats_file_find(file, name);

	if (!desc) {
		file = &snapshot->vcpu;
		desc = stats_file_find(file, name);
	}
	TEST_ASSERT(desc, "neither the VM nor the vCPU has a statistic '%s'",
		    name);
	*num = desc->size;
	return (const void *)(file->bytes + file->header.data_offset +
			      desc->offset);
}

uint64_t stats_sum(const struct stats_snapshot *snapshot, const char *name)
{
	const uint64_t *values;
	unsigned int i, num;
	uint64_t sum = 0;

	values = stats_values(snapshot, name, &num);
	for (i = 0; i < num; i++)
		sum += values[i];
	return sum;
}

int64_t stats_changed(const struct stats_snapshot *before,
		      const struct stats_snapshot *after, const char *name)
{
	return stats_sum(after, name) - stats_sum(before, name);
}

const char *stats_check_value(const struct stats_snapshot *now,
			      const char *name, uint64_t expected)
{
	uint64_t value = stats_sum(now, name);

	return value == expected ? NULL :
	       stats_fail("'%s' is %lu, expected %lu", name, value, expected);
}

const char *stats_check_changes(const struct stats_snapshot *before,
				const struct stats_snapshot *after,
				const struct stats_change *changes, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++) {
		int64_t by = stats_changed(before, after, changes[i].name);

		if (by != changes[i].by)
			return stats_fail("'%s' changed by %ld, expected %ld",
					  changes[i].name, by, changes[i].by);
	}
	return NULL;
}

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
