// SPDX-License-Identifier: GPL-2.0-only
/*
 * The header of each architecture defines:
 *
 *	GUEST_ENTRY		the address of the guest's code
 *	guest_start		code that runs first
 *	guest_actions		what the guest can do
 *	guest_halts		ways to wait for an interrupt
 *	guest_end		code that exits to user space
 *	guest_end_reason	the exit reason of that code
 *	guest_before_vcpu()	prepares the VM before the vCPU is created
 *	guest_set_up()		prepares the vCPU
 *
 * The functions return NULL or an error message.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "vcpu/guest.h"

/* At least one page on all architectures. On s390, KVM wants whole and aligned megabytes. */
#define GUEST_MEMORY	(1UL << 20)

static inline const char *guest_error(const char *what)
{
	static char message[128];

	snprintf(message, sizeof(message), "%s: %s", what, strerror(errno));
	return message;
}

/* The guest loops until a timer sends a signal. */
static inline const char *guest_run_until_signal(const struct guest *guest)
{
	struct itimerval in_20ms = { .it_value.tv_usec = 20000 };

	catch_signal(SIGALRM);
	setitimer(ITIMER_REAL, &in_20ms, NULL);
	if (ioctl(guest->vcpu, KVM_RUN, 0) >= 0)
		return "KVM_RUN ends without a signal";
	return errno == EINTR ? NULL : guest_error("KVM_RUN");
}

#if defined(__powerpc64__)
#include "vcpu/arch/powerpc.h"
#elif defined(__x86_64__) || defined(__i386__)
#include "vcpu/arch/x86.h"
#elif defined(__aarch64__)
#include "vcpu/arch/arm64.h"
#elif defined(__s390x__)
#include "vcpu/arch/s390.h"
#elif defined(__mips__)
#include "vcpu/arch/mips.h"
#else
/* No guest can run. */
#define GUEST_ENTRY		0
#define guest_end_reason	KVM_EXIT_UNKNOWN

static const uint8_t guest_start[] = {};
static const uint8_t guest_end[] = {};
static const struct guest_action guest_actions[] = { {} };
static const struct guest_action guest_halts[] = { {} };

static inline const char *guest_before_vcpu(struct guest *guest)
{
	return NULL;
}

static inline const char *guest_set_up(struct guest *guest)
{
	return NULL;
}
#endif

static const struct guest_action *next_supported(const struct guest *guest,
						 const struct guest_action *action)
{
	for (; action->name; action++) {
		if (!action->is_supported || action->is_supported(guest))
			return action;
	}
	return NULL;
}

const struct guest_action *guest_next_action(const struct guest *guest,
					     const struct guest_action *previous)
{
	return next_supported(guest, previous ? previous + 1 : guest_actions);
}

const struct guest_action *guest_next_halt(const struct guest *guest,
					   const struct guest_action *previous)
{
	return next_supported(guest, previous ? previous + 1 : guest_halts);
}

/* Map twice as much address space, and memory at the aligned address in it. */
static uint8_t *map_memory(struct guest *guest)
{
	uintptr_t aligned;

	guest->reserved = mmap(NULL, 2 * GUEST_MEMORY, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (guest->reserved == MAP_FAILED)
		return MAP_FAILED;
	aligned = ((uintptr_t)guest->reserved + GUEST_MEMORY - 1) & ~(GUEST_MEMORY - 1);
	return mmap((void *)aligned, GUEST_MEMORY, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static const char *add_memory(struct guest *guest)
{
	struct kvm_userspace_memory_region region = { .memory_size = GUEST_MEMORY };

	if (!guest_actions[0].code)
		return NULL;
	guest->memory = map_memory(guest);
	if (guest->memory == MAP_FAILED)
		return guest_error("mmap of the guest's memory");
	region.userspace_addr = (uintptr_t)guest->memory;
	if (ioctl(guest->vm, KVM_SET_USER_MEMORY_REGION, &region))
		return guest_error("KVM_SET_USER_MEMORY_REGION");
	return NULL;
}

static const char *add_vcpu(struct guest *guest, int kvm)
{
	guest->vcpu = ioctl(guest->vm, KVM_CREATE_VCPU, 0);
	if (guest->vcpu < 0)
		return guest_error("KVM_CREATE_VCPU");
	guest->run_size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	guest->run = mmap(NULL, guest->run_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  guest->vcpu, 0);
	return guest->run == MAP_FAILED ? guest_error("mmap of struct kvm_run") : NULL;
}

static void append_code(struct guest *guest, const void *code, size_t size)
{
	memcpy(guest->memory + guest->end, code, size);
	guest->end += size;
}

const char *guest_create(struct guest *guest)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	const char *message;

	if (kvm < 0)
		return guest_error("/dev/kvm");
	guest->vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (guest->vm < 0)
		return guest_error("KVM_CREATE_VM");
	message = add_memory(guest);
	if (!message)
		message = guest_before_vcpu(guest);
	if (!message)
		message = add_vcpu(guest, kvm);
	if (!message)
		message = guest_set_up(guest);
	guest->end = GUEST_ENTRY;
	append_code(guest, guest_start, sizeof(guest_start));
	close(kvm);
	return message;
}

void guest_destroy(struct guest *guest)
{
	munmap(guest->run, guest->run_size);
	if (guest->reserved)
		munmap(guest->reserved, 2 * GUEST_MEMORY);
	close(guest->vcpu);
	close(guest->vm);
}

void guest_append(struct guest *guest, const struct guest_action *action, unsigned int times)
{
	if (action->from_user_space)
		return;
	while (times--)
		append_code(guest, action->code, action->size);
	if (!action->exit_reason)
		append_code(guest, guest_end, sizeof(guest_end));
	__builtin___clear_cache((char *)guest->memory,
				(char *)guest->memory + guest->end);
}

static const char *run_until(struct guest *guest, unsigned int exit_reason)
{
	static char message[128];

	/* On powerpc, KVM_RUN returns more than 0 on success. */
	if (ioctl(guest->vcpu, KVM_RUN, 0) < 0)
		return guest_error("KVM_RUN");
	if (guest->run->exit_reason == exit_reason)
		return NULL;
	snprintf(message, sizeof(message), "KVM_RUN ends with exit reason %u, expected %u",
		 guest->run->exit_reason, exit_reason);
	return message;
}

const char *guest_run(struct guest *guest, const struct guest_action *action,
		      unsigned int times)
{
	const char *message = NULL;

	if (action->from_user_space) {
		guest->arg = action->arg;
		while (times-- && !message)
			message = action->from_user_space(guest);
		return message;
	}
	if (!action->exit_reason)
		return run_until(guest, guest_end_reason);
	while (times-- && !message)
		message = run_until(guest, action->exit_reason);
	return message;
}

void (*read_stats_instead)(struct stats_file *stats);

void read_stats(int owner, struct stats_file *stats)
{
	int fd;

	if (read_stats_instead) {
		read_stats_instead(stats);
		return;
	}
	fd = ioctl(owner, KVM_GET_STATS_FD, NULL);
	if (fd < 0)
		fail("KVM_GET_STATS_FD: %s", strerror(errno));
	stats_file_free(stats);
	must(stats_file_load(stats, fd));
	close(fd);
}

const struct kvm_stats_desc *find_desc(const struct stats_file *stats, const char *name)
{
	const struct kvm_stats_desc *desc = stats_file_find(stats, name);

	if (!desc)
		fail("there is no statistic '%s'", name);
	return desc;
}

uint64_t value_at(const struct stats_file *stats, const struct kvm_stats_desc *desc, unsigned int n)
{
	uint64_t value;

	memcpy(&value, stats->bytes + stats->header.data_offset + desc->offset +
	       n * sizeof(value), sizeof(value));
	return value;
}

uint64_t value_of(const struct stats_file *stats, const char *name)
{
	return value_at(stats, find_desc(stats, name), 0);
}

uint64_t change_of(const struct outcome *outcome, const char *name)
{
	return value_of(&outcome->after, name) - value_of(&outcome->before, name);
}

void expect_change(const struct outcome *outcome, const char *name, uint64_t expected)
{
	uint64_t by = change_of(outcome, name);

	if (by != expected)
		fail("%s changed by %llu, expected %llu", name, (unsigned long long)by,
		     (unsigned long long)expected);
}

uint64_t counted(const struct outcome *outcome, const char *name)
{
	const struct kvm_stats_desc *desc = find_desc(&outcome->after, name);
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < desc->size; i++)
		sum += value_at(&outcome->after, desc, i) - value_at(&outcome->before, desc, i);
	return sum;
}
