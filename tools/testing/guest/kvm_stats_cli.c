// SPDX-License-Identifier: GPL-2.0-only
/* Test the kvm-stats command with a VMM that does not pass on any fds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/kernel.h"
#include "cli/output.h"
#include "cli/sample_vmm.h"
#include "lib/extensions.h"
#include "tap.h"
#include "tiny_vmm.h"

#define MAX_FILES	1024
#define RECORD		"\n20"	/* the beginning of each record of a log */

static void report(bool good, const char *name, const struct run *run)
{
	const char *line;

	if (good) {
		tap_report(TAP_OK, "", name, NULL);
		return;
	}
	tap_report(TAP_NOT_OK, "", name, "kvm-stats printed:");
	for (line = run->text; *line; line = next_line(line))
		printf("#   %.*s\n", (int)strcspn(line, "\n"), line);
	printf("# exit status %d\n", run->status);
}

/* ---- statistics fds ---- */

static struct run run;

static void skip(const char *name, const char *why)
{
	tap_report(TAP_SKIP, "", name, why);
}

/* How kvm-stats opens the statistics of VMs if it may copy the fds of their VMMs. */
static const char *source_name(void)
{
	return kernel_has_stats_open() ? "next" : "opened";
}

static const char *source_text(void)
{
	return kernel_has_stats_open() ? "source: statistics fds of whole VMs (KVM_STATS_NEXT)" :
					 "source: statistics fds opened by kvm-stats";
}

static void test_values(const struct sample_vmm *vmm)
{
	struct vcpu_values values = { 0 };
	int err = sample_vmm_stop_vcpus(vmm, &values);

	if (err)
		printf("# the VMM's own read failed: %s\n", strerror(-err));
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	report(!err && run.status == 0 && values.io_exits[0] && values.io_exits[1] &&
	       shows_value(&run, "vcpu0", "io_exits", values.io_exits[0]) &&
	       shows_value(&run, "vcpu1", "io_exits", values.io_exits[1]),
	       "read shows the I/O exits that the VMM itself reads", &run);
	report(shows_value(&run, "vcpu0", "exits", values.exits[0]) &&
	       shows_value(&run, "vcpu1", "exits", values.exits[1]),
	       "read shows the exits that the VMM itself reads", &run);
	report(ended_with(&run, 0, source_text()), "read reports which files it uses", &run);
	sample_vmm_resume(vmm);
}

static void test_rates(const struct sample_vmm *vmm)
{
	run_command(&run, -1, 0, "read -p %d -i 0.5 -c 3 -f ^io_exits$", vmm->pid);
	report(run.status == 0 && rates_agree(&run, "vcpu0", "io_exits") &&
	       rates_agree(&run, "vcpu1", "io_exits"),
	       "read -i shows a positive rate if and only if the value grew", &run);
}

static void test_selection(const struct sample_vmm *vmm)
{
	run_command(&run, -1, 0, "list");
	report(run.status == 0 && list_shows(&run, vmm->pid, source_name()),
	       "list shows the VMM", &run);
	run_command(&run, -1, 0, "schema -p %d --vcpu 0", vmm->pid);
	report(ended_with(&run, 0, "vcpu    io_exits ") && strstr(run.text, " cumulative "),
	       "schema shows statistics and their types", &run);
	run_command(&run, -1, 0, "read -p %d --vcpu 1", vmm->pid);
	report(ended_with(&run, 0, "vcpu1 ") && !strstr(run.text, "vcpu0 ") &&
	       !strstr(run.text, "vm "),
	       "read --vcpu 1 shows only vCPU 1", &run);
	run_command(&run, -1, 0, "read -p %d --vcpu 7", vmm->pid);
	report(ended_with(&run, 1, "has no vCPU 7"),
	       "a vCPU that does not exist is an error", &run);
}

/* Another user with access to /dev/kvm and CAP_PERFMON may not ptrace the VMM. Changes /dev/kvm. */
static void test_perfmon(const struct sample_vmm *vmm)
{
	struct vcpu_values values = { 0 };
	struct stat kvm;

	stat("/dev/kvm", &kvm);
	sample_vmm_stop_vcpus(vmm, &values);
	chown("/dev/kvm", 0, PERFMON_UID);
	chmod("/dev/kvm", 0660);
	run_command(&run, -1, PERFMON_UID, "list");
	report(run.status == 0 && list_shows(&run, vmm->pid, "next") &&
	       !strstr(run.text, "could not be examined"),
	       "with CAP_PERFMON alone, list shows the VMM of another user", &run);
	run_command(&run, -1, PERFMON_UID, "read -p %d", vmm->pid);
	report(run.status == 0 && shows_value(&run, "vcpu0", "exits", values.exits[0]) &&
	       shows_value(&run, "vcpu1", "exits", values.exits[1]),
	       "with CAP_PERFMON alone, read shows the exits that the VMM itself reads", &run);
	run_command(&run, -1, PERFMON_UID, "read -p %d", getpid());
	report(ended_with(&run, 1, "not a KVM VMM"),
	       "with CAP_PERFMON alone, a process that is not a VMM is an error", &run);
	chmod("/dev/kvm", 0600);
	run_command(&run, -1, PERFMON_UID, "read -p %d", vmm->pid);
	report(ended_with(&run, 1, "not permitted"),
	       "CAP_PERFMON alone does not suffice without access to /dev/kvm", &run);
	chown("/dev/kvm", 0, kvm.st_gid);
	chmod("/dev/kvm", kvm.st_mode & 07777);
	sample_vmm_resume(vmm);
}

static void test_refusals(const struct sample_vmm *vmm)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	run_command(&run, -1, UNPRIVILEGED_UID, "read -p %d", vmm->pid);
	report(ended_with(&run, 1, "not permitted") && strstr(run.text, "CAP_SYS_PTRACE"),
	       "an unprivileged user gets the name of the missing capability", &run);
	run_command(&run, -1, 0, "read -p %d", getpid());
	report(ended_with(&run, 1, "not a KVM VMM"),
	       "a process that is not a VMM is an error", &run);
	run_command(&run, full, 0, "read -p %d", vmm->pid);
	report(full >= 0 && run.status == 1, "an error while writing the output is an error", &run);
	close(full);
}

static void test_end(const struct sample_vmm *vmm)
{
	static struct run watcher, stranger;
	bool existed = vm_of_pid_exists(vmm->pid);

	/* The interval is longer than the time limit. */
	run_in_background(&watcher, "read -p %d -i 1000", vmm->pid);
	run_more(&watcher, TIME_LIMIT * 1000);	/* the first output: the fds are open */
	command_in_pid_namespace(true);
	run_in_background(&stranger, "log -i 1000");
	command_in_pid_namespace(false);
	run_more(&stranger, TIME_LIMIT * 1000);
	sample_vmm_kill(vmm);
	report(run_end(&watcher) && ended_with(&watcher, 0, "has ended"),
	       "read -i exits as soon as the VMM has ended", &watcher);
	report(existed && vm_of_pid_disappears(vmm->pid), "no VM is left after that", &watcher);
	kill(stranger.pid, SIGTERM);
	run_end(&stranger);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	report(ended_with(&run, 1, "no such process"),
	       "a process that has ended is an error", &run);
}

static void allow_files(pid_t pid, rlim_t files)
{
	struct rlimit limit = { files, MAX_FILES };

	prlimit(pid, RLIMIT_NOFILE, &limit, NULL);
}

/* Waits up to @ms until the output contains @text at least @times. Returns how often it does. */
static int count_within(struct run *log, const char *text, int times, int ms)
{
	const char *at;
	int found = 0;

	while (ms > 0) {
		found = 0;
		for (at = log->text; (at = strstr(at, text)); at++)
			found++;
		if (found >= times)
			break;
		run_more(log, 100);
		ms -= 100;
	}
	return found;
}

static int appears(struct run *log, const char *text)
{
	return count_within(log, text, 1, TIME_LIMIT * 1000);
}

/* Without a free fd, kvm-stats cannot search for new VMMs, but continues to read known ones. */
static void test_few_files(void)
{
	static struct run log;
	int before, blind, after, recovered;

	run_in_background(&log, "log -i 0.3 -f exits$");
	before = count_within(&log, RECORD, 2, TIME_LIMIT * 1000);
	allow_files(log.pid, 4);
	blind = appears(&log, "cannot search for new VMMs: Too many open files");
	after = count_within(&log, RECORD, before + 6, TIME_LIMIT * 1000);
	blind += count_within(&log, "cannot search", 2, 100);
	allow_files(log.pid, MAX_FILES);
	recovered = appears(&log, "can search for new VMMs again");
	kill(log.pid, SIGTERM);
	report(run_end(&log) && before >= 2 && blind == 2 && after >= before + 6 && recovered == 1,
	       "without a free fd, log continues and reports that once", &log);
}

/* ---- a process that adds and closes VMs ---- */

/* Creates a VM with one vCPU. Returns its fd, and stores that of the vCPU. */
static int create_vm(int *vcpu)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0UL);

	close(kvm);
	*vcpu = ioctl(vm, KVM_CREATE_VCPU, 0UL);
	return vm;
}

/* The process of this test has these VMs. */
static void test_changes(void)
{
	static struct run log;
	int vm[2], vcpu[3];
	char text[100];
	bool good;

	vm[0] = create_vm(&vcpu[0]);
	run_in_background(&log, "log -i 0.3 -f exits$ -p %d", getpid());
	good = count_within(&log, RECORD, 2, TIME_LIMIT * 1000) >= 2;
	vcpu[1] = ioctl(vm[0], KVM_CREATE_VCPU, 1UL);
	snprintf(text, sizeof(text), "1 VM, 2 vCPUs; %s", source_text());
	good = good && appears(&log, text);
	report(good, "a vCPU that is added is found", &log);
	vm[1] = create_vm(&vcpu[2]);
	good = appears(&log, "2 VMs, 3 vCPUs");
	report(good, "a VM that a known process adds is found", &log);
	run_command(&run, -1, 0, "read -f ^exits$ -p %d", getpid());
	if (kernel_has_stats_open())
		report(run.status == 0 && shows_value(&run, "vm0/vcpu0", "exits", 0) &&
		       shows_value(&run, "vm0/vcpu1", "exits", 0) &&
		       shows_value(&run, "vm1/vcpu0", "exits", 0),
		       "read shows which of two VMs a vCPU belongs to", &run);
	else
		skip("read shows which of two VMs a vCPU belongs to",
		     NO_STATS_OPEN);
	close(vm[0]);
	close(vcpu[0]);
	close(vcpu[1]);
	good = appears(&log, "has changed: 1 VM, 1 vCPU");
	report(good, "a VM that a running process has closed is released", &log);
	close(vm[1]);
	close(vcpu[2]);
	good = appears(&log, "has ended or closed its VM");
	report(good && vm_of_pid_disappears(getpid()), "so is its last VM", &log);
	kill(log.pid, SIGTERM);
	run_end(&log);
}

/* In another PID namespace, the kernel's PIDs are those of other processes. */
static void test_pid_namespace(const struct sample_vmm *vmm)
{
	struct vcpu_values values = { 0 };

	sample_vmm_stop_vcpus(vmm, &values);
	command_in_pid_namespace(true);
	run_command(&run, -1, 0, "list");
	report(ended_with(&run, 0, "  next       vm "),
	       "in another PID namespace, list shows VMs by their numbers", &run);
	run_command(&run, -1, 0, "read -g vm*");
	report(run.status == 0 && shows_value(&run, "vcpu0", "exits", values.exits[0]) &&
	       shows_value(&run, "vcpu1", "exits", values.exits[1]),
	       "in another PID namespace, read shows the exits that the VMM itself reads", &run);
	command_in_pid_namespace(false);
	sample_vmm_resume(vmm);
}

/* ---- other sources and formats ---- */

static void test_sums(const struct sample_vmm *vmm)
{
	struct vcpu_values values = { 0 };

	sample_vmm_stop_vcpus(vmm, &values);
	run_command(&run, -1, 0, "-1 -i -p %d", vmm->pid);
	report(run.status == 0 && total_is(&run, "exits", values.exits[0] + values.exits[1]) &&
	       total_is(&run, "io_exits", values.io_exits[0] + values.io_exits[1]),
	       "-1 -i shows the sums of all vCPUs", &run);
	run_command(&run, -1, 0, "-1 -i -d -p %d", vmm->pid);
	report(ended_with(&run, 0, "source: debugfs") &&
	       total_is(&run, "exits", values.exits[0] + values.exits[1]) &&
	       total_is(&run, "io_exits", values.io_exits[0] + values.io_exits[1]),
	       "-1 -i -d shows the same sums from debugfs", &run);
	sample_vmm_resume(vmm);
}

static void test_json(const struct sample_vmm *vmm)
{
	struct vcpu_values values = { 0 };

	sample_vmm_stop_vcpus(vmm, &values);
	run_command(&run, -1, 0, "query -p %d", vmm->pid);
	report(run.status == 0 && !strncmp(run.text, "{\"return\": [", 12) &&
	       has_json(&run, "/kvm-stats/vcpu[1]", "io_exits", values.io_exits[1]),
	       "query shows the values in the format of QMP", &run);
	sample_vmm_resume(vmm);
}

static void test_log(const struct sample_vmm *vmm)
{
	run_command(&run, -1, 0, "-l -c -s 0.5 -n 2 -f io_exits -p %d", vmm->pid);
	report(ended_with(&run, 0, "timestamp,io_exits\n") &&
	       strstr(run.text, "source: statistics fds"),
	       "-l -c writes a log", &run);
}

/* The exit reason of an I/O instruction has one name on Intel and another on AMD. */
static const char *io_reason(void)
{
	return access("/sys/module/kvm_intel", F_OK) ? "kvm_exit(IOIO)" :
						       "kvm_exit(IO_INSTRUCTION)";
}

static void test_tracepoints(const struct sample_vmm *vmm)
{
	unsigned long long all = 0, io = 0, user = 0;
	bool good;

	if (!has_tracepoints()) {
		run_command(&run, -1, 0, "-1 -t -p %d", vmm->pid);
		report(ended_with(&run, 1, "no KVM tracepoints"),
		       "-1 -t reports that the kernel has no tracepoints", &run);
		skip("-1 -t counts the exits of all VMs", "this kernel has no tracepoints");
		return;
	}
	run_command(&run, -1, 0, "-1 -t -p %d -f kvm_(exit|userspace_exit)", vmm->pid);
	good = ended_with(&run, 0, "source: KVM tracepoints") &&
	       find_total(&run, "kvm_exit", &all) &&
	       find_total(&run, io_reason(), &io) &&
	       find_total(&run, "kvm_userspace_exit(IO)", &user);
	report(good && io && all >= io && user, "-1 -t -p counts exits by reason", &run);
	run_command(&run, -1, 0, "-1 -t -f kvm_exit");
	report(run.status == 0 && find_total(&run, "kvm_exit", &all) && all,
	       "-1 -t counts the exits of all VMs", &run);
}

static void test_lockdown(const struct sample_vmm *vmm)
{
	run_command(&run, -1, 0, "-1 -d -p %d", vmm->pid);
	report(strstr(run.text, "statistics in debugfs") &&
	       strstr(run.text, "the kernel is locked down") && !strstr(run.text, "\nexits "),
	       "-1 -d reports that the kernel is locked down", &run);
}

/* ---- a kernel without the interface ---- */

static void test_unpatched(const struct sample_vmm *vmm)
{
	struct vcpu_values values = { 0 };
	unsigned long long exits = 0, io = 0;

	run_command(&run, -1, 0, "list");
	report(run.status == 0 && list_shows(&run, vmm->pid, "debugfs"),
	       "list shows the VMM with the source debugfs", &run);
	run_command(&run, -1, 0, "read -p %d --vcpu all", vmm->pid);
	report(ended_with(&run, 1, "this kernel has no binary KVM statistics") &&
	       strstr(run.text, "debugfs has no statistics of single vCPUs"),
	       "read --vcpu reports that the kernel does not have the interface", &run);
	run_command(&run, -1, UNPRIVILEGED_UID, "read -p %d", vmm->pid);
	report(ended_with(&run, 1, "not permitted"),
	       "read reports that an unprivileged user is not permitted", &run);

	/* This only stops the vCPUs, because the VMM has no statistics fds to read. */
	sample_vmm_stop_vcpus(vmm, &values);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	report(debugfs_value(vmm->pid, "exits", &exits) &&
	       debugfs_value(vmm->pid, "io_exits", &io) &&
	       ended_with(&run, 0, "source: debugfs") && exits && io &&
	       shows_value(&run, "vm", "exits", exits) &&
	       shows_value(&run, "vm", "io_exits", io),
	       "read uses debugfs instead", &run);
	sample_vmm_kill(vmm);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	report(ended_with(&run, 1, "no such process"),
	       "a process that has ended is an error", &run);
}

/* ---- an unpatched kernel of mainline, which opens statistics for the VMM only ---- */

/* The VMM keeps no statistics fd open. */
static void test_mainline(const struct sample_vmm *vmm)
{
	struct vcpu_values values = { 0 };
	int err;

	run_command(&run, -1, 0, "list");
	report(run.status == 0 && list_shows(&run, vmm->pid, "debugfs"),
	       "list shows a VMM without statistics fds with the source debugfs", &run);
	err = sample_vmm_stop_vcpus(vmm, &values);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	report(!err && ended_with(&run, 0, "the VMM holds no statistics fd") &&
	       shows_value(&run, "vm", "exits", values.exits[0] + values.exits[1]) &&
	       shows_value(&run, "vm", "io_exits", values.io_exits[0] + values.io_exits[1]),
	       "read shows the sums of the exits that the VMM itself reads", &run);
	run_command(&run, -1, 0, "schema -p %d", vmm->pid);
	report(ended_with(&run, 0, "vm      io_exits ") && !strstr(run.text, "vcpu    io_exits "),
	       "schema shows statistics of the VM only", &run);
	run_command(&run, -1, 0, "query -p %d", vmm->pid);
	report(strstr(run.text, "{\"return\": [") && !strstr(run.text, "vcpu["),
	       "query shows values of the VM only", &run);
	run_command(&run, -1, 0, "-l -c -s 0.5 -n 2 -f io_exits -p %d", vmm->pid);
	report(ended_with(&run, 0, "timestamp,io_exits\n") && strstr(run.text, "source: debugfs"),
	       "-l -c writes a log from debugfs", &run);
	sample_vmm_resume(vmm);
	test_sums(vmm);
}

/* The VMM keeps the fds of its vCPUs open. */
static void test_mainline_with_fds(void)
{
	struct vcpu_values values = { 0 };
	struct sample_vmm vmm;
	int err = sample_vmm_start_with_fds(&vmm);

	run_command(&run, -1, 0, "list");
	report(!err && list_shows(&run, vmm.pid, "taken+debugfs"),
	       "list shows a VMM with statistics fds of its vCPUs", &run);
	err = err ?: sample_vmm_stop_vcpus(&vmm, &values);
	run_command(&run, -1, 0, "read -p %d", vmm.pid);
	report(!err && run.status == 0 &&
	       shows_value(&run, "vcpu0", "exits", values.exits[0]) &&
	       shows_value(&run, "vcpu1", "exits", values.exits[1]) &&
	       strstr(run.text, "\nvm      remote_tlb_flush "),
	       "read shows the exits that the VMM itself reads, and the VM from debugfs", &run);
	run_command(&run, -1, 0, "schema -p %d", vmm.pid);
	report(ended_with(&run, 0, "vcpu    io_exits ") &&
	       strstr(run.text, "vm      remote_tlb_flush "),
	       "schema shows statistics of the vCPUs and of the VM", &run);
	sample_vmm_resume(&vmm);
	test_rates(&vmm);
	test_sums(&vmm);
	test_json(&vmm);
	test_log(&vmm);
	sample_vmm_kill(&vmm);
}

static void test_kernel_without_series(const struct sample_vmm *vmm)
{
	if (kernel_has_stats()) {
		tap_plan(15);
		test_mainline(vmm);
		test_mainline_with_fds();
		sample_vmm_kill(vmm);
	} else {
		tap_plan(5);
		test_unpatched(vmm);
	}
}

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");
	struct sample_vmm vmm;
	bool locked, whole, perfmon;
	int err = sample_vmm_start(&vmm);

	if (err) {
		printf("1..1\nnot ok 1 - a VMM with two vCPUs starts\n# %s\n", strerror(-err));
		return 1;
	}
	if (variant && !strcmp(variant, "unpatched")) {
		test_kernel_without_series(&vmm);
		return tap_end();
	}
	locked = locked_down();
	whole = kernel_has_stats_open();
	perfmon = whole && variant;
	tap_plan((locked ? 27 : 32) - (whole ? 0 : 1) - (perfmon ? 0 : 3));
	test_values(&vmm);
	test_rates(&vmm);
	test_selection(&vmm);
	if (perfmon)
		test_perfmon(&vmm);
	else
		skip("kvm-stats reads VMs with CAP_PERFMON alone",
		     whole ? "changes /dev/kvm; set BOOT_VARIANT to allow that" : NO_STATS_OPEN);
	test_refusals(&vmm);
	test_few_files();
	test_changes();
	if (whole)
		test_pid_namespace(&vmm);
	else
		skip("kvm-stats reads VMs in another PID namespace", NO_STATS_OPEN);
	if (locked) {
		test_lockdown(&vmm);
	} else {
		test_sums(&vmm);
		test_json(&vmm);
		test_log(&vmm);
		test_tracepoints(&vmm);
	}
	test_end(&vmm);
	return tap_end();
}
