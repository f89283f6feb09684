// SPDX-License-Identifier: GPL-2.0-only
/*
 * An open statistics fd keeps KVM's modules loaded: with nothing else left of
 * a VM, removing them fails, busy; once the fd is closed they go.
 *
 * Unloads and reloads KVM: not for a machine that has work for it.  It asks for
 * BOOT_VARIANT, which is set on machines that were made for tests.
 *
 * MODULE_LIFETIME_COUNT is how often KVM is loaded, used and unloaded (10).
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "kvm_stats_checks.h"
#include "suites.h"
#include "vm_alive.h"

#define MODULE_NAME_SIZE	64

static unsigned long count = 10;

/*
 * The module that uses kvm, as kvm_amd does.  Its name, or an empty one where
 * KVM is a single module, or NULL if there is none.
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

/* A VM is taken down when its last file is; modules are counted soon after. */
static const char *unload_soon(const char *module)
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

/* As ../init does: of the kernel's command line what begins with "MODULE.", without that. */
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

static const char *refuses_unload(const char *module)
{
	if (!unload(module)) {
		load(module);
		return stats_fail("%s could be removed", module);
	}
	if (errno != EWOULDBLOCK && errno != EBUSY)
		return stats_fail("delete_module(%s): %s, expected: %s", module,
				  strerror(errno), strerror(EWOULDBLOCK));
	return NULL;
}

/* The VMM is gone; of its fds nothing but one statistics fd is left. */
static const char *last_survivor(struct stats_target *target, int *fd)
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

	message = last_survivor(target, &fd);
	if (!message && *vendor)
		message = refuses_unload(vendor);
	if (!message)
		message = refuses_unload("kvm");
	return message;
}

/* With the modules of one VM in use already. */
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
			message = stats_fail("%ld users with %zu more files, before there were %ld",
					     kvm_module_users(), i + 1, users);
	}
	while (!message && i--)
		close(fds[i]);
	return message ? message : kvm_modules_are_left(users);
}

static const char *unload_all(const char *vendor)
{
	const char *message = *vendor ? unload_soon(vendor) : NULL;

	return message ? message : unload_soon("kvm");
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
	message = last_survivor(target, &fd);
	if (message)
		return message;
	close(fd);

	message = unload_all(vendor);
	if (!message)
		message = load_all(vendor);
	return message ? message : last_survivor(target, &fd);
}

/* The file of a VM and of a vCPU by turns is what is left before it goes. */
static const char *load_use_unload(const char *vendor, unsigned long round)
{
	struct stats_target target = { .vcpu_id = round % 2 ? STATS_VCPU_ID : -1 };
	const char *message;
	int fd;

	message = last_survivor(&target, &fd);
	if (message)
		return message;
	message = refuses_unload("kvm");
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

static const struct stats_check checks[] = {
	STATS_CHECK("open_fd_keeps_modules", keeps_modules),
	STATS_CHECK("open_fds_are_counted", counts_fds),
	STATS_CHECK("closed_fd_releases_modules", releases_modules),
};

static const struct stats_check repeated[] = {
	STATS_CHECK("loaded_used_and_unloaded", reloads),
};

static const struct stats_suite suites[] = {
	{ "vm", -1, checks, ARRAY_SIZE(checks), NULL },
	{ "vcpu", STATS_VCPU_ID, checks, ARRAY_SIZE(checks), NULL },
	{ "kvm", -1, repeated, ARRAY_SIZE(repeated), NULL },
};

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");
	const char *wanted = getenv("MODULE_LIFETIME_COUNT");

	if (!variant)
		return tap_skip_all("removes KVM's modules; set BOOT_VARIANT where it may");
	if (!strcmp(variant, "unpatched"))
		return tap_skip_all("this kernel lacks the statistics fd");
	if (!vendor_module())
		return tap_skip_all("KVM is not a module here");

	if (wanted)
		count = strtoul(wanted, NULL, 0);
	run_suites(suites, ARRAY_SIZE(suites));
	return tap_end();
}
