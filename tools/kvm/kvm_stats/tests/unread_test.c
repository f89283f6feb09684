// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test messages that depend on files of the host, and which statistics may be missing in debugfs.
 * unreadable.sh of tools.t tests the others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest_files.h"
#include "tap.h"
#include "unread.h"
#include "util.h"

static char *printed;

/* Calls @fn, and stores what it prints in @printed. */
static void capture(void (*fn)(void *arg), void *arg)
{
	FILE *file = tmpfile();
	int old = dup(STDERR_FILENO);

	if (!file || old < 0 || dup2(fileno(file), STDERR_FILENO) < 0)
		exit(1);
	fn(arg);
	if (dup2(old, STDERR_FILENO) < 0)
		exit(1);
	close(old);
	free(printed);
	printed = calloc(1, 4096);
	rewind(file);
	if (!printed || (!fread(printed, 1, 4095, file) && ferror(file)))
		exit(1);
	fclose(file);
}

static void check_printed(const char *expected, const char *what)
{
	if (!tap_ok(printed && !strcmp(printed, expected), "%s", what))
		printf("# expected:\n%s# found:\n%s", expected, printed);
}

static const struct kvmstats_vmm *any_kvm(void)
{
	static int dummy;

	return (const struct kvmstats_vmm *)&dummy;
}

static void print_denied_tracepoints(void *arg)
{
	(void)arg;
	explain_tracepoints(-EACCES);
}

/* ---- files ---- */

static void test_level(const char *level, const char *capability)
{
	struct guest_files files;
	char other[32];

	if (guest_files_make(&files))
		exit(1);
	proc_set_root(files.dir);
	guest_files_write(&files, 0600, level, "sys/kernel/perf_event_paranoid");
	capture(print_denied_tracepoints, NULL);
	guest_files_remove(&files);
	snprintf(other, sizeof(other), " It is %s.", level);
	if (!tap_ok(strstr(printed, capability) && strstr(printed, other),
		    "at level %s, tracepoints need %s", level, capability))
		printf("# found:\n%s", printed);
}

/* Debian has level 3, where the kernel does not accept CAP_PERFMON. */
static void test_tracepoints(void)
{
	test_level("2", "CAP_PERFMON");
	tap_ok(!strstr(printed, "CAP_SYS_ADMIN"), "and not CAP_SYS_ADMIN");
	test_level("3", "CAP_SYS_ADMIN");
	tap_ok(!strstr(printed, "CAP_PERFMON"), "and not only CAP_PERFMON");
}

/* ---- fds that cannot be compared ---- */

int __wrap_kvmstats_vmm_distinct(const struct kvmstats_vmm *vmm)
{
	(void)vmm;
	return 0;
}

static void print_unread(void *monitor)
{
	report_unread(monitor);
}

static void test_kcmp(void)
{
	struct vmm vmm = { .pid = 1, .comm = "vmm", .kvm = any_kvm() }, *vmms = &vmm;
	struct filter filter = { 0 };
	struct monitor monitor = { .vmm = &vmms, .vmms = 1, .options.filter = &filter };

	capture(print_unread, &monitor);
	check_printed("kvm-stats: PID 1 (vmm): only the VM with the lowest fd is read: "
		      "fds cannot be compared\n"
		      "kvm-stats: Use a kernel with kcmp(), and no seccomp filter that refuses it.\n",
		      "without kcmp() VMs can be missing");
	capture(print_unread, &monitor);
	check_printed("", "this is reported once");
}

/* ---- statistics that may be missing ---- */

static struct stat_set vcpu_set = { .stats = 1 };
static struct source source;
static struct target vcpu = { .source = &source, .origin = ORIGIN_TAKEN, .set = &vcpu_set };

/* The kernel is locked down. */
static void test_missing_in_debugfs(void)
{
	static struct source sums = { .has_sums = true };
	struct target vm = { .source = &source, .origin = ORIGIN_DEBUGFS, .set = &vcpu_set };
	struct target *both[] = { &vm, &vcpu };
	struct vmm vmm = { .target = both, .targets = 2, .unread.debugfs_error = -EPERM };
	struct filter filter = { 0 };

	tap_ok(!vmm_fails(&vmm, &filter), "debugfs may have some values of the VM");
	filter.vm = true;
	tap_ok(vmm_fails(&vmm, &filter), "but not if the user selects the VM");
	filter.vm = false;
	vm.source = &sums;
	tap_ok(vmm_fails(&vmm, &filter), "missing sums over the vCPUs are a failure");
}

int main(void)
{
	test_tracepoints();
	test_kcmp();
	test_missing_in_debugfs();
	free(printed);
	return tap_end();
}
