// SPDX-License-Identifier: GPL-2.0-only
/* The kvm-stats command against a VMM that knows nothing of it. */
/* sources: cli/[a-z]*.c */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/host.h"
#include "cli/own_vmm.h"
#include "cli/printed.h"
#include "tap.h"

#define MAX_FILES	1024
#define RECORD		"\n20"	/* how a record of a log begins */

static void point(bool good, const char *name, const struct run *run)
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

/* ---- tests ---- */

static struct run run;

static void test_values(const struct own_vmm *vmm)
{
	struct numbers numbers = { 0 };
	int err = own_vmm_stop_vcpus(vmm, &numbers);

	if (err)
		printf("# the VMM's own reading failed: %s\n", strerror(-err));
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	point(!err && run.status == 0 && numbers.io_exits[0] && numbers.io_exits[1] &&
	      prints(&run, "vcpu0", "io_exits", numbers.io_exits[0]) &&
	      prints(&run, "vcpu1", "io_exits", numbers.io_exits[1]),
	      "I/O exits are those that the VMM reads itself", &run);
	point(prints(&run, "vcpu0", "exits", numbers.exits[0]) &&
	      prints(&run, "vcpu1", "exits", numbers.exits[1]),
	      "so are all exits", &run);
	point(says(&run, 0, "opened by kvm-stats"),
	      "the numbers come from fds that kvm-stats opened", &run);
	own_vmm_go_on(vmm);
}

static void test_rates(const struct own_vmm *vmm)
{
	run_command(&run, -1, 0, "read -p %d -i 0.5 -c 3 -f ^io_exits$", vmm->pid);
	point(run.status == 0 && rates_follow_values(&run, "vcpu0", "io_exits") &&
	      rates_follow_values(&run, "vcpu1", "io_exits"),
	      "rates of three intervals are positive where values grew", &run);
}

static void test_selection(const struct own_vmm *vmm)
{
	run_command(&run, -1, 0, "list");
	point(run.status == 0 && list_has(&run, vmm->pid, "opened"), "list shows the VMM", &run);
	run_command(&run, -1, 0, "schema -p %d --vcpu 0", vmm->pid);
	point(says(&run, 0, "vcpu  io_exits ") && strstr(run.text, " cumulative "),
	      "schema shows statistics and types", &run);
	run_command(&run, -1, 0, "read -p %d --vcpu 1", vmm->pid);
	point(says(&run, 0, "vcpu1 ") && !strstr(run.text, "vcpu0 ") && !strstr(run.text, "vm "),
	      "--vcpu 1 shows vCPU 1 only", &run);
	run_command(&run, -1, 0, "read -p %d --vcpu 7", vmm->pid);
	point(says(&run, 1, "has no vCPU 7"), "a vCPU that is not there is an error", &run);
}

static void test_refusals(const struct own_vmm *vmm)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	run_command(&run, -1, NOBODY, "read -p %d", vmm->pid);
	point(says(&run, 1, "not permitted") && strstr(run.text, "CAP_SYS_PTRACE"),
	      "without the right to look, it says which", &run);
	run_command(&run, -1, 0, "read -p %d", getpid());
	point(says(&run, 1, "not a KVM VMM"), "a process that is no VMM is told", &run);
	run_command(&run, full, 0, "read -p %d", vmm->pid);
	point(full >= 0 && run.status == 1, "output that is lost is an error", &run);
	close(full);
}

static void test_end(const struct own_vmm *vmm)
{
	static struct run watcher;
	bool kept = vm_is_kept(vmm->pid);

	/* An interval that it cannot sit out within the time limit. */
	run_in_background(&watcher, "read -p %d -i 1000", vmm->pid);
	run_more(&watcher, TIME_LIMIT * 1000);	/* it has taken its fds */
	own_vmm_kill(vmm);
	point(run_end(&watcher) && says(&watcher, 0, "has ended"),
	      "it notices at once that the VMM has ended", &watcher);
	point(kept && vm_goes_away(vmm->pid), "and lets the VM go", &watcher);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	point(says(&run, 1, "no such process"), "a process that is gone is told", &run);
}

static void allow_files(pid_t pid, rlim_t files)
{
	struct rlimit limit = { files, MAX_FILES };

	prlimit(pid, RLIMIT_NOFILE, &limit, NULL);
}

/* How often it is in what came so far, and after @ms more at the latest. */
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

/* Without a file to spare no new VMM can be looked for; the one that is known goes on. */
static void test_few_files(void)
{
	static struct run log;
	int before, blind, after, seeing;

	run_in_background(&log, "log -s 0.3 -f exits$");
	before = count_within(&log, RECORD, 2, TIME_LIMIT * 1000);
	allow_files(log.pid, 4);
	blind = count_within(&log, "cannot search for new VMMs: Too many open files", 1, 20000);
	after = count_within(&log, RECORD, before + 6, 20000);
	blind += count_within(&log, "cannot search", 2, 100);
	allow_files(log.pid, MAX_FILES);
	seeing = count_within(&log, "can search for new VMMs again", 1, 20000);
	kill(log.pid, SIGTERM);
	point(run_end(&log) && before >= 2 && blind == 2 && after >= before + 6 && seeing == 1,
	      "without a file to spare it reads on, and tells it once", &log);
}

/* ---- other sources ---- */

static void skip(const char *name, const char *why)
{
	tap_report(TAP_SKIP, "", name, why);
}

static void test_sums(const struct own_vmm *vmm)
{
	struct numbers numbers = { 0 };

	own_vmm_stop_vcpus(vmm, &numbers);
	run_command(&run, -1, 0, "-1 -i -p %d", vmm->pid);
	point(run.status == 0 && total_is(&run, "exits", numbers.exits[0] + numbers.exits[1]) &&
	      total_is(&run, "io_exits", numbers.io_exits[0] + numbers.io_exits[1]),
	      "-1 -i sums up vCPUs", &run);
	run_command(&run, -1, 0, "-1 -i -d -p %d", vmm->pid);
	point(says(&run, 0, "source: debugfs") &&
	      total_is(&run, "exits", numbers.exits[0] + numbers.exits[1]) &&
	      total_is(&run, "io_exits", numbers.io_exits[0] + numbers.io_exits[1]),
	      "debugfs has the same sums", &run);
	own_vmm_go_on(vmm);
}

static void test_json(const struct own_vmm *vmm)
{
	struct numbers numbers = { 0 };

	own_vmm_stop_vcpus(vmm, &numbers);
	run_command(&run, -1, 0, "read -p %d --json", vmm->pid);
	point(run.status == 0 && !strncmp(run.text, "{\"return\": [", 12) &&
	      has_json(&run, "/kvm-stats/vcpu[1]", "io_exits", numbers.io_exits[1]),
	      "read --json has the numbers, as QMP would", &run);
	own_vmm_go_on(vmm);
}

static void test_log(const struct own_vmm *vmm)
{
	run_command(&run, -1, 0, "-l -c -s 0.5 -n 2 -f io_exits -p %d", vmm->pid);
	point(says(&run, 0, "timestamp,io_exits\n") && strstr(run.text, "source: statistics fds"),
	      "-l -c logs", &run);
}

static void test_tracepoints(const struct own_vmm *vmm)
{
	unsigned long long all = 0, io = 0, user = 0;
	bool good;

	if (!has_tracepoints()) {
		run_command(&run, -1, 0, "-1 -t -p %d", vmm->pid);
		point(says(&run, 1, "no KVM tracepoints"), "no tracepoints are told", &run);
		skip("a whole machine's are counted", "this kernel has no tracepoints");
		return;
	}
	run_command(&run, -1, 0, "-1 -t -p %d -f kvm_(exit|userspace_exit)", vmm->pid);
	good = says(&run, 0, "source: KVM tracepoints") && prints_total(&run, "kvm_exit", &all) &&
	       prints_total(&run, "kvm_exit(IOIO)", &io) &&
	       prints_total(&run, "kvm_userspace_exit(IO)", &user);
	point(good && io && all >= io && user, "exits are counted by reason", &run);
	run_command(&run, -1, 0, "-1 -t -f kvm_exit");
	point(run.status == 0 && prints_total(&run, "kvm_exit", &all) && all,
	      "a whole machine's are counted", &run);
}

static void test_lockdown(const struct own_vmm *vmm)
{
	run_command(&run, -1, 0, "-1 -d -p %d", vmm->pid);
	point(strstr(run.text, "statistics in debugfs") &&
	      strstr(run.text, "the kernel is locked down") && !strstr(run.text, "\nexits "),
	      "what lockdown closes is explained", &run);
}

/* ---- a kernel without the interface ---- */

static void test_unpatched(const struct own_vmm *vmm)
{
	struct numbers numbers = { 0 };
	unsigned long long exits = 0, io = 0;

	run_command(&run, -1, 0, "list");
	point(run.status == 0 && list_has(&run, vmm->pid, "debugfs"),
	      "list shows the VMM, and that debugfs has its numbers", &run);
	run_command(&run, -1, 0, "read -p %d --vcpu all", vmm->pid);
	point(says(&run, 1, "this kernel has no binary KVM statistics") &&
	      strstr(run.text, "debugfs has no statistics of single vCPUs"),
	      "read says that the kernel lacks the interface", &run);
	run_command(&run, -1, NOBODY, "read -p %d", vmm->pid);
	point(says(&run, 1, "not permitted"), "and what a user lacks", &run);

	/* It cannot read statistics of its own, so it just stops. */
	own_vmm_stop_vcpus(vmm, &numbers);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	point(debugfs_value(vmm->pid, "exits", &exits) && debugfs_value(vmm->pid, "io_exits", &io) &&
	      says(&run, 0, "source: debugfs") && exits && io && prints(&run, "vm", "exits", exits) &&
	      prints(&run, "vm", "io_exits", io),
	      "in place of the fds, debugfs is read", &run);
	own_vmm_kill(vmm);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	point(says(&run, 1, "no such process"), "a process that is gone is told", &run);
}

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");
	struct own_vmm vmm;
	bool locked;
	int err = own_vmm_start(&vmm);

	if (err) {
		printf("1..1\nnot ok 1 - a VM with two vCPUs\n# %s\n", strerror(-err));
		return 1;
	}
	if (variant && !strcmp(variant, "unpatched")) {
		tap_plan(5);
		test_unpatched(&vmm);
		return tap_end();
	}
	locked = locked_down();
	tap_plan(locked ? 16 : 21);
	test_values(&vmm);
	test_rates(&vmm);
	test_selection(&vmm);
	test_refusals(&vmm);
	test_few_files();
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
