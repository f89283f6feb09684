// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test that an open statistics fd keeps KVM's modules loaded. If nothing but the fd is left
 * of a VM, the removal of the modules fails with EWOULDBLOCK or EBUSY. After the fd is
 * closed, the removal succeeds. The fd of an observer keeps only the module with its code.
 *
 * The program unloads and reloads KVM, so it runs only if BOOT_VARIANT is set, as in
 * test machines.
 *
 * MODULE_LIFETIME_COUNT is how often KVM is loaded, used and unloaded (default: 10).
 */
#define _GNU_SOURCE
#include <dirent.h>

#include "kvm_stats_checks.h"
#include "kvm_stats_open.h"
#include "lib/run.h"
#include "lib/vm_dir.h"

#define MODULE_NAME_SIZE	64

static unsigned long count = 10;

/*
 * Returns the name of the module that uses kvm, for example kvm_amd. Returns "" if KVM is a
 * single module, and NULL if KVM is not a module.
 */
static const char *vendor_module(void)
{
	static char name[MODULE_NAME_SIZE];
	FILE *modules = fopen("/proc/modules", "r");
	const char *found = NULL;
	char line[512];

	while (modules && !found && fgets(line, sizeof(line), modules)) {
		if (sscanf(line, "kvm %*u %*d %63[^,\n ]", name) == 1)
			found = strcmp(name, "-") ? name : "";
	}
	if (modules)
		fclose(modules);
	return found;
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK);
}

/* Retries, because the kernel drops the use counts only after the last close() has returned. */
static const char *unload_with_retries(const char *module)
{
	int tries = 500;

	while (unload(module)) {
		if (!tries--)
			return stats_fail("delete_module(%s): %s", module,
					  strerror(errno));
		usleep(20000);
	}
	return NULL;
}

/* Finds "MODULE.NAME=VALUE" on the kernel's command line, as ../machine/init does. */
static void find_parameters(const char *module, char *parameters, size_t size)
{
	FILE *cmdline = fopen("/proc/cmdline", "r");
	size_t prefix = strlen(module), len = 0;
	char word[256];

	parameters[0] = '\0';
	while (cmdline && fscanf(cmdline, "%255s", word) == 1) {
		if (!strncmp(word, module, prefix) && word[prefix] == '.')
			len += snprintf(parameters + len, size - len, "%s ", word + prefix + 1);
		if (len >= size)
			break;
	}
	if (cmdline)
		fclose(cmdline);
}

static const char *load(const char *module)
{
	char path[MODULE_NAME_SIZE + 32], parameters[512], *c;
	int fd;

	snprintf(path, sizeof(path), "/modules/%s.ko", module);
	for (c = path; *c; c++)
		if (*c == '_')
			*c = '-';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return stats_fail("open of %s: %s", path, strerror(errno));
	find_parameters(module, parameters, sizeof(parameters));
	if (syscall(SYS_finit_module, fd, parameters, 0))
		return stats_fail("finit_module of %s: %s", path, strerror(errno));
	close(fd);
	return NULL;
}

static const char *check_unload_refused(const char *module)
{
	if (!unload(module)) {
		load(module);
		return stats_fail("%s could be removed while a statistics fd was open", module);
	}
	if (errno != EWOULDBLOCK && errno != EBUSY)
		return stats_fail("delete_module(%s): %s, expected: %s", module,
				  strerror(errno), strerror(EWOULDBLOCK));
	return NULL;
}

/* Kills a VMM and keeps one of its statistics fds as the only reference to the VM. */
static const char *open_last_fd(struct stats_target *target, int *fd)
{
	int which = stats_target_kind(target, STATS_FD_VM_STATS,
				      STATS_FD_VCPU_STATS);
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);

	if (message)
		return message;
	stats_vmm_kill(&vmm);
	*fd = vmm.fds[which];
	vmm.fds[which] = -1;
	stats_close_fds(vmm.fds);
	message = stats_file_load(&target->file, *fd);
	return message ? message : stats_still_reads(target, *fd, vmm.pid);
}

static const char *keeps_modules(struct stats_target *target)
{
	const char *vendor = vendor_module();
	const char *message;
	int fd;

	message = open_last_fd(target, &fd);
	if (!message && *vendor)
		message = check_unload_refused(vendor);
	if (!message)
		message = check_unload_refused("kvm");
	return message;
}

/* Each statistics fd counts as one more user of the modules. */
static const char *counts_fds(struct stats_target *target)
{
	int vm_fds[STATS_NUM_FDS], fds[5];
	const char *message = stats_bare_vm(vm_fds);
	long users = kvm_module_users();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds) && !message; i++) {
		message = stats_getfd(vm_fds[stats_target_kind(target, STATS_FD_VM,
							       STATS_FD_VCPU)], &fds[i]);
		if (!message && kvm_module_users() != users + (long)i + 1)
			message = stats_fail("%ld users with %zu statistics fds, and %ld without",
					     kvm_module_users(), i + 1, users);
	}
	while (!message && i--)
		close(fds[i]);
	return message ? message : kvm_module_users_become(users);
}

static const char *unload_all(const char *vendor)
{
	const char *message = *vendor ? unload_with_retries(vendor) : NULL;

	return message ? message : unload_with_retries("kvm");
}

static const char *load_all(const char *vendor)
{
	const char *message = load("kvm");

	return message || !*vendor ? message : load(vendor);
}

static const char *releases_modules(struct stats_target *target)
{
	char vendor[MODULE_NAME_SIZE];
	const char *message;
	int fd;

	snprintf(vendor, sizeof(vendor), "%s", vendor_module());
	message = open_last_fd(target, &fd);
	if (message)
		return message;
	close(fd);

	message = unload_all(vendor);
	if (!message)
		message = load_all(vendor);
	return message ? message : open_last_fd(target, &fd);
}

/* The first VM after a load of the module has the number 1. */
static const char *first_number_is_1(void)
{
	int fds[STATS_NUM_FDS], fd;
	const char *message = stats_bare_vm(fds);
	uint64_t vm;

	if (!message)
		message = stats_open_last(&vm, &fd);
	return message || vm == 1 ? message :
	       stats_fail("the number of the first VM is %llu, expected 1",
			  (unsigned long long)vm);
}

/* An observer's file holds its code, but not the VM. */
static const char *observer_keeps_kvm(struct stats_target *target)
{
	char vendor[MODULE_NAME_SIZE];
	int fds[STATS_NUM_FDS], fd;
	const char *message;
	uint8_t byte;

	(void)target;
	if (!kernel_has_stats_open())
		return stats_skip(NO_STATS_OPEN);
	snprintf(vendor, sizeof(vendor), "%s", vendor_module());
	message = stats_bare_vm(fds);
	if (!message)
		message = stats_open(fds[STATS_FD_VM], &fd);
	if (message)
		return message;
	stats_close_fds(fds);
	message = *vendor ? unload_with_retries(vendor) : NULL;
	if (!message)
		message = kvm_module_users_become(1);
	if (!message)
		message = check_unload_refused("kvm");
	if (!message)
		message = stats_refused("pread", pread(fd, &byte, 1, 0), ENODEV);
	close(fd);
	if (message && *vendor)
		load(vendor);
	if (!message)
		message = unload_with_retries("kvm");
	if (!message)
		message = load_all(vendor);
	return message ? message : first_number_is_1();
}

/*
 * Opens remote_tlb_flush, or any file where the architecture does not have it. In Linux 6.12 and
 * 7.2, some files that are no statistics hold their VM, but not the vendor module.
 */
static int open_any_file(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int fd = dir ? openat(dirfd(dir), "remote_tlb_flush", O_RDONLY | O_CLOEXEC) : -1;

	while (dir && fd < 0 && (entry = readdir(dir)))
		if (entry->d_type == DT_REG)
			fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
	if (dir)
		closedir(dir);
	return fd;
}

/* Kills a VMM and keeps a file in the VM's debugfs directory as the only reference to the VM. */
static const char *open_last_debugfs_file(int *fd)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	struct vm_dir dir;

	if (message)
		return message;
	dir = vm_dir(vmm.pid, vmm.remote[STATS_FD_VM]);
	*fd = open_any_file(dir.path);
	if (*fd < 0)
		message = stats_fail("no file of %s opens: %s", dir.path, strerror(errno));
	stats_vmm_kill(&vmm);
	stats_close_fds(vmm.fds);
	return message;
}

static const char *debugfs_keeps_modules(struct stats_target *target)
{
	long users = kvm_module_users();
	const char *vendor = vendor_module();
	const char *message;
	int fd;

	(void)target;
	if (vm_dirs_skip_reason())
		return stats_skip("debugfs is not mounted");
	if (!*vendor)
		return stats_skip("KVM is a single module");
	message = open_last_debugfs_file(&fd);
	if (message)
		return message;
	message = check_unload_refused(vendor);
	close(fd);
	return message ? message : kvm_module_users_become(users);
}

/* The fd that remains open belongs to a VM in even rounds, and to a vCPU in odd rounds. */
static const char *load_use_unload(const char *vendor, unsigned long round)
{
	struct stats_target target = { .vcpu_id = round % 2 ? STATS_VCPU_ID : -1 };
	const char *message;
	int fd;

	message = open_last_fd(&target, &fd);
	if (message)
		return message;
	message = check_unload_refused("kvm");
	close(fd);
	stats_file_free(&target.file);
	if (!message)
		message = unload_all(vendor);
	return message ? message : load_all(vendor);
}

static const char *reloads(struct stats_target *target)
{
	char vendor[MODULE_NAME_SIZE];
	const char *message = NULL;
	unsigned long round;

	(void)target;
	snprintf(vendor, sizeof(vendor), "%s", vendor_module());
	for (round = 0; round < count && !message; round++)
		message = load_use_unload(vendor, round);
	if (message)
		return stats_fail("round %lu: %s", round, message);
	tap_tried(count, "rounds of loading, using and unloading KVM");
	return NULL;
}

/* Nothing that is left to do when the parameter has been written may run in removed modules. */
static const char *removed_after_switch(struct stats_target *target)
{
	char vendor[MODULE_NAME_SIZE];
	const char *message = NULL;
	unsigned long round;

	(void)target;
	if (!kernel_has_exit_stats())
		return stats_skip(NO_EXIT_STATS);
	snprintf(vendor, sizeof(vendor), "%s", vendor_module());
	for (round = 0; round < count && !message; round++) {
		if (!exit_stats_enable(true) || !exit_stats_enable(false))
			return stats_fail("kvm.exit_stats: %s", strerror(errno));
		message = unload_all(vendor);
		if (!message)
			message = load_all(vendor);
	}
	return message;
}

static const struct stats_check checks[] = {
	STATS_CHECK("open_fd_keeps_modules", keeps_modules),
	STATS_CHECK("open_fds_are_counted", counts_fds),
	STATS_CHECK("closed_fd_releases_modules", releases_modules),
};

static const struct stats_check once[] = {
	STATS_CHECK("observer_keeps_kvm_only", observer_keeps_kvm),
	STATS_CHECK("open_debugfs_file_keeps_modules", debugfs_keeps_modules),
	STATS_CHECK("loaded_used_and_unloaded", reloads),
	STATS_CHECK("removed_after_switch_of_exit_stats", removed_after_switch),
};

static const struct stats_suite suites[] = {
	{ "vm", -1, checks, ARRAY_SIZE(checks), NULL },
	{ "vcpu", STATS_VCPU_ID, checks, ARRAY_SIZE(checks), NULL },
	{ "kvm", -1, once, ARRAY_SIZE(once), NULL },
};

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");
	const char *value = getenv("MODULE_LIFETIME_COUNT");

	if (!variant)
		return tap_skip_all("removes KVM's modules; set BOOT_VARIANT to allow that");
	if (!strcmp(variant, "unpatched"))
		return tap_skip_all("this kernel does not have the statistics fd");
	if (!vendor_module())
		return tap_skip_all("KVM is not a module");

	if (value)
		count = strtoul(value, NULL, 0);
	run_suites(suites, ARRAY_SIZE(suites));
	return tap_end();
}
