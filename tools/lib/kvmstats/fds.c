// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Finds the KVM fds of a process by the names that the kernel gives them in /proc/PID/fd. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* qsort_r() */
#endif
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/kcmp.h>

#include "internal.h"

#define VCPU_PREFIX		"anon_inode:kvm-vcpu:"
#define VCPU_STATS_PREFIX	"anon_inode:kvm-vcpu-stats:"

static int parse_number(const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 0 || n > INT_MAX)
		return -1;
	return (int)n;
}

static bool parse_vcpu(const char *link, const char *prefix, struct kvmstats_fd *entry)
{
	size_t len = strlen(prefix);

	if (strncmp(link, prefix, len))
		return false;
	entry->kind = KVMSTATS_KIND_VCPU;
	entry->vcpu = parse_number(link + len);
	return entry->vcpu >= 0;
}

bool kvmstats_fds_parse(const char *link, struct kvmstats_fd *entry)
{
	entry->kind = KVMSTATS_KIND_VM;
	entry->vcpu = -1;
	entry->stats = !strcmp(link, "anon_inode:kvm-vm-stats");
	if (entry->stats || !strcmp(link, "anon_inode:kvm-vm"))
		return true;
	entry->stats = !strncmp(link, VCPU_STATS_PREFIX, strlen(VCPU_STATS_PREFIX));
	return parse_vcpu(link, entry->stats ? VCPU_STATS_PREFIX : VCPU_PREFIX, entry);
}

/* Returns 1 for a KVM fd, 0 for any other fd or one that has been closed, or -errno. */
static int classify(int dirfd, const char *name, struct kvmstats_fd *entry)
{
	char link[64];
	ssize_t n;

	entry->fd = parse_number(name);
	if (entry->fd < 0)
		return 0;
	n = readlinkat(dirfd, name, link, sizeof(link));
	/* Permission to list the directory does not include permission to read the links in it. */
	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	if ((size_t)n == sizeof(link))
		return 0;
	link[n] = '\0';
	return kvmstats_fds_parse(link, entry);
}

/* With hidepid=2, CAP_SYS_PTRACE shows all processes. access() would not use it. */
int kvmstats_check_proc(void)
{
	struct stat st;

	if (access("/proc/self", F_OK))
		return -ENOENT;
	return stat("/proc/1", &st) ? -EACCES : 0;
}

static int open_fd_dir(pid_t pid, DIR **dir)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	*dir = opendir(path);
	if (*dir)
		return 0;
	return errno == ENOENT ? -ESRCH : -errno;
}

/* PF_KTHREAD, bit 21 of the flags in /proc/PID/stat: the name can contain any character but 0. */
static bool is_kernel_thread(pid_t pid)
{
	char path[32], stat[512];
	unsigned int flags = 0;
	const char *end;
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	n = fread(stat, 1, sizeof(stat) - 1, file);
	fclose(file);
	stat[n] = '\0';
	end = strrchr(stat, ')');
	return end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & 0x00200000;
}

/* Calls @fn for each KVM fd until it returns a value other than 0. Returns that value. */
static int each_fd(pid_t pid, int (*fn)(const struct kvmstats_fd *entry, void *arg), void *arg)
{
	struct dirent *dirent;
	DIR *dir;
	int ret = open_fd_dir(pid, &dir);

	/* Only root may list the fds of a kernel thread, but there are no fds. */
	if (ret == -EACCES && is_kernel_thread(pid))
		return 0;
	if (ret)
		return ret;
	for (;;) {
		struct kvmstats_fd entry;

		errno = 0;
		dirent = readdir(dir);
		if (!dirent) {
			ret = -errno;
			break;
		}
		ret = classify(dirfd(dir), dirent->d_name, &entry);
		if (ret > 0)
			ret = fn(&entry, arg);
		if (ret)
			break;
	}
	closedir(dir);
	return ret == -ENOENT ? -ESRCH : ret;
}

static int append(const struct kvmstats_fd *entry, void *arg)
{
	struct kvmstats_fds *fds = arg;

	if (fds->count == fds->capacity) {
		size_t capacity = fds->capacity ? fds->capacity * 2 : 16;
		struct kvmstats_fd *more = realloc(fds->fd, capacity * sizeof(*more));

		if (!more)
			return -ENOMEM;
		fds->fd = more;
		fds->capacity = capacity;
	}
	fds->fd[fds->count++] = *entry;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct kvmstats_fd *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->vcpu != y->vcpu)
		return x->vcpu < y->vcpu ? -1 : 1;
	if (x->stats != y->stats)
		return x->stats ? 1 : -1;
	return (x->fd > y->fd) - (x->fd < y->fd);
}

int kvmstats_fds_scan(struct kvmstats_fds *fds, pid_t pid)
{
	int err;

	fds->count = 0;
	err = each_fd(pid, append, fds);
	if (!err && fds->count)
		qsort(fds->fd, fds->count, sizeof(*fds->fd), compare);
	return err;
}

int kvmstats_fds_copy(struct kvmstats_fds *to, const struct kvmstats_fds *from)
{
	size_t i;
	int err = 0;

	to->count = 0;
	for (i = 0; !err && i < from->count; i++)
		err = append(&from->fd[i], to);
	if (err)
		kvmstats_fds_free(to);
	return err;
}

/* A process that holds only statistics fds is an agent, not a VMM. */
static int is_vm_or_vcpu(const struct kvmstats_fd *entry, void *arg)
{
	(void)arg;
	return !entry->stats;
}

int kvmstats_fds_has_vm(pid_t pid)
{
	return each_fd(pid, is_vm_or_vcpu, NULL);
}

static bool has_same_name(const struct kvmstats_fd *a, const struct kvmstats_fd *b)
{
	return a->kind == b->kind && a->vcpu == b->vcpu && a->stats == b->stats;
}

/* kcmp() defines an order of open files, which is arbitrary but consistent. */
struct comparison {
	pid_t pid;
	bool failed;
};

static int compare_files(const void *a, const void *b, void *arg)
{
	const struct kvmstats_fd *x = a, *y = b;
	struct comparison *comparison = arg;
	long order = syscall(SYS_kcmp, comparison->pid, comparison->pid, KCMP_FILE, x->fd, y->fd);

	/* An fd that has been closed differs from all others. */
	if (order < 0 && errno != EBADF)
		comparison->failed = true;
	if (order > 0)
		return order == 1 ? -1 : 1;
	return order ? (x->fd > y->fd) - (x->fd < y->fd) : 0;
}

/* Removes duplicates from @count fds that have the same name. Returns how many remain. */
static size_t remove_duplicates(struct kvmstats_fd *fd, size_t count, struct comparison *comparison)
{
	size_t kept = 0;
	size_t i;

	qsort_r(fd, count, sizeof(*fd), compare_files, comparison);
	for (i = 0; i < count && !comparison->failed; i++) {
		if (!kept || compare_files(&fd[kept - 1], &fd[i], comparison))
			fd[kept++] = fd[i];
		else if (fd[i].fd < fd[kept - 1].fd)
			fd[kept - 1] = fd[i];
	}
	if (comparison->failed)
		kept = count;
	qsort(fd, kept, sizeof(*fd), compare);
	return kept;
}

int kvmstats_fds_distinct(struct kvmstats_fds *fds, pid_t pid)
{
	struct comparison comparison = { .pid = pid };
	size_t kept = 0;
	size_t i, end, n;

	for (i = 0; i < fds->count; i = end) {
		for (end = i + 1; end < fds->count && has_same_name(&fds->fd[end], &fds->fd[i]);)
			end++;
		n = end - i > 1 ? remove_duplicates(&fds->fd[i], end - i, &comparison) : 1;
		memmove(&fds->fd[kept], &fds->fd[i], n * sizeof(*fds->fd));
		kept += n;
	}
	fds->count = kept;
	return !comparison.failed;
}

bool kvmstats_fds_equal(const struct kvmstats_fds *a, const struct kvmstats_fds *b)
{
	size_t i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++) {
		if (!has_same_name(&a->fd[i], &b->fd[i]) || a->fd[i].fd != b->fd[i].fd)
			return false;
	}
	return true;
}

void kvmstats_fds_free(struct kvmstats_fds *fds)
{
	free(fds->fd);
	*fds = (struct kvmstats_fds){ 0 };
}
