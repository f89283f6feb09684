// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test messages: the same one about many VMMs is printed once, with all of them, and some depend on
 * files of the host. Also test which statistics may be missing, because only the VMM can open them.
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

static void print_grouped(void *grouped)
{
	grouped_print(grouped);
}

static void print(struct grouped *grouped)
{
	capture(print_grouped, grouped);
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

static void add(struct grouped *grouped, struct vmm *vmm, size_t count, const char *text)
{
	static char guest[16][32];
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(guest[i], sizeof(guest[i]), "guest%zu", i);
		vmm[i] = (struct vmm){
			.pid = 1000 + i, .comm = "vmm", .kvm = any_kvm(),
			.guest = i ? guest[i] : NULL,
		};
		grouped_add(grouped, &vmm[i], "%s", text);
	}
}

static void test_few(void)
{
	struct grouped grouped = { 0 };
	struct vmm vmm[3];

	add(&grouped, vmm, 3, "no");
	print(&grouped);
	check_printed("kvm-stats: PID 1000 (vmm): no\n"
		      "kvm-stats: PID 1001 (vmm), guest \"guest1\": no\n"
		      "kvm-stats: PID 1002 (vmm), guest \"guest2\": no\n",
		      "each of three VMMs has a line");
	tap_ok(!grouped.messages && !grouped.message, "printed messages are removed");
}

static void test_many(void)
{
	struct grouped grouped = { 0 };
	struct vmm vmm[6], other[1];

	add(&grouped, vmm, 3, "no");
	add(&grouped, other, 1, "why");
	add(&grouped, vmm, 6, "no");
	print(&grouped);
	check_printed("kvm-stats: no. This applies to 9 VMMs:\n"
		      "kvm-stats:     1000 (vmm), 1001 \"guest1\", 1002 \"guest2\", 1000 (vmm),\n"
		      "kvm-stats:     1001 \"guest1\", 1002 \"guest2\", 1003 \"guest3\", 1004 \"guest4\",\n"
		      "kvm-stats:     1005 \"guest5\"\n"
		      "kvm-stats: PID 1000 (vmm): why\n",
		      "many VMMs are a list, and another message remains");
}

static void test_bad_names(void)
{
	struct grouped grouped = { 0 };
	struct vmm vmm[4];

	add(&grouped, vmm, 4, "no");
	vmm[1].guest = "a\033[2J";
	print(&grouped);
	tap_ok(strstr(printed, "1001 \"a?[2J\"") && !strchr(printed, '\033'),
	       "control characters in a list are replaced");
}

static void print_denied_tracepoints(void *arg)
{
	(void)arg;
	explain_tracepoints(-EACCES);
}

/* ---- files ---- */

/* Replaces the file @name of the host by one with this text. */
static void set_file(const struct guest_files *files, const char *name, const char *text)
{
	static char proc[PROC_PATH_SIZE];
	char path[PROC_PATH_SIZE];
	char *at;

	snprintf(proc, sizeof(proc), "%s/proc", files->dir);
	mkdir(proc, 0700);
	proc_set_root(proc);
	snprintf(path, sizeof(path), "%s/%s", files->dir, name);
	for (at = path + strlen(files->dir) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	write_file(path, text, strlen(text));
}

static void test_level(const char *level, const char *capability)
{
	struct guest_files files;
	char other[32];

	if (guest_files_make(&files))
		exit(1);
	set_file(&files, "proc/sys/kernel/perf_event_paranoid", level);
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

static void test_exits(void)
{
	static const char off[] =
		"kvm-stats: exit statistics are off. To switch them on, run "
		"'echo 1 >/sys/module/kvm/parameters/exit_stats' as root.\n";
	struct filter filter = { 0 };
	struct monitor monitor = { .options.filter = &filter, .sets.filter = &filter };
	struct guest_files files;

	if (guest_files_make(&files))
		exit(1);
	set_file(&files, "sys/module/kvm/parameters/exit_stats", "N\n");
	add_vcpu(&monitor, false);
	capture(print_exits, &monitor);
	check_printed("", "a kernel without exit statistics cannot switch them on");
	add_vcpu(&monitor, true);
	capture(print_exits, &monitor);
	check_printed(off, "exit statistics that are off are reported");
	capture(print_exits, &monitor);
	check_printed("", "but only once");
	set_file(&files, "sys/module/kvm/parameters/exit_stats", "1\n");
	capture(print_exits, &monitor);
	check_printed("kvm-stats: exit statistics are on\n", "when they are on, this is reported");
	set_file(&files, "sys/module/kvm/parameters/exit_stats", "0\n");
	capture(print_exits, &monitor);
	check_printed(off, "and that they are off again");
	set_file(&files, "sys/module/kvm/parameters/exit_stats", "1\n");
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
static struct target *targets[] = { &vcpu };

/* A VMM with a vCPU that can be read. Its VM cannot be read. */
static struct vmm vmm_without_vm(void)
{
	return (struct vmm){
		.target = targets, .targets = 1, .unread = { .count = 1, .fd_error = -EIO },
	};
}

static void test_missing_vm(void)
{
	struct vmm vmm = vmm_without_vm();
	struct filter filter = { 0 };

	tap_ok(!vmm_fails(&vmm, &filter), "values of the VM may be missing");
	filter.has_regex = true;
	tap_ok(!vmm_fails(&vmm, &filter),
	       "also if the expression matches a statistic of the vCPUs");
	vcpu_set.stats = 0;
	tap_ok(vmm_fails(&vmm, &filter), "but not if it matches none");
	vcpu_set.stats = 1;
	filter = (struct filter){ .vm = true };
	tap_ok(vmm_fails(&vmm, &filter), "nor if the user selects the VM");
	filter = (struct filter){ .qmp = true };
	vmm.unread.qmp_error = -ENXIO;
	tap_ok(vmm_fails(&vmm, &filter), "nor if QMP does not have them");
}

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

static void test_other_failures(void)
{
	struct vmm vmm = vmm_without_vm();
	struct filter filter = { 0 };

	vmm.unread.fd_error = -EMFILE;
	tap_ok(vmm_fails(&vmm, &filter), "another error is a failure");
	vmm = vmm_without_vm();
	vmm.unread.vcpus = 1;
	tap_ok(vmm_fails(&vmm, &filter), "a missing vCPU is a failure");
	vmm = vmm_without_vm();
	vmm.targets = 0;
	tap_ok(vmm_fails(&vmm, &filter), "a VMM without any values is a failure");
}

int main(void)
{
	test_few();
	test_many();
	test_bad_names();
	test_tracepoints();
	test_exits();
	test_kcmp();
	test_missing_vm();
	test_missing_in_debugfs();
	test_other_failures();
	free(printed);
	return tap_end();
}
