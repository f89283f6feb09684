/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * KVM binary statistics: the file behind KVM_STATS_GETFD
 *
 * KVM_STATS_GETFD is an ioctl of VM and vCPU fds.  It takes no argument and
 * returns a read-only file descriptor.  The file has four parts, in host byte
 * order:
 *
 *	header | id | descriptors | data
 *
 * KVM_STATS_OPEN is an ioctl of VM fds.  It returns a file with the statistics
 * of the VM and of all its vCPUs, which does not keep the VM alive:
 *
 *	header | id | vcpus | VM descriptors | vCPU descriptors | VM data |
 *	record of a vCPU | record of a vCPU | ...
 *
 * KVM_STATS_NEXT is an ioctl of /dev/kvm.  It opens the files of all VMs of the
 * host, one after the other.
 *
 * Documentation/virt/kvm/api.rst describes the interface.
 *
 * linux/kvm.h of v5.14 and later defines most of this, too.  This header
 * includes linux/kvm.h, and then defines only what is missing.  A program can
 * therefore include both headers, in any order.
 */
#ifndef _UAPI_LINUX_KVM_STATS_H
#define _UAPI_LINUX_KVM_STATS_H

#include <linux/ioctl.h>
#include <linux/types.h>
#ifndef __KERNEL__
#include <linux/kvm.h>
#endif

#define KVM_STATS_GETFD			_IO(KVMIO, 0xce)
#define KVM_CAP_STATS_BINARY_FD		203

#ifndef KVM_GET_STATS_FD

/* The names of the same ioctl and capability in v5.14 and later. */
#define KVM_GET_STATS_FD		KVM_STATS_GETFD
#define KVM_CAP_BINARY_STATS_FD		KVM_CAP_STATS_BINARY_FD

/**
 * struct kvm_stats_header - start of a statistics file
 * @flags: 0, or KVM_STATS_HEADER_VCPUS
 * @name_size: size in bytes of the id and of the name in each descriptor,
 *	including at least one NUL as padding
 * @num_desc: number of descriptors
 * @id_offset: offset of the id, a string that identifies the VM or vCPU
 * @desc_offset: offset of the first descriptor
 * @data_offset: offset of the data, a multiple of 8
 *
 * All offsets are in bytes from the start of the file.
 */
struct kvm_stats_header {
	__u32 flags;
	__u32 name_size;
	__u32 num_desc;
	__u32 id_offset;
	__u32 desc_offset;
	__u32 data_offset;
};

#define KVM_STATS_TYPE_SHIFT		0
#define KVM_STATS_TYPE_MASK		(0xF << KVM_STATS_TYPE_SHIFT)
#define KVM_STATS_TYPE_CUMULATIVE	(0x0 << KVM_STATS_TYPE_SHIFT)
#define KVM_STATS_TYPE_INSTANT		(0x1 << KVM_STATS_TYPE_SHIFT)
#define KVM_STATS_TYPE_PEAK		(0x2 << KVM_STATS_TYPE_SHIFT)
#define KVM_STATS_TYPE_MAX		KVM_STATS_TYPE_LOG_HIST

#define KVM_STATS_UNIT_SHIFT		4
#define KVM_STATS_UNIT_MASK		(0xF << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_NONE		(0x0 << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_BYTES		(0x1 << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_SECONDS		(0x2 << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_CYCLES		(0x3 << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_MAX		KVM_STATS_UNIT_BOOLEAN

#define KVM_STATS_BASE_SHIFT		8
#define KVM_STATS_BASE_MASK		(0xF << KVM_STATS_BASE_SHIFT)
#define KVM_STATS_BASE_POW10		(0x0 << KVM_STATS_BASE_SHIFT)
#define KVM_STATS_BASE_POW2		(0x1 << KVM_STATS_BASE_SHIFT)
#define KVM_STATS_BASE_MAX		KVM_STATS_BASE_POW2

/**
 * struct kvm_stats_desc - descriptor of one statistic
 * @flags: one KVM_STATS_TYPE_*, one KVM_STATS_UNIT_* and one KVM_STATS_BASE_*
 * @exponent: a value v means v * base^exponent units
 * @size: number of __u64 values; more than one only for histograms
 * @offset: offset in bytes of the first value from the start of the data
 * @bucket_size: width of each bucket of a linear histogram, otherwise 0
 * @name: name of the statistic, padded with NULs to name_size of the header
 *
 * In user space @name is a flexible array, and the distance between two
 * descriptors is sizeof(struct kvm_stats_desc) + name_size bytes.
 */
struct kvm_stats_desc {
	__u32 flags;
	__s16 exponent;
	__u16 size;
	__u32 offset;
	__u32 bucket_size;
#ifdef __KERNEL__
	char name[48];
#else
	char name[];
#endif
};

#endif /* KVM_GET_STATS_FD */

/* linux/kvm.h has the histograms since v5.15 and the boolean since v5.19. */
#ifndef KVM_STATS_TYPE_LINEAR_HIST
#define KVM_STATS_TYPE_LINEAR_HIST	(0x3 << KVM_STATS_TYPE_SHIFT)
#define KVM_STATS_TYPE_LOG_HIST		(0x4 << KVM_STATS_TYPE_SHIFT)
#endif
#ifndef KVM_STATS_UNIT_BOOLEAN
#define KVM_STATS_UNIT_BOOLEAN		(0x4 << KVM_STATS_UNIT_SHIFT)
#endif

/* The names of the same constants in the first drafts of the interface. */
#define KVM_STATS_SCALE_SHIFT		KVM_STATS_BASE_SHIFT
#define KVM_STATS_SCALE_MASK		KVM_STATS_BASE_MASK
#define KVM_STATS_SCALE_POW10		KVM_STATS_BASE_POW10
#define KVM_STATS_SCALE_POW2		KVM_STATS_BASE_POW2
#define KVM_STATS_SCALE_MAX		KVM_STATS_BASE_MAX

#define KVM_STATS_OPEN			_IOW(KVMIO, 0xce, struct kvm_stats_open)
#define KVM_STATS_NEXT			_IOWR(KVMIO, 0xce, struct kvm_stats_next)

/* Bits of the value that KVM_CHECK_EXTENSION returns for the capability. */
#define KVM_STATS_CAP_GETFD		(1 << 0)
#define KVM_STATS_CAP_OPEN		(1 << 1)
#define KVM_STATS_CAP_NEXT		(1 << 2)

/**
 * struct kvm_stats_open - argument of KVM_STATS_OPEN
 * @flags: 0
 * @reserved: 0
 */
struct kvm_stats_open {
	__u32 flags;
	__u32 reserved;
};

/**
 * struct kvm_stats_next - argument of KVM_STATS_NEXT
 * @vm: number of the previous VM, or 0 for the first VM; KVM replaces it with
 *	the number of the VM that it has opened
 * @flags: 0
 * @fd: KVM stores the new file descriptor here
 */
struct kvm_stats_next {
	__u64 vm;
	__u32 flags;
	__s32 fd;
};

/* A flag of the header: struct kvm_stats_vcpus follows the id. */
#define KVM_STATS_HEADER_VCPUS		(1 << 0)

/**
 * struct kvm_stats_vcpus - where the file of a VM has its vCPUs
 * @vm: in files of KVM_STATS_NEXT the number of the VM: from 1, in order of
 *	creation, not used again while KVM's module is loaded.  In files of
 *	KVM_STATS_OPEN 0.
 * @num_desc: number of descriptors of the vCPUs
 * @desc_offset: offset of the first descriptor of the vCPUs
 * @records_offset: offset of the first record, a multiple of 8
 * @record_size: distance in bytes between two records
 * @data_offset: offset of the data from the start of its record
 * @reserved: 0
 *
 * Follows the id, at id_offset + name_size of the header.  The offset in a
 * descriptor of the vCPUs counts from the start of the data in the record.
 *
 * The records are in the order in which the vCPUs were created.  The file ends
 * after the last one, and grows when a vCPU is created.
 */
struct kvm_stats_vcpus {
	__u64 vm;
	__u32 num_desc;
	__u32 desc_offset;
	__u32 records_offset;
	__u32 record_size;
	__u32 data_offset;
	__u32 reserved;
};

/**
 * struct kvm_stats_record - start of the record of a vCPU
 * @vcpu_id: id of the vCPU
 * @reserved: 0
 */
struct kvm_stats_record {
	__u64 vcpu_id;
	__u64 reserved;
};

#endif /* _UAPI_LINUX_KVM_STATS_H */
