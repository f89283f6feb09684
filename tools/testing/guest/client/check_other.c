// SPDX-License-Identifier: GPL-2.0-only
/* Points about a second QEMU, which belongs to a user without rights, and what that user sees. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cli/host.h"
#include "../cli/printed.h"
#include "../qemu/answer.h"
#include "../qemu/checks.h"
#include "../qemu/clock.h"
#include "scene.h"

enum verdict check_other_starts(void *ctx)
{
	struct scene *scene = ctx;
	int err;

	scene->other.native = scene->qemu.native;
	scene->other.config = scene->qemu.config;
	scene->other.config.name = "other";
	scene->other.config.uid = NOBODY;
	err = chmod("/dev/kvm", 0666) ? -1 : session_start(&scene->other);
	if (err) {
		tap_note("it does not start: %s", strerror(-err));
		return FAIL;
	}
	scene->other_pid = scene->other.vmm.pid;
	if (check_greeting(&scene->other) != PASS || check_uses_kvm(&scene->other) != PASS)
		return FAIL;
	return check_cpus(&scene->other);
}

static bool user_runs(struct scene *scene, const char *command, const char *more)
{
	char arguments[256];

	snprintf(arguments, sizeof(arguments), "%s -p %d %s", command, (int)scene->other_pid, more);
	return scene_runs(scene, NOBODY, 0, arguments);
}

enum verdict check_user_list(void *ctx)
{
	struct scene *scene = ctx;
	bool ok = scene_runs(scene, NOBODY, 0, "list") &&
		  scene_printed(scene, "^ +%d  qemu-system-x86 +1 +%d  opened +other$",
				scene->other_pid, VMM_CPUS) &&
		  scene_printed(scene, "not looked into: that takes CAP_SYS_PTRACE and "
				"CAP_DAC_READ_SEARCH");

	if (strstr(scene->run.text, "stats-guest")) {
		tap_note("it shows the QEMU of root");
		ok = false;
	}
	return ok ? PASS : FAIL;
}

enum verdict check_user_commands(void *ctx)
{
	struct scene *scene = ctx;
	struct exposed whose = { scene->other_pid, "other", 0 };
	bool ok = user_runs(scene, "schema", "") &&
		  scene_printed(scene, "^vcpu +exits +cumulative ");

	ok = ok && user_runs(scene, "log", "-c -s 0.2 -n 1 -f exits$") &&
	     scene_printed(scene, "^20[0-9-]+ [0-9:]+,[0-9]+$");
	ok = ok && user_runs(scene, "serve", "--once");
	if (ok && (!exposition_of_vmm(scene->run.text, &whose, "kvm_vmm_up", "1") ||
		   !*exposition_value(scene->run.text, &whose, "kvm_vcpu_exits_total", ""))) {
		tap_note("its series are missing");
		ok = false;
	}
	return ok ? PASS : FAIL;
}

static bool user_reads(struct scene *scene, int vcpu)
{
	json_t *stats = query_one(&scene->other, vcpu, NULL);
	uint64_t value = 0;
	char target[16];
	bool ok = answer_value(answer_find(stats, "exits"), 0, &value);

	snprintf(target, sizeof(target), "vcpu%d", vcpu);
	json_decref(stats);
	return ok && prints(&scene->run, target, "exits", value);
}

enum verdict check_user_values(void *ctx)
{
	struct scene *scene = ctx;
	bool ok = check_stop(&scene->other) == PASS && user_runs(scene, "read", "");
	int i;

	for (i = 0; i < VMM_CPUS; i++)
		ok = ok && user_reads(scene, i);
	return ok ? PASS : FAIL;
}

enum verdict check_user_top(void *ctx)
{
	struct terminal top = TERMINAL_NONE;
	struct scene *scene = ctx;
	char arguments[64], title[64];
	bool ok;

	snprintf(arguments, sizeof(arguments), "top -i -f exits$ -p %d", (int)scene->other_pid);
	snprintf(title, sizeof(title), "^kvm statistics - pid %d \\(other\\)",
		 (int)scene->other_pid);
	ok = !terminal_start(&top, NOBODY, arguments) && terminal_shows(&top, title, SECONDS) &&
	     terminal_shows(&top, "^ exits +[1-9][0-9]* +100\\.0 ", SECONDS);
	if (ok) {
		terminal_type(&top, "q");
		ok = terminal_status(&top, SECONDS) == 0;
	}
	terminal_close(&top);
	return ok ? PASS : FAIL;
}

enum verdict check_user_refused(void *ctx)
{
	struct scene *scene = ctx;
	char arguments[64];
	bool ok;

	snprintf(arguments, sizeof(arguments), "read -p %d", scene->qemu.vmm.pid);
	ok = scene_runs(scene, NOBODY, 1, arguments) &&
	     scene_printed(scene, "not allowed to look at the fds of the process") &&
	     scene_printed(scene, "process %d is of user 0, kvm-stats of user %d",
			   scene->qemu.vmm.pid, NOBODY) &&
	     scene_printed(scene, "with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH");
	return ok ? PASS : FAIL;
}

enum verdict check_other_ends(void *ctx)
{
	struct scene *scene = ctx;

	if (!scene->other_pid)
		return FAIL;
	session_end(&scene->other);
	return PASS;
}

/* How many fds of KVM @pid holds. */
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

static bool holds_one_vm(const char *who, pid_t pid)
{
	long long deadline = ms_now() + SECONDS * 1000LL;
	int count;

	do
		count = count_kvm_fds(pid);
	while (count != 1 + VMM_CPUS && ms_until(deadline) && (ms_sleep(100), true));
	if (count != 1 + VMM_CPUS)
		tap_note("%s holds %d fds of KVM, %d expected", who, count, 1 + VMM_CPUS);
	return count == 1 + VMM_CPUS;
}

/* Of the VM that has ended nobody keeps anything. */
enum verdict check_let_go(void *ctx)
{
	struct scene *scene = ctx;
	bool ok = holds_one_vm("top", scene->top.pid) &&
		  holds_one_vm("serve", scene->server.pid);

	if (!vm_goes_away(scene->other_pid)) {
		tap_note("the kernel keeps the VM");
		ok = false;
	}
	return ok ? PASS : FAIL;
}
