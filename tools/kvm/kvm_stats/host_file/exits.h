/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of exits: what the programs in exits.bpf.c count, the iterator in host_file.bpf.c
 * writes, and exits.c describes. All of them include this.
 */
#ifndef EXITS_H
#define EXITS_H

#include <linux/types.h>

/* The classes of the series: arch/ARCH/include/asm/kvm_exit_classes.h, if there is one */
enum kvm_exit_class {
#define KVM_EXIT_CLASS(class)	EXIT_CLASS_##class,
#if HAVE_EXITS
#include <asm/kvm_exit_classes.h>
#endif
#undef KVM_EXIT_CLASS
	KVM_EXIT_CLASSES
};

/*
 * The values of a vCPU. If the exit reasons of a vendor module are not known, the host file has
 * only the class "other". It is the first one, so the file has a part without holes.
 */
#define EXIT_HIST	0			/* exit_hist */
#define EXIT_HIST_SIZE	32
#define EXIT_GUEST	EXIT_HIST_SIZE		/* guest_ns */
#define EXIT_USERSPACE	(EXIT_GUEST + 1)	/* userspace_ns */
#define EXIT_HALTED	(EXIT_GUEST + 2)	/* halted_ns */
#define EXIT_FIRST	(EXIT_GUEST + 3)	/* exit_<class>, and behind it exit_<class>_ns */
#define EXIT_COUNT(class)	(EXIT_FIRST + 2 * (class))
#define EXIT_NS(class)		(EXIT_COUNT(class) + 1)
#define EXIT_VALUES	EXIT_COUNT(KVM_EXIT_CLASSES)

/* What a vCPU does, if that is not the index of a value to which the time will be added */
#define EXIT_NOT_JOINED	(EXIT_VALUES)		/* it has not entered the guest yet */
#define EXIT_IGNORED	(EXIT_VALUES + 1)	/* it is not selected */

/*
 * A vCPU in the table. Only the thread that runs the vCPU changes it. The table has open
 * addressing: a vCPU is in one of EXIT_WINDOW entries, and the first empty one ends the search.
 * Entries are never emptied. That of a vCPU which has ended is given to another one.
 */
struct exit_vcpu {
	__u64 vcpu;		/* address; 0: empty; EXIT_CLAIMED: being given to another vCPU */
	__u64 kvm;		/* address of its VM */
	__u64 inode;		/* of the VM, see inode_of() */
	__u64 since;		/* up to when its time was added, CLOCK_MONOTONIC in ns */
	__u64 delay;		/* how long its thread had waited for a CPU until then */
	__u64 exit_ns;		/* time of the last exit so far */
	__u32 doing;		/* the value to which the time since then will be added */
	__u32 in_exit;		/* in user space: the last exit is not in the histogram yet */
	__u64 choice;		/* the choice that was applied to it */
	__u32 index;		/* of this entry */
	__u32 tid;		/* of its thread; with EXIT_NO_THREAD if that is in no table */
	__u32 thread;		/* index of its thread in the table of threads */
	__u32 device_exits;	/* of the vCPU, if the class of its exit is not decided yet */
	__u64 value[EXIT_VALUES];
};

/* A thread in the table of threads: which vCPU it runs. */
struct exit_thread {
	__u32 tid;
	__u32 index;
};

/* A VMM that a user has chosen */
struct exit_choice {
	__u32 user;
	__u32 tgid;		/* 0: all VMMs */
};

/* Users of one attachment: the published file, and commands */
#define EXIT_PUBLISHED	0
#define EXIT_USERS	16

#define EXIT_CLAIMED	1
#define EXIT_NO_THREAD	(1u << 31)
#define EXIT_WINDOW	16

/* Of both tables, because a vCPU has one thread. The code contains the constant size. */
#define EXIT_ENTRIES_LOG2	13
#define EXIT_ENTRIES		(1 << EXIT_ENTRIES_LOG2)

#endif /* EXITS_H */
