/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of vCPUs in both BPF objects: the programs in exits.bpf.c fill it, and the iterator in
 * host_file.bpf.c reads it.
 */
#ifndef EXIT_TABLE_H
#define EXIT_TABLE_H

#include <bpf/bpf_helpers.h>

#include "exits.h"
#include "kernel.h"

const volatile struct host_layout layout;

/* If exits are not counted, the loader makes it small. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, EXIT_ENTRIES);
	__type(key, __u32);
	__type(value, struct exit_vcpu);
} exit_vcpus SEC(".maps");

/*
 * Without debugfs, VMs that have the same memory one after the other differ in nothing. But a new
 * vCPU has not exited yet, so no values belong to it.
 */
static __always_inline bool has_exited(const struct exit_vcpu *entry, __u64 vcpu)
{
	return entry->inode || read_field(vcpu, &layout.vcpu_exits);
}

static __always_inline struct exit_vcpu *entry_at(__u32 index)
{
	return bpf_map_lookup_elem(&exit_vcpus, &index);
}

/* Where the search for an address begins */
static __always_inline __u32 place_of(__u64 address, __u32 i)
{
	return ((address * 0x9e3779b97f4a7c15ull >> (64 - EXIT_ENTRIES_LOG2)) + i) &
	       (EXIT_ENTRIES - 1);
}

static __always_inline struct exit_vcpu *find_vcpu(__u64 vcpu)
{
	__u32 i;

	for (i = 0; i < EXIT_WINDOW; i++) {
		struct exit_vcpu *entry = entry_at(place_of(vcpu, i));

		if (!entry || !entry->vcpu)
			return NULL;
		if (entry->vcpu == vcpu)
			return entry;
	}
	return NULL;
}

#endif /* EXIT_TABLE_H */
