// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kvm-stats command against a VMM that knows nothing of it.
 *
 * The VMM, a child of this program, keeps no statistics fd open.  What it reads
 * from its own ones in passing is what kvm-stats must print.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../../../kvm/kvm_stats/tests/tiny_vmm.h"
#include "tap.h"

#define VCPUS		2
#define TIME_LIMIT	90	/* seconds, for each run of the command */
#define MAX_ARGS	16
#define NOBODY		65534
#define MIN_EXITS	100	/* of each vCPU, before it is stopped */

/* ---- a reading of one's own statistics, independent of the library ---- */

struct file_header {
	uint32_t flags, name_size, num_desc, id_offset, desc_offset, data_offset;
};

struct file_desc {
	uint32_t flags;
	int16_t exponent;
	uint16_t size;
	uint32_t offset, bucket_size;
	char name[48];
};

static int direct_value(int stats, const char *name, uint64_t *value)
{
	struct file_header header;
	struct file_desc desc;
	uint32_t i;

	if (pread(stats, &header, sizeof(header), 0) != sizeof(header))
		return -EIO;
	for (i = 0; i < header.num_desc; i++) {
		off_t at = header.desc_offset + i * sizeof(desc);

		if (pread(stats, &desc, sizeof(desc), at) != sizeof(desc))
			return -EIO;
		if (strcmp(desc.name, name))
			continue;
		at = header.data_offset + desc.offset;
		return pread(stats, value, sizeof(*value), at) == sizeof(*value) ? 0 : -EIO;
	}
	return -ENOENT;
}

/* ---- the VMM ---- */

struct numbers {
	int err;
	uint64_t exits[VCPUS];
	uint64_t io_exits[VCPUS];
};

struct vmm {
	pid_t pid;
	int command;	/* 's' stops the vCPUs and asks for numbers, 'g' goes on */
	int answer;
};

static int read_vcpu(int vcpu, uint64_t *exits, uint64_t *io_exits)
{
	int stats = ioctl(vcpu, KVM_GET_STATS_FD, NULL);
	int err;

	if (stats < 0)
		return -errno;
	err = direct_value(stats, "exits", exits);
	if (!err)
		err = direct_value(stats, "io_exits", io_exits);
	close(stats);
	return err;
}

static struct numbers read_vm(const struct tiny_vm *vm)
{
	struct numbers numbers = { 0 };
	int i;

	for (i = 0; !numbers.err && i < VCPUS; i++)
		numbers.err = read_vcpu(vm->vcpu[i].fd, &numbers.exits[i], &numbers.io_exits[i]);
	return numbers;
}

static void vmm_main(int command, int answer)
{
	struct numbers numbers = { 0 };
	struct tiny_vm vm;
	char what;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	numbers.err = tiny_create(&vm, VCPUS);
	if (write(answer, &numbers, sizeof(numbers)) < 0 || numbers.err)
		_exit(1);
	tiny_start(&vm);
	while (read(command, &what, 1) == 1) {
		if (what == 'g') {
			tiny_start(&vm);
			continue;
		}
		if (!tiny_wait(&vm, MIN_EXITS)) {
			numbers.err = -ETIMEDOUT;
			if (write(answer, &numbers, sizeof(numbers)) < 0)
				break;
			continue;
		}
		tiny_stop(&vm);
		numbers = read_vm(&vm);
		if (write(answer, &numbers, sizeof(numbers)) < 0)
			break;
	}
	_exit(0);
}

static int vmm_answer(const struct vmm *vmm, struct numbers *numbers)
{
	struct pollfd poll_fd = { .fd = vmm->answer, .events = POLLIN };

	if (poll(&poll_fd, 1, TIME_LIMIT * 1000) != 1 ||
	    read(vmm->answer, numbers, sizeof(*numbers)) != sizeof(*numbers))
		return -EPIPE;
	return numbers->err;
}

static int vmm_start(struct vmm *vmm)
{
	int command[2], answer[2];
	struct numbers numbers;

	if (pipe2(command, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return -errno;
	vmm->pid = fork();
	if (!vmm->pid) {
		close(command[1]);
		vmm_main(command[0], answer[1]);
	}
	close(command[0]);
	close(answer[1]);
	vmm->command = command[1];
	vmm->answer = answer[0];
	return vmm->pid < 0 ? -errno : vmm_answer(vmm, &numbers);
}

static int vmm_stop_vcpus(const struct vmm *vmm, struct numbers *numbers)
{
	if (write(vmm->command, "s", 1) != 1)
		return -errno;
	return vmm_answer(vmm, numbers);
}

static void vmm_go_on(const struct vmm *vmm)
{
	if (write(vmm->command, "g", 1) != 1)
		perror("# write");
}

static void vmm_kill(const struct vmm *vmm)
{
	kill(vmm->pid, SIGKILL);
	waitpid(vmm->pid, NULL, 0);
	close(vmm->command);
	close(vmm->answer);
}

/* ---- running the command ---- */

struct run {
	pid_t pid;
	int out;
	int status;	/* as from exit(), or -1 */
	size_t len;
	char text[65536];
};

static void split(char *line, char **argv)
{
	int argc = 0;
	char *save;

	argv[argc++] = "kvm-stats";
	for (line = strtok_r(line, " ", &save); line; line = strtok_r(NULL, " ", &save)) {
		if (argc < MAX_ARGS - 1)
			argv[argc++] = line;
	}
	argv[argc] = NULL;
}

static void exec_command(char *line, int out, uid_t uid)
{
	const char *path = getenv("KVM_STATS");
	char *argv[MAX_ARGS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	split(line, argv);
	if (uid && setuid(uid))
		_exit(126);
	execv(path ? path : "/bin/kvm-stats", argv);
	_exit(127);
}

/* Both of its outputs go to @to, or to a pipe that run_end() reads. */
static void run_start(struct run *run, int to, uid_t uid, const char *format, va_list args)
{
	char line[256];
	int fds[2];

	vsnprintf(line, sizeof(line), format, args);
	if (pipe2(fds, O_CLOEXEC)) {
		perror("# pipe2");
		exit(1);
	}
	run->pid = fork();
	if (!run->pid)
		exec_command(line, to >= 0 ? to : fds[1], uid);
	close(fds[1]);
	run->out = fds[0];
	run->len = 0;
	run->text[0] = '\0';
	run->status = -1;
}

static bool read_more(struct run *run, int timeout)
{
	struct pollfd poll_fd = { .fd = run->out, .events = POLLIN };
	ssize_t n;

	if (poll(&poll_fd, 1, timeout) != 1)
		return false;
	n = read(run->out, run->text + run->len, sizeof(run->text) - 1 - run->len);
	if (n <= 0)
		return false;
	run->len += n;
	run->text[run->len] = '\0';
	return true;
}

/* False if it took too long and had to be killed. */
static bool run_end(struct run *run)
{
	time_t limit = time(NULL) + TIME_LIMIT;
	int status;

	while (read_more(run, TIME_LIMIT * 1000) && time(NULL) < limit)
		;
	while (!waitpid(run->pid, &status, WNOHANG)) {
		if (time(NULL) >= limit) {
			kill(run->pid, SIGKILL);
			waitpid(run->pid, NULL, 0);
			close(run->out);
			return false;
		}
		usleep(10000);
	}
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	close(run->out);
	return true;
}

static void __attribute__((__format__(__printf__, 4, 5)))
run_command(struct run *run, int to, uid_t uid, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	run_start(run, to, uid, format, args);
	va_end(args);
	run_end(run);
}

static void __attribute__((__format__(__printf__, 2, 3)))
run_in_background(struct run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	run_start(run, -1, 0, format, args);
	va_end(args);
}

/* ---- what it printed ---- */

static const char *next_line(const char *line)
{
	line = strchr(line, '\n');
	return line ? line + 1 : "";
}

static bool parse_row(const char *line, const char *target, const char *stat,
		      unsigned long long *value, double *rate)
{
	char of[64], name[64], unit[32];

	*rate = -1;
	return sscanf(line, "%63s %63s %llu %31s %lf", of, name, value, unit, rate) >= 4 &&
	       !strcmp(of, target) && !strcmp(name, stat);
}

/*
 * Three intervals, in each of which the rate is positive just where the value grew, as it did in
 * one at least.  (A loaded machine may stop an emulated CPU for longer than an interval.)
 */
static bool rates_follow_values(const struct run *run, const char *target, const char *stat)
{
	unsigned long long value, last = 0;
	int rows = 0, grown = 0;
	bool grew, stands;
	const char *line;
	double rate;

	for (line = run->text; *line; line = next_line(line)) {
		if (!parse_row(line, target, stat, &value, &rate))
			continue;
		grew = value > last;
		stands = rate <= 0;
		if (rows++ && grew == stands)
			return false;
		grown += rate > 0;
		last = value;
	}
	return rows == 3 && grown;
}

static bool prints(const struct run *run, const char *target, const char *stat,
		   unsigned long long expected)
{
	unsigned long long value = 0;
	double rate;
	const char *line;
	int found = 0;

	for (line = run->text; *line; line = next_line(line)) {
		unsigned long long v;

		if (!parse_row(line, target, stat, &v, &rate))
			continue;
		value = v;
		found++;
	}
	if (found == 1 && value == expected)
		return true;
	printf("# %s %s: expected one value %llu, found %d, the last %llu\n", target, stat,
	       expected, found, value);
	return false;
}

static bool list_has(const struct run *run, pid_t pid, const char *numbers)
{
	const char *line;

	for (line = run->text; *line; line = next_line(line)) {
		unsigned long vms, vcpus;
		char name[32], from[32];
		int found;

		if (sscanf(line, "%d %31s %lu %lu %31s", &found, name, &vms, &vcpus, from) == 5 &&
		    found == pid)
			return vms == 1 && vcpus == VCPUS && !strcmp(from, numbers);
	}
	return false;
}

static bool says(const struct run *run, int status, const char *text)
{
	return run->status == status && strstr(run->text, text);
}

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

static void test_values(const struct vmm *vmm)
{
	struct numbers numbers = { 0 };
	int err = vmm_stop_vcpus(vmm, &numbers);

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
	vmm_go_on(vmm);
}

static void test_rates(const struct vmm *vmm)
{
	run_command(&run, -1, 0, "read -p %d -i 0.5 -c 3 -f ^io_exits$", vmm->pid);
	point(run.status == 0 && rates_follow_values(&run, "vcpu0", "io_exits") &&
	      rates_follow_values(&run, "vcpu1", "io_exits"),
	      "rates of three intervals are positive where values grew", &run);
}

static void test_selection(const struct vmm *vmm)
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

static void test_refusals(const struct vmm *vmm)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	run_command(&run, -1, NOBODY, "read -p %d", vmm->pid);
	point(says(&run, 1, "not allowed") && strstr(run.text, "CAP_SYS_PTRACE"),
	      "without the right to look, it says which", &run);
	run_command(&run, -1, 0, "read -p %d", getpid());
	point(says(&run, 1, "not a KVM VMM"), "a process that is no VMM is told", &run);
	run_command(&run, full, 0, "read -p %d", vmm->pid);
	point(full >= 0 && run.status == 1, "output that is lost is an error", &run);
	close(full);
}

/* debugfs has a directory for each VM that the kernel keeps: "<pid>-<fd>". */
static bool vm_is_kept(pid_t pid)
{
	DIR *dir = opendir("/sys/kernel/debug/kvm");
	struct dirent *dirent;
	bool found = false;
	char prefix[32];

	if (!dir) {
		puts("# no /sys/kernel/debug/kvm");
		return false;
	}
	snprintf(prefix, sizeof(prefix), "%d-", (int)pid);
	while (!found && (dirent = readdir(dir)))
		found = !strncmp(dirent->d_name, prefix, strlen(prefix));
	closedir(dir);
	return found;
}

static bool vm_goes_away(pid_t pid)
{
	int tries = 500;

	while (vm_is_kept(pid) && tries--)
		usleep(10000);
	return !vm_is_kept(pid);
}

static void test_end(const struct vmm *vmm)
{
	static struct run watcher;
	bool kept = vm_is_kept(vmm->pid);

	/* An interval that it cannot sit out within the time limit. */
	run_in_background(&watcher, "read -p %d -i 1000", vmm->pid);
	read_more(&watcher, TIME_LIMIT * 1000);	/* it has taken its fds */
	vmm_kill(vmm);
	point(run_end(&watcher) && says(&watcher, 0, "has ended"),
	      "it notices at once that the VMM has ended", &watcher);
	point(kept && vm_goes_away(vmm->pid), "and lets the VM go", &watcher);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	point(says(&run, 1, "no such process"), "a process that is gone is told", &run);
}

/* ---- other sources ---- */

static void skip(const char *name, const char *why)
{
	tap_report(TAP_SKIP, "", name, why);
}

/* A line of -1: the name, and its total. */
static bool prints_total(const struct run *run, const char *stat, unsigned long long *value)
{
	const char *line;
	char name[64];

	for (line = run->text; *line; line = next_line(line)) {
		if (sscanf(line, "%63s %llu", name, value) == 2 && !strcmp(name, stat))
			return true;
	}
	return false;
}

static bool total_is(const struct run *run, const char *stat, unsigned long long expected)
{
	unsigned long long value = 0;

	if (prints_total(run, stat, &value) && value == expected)
		return true;
	printf("# %s: expected a total of %llu, found %llu\n", stat, expected, value);
	return false;
}

static void test_sums(const struct vmm *vmm)
{
	struct numbers numbers = { 0 };

	vmm_stop_vcpus(vmm, &numbers);
	run_command(&run, -1, 0, "-1 -i -p %d", vmm->pid);
	point(run.status == 0 && total_is(&run, "exits", numbers.exits[0] + numbers.exits[1]) &&
	      total_is(&run, "io_exits", numbers.io_exits[0] + numbers.io_exits[1]),
	      "-1 -i sums up vCPUs", &run);
	run_command(&run, -1, 0, "-1 -i -d -p %d", vmm->pid);
	point(says(&run, 0, "from debugfs") &&
	      total_is(&run, "exits", numbers.exits[0] + numbers.exits[1]) &&
	      total_is(&run, "io_exits", numbers.io_exits[0] + numbers.io_exits[1]),
	      "debugfs has the same sums", &run);
	vmm_go_on(vmm);
}

static bool has_json(const struct run *run, const char *path, const char *stat,
		     unsigned long long value)
{
	const char *at = strstr(run->text, path);
	char text[128];

	snprintf(text, sizeof(text), "{\"name\": \"%s\", \"value\": %llu}", stat, value);
	return at && strstr(at, text);
}

static void test_json(const struct vmm *vmm)
{
	struct numbers numbers = { 0 };

	vmm_stop_vcpus(vmm, &numbers);
	run_command(&run, -1, 0, "read -p %d --json", vmm->pid);
	point(run.status == 0 && !strncmp(run.text, "{\"return\": [", 12) &&
	      has_json(&run, "/kvm-stats/vcpu[1]", "io_exits", numbers.io_exits[1]),
	      "read --json has the numbers, as QMP would", &run);
	vmm_go_on(vmm);
}

static void test_log(const struct vmm *vmm)
{
	run_command(&run, -1, 0, "-l -c -s 0.5 -n 2 -f io_exits -p %d", vmm->pid);
	point(says(&run, 0, "timestamp,io_exits\n") && strstr(run.text, "from statistics fds"),
	      "-l -c logs", &run);
}

static bool has_tracepoints(void)
{
	return !access("/sys/kernel/debug/tracing/events/kvm/kvm_exit/id", F_OK);
}

static void test_tracepoints(const struct vmm *vmm)
{
	unsigned long long all = 0, io = 0, user = 0;
	bool good;

	if (!has_tracepoints()) {
		run_command(&run, -1, 0, "-1 -t -p %d", vmm->pid);
		point(says(&run, 1, "no tracepoints of KVM"), "no tracepoints are told", &run);
		skip("a whole machine's are counted", "this kernel has no tracepoints");
		return;
	}
	run_command(&run, -1, 0, "-1 -t -p %d -f kvm_(exit|userspace_exit)", vmm->pid);
	good = says(&run, 0, "from tracepoints") && prints_total(&run, "kvm_exit", &all) &&
	       prints_total(&run, "kvm_exit(IOIO)", &io) &&
	       prints_total(&run, "kvm_userspace_exit(IO)", &user);
	point(good && io && all >= io && user, "exits are counted by reason", &run);
	run_command(&run, -1, 0, "-1 -t -f kvm_exit");
	point(run.status == 0 && prints_total(&run, "kvm_exit", &all) && all,
	      "a whole machine's are counted", &run);
}

/* The boot "lockdown" is, by its command line: it would be in the way of other tests. */
static bool locked_down(void)
{
	char text[128] = "";
	FILE *file;

	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	file = fopen("/sys/kernel/security/lockdown", "r");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strstr(text, "[integrity]");
}

static void test_lockdown(const struct vmm *vmm)
{
	run_command(&run, -1, 0, "-1 -d -p %d", vmm->pid);
	point(strstr(run.text, "of debugfs can be read") &&
	      strstr(run.text, "the kernel is locked down") && !strstr(run.text, "\nexits "),
	      "what lockdown closes is explained", &run);
}

/* ---- a kernel without the interface ---- */

static bool debugfs_value(pid_t pid, const char *stat, unsigned long long *value)
{
	char path[256], prefix[32];
	struct dirent *dirent;
	bool found = false;
	DIR *dir = opendir("/sys/kernel/debug/kvm");
	FILE *file;

	snprintf(prefix, sizeof(prefix), "%d-", (int)pid);
	while (dir && !found && (dirent = readdir(dir))) {
		if (strncmp(dirent->d_name, prefix, strlen(prefix)))
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/debug/kvm/%.64s/%s", dirent->d_name,
			 stat);
		file = fopen(path, "r");
		found = file && fscanf(file, "%llu", value) == 1;
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void test_unpatched(const struct vmm *vmm)
{
	struct numbers numbers = { 0 };
	unsigned long long exits = 0, io = 0;

	run_command(&run, -1, 0, "list");
	point(run.status == 0 && list_has(&run, vmm->pid, "debugfs"),
	      "list shows the VMM, and that debugfs has its numbers", &run);
	run_command(&run, -1, 0, "read -p %d --vcpu all", vmm->pid);
	point(says(&run, 1, "this kernel has no binary KVM statistics") &&
	      strstr(run.text, "debugfs has sums over vCPUs only"),
	      "read says that the kernel lacks the interface", &run);
	run_command(&run, -1, NOBODY, "read -p %d", vmm->pid);
	point(says(&run, 1, "not allowed"), "and what a user lacks", &run);

	/* It cannot read statistics of its own, so it just stops. */
	vmm_stop_vcpus(vmm, &numbers);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	point(debugfs_value(vmm->pid, "exits", &exits) && debugfs_value(vmm->pid, "io_exits", &io) &&
	      says(&run, 0, "from debugfs") && exits && io && prints(&run, "vm", "exits", exits) &&
	      prints(&run, "vm", "io_exits", io),
	      "in place of the fds, debugfs is read", &run);
	vmm_kill(vmm);
	run_command(&run, -1, 0, "read -p %d", vmm->pid);
	point(says(&run, 1, "no such process"), "a process that is gone is told", &run);
}

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");
	struct vmm vmm;
	bool locked;
	int err = vmm_start(&vmm);

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
	tap_plan(locked ? 15 : 20);
	test_values(&vmm);
	test_rates(&vmm);
	test_selection(&vmm);
	test_refusals(&vmm);
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
