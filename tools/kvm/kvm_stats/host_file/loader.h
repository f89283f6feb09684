/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads the BPF program of the host file, and proves that it is right on this kernel. */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>

#include "host_file/host_file.h"
#include "util.h"

struct bpf_link;
struct bpf_object;
struct btf;

struct loader {
	char error[256];		/* why the last function failed; no full stop */
	bool is_module;			/* KVM is a module, not built in */
	bool with_clocks;		/* the kernel's symbols have the run queues */
	/* A VM of this process, which runs no guest code, and its statistics */
	int kvm, vm, vcpu;
	int vm_stats, vcpu_stats;
	struct btf *base_btf, *btf;	/* of vmlinux, and that of the module kvm */
	struct bpf_object *object;
	struct bpf_link *link;
	struct host_layout layout;
};

/* The file host_file.bpf.o, which loader.c contains */
extern const char host_file_object[], host_file_object_end[];

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

/* The same without the comparison, for measurements: @program is "host_file" or "nothing". */
int loader_open_program(struct loader *loader, const char *program);
void loader_close(struct loader *loader);

/* Returns an fd from which one pass can be read, or -1 and a message. */
int loader_pass(struct loader *loader);

#endif /* LOADER_H */
