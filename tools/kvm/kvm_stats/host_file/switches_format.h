/* SPDX-License-Identifier: GPL-2.0-only */
/* What switches.bpf.c and switches.c share: the content of the map `waits` */
#ifndef SWITCHES_FORMAT_H
#define SWITCHES_FORMAT_H

#include <linux/types.h>

struct switches_key {
	__u32 thread;		/* TID of the thread that waited */
	__u32 taker;		/* TID of the thread that had the CPU */
};

struct switches_waits {
	__u64 ns;
	__u64 count;
	__u32 pid;		/* of the taker */
	char name[16];		/* of the taker */
	__u32 unused;
};

#ifndef __bpf__
/* The file switches.bpf.o, which switches.c contains */
extern const char switches_object[], switches_object_end[];
#endif

#endif /* SWITCHES_FORMAT_H */
