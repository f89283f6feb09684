// SPDX-License-Identifier: GPL-2.0-only
/*
 * The debugfs source: a directory kvm/PID-FD for each VM, with a file for each statistic. PID is
 * the ID of the thread that created the VM. Statistics of vCPUs are sums over all vCPUs of the
 * VM. Files of histograms show only one bucket, and are ignored. The kernel ensures that a
 * statistic of vCPUs and one of VMs never have the same name.
 *
 * debugfs has no types and units. A writable file can be cleared, so its value is assumed to be
 * cumulative; other values are instantaneous. A name that ends in _ns is assumed to be a time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "source/mount.h"
#include "source/debugfs.h"
#include "targets/vmm.h"

#define MAX_FILES	1024

/* ---- values ---- */

/* The private data of a target. */
struct values {
	int file_err;	/* -errno: some files cannot be read */
	uint64_t value[];
};

static int read_value(int dirfd, const char *name, uint64_t *value)
{
	char text[32], *end;
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	err = n < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	text[n] = '\0';
	*value = strtoull(text, &end, 10);
	return end != text && (*end == '\n' || !*end) ? 0 : -EINVAL;
}

static int read_target(struct target *target)
{
	const struct kvmstats_schema *schema = target->set->schema;
	size_t count = kvmstats_schema_count(schema);
	struct values *values = target->private;
	size_t i;

	for (i = 0; i < count; i++) {
		const char *name = kvmstats_stat_name(kvmstats_schema_stat(schema, i));
		int err = read_value(target->fd, name, &values->value[i]);

		if (err)
			return err;
	}
	return kvmstats_sample_set(target->now, values->value, count, clock_now());
}

static void detach(struct target *target)
{
	free(target->private);
	close(target->fd);
}

/* ---- statistics of a VM ---- */

struct file_list {
	struct kvmstats_desc desc[MAX_FILES];
	size_t count;
	const struct kvmstats_schema *ignored;	/* leave out files with these names; or NULL */
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text);

	return len > strlen(end) && !strcmp(text + len - strlen(end), end);
}

static int by_name(const void *a, const void *b)
{
	const struct kvmstats_desc *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/*
 * Ignores files that do not contain a number. Returns 0 or -errno. Other files may be readable
 * after an error: under lockdown, some fail with -EPERM.
 */
static int add_file(struct file_list *files, int dirfd, const char *name)
{
	struct kvmstats_desc *desc = &files->desc[files->count];
	struct stat st;
	uint64_t value;
	int err;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    ends_with(name, "_hist") ||
	    (files->ignored && kvmstats_schema_find(files->ignored, name)))
		return 0;
	err = read_value(dirfd, name, &value);
	if (err == -EINVAL || files->count == MAX_FILES)
		return 0;
	if (err)
		return err;
	*desc = (struct kvmstats_desc){
		.name = strdup(name),
		.type = st.st_mode & 0222 ? KVMSTATS_TYPE_CUMULATIVE : KVMSTATS_TYPE_INSTANT,
		.size = 1,
	};
	if (!desc->name)
		return -ENOMEM;
	if (ends_with(name, "_ns")) {
		desc->unit = KVMSTATS_UNIT_SECONDS;
		desc->exponent = -9;
	}
	files->count++;
	return 0;
}

/* Returns 0, or -errno if some or all files cannot be read. */
static int list_files(struct file_list *files, int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *dirent;
	int last_err = 0;

	files->count = 0;
	if (!dir) {
		last_err = -errno;
		if (fd >= 0)
			close(fd);
		return last_err;
	}
	while ((dirent = readdir(dir))) {
		int err = add_file(files, dirfd, dirent->d_name);

		if (err)
			last_err = err;
	}
	closedir(dir);
	qsort(files->desc, files->count, sizeof(*files->desc), by_name);
	return files->count || last_err ? last_err : -ENODATA;
}

static void free_files(struct file_list *files)
{
	while (files->count)
		free((char *)files->desc[--files->count].name);
	free(files);
}

/*
 * Returns -errno if no file can be read. If only some fail, returns 0 and sets @file_err to
 * -errno.
 */
static int make_set(struct source_context *context, const struct kvmstats_schema *ignored,
		    int dirfd, const struct stat_set **set, int *file_err)
{
	struct file_list *files = malloc(sizeof(*files));
	struct kvmstats_schema *schema;
	int err;

	if (!files)
		return -ENOMEM;
	files->ignored = ignored;
	*file_err = list_files(files, dirfd);
	err = files->count ? 0 : *file_err;
	if (!err)
		err = kvmstats_schema_make(&schema, files->desc, files->count,
					   sizeof(*files->desc));
	if (!err)
		err = stat_sets_add(&context->sets, schema, set);
	free_files(files);
	return err;
}

/* Returns the schema of the vCPUs that another source has registered, or NULL. */
static const struct kvmstats_schema *vcpu_schema(const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < vmm->list.count; i++) {
		if (vmm->list.target[i]->scope == SCOPE_VCPU)
			return vmm->list.target[i]->set->schema;
	}
	return NULL;
}

static int add_vm(struct source_context *context, struct vmm *vmm, const struct target_key *key,
		  int dirfd, int *file_err)
{
	const struct stat_set *set;
	struct target *target;
	struct values *values;
	int err = make_set(context, key->source->has_sums ? NULL : vcpu_schema(vmm), dirfd, &set,
			   file_err);

	if (err)
		return err;
	values = calloc(1, sizeof(*values) + kvmstats_schema_count(set->schema) * sizeof(uint64_t));
	target = values ? target_add(vmm, key, set) : NULL;
	if (!target) {
		free(values);
		return -ENOMEM;
	}
	target->fd = dirfd;
	target->origin = ORIGIN_DEBUGFS;
	target->private = values;
	values->file_err = *file_err;
	return 0;
}

/* ---- VMs of a VMM ---- */

static bool is_thread_of(pid_t pid, long tid)
{
	char path[64];

	if (tid == pid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%ld", (int)pid, tid);
	return !access(path, F_OK);
}

/* Returns the number of the VM's fd, or -1 if directory @name belongs to another process. */
static int fd_of_vm(const char *name, pid_t pid)
{
	char *end;
	long tid = strtol(name, &end, 10);
	long fd;

	if (end == name || *end != '-' || !is_thread_of(pid, tid))
		return -1;
	name = end + 1;
	fd = strtol(name, &end, 10);
	return end != name && !*end && fd >= 0 && fd <= INT_MAX ? (int)fd : -1;
}

static int attach_vm(struct source_context *context, struct vmm *vmm, const char *kvm,
		     const char *name, struct target_key *key)
{
	const struct target *known;
	char path[PATH_MAX + NAME_MAX + 2];
	int file_err = 0;
	int dirfd;
	int err;

	key->vmm_fd = fd_of_vm(name, vmm->pid);
	if (key->vmm_fd < 0)
		return 0;
	key->vm++;
	known = target_keep(vmm, key);
	if (known)
		return ((const struct values *)known->private)->file_err;
	snprintf(path, sizeof(path), "%s/%s", kvm, name);
	dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0)
		return -errno;
	err = add_vm(context, vmm, key, dirfd, &file_err);
	if (err)
		close(dirfd);
	return err ? err : file_err;
}

/* The other sources number the VMs in the order of their fds, too. */
static int by_fd(const struct dirent **a, const struct dirent **b)
{
	const char *x = strchr((*a)->d_name, '-'), *y = strchr((*b)->d_name, '-');

	return strverscmp(x ? x : "", y ? y : "");
}

static int attach_vms(struct source_context *context, struct vmm *vmm, const char *kvm,
		      const struct source *source)
{
	struct target_key key = { .source = source, .vm = -1, .vcpu = -1 };
	struct dirent **entry;
	int entries = scandir(kvm, &entry, NULL, by_fd);
	int last_err = 0;
	int i;

	if (entries < 0)
		return errno == ENOENT ? -ENODEV : -errno;
	for (i = 0; i < entries; i++) {
		int err = attach_vm(context, vmm, kvm, entry[i]->d_name, &key);

		if (err)
			last_err = err;
		free(entry[i]);
	}
	free(entry);
	return key.vm < 0 ? -ENOENT : last_err;
}

static const char *test_path;

void debugfs_set_path(const char *path)
{
	test_path = path;
}

static int attach_source(struct source_context *context, struct vmm *vmm,
			 const struct source *source)
{
	char path[PATH_MAX];
	int err = test_path ? 0 : mounted_path("debugfs", "kvm", path, sizeof(path));

	return err ? err : attach_vms(context, vmm, test_path ? test_path : path, source);
}

static int attach(struct source_context *context, struct vmm *vmm)
{
	if (!vmm->kvm)
		return 0;
	if (filter_selects_vcpus_only(context->filter))
		return -EDOM;
	return attach_source(context, vmm, &source_debugfs);
}

static int attach_vm_only(struct source_context *context, struct vmm *vmm)
{
	return attach_source(context, vmm, &source_debugfs_vm);
}

const struct source source_debugfs = {
	.attach = attach,
	.read = read_target,
	.detach = detach,
	.has_sums = true,
};

const struct source source_debugfs_vm = {
	.attach = attach_vm_only,
	.read = read_target,
	.detach = detach,
	.replaces_fds = true,
};
