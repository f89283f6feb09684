// SPDX-License-Identifier: GPL-2.0-only
/* Read the statistics of one VM from debugfs: open, read and close each file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define MAX_FILES	128

static struct files {
	unsigned int num;
	char paths[MAX_FILES][128];
} files;

static char buf[4096] __attribute__((aligned(64)));

static long read_file(const char *path)
{
	long fd = kernel_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0, 0, 0);
	long size;

	if (fd < 0)
		return fd;
	size = kernel_call(SYS_read, fd, (long)buf, sizeof(buf), 0, 0, 0);
	kernel_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return size;
}

static long read_files(void *arg)
{
	const struct files *files = arg;
	unsigned int i;
	long size;

	for (i = 0; i < files->num; i++) {
		size = read_file(files->paths[i]);
		if (size <= 0)
			return size < 0 ? size : -ENODATA;
	}
	return files->num;
}

/* Mainline also has the file mmu_rmaps_stat, which is not a statistic. */
static bool is_statistic(const struct dirent *entry)
{
	return entry->d_type == DT_REG && strcmp(entry->d_name, "mmu_rmaps_stat");
}

static bool list_files(int vm)
{
	struct dirent *entry;
	char name[64];
	DIR *dir;

	snprintf(name, sizeof(name), "/sys/kernel/debug/kvm/%d-%d", getpid(), vm);
	dir = opendir(name);
	if (!dir) {
		set_why("%s: %s", name, strerror(errno));
		return false;
	}
	while ((entry = readdir(dir)) && files.num < MAX_FILES)
		if (is_statistic(entry))
			snprintf(files.paths[files.num++], sizeof(files.paths[0]), "%s/%.60s",
				 name, entry->d_name);
	closedir(dir);
	return true;
}

static void run(void)
{
	int vm = vm_create();
	int vcpu = vcpu_create(vm, 0);

	if (!list_files(vm)) {
		rows_missing(group_debugfs.rows, why());
	} else {
		row_count("debugfs", &(struct bench_op) {
			.run = read_files, .arg = &files, .result = files.num,
		});
		row_value("debugfs_files", files.num);
	}
	close(vcpu);
	close(vm);
}

const struct bench_group group_debugfs = {
	.run = run,
	.rows = "debugfs debugfs_files",
};
