/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VM with a little memory and one vCPU that runs a few instructions: what every
 * architecture can do without a framework.
 *
 * An architecture is one header here, a room.  It defines
 *
 *	GUEST_ENTRY		where in the guest's memory its code starts
 *	guest_start		code that comes first
 *	guest_acts		what the guest can do; the first that fits exits to
 *				user space each time
 *	guest_halts		how it waits for an interrupt; the first that fits
 *	guest_end		code that exits to user space
 *	guest_end_reason	with this exit reason
 *	guest_before_vcpu()	for the VM before it has the vCPU, and
 *	guest_set_up()		for the vCPU: NULL, or why it fails
 */
#ifndef BOOT_TESTS_GUEST_H
#define BOOT_TESTS_GUEST_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kvm.h>

#define GUEST_MEMORY	65536	/* a page or more, whatever its size */

struct guest {
	int vm;
	int vcpu;
	struct kvm_run *run;
	size_t run_size;
	uint8_t *memory;	/* at 0 in the guest */
	size_t end;		/* of the code in it */
};

enum guest_precision { GUEST_AT_LEAST, GUEST_EXACTLY };

/*
 * By how much a statistic moves, for each time that something is done.  Where
 * it counts interrupts of the host as well, @less names what counts only these.
 */
struct guest_move {
	const char *statistic;
	const char *debugfs;	/* its file's name there */
	enum guest_precision precision;
	const char *less[2];
};

/* Something that guest code does: a piece of code, which is repeated. */
struct guest_act {
	const char *name;
	const void *code;
	size_t size;
	/* the exit reason of each time; 0 where KVM deals with it alone */
	unsigned int reason;
	struct guest_move moves[8];	/* up to one without a name */
	/* or always */
	bool (*fits)(const struct guest *guest);
	/* before the first time */
	const char *(*prepare)(const struct guest *guest);
	/* why it is not tried, if so; then only the names of @moves matter */
	const char *cannot;
	/* what user space does in its place, where no guest can run */
	const char *(*from_outside)(const struct guest *guest);
};

static inline const char *guest_why(const char *what)
{
	static char why[128];

	snprintf(why, sizeof(why), "%s: %s", what, strerror(errno));
	return why;
}

#if defined(__powerpc64__)
#include "powerpc.h"
#elif defined(__x86_64__) || defined(__i386__)
#include "x86.h"
#elif defined(__aarch64__)
#include "arm64.h"
#elif defined(__s390x__)
#include "s390.h"
#elif defined(__mips__)
#include "mips.h"
#else
#include "none.h"
#endif

/* The room's acts that fit, one after the other; the first where @act is NULL. */
static inline const struct guest_act *guest_next_act(const struct guest *guest,
						     const struct guest_act *act)
{
	for (act = act ? act + 1 : guest_acts; act->name; act++) {
		if (!act->fits || act->fits(guest))
			return act;
	}
	return NULL;
}

static inline const char *guest_add_memory(struct guest *guest)
{
	struct kvm_userspace_memory_region region = { .memory_size = GUEST_MEMORY };

	if (!guest_acts[0].code)
		return NULL;
	guest->memory = mmap(NULL, GUEST_MEMORY, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (guest->memory == MAP_FAILED)
		return guest_why("the guest's memory");
	region.userspace_addr = (uintptr_t)guest->memory;
	if (ioctl(guest->vm, KVM_SET_USER_MEMORY_REGION, &region))
		return guest_why("KVM_SET_USER_MEMORY_REGION");
	return NULL;
}

static inline const char *guest_add_vcpu(struct guest *guest, int kvm)
{
	guest->vcpu = ioctl(guest->vm, KVM_CREATE_VCPU, 0);
	if (guest->vcpu < 0)
		return guest_why("KVM_CREATE_VCPU");
	guest->run_size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	guest->run = mmap(NULL, guest->run_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  guest->vcpu, 0);
	return guest->run == MAP_FAILED ? guest_why("struct kvm_run") : NULL;
}

static inline void guest_put(struct guest *guest, const void *code, size_t size)
{
	memcpy(guest->memory + guest->end, code, size);
	guest->end += size;
}

/* NULL, or why there is none */
static inline const char *guest_create(struct guest *guest)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	const char *why;

	if (kvm < 0)
		return guest_why("/dev/kvm");
	guest->vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (guest->vm < 0)
		return guest_why("KVM_CREATE_VM");
	why = guest_add_memory(guest);
	if (!why)
		why = guest_before_vcpu(guest);
	if (!why)
		why = guest_add_vcpu(guest, kvm);
	if (!why)
		why = guest_set_up(guest);
	guest->end = GUEST_ENTRY;
	guest_put(guest, guest_start, sizeof(guest_start));
	close(kvm);
	return why;
}

static inline void guest_destroy(struct guest *guest)
{
	munmap(guest->run, guest->run_size);
	munmap(guest->memory, GUEST_MEMORY);
	close(guest->vcpu);
	close(guest->vm);
}

/* More code for the guest: @act @times, and the end if it does not exit itself. */
static inline void guest_append(struct guest *guest, const struct guest_act *act,
				unsigned int times)
{
	if (act->from_outside)
		return;
	while (times--)
		guest_put(guest, act->code, act->size);
	if (!act->reason)
		guest_put(guest, guest_end, sizeof(guest_end));
	__builtin___clear_cache((char *)guest->memory,
				(char *)guest->memory + guest->end);
}

static inline const char *guest_run_to(struct guest *guest, unsigned int reason)
{
	static char why[128];

	/* powerpc returns more than 0 */
	if (ioctl(guest->vcpu, KVM_RUN, 0) < 0)
		return guest_why("KVM_RUN");
	if (guest->run->exit_reason == reason)
		return NULL;
	snprintf(why, sizeof(why), "KVM_RUN ends with the exit reason %u, expected %u",
		 guest->run->exit_reason, reason);
	return why;
}

/* Run what was appended with the same arguments. */
static inline const char *guest_run(struct guest *guest, const struct guest_act *act,
				    unsigned int times)
{
	const char *why = NULL;

	if (act->from_outside) {
		while (times-- && !why)
			why = act->from_outside(guest);
		return why;
	}
	if (!act->reason)
		return guest_run_to(guest, guest_end_reason);
	while (times-- && !why)
		why = guest_run_to(guest, act->reason);
	return why;
}

#endif /* BOOT_TESTS_GUEST_H */
