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

#include "model.h"
#include "source/sources.h"
#include "util.h"

static const char *kvm_dir = "/sys/kernel/debug/kvm";

void debugfs_set_path(const char *path)
{
	kvm_dir = path;
}

/* ---- values ---- */

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
	int err = 0;
	size_t i;

	for (i = 0; !err && i < kvmstats_schema_count(schema); i++) {
		const char *name = kvmstats_stat_name(kvmstats_schema_stat(schema, i));

		err = read_value(target->fd, name, &target->values[i]);
	}
	return err;
}

static void detach(struct target *target)
{
	close(target->fd);
}

/* ---- statistics of a VM ---- */

/* Not alphasort(), because the order must not depend on the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/*
 * Describes the statistic in the file @name. Returns 1, 0 if the file does not contain a number, or
 * -errno. @ignored has the names of files to leave out, or is NULL.
 */
static int describe(int dirfd, const char *name, const struct kvmstats_schema *ignored,
		    struct kvmstats_desc *desc)
{
	struct stat st;
	uint64_t value;
	int err;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    ends_with(name, "_hist") || (ignored && kvmstats_schema_find(ignored, name)))
		return 0;
	err = read_value(dirfd, name, &value);
	if (err)
		return err == -EINVAL ? 0 : err;
	*desc = (struct kvmstats_desc){
		.name = name,
		.type = st.st_mode & 0222 ? KVMSTATS_TYPE_CUMULATIVE : KVMSTATS_TYPE_INSTANT,
		.size = 1,
	};
	if (ends_with(name, "_ns")) {
		desc->unit = KVMSTATS_UNIT_SECONDS;
		desc->exponent = -9;
	}
	return 1;
}

/*
 * Makes the schema of the files that can be read: under lockdown, some fail with -EPERM. Then
 * @file_err is -errno, otherwise 0. Returns -errno if no file can be read.
 */
static int make_schema(const struct kvmstats_schema *ignored, int dirfd,
		       struct kvmstats_schema **schema, int *file_err)
{
	struct dirent **entry;
	int entries = scandirat(dirfd, ".", &entry, NULL, by_name);
	struct kvmstats_desc *desc;
	size_t count = 0;
	int i, err;

	if (entries < 0)
		return -errno;
	desc = calloc((size_t)entries + 1, sizeof(*desc));
	*file_err = 0;
	for (i = 0; desc && i < entries; i++) {
		err = describe(dirfd, entry[i]->d_name, ignored, &desc[count]);
		if (err < 0)
			*file_err = err;
		else
			count += err;
	}
	if (!desc)
		err = -ENOMEM;
	else if (count)
		err = kvmstats_schema_make(schema, desc, count, sizeof(*desc));
	else
		err = *file_err ? *file_err : -ENODATA;
	while (entries)
		free(entry[--entries]);
	free(entry);
	free(desc);
	return err;
}

static int add_vm(struct monitor *monitor, struct vmm *vmm, struct target target)
{
	/* Another source may have registered the vCPUs. */
	const struct stat_set *vcpus = target.source->has_sums ? NULL : vmm_set(vmm, SCOPE_VCPU);
	struct kvmstats_schema *schema;
	int err = make_schema(vcpus ? vcpus->schema : NULL, target.fd, &schema, &target.err);

	if (err)
		return err;
	target.set = stat_set_get(&monitor->sets, schema, true);
	if (!target.set || !target_add(vmm, &target))
		return -ENOMEM;
	return target.err;
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

static int attach_vm(struct monitor *monitor, struct vmm *vmm, const char *name,
		     struct target *key)
{
	const struct target *known;
	char path[PATH_MAX + NAME_MAX + 2];
	size_t targets;
	int err;

	key->vmm_fd = fd_of_vm(name, vmm->pid);
	if (key->vmm_fd < 0)
		return 0;
	key->vm++;
	known = target_keep(vmm, key);
	if (known)
		return known->err;
	snprintf(path, sizeof(path), "%s/%s", kvm_dir, name);
	key->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (key->fd < 0)
		return -errno;
	targets = vmm->targets;
	err = add_vm(monitor, vmm, *key);
	if (vmm->targets == targets)
		close(key->fd);
	return err;
}

/* The other sources number the VMs in the order of their fds, too. */
static int by_fd(const struct dirent **a, const struct dirent **b)
{
	const char *x = strchr((*a)->d_name, '-'), *y = strchr((*b)->d_name, '-');

	return strverscmp(x ? x : "", y ? y : "");
}

static int attach_source(struct monitor *monitor, struct vmm *vmm, const struct source *source)
{
	struct target key = {
		.source = source, .origin = ORIGIN_DEBUGFS, .vm = -1, .vcpu = -1,
	};
	struct dirent **entry;
	int entries = scandir(kvm_dir, &entry, NULL, by_fd);
	int last_err = 0;
	int i;

	if (entries < 0)
		return errno == ENOENT ? -ENODEV : -errno;
	for (i = 0; i < entries; i++) {
		int err = attach_vm(monitor, vmm, entry[i]->d_name, &key);

		if (err)
			last_err = err;
		free(entry[i]);
	}
	free(entry);
	return key.vm < 0 ? -ENOENT : last_err;
}

static int attach(struct monitor *monitor, struct vmm *vmm)
{
	if (!vmm->kvm)
		return 0;
	if (filter_selects_vcpus_only(monitor->options.filter))
		return -EDOM;
	return attach_source(monitor, vmm, &source_debugfs);
}

static int attach_vm_only(struct monitor *monitor, struct vmm *vmm)
{
	return attach_source(monitor, vmm, &source_debugfs_vm);
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
