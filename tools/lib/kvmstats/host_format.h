/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * The format of the host file: the statistics of all VMs and vCPUs of a host in one stream.
 * kvm-stats-host-file(5) describes it. The BPF program that writes it includes this header, too.
 *
 *	header | descriptors | record | record | ... | end
 *
 * Integers have the byte order of the host that wrote them. Every record starts with struct
 * kvm_host_record, and its size is a multiple of 8 bytes. Later versions only add: members behind
 * those named here, types of records, and descriptors. Readers use the sizes and offsets in the
 * header, and skip records of other types.
 */
#ifndef KVMSTATS_HOST_FORMAT_H
#define KVMSTATS_HOST_FORMAT_H

#include <linux/types.h>

#define KVM_HOST_MAGIC		0x4b564d484f535431ull	/* "KVMHOST1" */
#define KVM_HOST_VERSION	1
#define KVM_HOST_NAME_SIZE	48			/* of a statistic, with NUL bytes */

enum kvm_host_type {
	KVM_HOST_HEADER = 1,
	KVM_HOST_VM = 2,
	KVM_HOST_VCPU = 3,
	KVM_HOST_ALIVE = 4,	/* has no content; see the manual page */
	KVM_HOST_END = 5,
	KVM_HOST_NAMES = 6,	/* the kernel does not write it: only recordings have it */
};

/* Flags of the header and of the end */
#define KVM_HOST_STALE		1	/* another instance of KVM's module is loaded: no values */
#define KVM_HOST_NESTED		2	/* the reader's PID namespace is not that of the PIDs */
#define KVM_HOST_TRUNCATED	4	/* of the end: more VMs than fit */

/* Flags of a VM */
#define KVM_HOST_ORPHAN		1	/* the process that created the VM has ended */

struct kvm_host_record {
	__u16 type;
	__u16 flags;
	__u32 size;		/* of the whole record, in bytes */
	__u64 vm;		/* identifies the VM; of the header: KVM_HOST_MAGIC */
};

/* The descriptors of the VM's statistics, and after them those of the vCPU's, end this record. */
struct kvm_host_header {
	struct kvm_host_record record;
	__u32 version;
	__u32 desc_offset;	/* of the descriptors, from the start of the header */
	__u32 desc_size;	/* of a descriptor: struct kvm_stats_desc and its name */
	__u32 vm_descs;
	__u32 vcpu_descs;
	__u32 vm_values;	/* offset of the values in the record of a VM */
	__u32 vcpu_values;	/* and in that of a vCPU */
	__u32 reserved;
	__u8 boot_id[16];
	__u64 session;		/* identities of VMs are comparable within one session */
	__u64 instance;		/* of KVM's module; 0: KVM is not a module */
	__u64 monotonic;	/* CLOCK_MONOTONIC at the start of the pass, in ns */
	__u64 boottime;		/* CLOCK_BOOTTIME at the same time */
	__u64 arrival;		/* when the reader got its CPU, in ns of the scheduler's clock */
};

struct kvm_host_vm {
	struct kvm_host_record record;
	__u64 time;		/* CLOCK_MONOTONIC when the values were read, in ns */
	__u64 start_time;	/* of process @pid: CLOCK_BOOTTIME in ns; 0: not known */
	__u32 pid;		/* the process whose address space the VM has */
	__u32 vcpus;		/* number of vCPUs that the VM has */
};

struct kvm_host_vcpu {
	struct kvm_host_record record;
	__u64 time;
	__u32 vcpu_id;
	__u32 tid;		/* the thread that runs the vCPU; 0: none has run it yet */
	__u32 mode;		/* KVM's vcpu->mode */
	__u32 reserved;
};

/* The names of a process that has VMs. They come from /proc, where the pass was read. */
struct kvm_host_names {
	struct kvm_host_record record;
	__u64 start_time;	/* that of its VMs */
	__u32 pid;
	__u32 error;		/* errno: why the names are not final; 0: they are */
	/* Strings: its command name, the name and UUID of the guest, the cgroup; "": not known */
};

struct kvm_host_end {
	struct kvm_host_record record;
	__u64 monotonic;
	__u64 boottime;
	__u32 vms;		/* number of records of VMs in the pass, with repeated ones */
	__u32 vcpus;		/* number of records of vCPUs */
};

#endif /* KVMSTATS_HOST_FORMAT_H */
