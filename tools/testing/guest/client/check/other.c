// SPDX-License-Identifier: GPL-2.0-only
/* Checks of a second QEMU, which belongs to an unprivileged user, and of what that user sees. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/kernel.h"
#include "cli/output.h"
#include "client/scenario.h"
#include "lib/clock.h"
#include "lib/exit_stats.h"
#include "lib/extensions.h"
#include "qemu/answer.h"
#include "qemu/check/checks.h"

/* The guest of root's QEMU is stopped, so only this one is counted by exit statistics. */
static int start(struct session *other)
{
	int err;

	exit_stats_switch(true);
	err = session_start(other);
	if (!err && check_greeting(other) != PASS)
		err = -EPROTO;
	return err;
}

enum verdict check_other_starts(void *ctx)
{
	struct scenario *scenario = ctx;
	int err;

	scenario->other.native = scenario->qemu.native;
	scenario->other.config = scenario->qemu.config;
	scenario->other.config.name = "other";
	scenario->other.config.uid = UNPRIVILEGED_UID;
	scenario->other.config.qmp_socket = NULL;
	err = chmod("/dev/kvm", 0666) ? -errno : start(&scenario->other);
	if (err) {
		note("cannot start QEMU: %s", strerror(-err));
		return FAIL;
	}
	scenario->other_pid = scenario->other.vmm.pid;
	if (check_uses_kvm(&scenario->other) != PASS)
		return FAIL;
	return check_cpus(&scenario->other);
}

static bool user_runs(struct scenario *scenario, const char *command, const char *more)
{
	char arguments[256];

	snprintf(arguments, sizeof(arguments), "%s -p %d %s", command, (int)scenario->other_pid,
		 more);
	return kvm_stats_runs(scenario, UNPRIVILEGED_UID, 0, arguments);
}

/* The capability with which an unprivileged user can read the statistics of all VMs. */
static const char *needed_capability(void)
{
	return kernel_has_stats_open() ? "CAP_PERFMON" : "CAP_SYS_PTRACE";
}

enum verdict check_user_list(void *ctx)
{
	const char *source = kernel_has_stats_open() ? "open" : "opened";
	struct scenario *scenario = ctx;
	bool ok = kvm_stats_runs(scenario, UNPRIVILEGED_UID, 0, "list") &&
		  output_matches(scenario, "^ +%d  qemu-system-x86 +1 +%d  %s +other$",
				 scenario->other_pid, VMM_CPUS, source) &&
		  output_matches(scenario,
				 "could not be examined, and can have VMs: permission denied$") &&
		  output_matches(scenario, "grant it %s", needed_capability());

	if (strstr(scenario->run.text, "stats-guest")) {
		note("the list contains root's QEMU");
		ok = false;
	}
	return ok ? PASS : FAIL;
}

enum verdict check_user_commands(void *ctx)
{
	struct scenario *scenario = ctx;
	struct exposed labels = { "other", -1 };
	bool ok = user_runs(scenario, "schema", "") &&
		  output_matches(scenario, "^vcpu +exits +cumulative ");

	ok = ok && user_runs(scenario, "log", "--csv -i 0.2 -c 1 -f ^exits$") &&
	     output_matches(scenario, "^20[0-9-]+T[0-9:.]+[+-][0-9:]+,[0-9]+$");
	ok = ok && user_runs(scenario, "serve", "--once");
	if (ok && (!exposition_of_vmm(scenario->run.text, &labels, "kvm_guest_up", "1") ||
		   !*exposition_value(scenario->run.text, &labels, "kvm_guest_exits_total", ""))) {
		note("the metrics of that QEMU are missing");
		ok = false;
	}
	return ok ? PASS : FAIL;
}

/* A third user, with the capability of the systemd unit's drop-in, sees the VMs of both users. */
enum verdict check_perfmon(void *ctx)
{
	static const char *const guests[] = { "stats-guest", "other" };
	struct scenario *scenario = ctx;
	size_t i;
	bool ok;

	if (!kernel_has_stats_open())
		return skip("%s", NO_STATS_OPEN);
	ok = kvm_stats_runs(scenario, PERFMON_UID, 0, "serve --once");
	for (i = 0; ok && i < ARRAY_SIZE(guests); i++) {
		struct exposed labels = { guests[i], -1 };

		ok = exposition_of_vmm(scenario->run.text, &labels, "kvm_guest_up", "1") &&
		     *exposition_value(scenario->run.text, &labels, "kvm_guest_exits_total", "");
		if (!ok)
			note("the metrics of %s are missing", guests[i]);
	}
	return ok && output_matches(scenario, "source=\"next\"") ? PASS : FAIL;
}

static bool user_reads(struct scenario *scenario, int vcpu)
{
	static const char * const names[] = { "exits", "exit_io", "exit_io_ns" };
	size_t count = kernel_has_exit_stats() ? ARRAY_SIZE(names) : 1;
	json_t *stats = query_one(&scenario->other, vcpu, NULL);
	char target[16];
	bool ok = true;
	size_t i;

	snprintf(target, sizeof(target), "vcpu%d", vcpu);
	for (i = 0; ok && i < count; i++) {
		uint64_t value = 0;

		ok = answer_value(answer_find(stats, names[i]), 0, &value) &&
		     shows_value(&scenario->run, target, names[i], value);
		if (!ok)
			note("%s: %s differs from QEMU", target, names[i]);
	}
	json_decref(stats);
	return ok;
}

enum verdict check_user_values(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok = check_stop(&scenario->other) == PASS && user_runs(scenario, "read", "");
	int i;

	for (i = 0; i < VMM_CPUS; i++)
		ok = ok && user_reads(scenario, i);
	return ok ? PASS : FAIL;
}

enum verdict check_user_top(void *ctx)
{
	struct terminal top = TERMINAL_NONE;
	struct scenario *scenario = ctx;
	char arguments[64], title[64];
	bool ok;

	snprintf(arguments, sizeof(arguments), "top --classic -i -f exits$ -p %d",
		 (int)scenario->other_pid);
	snprintf(title, sizeof(title), "^ kvm statistics - pid %d \\(other\\)",
		 (int)scenario->other_pid);
	ok = !terminal_start(&top, UNPRIVILEGED_UID, arguments) &&
	     terminal_shows(&top, title, SECONDS) &&
	     terminal_shows(&top, " exits [1-9][0-9]* 100\\.0 ", SECONDS);
	if (ok) {
		terminal_type(&top, "q");
		ok = terminal_status(&top, SECONDS) == 0;
	}
	terminal_close(&top);
	return ok ? PASS : FAIL;
}

enum verdict check_user_refused(void *ctx)
{
	struct scenario *scenario = ctx;
	char arguments[64];
	bool ok;

	snprintf(arguments, sizeof(arguments), "read -p %d", scenario->qemu.vmm.pid);
	ok = kvm_stats_runs(scenario, UNPRIVILEGED_UID, 1, arguments) &&
	     output_matches(scenario, "not permitted to list the fds of the process") &&
	     output_matches(scenario, "PID %d belongs to UID 0, and kvm-stats runs as UID %d",
			    scenario->qemu.vmm.pid, UNPRIVILEGED_UID) &&
	     output_matches(scenario, "grant it %s", needed_capability());
	return ok ? PASS : FAIL;
}

enum verdict check_other_ends(void *ctx)
{
	struct scenario *scenario = ctx;

	if (!scenario->other_pid)
		return FAIL;
	session_end(&scenario->other);
	return PASS;
}

/* Returns how many KVM fds the process @pid holds. */
static int count_kvm_fds(pid_t pid)
{
	char path[64], link[64];
	struct dirent *dirent;
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && (dirent = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), dirent->d_name, link, sizeof(link) - 1);

		link[n > 0 ? n : 0] = '\0';
		count += !strncmp(link, "anon_inode:kvm-", strlen("anon_inode:kvm-"));
	}
	if (dir)
		closedir(dir);
	return dir ? count : -1;
}

/* One file contains the VM and its vCPUs, if the kernel has such files. */
static bool holds_one_vm(const char *who, pid_t pid)
{
	int count, expected = kernel_has_stats_open() ? 1 : 1 + VMM_CPUS;
	long long deadline = ms_now() + SECONDS * 1000LL;

	do
		count = count_kvm_fds(pid);
	while (count != expected && ms_until(deadline) && (ms_sleep(100), true));
	if (count != expected)
		note("%s holds %d KVM fds, %d expected", who, count, expected);
	return count == expected;
}

/* No process keeps a file of the VM that has ended. */
enum verdict check_fds_closed(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok = holds_one_vm("top", scenario->top.pid) &&
		  holds_one_vm("serve", scenario->server.pid);

	if (!vm_of_pid_disappears(scenario->other_pid)) {
		note("the VM of that QEMU still exists");
		ok = false;
	}
	return ok ? PASS : FAIL;
}
