// SPDX-License-Identifier: GPL-2.0-only
/*
 * The debugfs source. kvm/ has a file for each statistic, with the sum over all VMs, and a
 * directory PID-FD for each VM, with the same files. PID is the ID of the thread that created the
 * VM. Only the files of VMs are read: a sum would lose what VMs that end have counted.
 *
 * An open file of a VM keeps that VM in memory, so each reading opens and closes the files.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kvm_stat.h"

struct vm {
	struct statistic sum;	/* The name is that of the directory. */
	uint64_t *base;		/* for each statistic, the value that counts as 0 */
	bool *has_base;
	bool exists;
};

struct debugfs {
	struct source source;
	char *dir;
	bool include_past;
	pid_t pid;
	struct vm *vm;
	size_t vms;
};

/* ---- statistics ---- */

/* kvm_stat has never shown these times: their growth is far above that of all counters. */
static bool is_hidden(const char *name)
{
	return !strcmp(name, "halt_poll_fail_ns") || !strcmp(name, "halt_poll_success_ns") ||
	       !strcmp(name, "halt_wait_ns");
}

/* On s390, exit_instruction is the sum of instruction_*. */
static int parent_of(const struct source *source, const char *name)
{
	size_t i;

	if (strncmp(name, "instruction_", strlen("instruction_")))
		return -1;
	for (i = 0; i < source->count; i++) {
		if (!strcmp(source->stat[i].name, "exit_instruction"))
			return (int)i;
	}
	return -1;
}

/* Under lockdown, files can be opened only if no user may write to them. */
static int try_open(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void add_files(struct source *source, const char *dir, int dirfd)
{
	struct dirent **entry;
	int count = scandir(dir, &entry, NULL, alphasort);
	int unreadable = 0, failure = 0, i;
	struct stat st;

	for (i = 0; i < count; i++) {
		const char *name = entry[i]->d_name;
		int err;

		if (!fstatat(dirfd, name, &st, 0) && S_ISREG(st.st_mode) && !is_hidden(name)) {
			err = try_open(dirfd, name);
			if (err) {
				unreadable++;
				failure = err;
			} else {
				source_add(source, name, parent_of(source, name));
			}
		}
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
	if (unreadable)
		source_fails(source, "%s: %d of %zu statistics cannot be read: %s.%s", dir,
			     unreadable, source->count + (size_t)unreadable, strerror(failure),
			     failure == EPERM ? " The kernel is locked down. Try -t instead." : "");
	else if (!source->count)
		source_fails(source, "%s has no statistics.", dir);
}

/* ---- values ---- */

static bool read_value(int dirfd, const char *name, uint64_t *value)
{
	char text[32] = "", *end;
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	*value = strtoull(text, &end, 10);
	return n > 0 && end != text;
}

static void read_vm(struct debugfs *debugfs, struct vm *vm, int dirfd)
{
	size_t i;

	for (i = 0; i < debugfs->source.count; i++) {
		struct statistic *stat = &debugfs->source.stat[i];
		uint64_t value;
		int64_t growth;

		/* A VM that has just ended has no values. */
		if (!stat->selected || !read_value(dirfd, stat->name, &value))
			continue;
		if (!vm->has_base[i])
			vm->base[i] = debugfs->include_past ? 0 : value;
		vm->has_base[i] = true;
		growth = (int64_t)(value - vm->base[i]);
		stat->value += growth;
		if (stat->parent < 0)
			vm->sum.value += growth;
	}
}

/* ---- VMs ---- */

static struct vm *get_vm(struct debugfs *debugfs, const char *name)
{
	size_t i, count = debugfs->source.count;
	struct vm *vm;

	for (i = 0; i < debugfs->vms; i++) {
		if (!strcmp(debugfs->vm[i].sum.name, name))
			return &debugfs->vm[i];
	}
	debugfs->vm = resize_array(debugfs->vm, debugfs->vms + 1, sizeof(*vm));
	vm = &debugfs->vm[debugfs->vms++];
	*vm = (struct vm){
		.sum = { .name = copy_text(name), .parent = -1 },
		.base = resize_array(NULL, count + 1, sizeof(*vm->base)),
		.has_base = resize_array(NULL, count + 1, sizeof(*vm->has_base)),
	};
	memset(vm->has_base, 0, count * sizeof(*vm->has_base));
	return vm;
}

static void free_vm(struct vm *vm)
{
	free(vm->sum.name);
	free(vm->base);
	free(vm->has_base);
}

static void drop_ended_vms(struct debugfs *debugfs)
{
	size_t i, kept = 0;

	for (i = 0; i < debugfs->vms; i++) {
		if (debugfs->vm[i].exists)
			debugfs->vm[kept++] = debugfs->vm[i];
		else
			free_vm(&debugfs->vm[i]);
	}
	debugfs->vms = kept;
}

/* The thread that has created a VM need not be the first one of its process. */
static bool is_thread_of(pid_t pid, long tid)
{
	char path[64];

	if (tid == pid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%ld", (int)pid, tid);
	return !access(path, F_OK);
}

static void visit_vm(struct debugfs *debugfs, int dirfd, const char *name)
{
	struct vm *vm = get_vm(debugfs, name);
	int fd = openat(dirfd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	vm->exists = true;
	vm->sum.selected = !debugfs->pid || is_thread_of(debugfs->pid, atol(name));
	if (fd >= 0 && vm->sum.selected)
		read_vm(debugfs, vm, fd);
	if (fd >= 0)
		close(fd);
}

static bool is_vm(const char *name)
{
	size_t pid = strspn(name, "0123456789");

	return pid && name[pid] == '-' && name[pid + 1];
}

/* ---- the source ---- */

static void begin_reading(struct debugfs *debugfs)
{
	size_t i;

	for (i = 0; i < debugfs->source.count; i++)
		debugfs->source.stat[i].value = 0;
	for (i = 0; i < debugfs->vms; i++) {
		struct vm *vm = &debugfs->vm[i];

		vm->exists = false;
		vm->sum.before = vm->sum.value;
		vm->sum.value = 0;
	}
}

static bool debugfs_read(struct source *source)
{
	struct debugfs *debugfs = (struct debugfs *)source;
	DIR *dir = opendir(debugfs->dir);
	struct dirent *dirent;

	if (!dir)
		return source_fails(source, "cannot read %s: %s.", debugfs->dir, strerror(errno));
	begin_reading(debugfs);
	while ((dirent = readdir(dir))) {
		if (is_vm(dirent->d_name))
			visit_vm(debugfs, dirfd(dir), dirent->d_name);
	}
	closedir(dir);
	drop_ended_vms(debugfs);
	/* As in Python's kvm_stat, a VM that starts later counts from its first reading. */
	debugfs->include_past = false;
	return true;
}

static bool debugfs_select(struct source *source, pid_t pid)
{
	((struct debugfs *)source)->pid = pid;
	return true;
}

static void debugfs_reset(struct source *source)
{
	struct debugfs *debugfs = (struct debugfs *)source;
	size_t i;

	for (i = 0; i < debugfs->vms; i++)
		memset(debugfs->vm[i].has_base, 0, source->count * sizeof(bool));
}

static void debugfs_close(struct source *source)
{
	struct debugfs *debugfs = (struct debugfs *)source;

	while (debugfs->vms)
		free_vm(&debugfs->vm[--debugfs->vms]);
	free(debugfs->vm);
	free(debugfs->dir);
	source_free(source);
}

const struct statistic *debugfs_vm(const struct source *source, size_t index)
{
	const struct debugfs *debugfs = (const struct debugfs *)source;
	size_t i;

	for (i = 0; i < debugfs->vms; i++) {
		if (debugfs->vm[i].sum.selected && !index--)
			return &debugfs->vm[i].sum;
	}
	return NULL;
}

static void list_statistics(struct debugfs *debugfs)
{
	struct source *source = &debugfs->source;
	int dirfd = open(debugfs->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dirfd >= 0)
		add_files(source, debugfs->dir, dirfd);
	else if (errno == ENOENT)
		source_fails(source, "%s does not exist. Load KVM's module.",
			     debugfs->dir);
	else
		source_fails(source, "cannot read %s: %s. Run kvm_stat as root.", debugfs->dir,
			     strerror(errno));
	if (dirfd >= 0)
		close(dirfd);
}

struct source *debugfs_open(const char *dir, bool include_past)
{
	struct debugfs *debugfs = resize_array(NULL, 1, sizeof(*debugfs));
	char *mount = dir ? NULL : find_mount("debugfs");

	*debugfs = (struct debugfs){
		.source.select = debugfs_select,
		.source.read = debugfs_read,
		.source.reset = debugfs_reset,
		.source.close = debugfs_close,
		.include_past = include_past,
	};
	if (dir || mount) {
		debugfs->dir = dir ? copy_text(dir) : make_text("%s/kvm", mount);
		list_statistics(debugfs);
	} else {
		source_fails(&debugfs->source, "debugfs is not mounted. Run 'mount -t debugfs "
			     "none /sys/kernel/debug' as root.");
	}
	free(mount);
	return &debugfs->source;
}
