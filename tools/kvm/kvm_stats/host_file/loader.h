/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads the BPF program of the host file, and proves that it is right on this kernel. */
#ifndef LOADER_H
#define LOADER_H

#include <stdarg.h>
#include <stdbool.h>

#include <bpf/libbpf.h>

#include "host_file/host_file.h"
#include "private_host.h"
#include "util.h"

struct bpf_link;
struct bpf_object;
struct btf;
struct kvmstats_sample;
struct kvmstats_schema;

/* Users of the host file lock it, see exits.c; those that publish, while they change the pins. */
#define LOADER_LOCK	"/run/kvm-stats.lock"

/* What counts exits: the links to tracepoints, and three maps */
enum {
	EXIT_LINKS = 4, EXIT_TABLE = EXIT_LINKS, EXIT_CHOSEN, EXIT_CHOICE, EXIT_FDS
};

#define LOADER_ERROR	256	/* size of a message */

/* The end of a message about a kernel that this version does not know */
#define LOADER_REPORT	". Please report this, with the output of 'uname -a'"

struct loader {
	char error[LOADER_ERROR];	/* why the last function failed; no full stop */
	bool is_module;			/* KVM is a module, not built in */
	bool with_clocks;		/* the kernel's symbols have the run queues */
	/* A VM of this process, which runs no guest code, and its statistics */
	int kvm, vm, vcpu;
	int vm_stats, vcpu_stats;
	struct btf *base_btf, *btf;	/* of vmlinux, and that of the module kvm */
	struct bpf_object *object;
	struct bpf_link *link;
	enum counted_exits exits;
	bool exits_unseen;		/* the guest of the proof exits, but no program sees it */
	int exit_fds[EXIT_FDS];		/* while they are open, exits count */
	int exit_lock;			/* negative: the fds are not shared */
	__u32 exit_user;		/* this user of them */
	struct host_layout layout;
};

/* The files host_file.bpf.o and exits.bpf.o, which loader.c and exits.c contain */
extern const char host_file_object[], host_file_object_end[];
extern const char exits_object[], exits_object_end[];

/* Stores the message, and returns -1. */
__attribute__((format(printf, 2, 3)))
int loader_fail(struct loader *loader, const char *format, ...);

/* Fills loader->layout except for what loader_open() adds. Returns 0, or -1 and a message. */
int layout_find(struct loader *loader);

/*
 * Loads the program, attaches it, and compares what it writes about a VM of this process with the
 * statistics fds of this VM. Returns 0, or -1 and a message. Call loader_close() in both cases.
 */
int loader_open(struct loader *loader);

/* The same with the statistics of exits, which count until loader_close(). */
int loader_open_with_exits(struct loader *loader, enum counted_exits exits);

/* The same without the comparison, for measurements: @program is "host_file" or "nothing". */
int loader_open_program(struct loader *loader, const char *program);
void loader_close(struct loader *loader);

/* Closes the VM of the proof. The program stays. */
void loader_close_vm(struct loader *loader);

/*
 * Opens and locks LOADER_LOCK. Returns an fd, or -errno and a message of up to LOADER_ERROR bytes.
 * -EWOULDBLOCK: a process that is stopped, or hangs, has the lock.
 */
int loader_lock(char *error);

/* Returns an fd from which one pass can be read, or -1 and a message. */
int loader_pass(struct loader *loader);

/* Reads one pass. Returns NULL and stores a message if that fails. */
struct kvmstats_host *loader_read(struct loader *loader);

/* Returns the first value of a statistic, or @missing if there is no such statistic. */
uint64_t loader_value(const struct kvmstats_sample *sample, const struct kvmstats_schema *schema,
		      const char *name, uint64_t missing);

/* Opens a BPF object that has the layout. Returns 0, or -1 and a message. */
int loader_open_object(struct loader *loader, const char *data, size_t size,
		       struct bpf_object **object);

/* Prints libbpf's messages, if the environment has KVM_STATS_LIBBPF. */
int loader_print(enum libbpf_print_level level, const char *format, va_list args);

/* ---- what exits.c uses of layout.c ---- */

/* Finds a member of a structure in BTF. Returns false if it is not usable as a number. */
bool layout_find_field(const struct btf *btf, const char *structure, const char *path,
		       struct host_field *field);

/* Describes a statistic of vCPUs, whose values begin at @offset in the values of the vCPU. */
int layout_add_vcpu_desc(struct loader *loader, const char *name, __u32 flags, __u32 size,
			 __u32 offset);

/* Whether the host file has a statistic of a VM or vCPU with this name so far. */
bool layout_has_desc(const struct loader *loader, const char *name);

/* ---- statistics of exits: exits.c. The functions return 0, or -1 and a message. ---- */

/* Architectures without classes of exits do not have exits.c. */
#define WITH_EXITS(loader)	(HAVE_EXITS && (loader)->exits)

/* If KVM itself counts exits by class (CONFIG_KVM_EXIT_STATS), sets loader->exits to none. */
int exits_describe(struct loader *loader);

/* Whether the exit reasons of this kernel's vendor module are known. */
bool exits_have_reasons(const struct loader *loader);

int exits_attach(struct loader *loader);

/* Runs a guest with a few exits, and checks what a pass has about them. */
int exits_run_guest(struct loader *loader);
int exits_check(struct loader *loader, const struct kvmstats_sample *sample,
		const struct kvmstats_schema *schema);

/* Adds a VMM to those whose vCPUs count, or removes it. Its present statistics stay. 0: all */
int exits_choose(struct loader *loader, pid_t pid, bool chosen);

/* All vCPUs count, also after this process has ended, for as long as the links are pinned. */
int exits_keep(struct loader *loader);

/*
 * The opposite, after the links were unpinned: commands can share them, and then only the vCPUs
 * that those have chosen count. @lock is the fd of loader_lock().
 */
void exits_unpublish(int lock);
void exits_close(struct loader *loader);

#endif /* LOADER_H */
