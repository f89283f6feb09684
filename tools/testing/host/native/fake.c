// SPDX-License-Identifier: GPL-2.0-only
#include "fake.h"

#include <stdlib.h>

struct kvm vm = { .users_count = 1, .before_stat = ~0ULL };
struct kvm_vcpu vcpu = { .kvm = &vm, .vcpu_id = 7, .before_stat = ~0ULL };

const char *user_end = (const char *)UINTPTR_MAX;
unsigned long copies_to_iter;
struct file *opened_file;

struct file *open_stats(struct kvm_stats_source *source)
{
	if (!vm.stats_source.schema) {
		kvm_stats_init_vm(&vm);
		kvm_stats_init_vcpu(&vcpu);
	}
	if (kvm_stats_getfd(source) < 0) {
		printf("Bail out! kvm_stats_getfd() failed\n");
		exit(1);
	}
	return opened_file;
}

ssize_t preadv_file(struct file *file, const struct iovec *iov, int num, loff_t pos)
{
	struct kiocb iocb = { .ki_filp = file, .ki_pos = pos };
	struct iov_iter iter;
	size_t size = 0;
	int i;

	for (i = 0; i < num; i++)
		size += iov[i].iov_len;
	iov_iter_init(&iter, READ, iov, num, size);
	return file->f_op->read_iter(&iocb, &iter);
}

ssize_t pread_file(struct file *file, void *buf, size_t size, loff_t pos)
{
	struct iovec iov = { .iov_base = buf, .iov_len = size };

	if (file->f_op->read)
		return file->f_op->read(file, buf, size, &pos);
	return preadv_file(file, &iov, 1, pos);
}

void set_user_end(const void *end)
{
	user_end = end ? end : (const char *)UINTPTR_MAX;
}
