// SPDX-License-Identifier: GPL-2.0-only
/*
 * An open statistics fd keeps KVM's modules loaded: with nothing else left of
 * a VM, removing them fails, busy; once the fd is closed they go.
 *
 * Unloads and reloads KVM: not for a machine that has work for it.  It asks for
 * BOOT_VARIANT, which is set on machines that were made for tests.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "kvm_stats_checks.h"
#include "tap.h"

#define MODULE_NAME_SIZE	64

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

static const char *load(const char *module)
{
	char path[MODULE_NAME_SIZE + 32], *c;
	int fd;

	snprintf(path, sizeof(path), "/modules/%s.ko", module);
	for (c = path; *c; c++)
		if (*c == '_')
			*c = '-';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return stats_fail("open of %s: %s", path, strerror(errno));
	if (syscall(SYS_finit_module, fd, "", 0))
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

	if (*vendor)
		message = unload_soon(vendor);
	if (!message)
		message = unload_soon("kvm");
	if (!message)
		message = load("kvm");
	if (!message && *vendor)
		message = load(vendor);
	return message ? message : last_survivor(target, &fd);
}

static const struct stats_check checks[] = {
	STATS_CHECK("open_fd_keeps_modules", keeps_modules),
	STATS_CHECK("closed_fd_releases_modules", releases_modules),
};

static const struct stats_suite suites[] = {
	{ "vm", -1, checks, ARRAY_SIZE(checks), NULL },
	{ "vcpu", STATS_VCPU_ID, checks, ARRAY_SIZE(checks), NULL },
};

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");
	size_t i, j;

	if (!variant)
		return tap_skip_all("removes KVM's modules; set BOOT_VARIANT where it may");
	if (!strcmp(variant, "unpatched"))
		return tap_skip_all("this kernel lacks the statistics fd");
	if (!vendor_module())
		return tap_skip_all("KVM is not a module here");

	tap_plan(ARRAY_SIZE(suites) * ARRAY_SIZE(checks));
	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		for (j = 0; j < ARRAY_SIZE(checks); j++) {
			const struct stats_outcome *outcome;

			outcome = stats_run(&suites[i], &checks[j]);
			tap_report(outcome->verdict == STATS_PASS ? TAP_OK :
				   TAP_NOT_OK, suites[i].name, checks[j].name,
				   outcome->message);
		}
	}
	return tap_end();
}
