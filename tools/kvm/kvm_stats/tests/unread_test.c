// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test messages that depend on files of the host, and which statistics may be missing in debugfs.
 * unreadable.sh of tools.t tests the others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest_files.h"
#include "notice.h"
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

/* Makes the directory of the files of the host. */
static void begin_files(struct guest_files *files)
{
	static char proc[80];

	if (guest_files_make(files))
		exit(1);
	snprintf(proc, sizeof(proc), "%s/proc", files->dir);
	mkdir(proc, 0700);
	proc_set_root(proc);
}

static void test_level(const char *level, const char *capability)
{
	struct guest_files files;
	char other[32];

	begin_files(&files);
	guest_files_write(&files, 0600, level, "proc/sys/kernel/perf_event_paranoid");
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

/* ---- exit statistics ---- */

static void add_vcpu(struct monitor *monitor, bool exits)
{
	const struct kvmstats_desc descs[] = {
		{ .name = "exits", .size = 1 },
		{ .name = "exit_io", .size = 1 },
		{ .name = "exit_io_ns", .unit = KVMSTATS_UNIT_SECONDS, .size = 1 },
	};
	struct kvmstats_schema *schema;

	if (kvmstats_schema_make(&schema, descs, exits ? 3 : 1, sizeof(*descs)) ||
	    !stat_set_get(&monitor->sets, schema, true))
		exit(1);
}

static void print_exits(void *monitor)
{
	notice_exits(monitor);
}

static void set_exit_stats(const struct guest_files *files, const char *text)
{
	guest_files_write(files, 0600, text, "sys/module/kvm/parameters/exit_stats");
}

static void test_exits(void)
{
	static const char off[] =
		"kvm-stats: exit statistics are off. To switch them on, run "
		"'echo 1 >/sys/module/kvm/parameters/exit_stats' as root.\n";
	struct filter filter = { 0 };
	struct monitor monitor = { .options.filter = &filter, .sets.filter = &filter };
	struct guest_files files;

	begin_files(&files);
	set_exit_stats(&files, "N\n");
	add_vcpu(&monitor, false);
	capture(print_exits, &monitor);
	check_printed("", "a kernel without exit statistics cannot switch them on");
	add_vcpu(&monitor, true);
	capture(print_exits, &monitor);
	check_printed(off, "exit statistics that are off are reported");
	capture(print_exits, &monitor);
	check_printed("", "but only once");
	set_exit_stats(&files, "1\n");
	capture(print_exits, &monitor);
	check_printed("kvm-stats: exit statistics are on\n", "when they are on, this is reported");
	set_exit_stats(&files, "0\n");
	capture(print_exits, &monitor);
	check_printed(off, "and that they are off again");
	set_exit_stats(&files, "1\n");
	monitor.sets.set[1]->stats = 1;
	capture(print_exits, &monitor);
	check_printed("", "if they are not selected, it does not matter");
	guest_files_remove(&files);
	tap_is(monitor_exits(&monitor), EXITS_ON, "without the file it is not known");
	stat_sets_free(&monitor.sets);
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
	test_exits();
	test_kcmp();
	test_missing_in_debugfs();
	free(printed);
	return tap_end();
}
