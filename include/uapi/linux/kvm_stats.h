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
 * Only the data changes while the file exists.  All VMs of a running kernel
 * have the same descriptors, and so have all vCPUs.  See
 * Documentation/virt/kvm/stats.rst.
 *
 * Since v5.14, linux/kvm.h defines all of this itself.  A program cannot
 * include both that header and this one.
 */
#ifndef _UAPI_LINUX_KVM_STATS_H
#define _UAPI_LINUX_KVM_STATS_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* 0xAE is KVMIO.  This header does without linux/kvm.h. */
#define KVM_STATS_GETFD			_IO(0xAE, 0xce)
#define KVM_CAP_STATS_BINARY_FD		203

/* The names of the same ioctl and capability in v5.14 and later. */
#define KVM_GET_STATS_FD		KVM_STATS_GETFD
#define KVM_CAP_BINARY_STATS_FD		KVM_CAP_STATS_BINARY_FD

/**
 * struct kvm_stats_header - start of a statistics file
 * @flags: 0; no flags are defined
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
#define KVM_STATS_TYPE_LINEAR_HIST	(0x3 << KVM_STATS_TYPE_SHIFT)
#define KVM_STATS_TYPE_LOG_HIST		(0x4 << KVM_STATS_TYPE_SHIFT)
#define KVM_STATS_TYPE_MAX		KVM_STATS_TYPE_LOG_HIST

#define KVM_STATS_UNIT_SHIFT		4
#define KVM_STATS_UNIT_MASK		(0xF << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_NONE		(0x0 << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_BYTES		(0x1 << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_SECONDS		(0x2 << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_CYCLES		(0x3 << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_BOOLEAN		(0x4 << KVM_STATS_UNIT_SHIFT)
#define KVM_STATS_UNIT_MAX		KVM_STATS_UNIT_BOOLEAN

#define KVM_STATS_BASE_SHIFT		8
#define KVM_STATS_BASE_MASK		(0xF << KVM_STATS_BASE_SHIFT)
#define KVM_STATS_BASE_POW10		(0x0 << KVM_STATS_BASE_SHIFT)
#define KVM_STATS_BASE_POW2		(0x1 << KVM_STATS_BASE_SHIFT)
#define KVM_STATS_BASE_MAX		KVM_STATS_BASE_POW2

/* The names of the same constants in the first drafts of the interface. */
#define KVM_STATS_SCALE_SHIFT		KVM_STATS_BASE_SHIFT
#define KVM_STATS_SCALE_MASK		KVM_STATS_BASE_MASK
#define KVM_STATS_SCALE_POW10		KVM_STATS_BASE_POW10
#define KVM_STATS_SCALE_POW2		KVM_STATS_BASE_POW2
#define KVM_STATS_SCALE_MAX		KVM_STATS_BASE_MAX

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

#endif /* _UAPI_LINUX_KVM_STATS_H */
