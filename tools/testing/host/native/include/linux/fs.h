/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <fcntl.h>
#include <linux/kernel.h>

#define MAX_LFS_FILESIZE	INT64_MAX
#define FMODE_LSEEK		0x1
#define FMODE_PREAD		0x2

typedef unsigned int __poll_t;
typedef struct poll_table_struct poll_table;

struct inode;
struct seq_file;

struct file {
	const struct file_operations *f_op;
	unsigned int f_mode;
	loff_t f_pos;
	void *private_data;
};

struct file_operations {
	const void *owner;
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read)(struct file *file, char __user *buf, size_t size, loff_t *pos);
	__poll_t (*poll)(struct file *file, struct poll_table_struct *wait);
	int (*release)(struct inode *inode, struct file *file);
	void (*show_fdinfo)(struct seq_file *m, struct file *file);
};

static inline loff_t generic_file_llseek_size(struct file *file, loff_t offset, int whence,
					      loff_t max, loff_t eof)
{
	return -ESPIPE;
}
