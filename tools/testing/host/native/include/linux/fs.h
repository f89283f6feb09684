/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <fcntl.h>
#include <linux/kernel.h>

#define MAX_LFS_FILESIZE	INT64_MAX
#define FMODE_LSEEK		0x1
#define FMODE_PREAD		0x2
#define FMODE_NOWAIT		0x4
#define FMODE_ATOMIC_POS	0x8

struct inode;
struct iov_iter;
struct seq_file;

struct file {
	const struct file_operations *f_op;
	unsigned int f_mode;
	loff_t f_pos;
	void *private_data;
};

struct kiocb {
	struct file *ki_filp;
	loff_t ki_pos;
};

struct file_operations {
	const void *owner;
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read)(struct file *file, char __user *buf, size_t size, loff_t *pos);
	ssize_t (*read_iter)(struct kiocb *iocb, struct iov_iter *to);
	void *splice_read;
	int (*release)(struct inode *inode, struct file *file);
	void (*show_fdinfo)(struct seq_file *m, struct file *file);
};

#define generic_file_splice_read	NULL

static inline loff_t generic_file_llseek_size(struct file *file, loff_t offset, int whence,
					      loff_t max, loff_t eof)
{
	return -ESPIPE;
}
