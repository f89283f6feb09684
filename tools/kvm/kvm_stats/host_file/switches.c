// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "host_file/loader.h"
#include "host_file/switches_format.h"
#include "switches.h"
#include "util.h"

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	".global switches_object, switches_object_end\n"
	"switches_object: .incbin \"" BPF_OBJECTS "switches.bpf.o\"\n"
	"switches_object_end: .byte 0\n"
	".popsection\n");

struct switches {
	struct bpf_object *object;
	struct bpf_link *link;
	int watched, waits;		/* fds of the maps */
	struct taken_cpu *taken;
	size_t capacity;
};

/* Returns what failed, with errno, or NULL. */
static const char *load(struct switches *switches)
{
	const struct bpf_object_open_opts options = {
		.sz = sizeof(options), .object_name = "kvm_stats",
	};
	struct bpf_program *program;

	switches->object = bpf_object__open_mem(switches_object,
						switches_object_end - switches_object, &options);
	if (!switches->object)
		return "cannot be opened";
	if (bpf_object__load(switches->object))
		return "cannot be loaded";
	program = bpf_object__next_program(switches->object, NULL);
	switches->link = bpf_program__attach(program);
	if (!switches->link)
		return "cannot be attached";
	switches->watched = bpf_object__find_map_fd_by_name(switches->object, "watched");
	switches->waits = bpf_object__find_map_fd_by_name(switches->object, "waits");
	return NULL;
}

struct switches *switches_open(struct message *why)
{
	struct switches *switches;
	const char *failed;

	if (kvmstats_has_other_pids()) {
		message_set(why, "context switches cannot be watched from a PID namespace");
		message_advice(why, "Run this in the initial one, outside of containers");
		return NULL;
	}
	switches = calloc(1, sizeof(*switches));
	if (!switches) {
		message_no_memory(why);
		return NULL;
	}
	libbpf_set_print(loader_print);
	failed = load(switches);
	if (!failed)
		return switches;
	message_set(why, "the BPF program that watches context switches %s: %s", failed,
		    strerror(errno));
	message_advice(why, "It needs root, or CAP_BPF and CAP_PERFMON, and a kernel with BTF");
	switches_close(switches);
	return NULL;
}

void switches_watch(struct switches *switches, pid_t tid)
{
	const uint8_t value = 1;

	bpf_map_update_elem(switches->watched, &tid, &value, BPF_NOEXIST);
}

static int compare_taken(const void *a, const void *b)
{
	const struct taken_cpu *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

const struct taken_cpu *switches_read(struct switches *switches, size_t *count)
{
	struct switches_waits waits;
	struct switches_key key;
	struct taken_cpu *more;

	*count = 0;
	while (!bpf_map_get_next_key(switches->waits, NULL, &key)) {
		/* Only Linux 5.14 and later do both in one call. */
		if (bpf_map_lookup_elem(switches->waits, &key, &waits) ||
		    bpf_map_delete_elem(switches->waits, &key))
			break;
		more = array_grow(switches->taken, *count, &switches->capacity, sizeof(*more));
		if (!more)
			break;
		switches->taken = more;
		more += (*count)++;
		*more = (struct taken_cpu){
			.tid = (pid_t)key.thread, .taker = (pid_t)key.taker,
			.taker_pid = (pid_t)waits.pid, .ns = waits.ns, .waits = waits.count,
		};
		memcpy(more->name, waits.name, sizeof(more->name));
	}
	if (*count)
		qsort(switches->taken, *count, sizeof(*switches->taken), compare_taken);
	return switches->taken;
}

void switches_close(struct switches *switches)
{
	if (!switches)
		return;
	bpf_link__destroy(switches->link);
	bpf_object__close(switches->object);
	free(switches->taken);
	free(switches);
}
