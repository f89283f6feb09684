/* SPDX-License-Identifier: GPL-2.0-only */
/* What the loader tells the BPF program about the kernel that runs. Both include this. */
#ifndef HOST_FILE_H
#define HOST_FILE_H

#include "host_format.h"

/* The file has at most as many parts of up to 32 KiB: about 24,000 vCPUs of x86. */
#define HOST_FILE_PARTS	1024

/* Limits in bytes: of all descriptors, and of KVM's statistics of a VM or vCPU */
#define MAX_DESCS	24576
#define MAX_STATS	8192

/* The part of a vCPU that has the fields vcpu_kvm, vcpu_id and vcpu_mode */
#define MAX_HEAD	128

/* The number of statistics thread_* that the loader may configure */
#define MAX_THREAD	20

/* An unsigned integer or a pointer, of @size bytes; 0: the kernel does not have it */
struct host_field {
	__u32 offset;
	__u32 size;
};

struct host_layout {
	__u64 key[2];			/* of the hash that identifies VMs */
	__u64 vm_list;			/* address of the head of KVM's list of VMs */
	__u64 module;			/* address of KVM's module; 0: built in */
	struct kvm_host_header header;
	struct host_field module_node, node_id;
	struct host_field kvm_mm, kvm_users, kvm_pid, kvm_vcpus, kvm_dentry;
	struct host_field dentry_inode, inode_number;
	struct host_field mm_owner, mm_users, task_tgid, task_leader, task_start, task_arrival;
	struct host_field xa_head;	/* of kvm->vcpu_array */
	struct host_field node_shift;
	struct host_field vcpu_kvm, vcpu_id, vcpu_mode;	/* read at once: vcpu_head */
	struct host_field vcpu_pid;
	struct host_field pid_first, pid_number, pid_level, task_pid;
	/*
	 * [0]: not used. Values whose members are next to each other are read at once: the first
	 * has the size of all, the others have the size 0.
	 */
	struct host_field thread[MAX_THREAD];
	__u32 vcpu_head, vcpu_head_size;
	__u32 list_offset;		/* of kvm->vm_list */
	__u32 pid_links;		/* of task->pid_links[PIDTYPE_PID] */
	__u32 vcpus_offset;		/* of kvm->vcpus, the array before Linux 5.16; 0: xarray */
	__u32 slots_offset, slots_mask;	/* of struct xa_node */
	__u32 threads;			/* number of statistics thread_*, without the clocks */
	__u32 clocks;			/* 2: those of the run queue follow them; or 0 */
	__u32 vm_stat, vm_stat_size;	/* of struct kvm, in bytes */
	__u32 vcpu_stat, vcpu_stat_size;
	/* Statistics of exits, see exits.h */
	__u32 svm_vmcb;			/* offset in struct vcpu_svm; 0: not known */
	__u32 svm_exit;			/* of the exit code in the VMCB; exit_info_1 follows */
	__u32 vmx_reason;		/* offset in struct vcpu_vmx; 0: not known */
	__u32 vmx_info_bit;		/* of @vmx_available: @vmx_info is valid */
	struct host_field vmx_info, vmx_available;
	struct host_field arm_esr, arm_mmio_user, arm_mmio_kernel;
	struct host_field vcpu_exits;	/* KVM's own count of all exits */
	__u32 exits_size;		/* of the values in the record of a vCPU; 0: none */
	__u32 desc_size;		/* of all descriptors */
	__u8 desc[MAX_DESCS];
};

/* What the program `learn` writes about each file of the loader */
struct host_learned {
	__u64 fd;
	__u64 private_data;
	__u64 operations;		/* f_op, which is in the data of KVM or of its module */
	__u64 owner;			/* f_op->owner */
	__u64 instance;			/* of that module */
	__u64 prev;			/* the node before it in the list, if the file is a VM */
};

#endif /* HOST_FILE_H */
