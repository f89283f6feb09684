/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Count what KVM's statistics cost, with the TSC.  Under emulation with -icount shift=0
 * the TSC is the number of executed instructions.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <linux/kvm.h>
#include <linux/kvm_stats.h>

/* ---- counting, count.c ---- */

#define ANY_RESULT	(-1L)	/* any result except an error */

/* An operation.  Only run() is counted, not before() and after(). */
struct bench_op {
	long (*run)(void *arg);
	void (*before)(void *arg);
	void (*after)(void *arg, long result);
	void *arg;
	long result;	/* what run() must return each time, or ANY_RESULT */
};

/* Return the median of all rounds, or 0 if one failed; see why(). */
double count_op(const struct bench_op *op);

/* A system call without the wrapper of the C library. */
static inline long kernel_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	register long r9 asm("r9") = f;
	long result;

	asm volatile("syscall"
		     : "=a" (result)
		     : "a" (nr), "D" (a), "S" (b), "d" (c), "r" (r10), "r" (r8), "r" (r9)
		     : "rcx", "r11", "memory");
	return result;
}

/* ---- rows, rows.c ---- */

void row_count(const char *name, const struct bench_op *op);
void row_value(const char *name, double value);
/* Rows that this kernel does not support.  @names are separated by spaces. */
void rows_missing(const char *names, const char *why);
void row_failed(const char *name);			/* prints why() */
int rows_end(void);

/* Keep a message for row_failed(). */
__attribute__((format(printf, 1, 2))) void set_why(const char *format, ...);
const char *why(void);

/* ---- VMs, vms.c ---- */

/* Return an fd, or -1; see why(). */
int kvm_open(void);
int vm_create(void);
int vcpu_create(int vm, int id);
/* Return the statistics fd of a VM or vCPU, or -1; see why(). */
int stats_open(int fd);
/* Return an fd of the statistics of the VM and all its vCPUs, or -1; see why(). */
int stats_open_whole(int vm);
bool stats_supported(void);

/* The layout of a statistics file.  On failure data_size is 0. */
struct stats_layout {
	uint32_t data_offset;
	uint32_t data_size;
	uint32_t statistics;
};

struct stats_layout stats_layout(int stats);

/* ---- guests, guest.c ---- */

#define GUEST_MEMORY	0x10000

/* A VM with one vCPU, which starts in real mode at GUEST_CODE. */
struct guest {
	int vm;
	int vcpu;
	struct kvm_run *run;
	uint8_t *memory;
};

#define GUEST_CODE	0x1000

enum guest_irqchip { WITHOUT_IRQCHIP, WITH_X2APIC };

bool guest_create(struct guest *guest, enum guest_irqchip irqchip, const void *code, int size);
void guest_destroy(struct guest *guest);
/* Run the vCPU once.  Return the exit reason, or a negative errno. */
long guest_run(struct guest *guest);

/* ---- groups of rows, one file each ---- */

struct bench_group {
	void (*run)(void);
	const char *rows;	/* names, separated by spaces */
	bool needs_stats;	/* all rows need the statistics fd */
};

extern const struct bench_group group_read, group_open, group_running, group_attach, group_loop,
	group_vector, group_debugfs, group_exit, group_halt;

#endif /* BENCH_H */
