// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test that an open statistics fd keeps KVM's modules loaded. If nothing but the fd is left
 * of a VM, the removal of the modules fails with EWOULDBLOCK or EBUSY. After the fd is
 * closed, the removal succeeds. The fd of an observer keeps only the module with its code.
 *
 * The program unloads and reloads KVM, so it runs only if BOOT_VARIANT is set, as in
 * test machines.
 */
#define _GNU_SOURCE
#include <dirent.h>

#include "kvm_stats_checks.h"
#include "kvm_stats_open.h"
#include "lib/run.h"
#include "lib/vm_dir.h"

#define SWITCHES	10	/* each before KVM is unloaded */

/* The module that uses kvm, for example kvm_amd, or "" if KVM is a single module. */
static char vendor[64];

/* Finds @vendor. Returns false if KVM is not a module. */
static bool find_vendor(void)
{
	FILE *modules = fopen("/proc/modules", "r");
	bool found = false;
	char line[512];

	while (modules && !found && fgets(line, sizeof(line), modules))
		found = sscanf(line, "kvm %*u %*d %63[^,\n ]", vendor) == 1;
	if (modules)
		fclose(modules);
	if (!strcmp(vendor, "-"))
		vendor[0] = '\0';
	return found;
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK);
}

/* Retries, because the kernel drops the use counts only after the last close() has returned. */
static void unload_with_retries(const char *module)
{
	int tries = 500;

	while (unload(module)) {
		if (!tries--)
			fail("delete_module(%s): %s", module, strerror(errno));
		usleep(20000);
	}
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

static void load(const char *module)
{
	char path[96], parameters[512], *c;
	int fd;

	snprintf(path, sizeof(path), "/modules/%s.ko", module);
	for (c = path; *c; c++)
		if (*c == '_')
			*c = '-';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("open of %s: %s", path, strerror(errno));
	find_parameters(module, parameters, sizeof(parameters));
	if (syscall(SYS_finit_module, fd, parameters, 0))
		fail("finit_module of %s: %s", path, strerror(errno));
	close(fd);
}

static void check_unload_refused(const char *module)
{
	if (!unload(module)) {
		load(module);
		fail("%s could be removed while a statistics fd was open", module);
	}
	if (errno != EWOULDBLOCK && errno != EBUSY)
		fail("delete_module(%s): %s, expected: %s", module, strerror(errno),
		     strerror(EWOULDBLOCK));
}

/* Kills a VMM. Returns one of its statistics fds, which is the only reference to the VM. */
static int open_last_fd(struct stats_target *target)
{
	int which = stats_target_kind(target, STATS_FD_VM_STATS,
				      STATS_FD_VCPU_STATS);
	struct stats_vmm vmm;
	int fd;

	must(stats_vmm_start(&vmm));
	stats_vmm_kill(&vmm);
	fd = vmm.fds[which];
	vmm.fds[which] = -1;
	stats_close_fds(vmm.fds);
	must(stats_file_load(&target->file, fd));
	must(stats_still_reads(target, fd, vmm.pid));
	return fd;
}

static const char *keeps_modules(struct stats_target *target)
{
	open_last_fd(target);
	if (*vendor)
		check_unload_refused(vendor);
	check_unload_refused("kvm");
	return NULL;
}

/* Each statistics fd counts as one more user of the modules. */
static const char *counts_fds(struct stats_target *target)
{
	long users, i;
	int fds[5];

	must(set_up_vm(target));
	users = kvm_module_users();
	for (i = 0; i < (long)ARRAY_SIZE(fds); i++) {
		must(stats_getfd(target->getfd_fd, &fds[i]));
		if (kvm_module_users() != users + i + 1)
			fail("%ld users with %ld statistics fds, and %ld without",
			     kvm_module_users(), i + 1, users);
	}
	while (i--)
		close(fds[i]);
	kvm_module_users_become(users);
	return NULL;
}

static void unload_all(void)
{
	if (*vendor)
		unload_with_retries(vendor);
	unload_with_retries("kvm");
}

static void load_all(void)
{
	load("kvm");
	if (*vendor)
		load(vendor);
}

static const char *releases_modules(struct stats_target *target)
{
	close(open_last_fd(target));
	unload_all();
	load_all();
	open_last_fd(target);
	return NULL;
}

/* The first VM after a load of the module has the number 1. */
static void expect_number_1(void)
{
	int fds[STATS_NUM_FDS], fd;
	uint64_t vm;

	must(stats_bare_vm(fds));
	must(stats_open_last(&vm, &fd));
	if (vm != 1)
		fail("the number of the first VM is %llu, expected 1", (unsigned long long)vm);
}

/* An observer's file of a VM that has ended. */
static int observer = -1;

static void check_observer(const void *arg)
{
	uint8_t byte;

	kvm_module_users_become(1);
	check_unload_refused("kvm");
	must(stats_refused("pread", pread(observer, &byte, 1, 0), ENODEV));
}

/* An observer's file holds its code, but not the VM. */
static const char *observer_keeps_kvm(struct stats_target *target)
{
	int fds[STATS_NUM_FDS];
	bool passed;

	if (!kernel_has_stats_open())
		return stats_skip(NO_STATS_OPEN);
	must(stats_bare_vm(fds));
	must(stats_open(fds[STATS_FD_VM], &observer));
	stats_close_fds(fds);
	if (*vendor)
		unload_with_retries(vendor);
	passed = passes(check_observer, NULL);
	close(observer);
	/* The next checks need the modules. */
	if (passed)
		unload_with_retries("kvm");
	if (passed)
		load("kvm");
	if (*vendor)
		load(vendor);
	must(passed ? NULL : failure);
	expect_number_1();
	return NULL;
}

/*
 * Opens remote_tlb_flush, or any file where the architecture does not have it. In Linux 7.2, some
 * files that are no statistics hold their VM, but not the vendor module.
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

/* Kills a VMM. Returns a file of the VM's debugfs directory, the only reference to the VM. */
static int open_last_debugfs_file(void)
{
	struct stats_vmm vmm;
	struct vm_dir dir;
	int fd;

	must(stats_vmm_start(&vmm));
	dir = vm_dir(vmm.pid, vmm.remote[STATS_FD_VM]);
	fd = open_any_file(dir.path);
	if (fd < 0)
		fail("no file of %s opens: %s", dir.path, strerror(errno));
	stats_vmm_kill(&vmm);
	stats_close_fds(vmm.fds);
	return fd;
}

static const char *debugfs_keeps_modules(struct stats_target *target)
{
	long users = kvm_module_users();
	int fd;

	if (vm_dirs_skip_reason())
		return stats_skip("debugfs is not mounted");
	if (!*vendor)
		return stats_skip("KVM is a single module");
	fd = open_last_debugfs_file();
	check_unload_refused(vendor);
	close(fd);
	kvm_module_users_become(users);
	return NULL;
}

/* Nothing that is left to do when the parameter has been written may run in removed modules. */
static const char *removed_after_switch(struct stats_target *target)
{
	int round;

	if (!kernel_has_exit_stats())
		return stats_skip(NO_EXIT_STATS);
	for (round = 0; round < SWITCHES; round++) {
		if (!exit_stats_enable(true) || !exit_stats_enable(false))
			fail("kvm.exit_stats: %s", strerror(errno));
		unload_all();
		load_all();
	}
	return NULL;
}

static const struct stats_check checks[] = {
	STATS_CHECK("open_fd_keeps_modules", keeps_modules),
	STATS_CHECK("open_fds_are_counted", counts_fds),
	STATS_CHECK("closed_fd_releases_modules", releases_modules),
};

static const struct stats_check once[] = {
	STATS_CHECK("observer_keeps_kvm_only", observer_keeps_kvm),
	STATS_CHECK("open_debugfs_file_keeps_modules", debugfs_keeps_modules),
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

	if (!variant)
		return tap_skip_all("removes KVM's modules; set BOOT_VARIANT to allow that");
	if (!strcmp(variant, "unpatched"))
		return tap_skip_all("this kernel does not have the statistics fd");
	if (!find_vendor())
		return tap_skip_all("KVM is not a module");

	run_suites(suites, ARRAY_SIZE(suites));
	return tap_end();
}
