/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * KVM binary statistics: the file behind KVM_STATS_GETFD
 *
 * The ioctl is answered by a VM fd and by a vCPU fd, takes no argument and
 * returns a read-only file descriptor.  The file is laid out as
 *
 *	header | id | descriptors | data
 *
 * in host byte order.  Everything before the data is constant for as long as
 * the file exists; the descriptors are the same for all VMs, and for all
 * vCPUs, of a running kernel.  See Documentation/virt/kvm/stats.rst.
 *
 * The linux/kvm.h of v5.14 and later has all of this itself and cannot be
 * included together with this file.
 */
#ifndef _UAPI_LINUX_KVM_STATS_H
#define _UAPI_LINUX_KVM_STATS_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* The type is KVMIO; spelled out so that this header stands on its own. */
#define KVM_STATS_GETFD			_IO(0xAE, 0xce)
#define KVM_CAP_STATS_BINARY_FD		203

/* The spellings of v5.14 and later. */
#define KVM_GET_STATS_FD		KVM_STATS_GETFD
#define KVM_CAP_BINARY_STATS_FD		KVM_CAP_STATS_BINARY_FD

/**
 * struct kvm_stats_header - start of a statistics file
 * @flags: none defined, 0
 * @name_size: size in bytes of the id and of each descriptor's name,
 *	including the padding with at least one NUL
 * @num_desc: number of descriptors
 * @id_offset: offset of the id, a string that names the VM or the vCPU
 * @desc_offset: offset of the first descriptor
 * @data_offset: offset of the data, a multiple of 8
 *
 * All offsets count bytes from the start of the file.
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

/* The spellings of the interface's first drafts. */
#define KVM_STATS_SCALE_SHIFT		KVM_STATS_BASE_SHIFT
#define KVM_STATS_SCALE_MASK		KVM_STATS_BASE_MASK
#define KVM_STATS_SCALE_POW10		KVM_STATS_BASE_POW10
#define KVM_STATS_SCALE_POW2		KVM_STATS_BASE_POW2
#define KVM_STATS_SCALE_MAX		KVM_STATS_BASE_MAX

/* User space learns the size from the header: there, a flexible array. */
#ifdef __KERNEL__
#define __KVM_STATS_NAME_SIZE		48
#else
#define __KVM_STATS_NAME_SIZE
#endif

/**
 * struct kvm_stats_desc - descriptor of one statistic
 * @flags: type, unit and base, one KVM_STATS_{TYPE,UNIT,BASE}_* value each
 * @exponent: a value v stands for v * base^exponent units
 * @size: number of __u64 values; more than one for histograms only
 * @offset: offset of the first value from the start of the data, in bytes
 * @bucket_size: width of a linear histogram's buckets, otherwise 0
 * @name: name of the statistic, padded with NULs to the header's name_size
 *
 * In user space @name is a flexible array, and descriptors lie
 * sizeof(struct kvm_stats_desc) + name_size bytes apart.
 */
struct kvm_stats_desc {
	__u32 flags;
	__s16 exponent;
	__u16 size;
	__u32 offset;
	__u32 bucket_size;
	char name[__KVM_STATS_NAME_SIZE];
};

#endif /* _UAPI_LINUX_KVM_STATS_H */
