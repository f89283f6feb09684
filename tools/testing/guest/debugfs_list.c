// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statistics in debugfs: the same files, modes and contents as ever.
 *
 * The list to compare with was printed by this program on an unpatched kernel
 * (debugfs_list --print): a line per file, its mode and its path below a VM's
 * directory ("vm/") or at the top.  A '?' before the path marks a file that
 * depends on the CPU.
 *
 * What a guest does to be counted is in guest/, a room per architecture.
 *
 * Clears the statistics of all VMs: not for a machine that has some.  It asks for
 * BOOT_VARIANT, which is set on machines that were made for tests.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/guest.h"
#include "tap.h"

#define TOP		"/sys/kernel/debug/kvm"
#define MAX_FILES	256

struct vm {
	struct guest guest;
	unsigned int times;	/* that it exited */
	char dir[PATH_MAX];
};

struct listing {
	size_t count;
	char *line[MAX_FILES];
};

/* What the guests do, and the statistic that counts it; NULL where none can run. */
static const struct guest_act *act;
static char why[512];

static bool complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return false;
}

static void report(const char *name, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, "", name, why);
}

static int checked(int ret, const char *what)
{
	if (ret < 0) {
		printf("Bail out! %s: %s\n", what, strerror(errno));
		exit(1);
	}
	return ret;
}

/* A point that says nothing where no guest makes a statistic move. */
static void report_counted(const char *name, bool ok)
{
	if (act)
		report(name, ok);
	else
		tap_report(TAP_SKIP, "", name, "no guest runs here");
}

static void stop_unless(const char *message)
{
	if (message) {
		printf("Bail out! %s\n", message);
		exit(1);
	}
}

/* A VM whose vCPU has exited @times times. */
static void create_vm(struct vm *vm, unsigned int times)
{
	stop_unless(guest_create(&vm->guest));
	snprintf(vm->dir, sizeof(vm->dir), TOP "/%d-%d", getpid(), vm->guest.vm);
	vm->times = times;
	act = guest_next_act(&vm->guest, NULL);
	if (!act)
		return;
	guest_append(&vm->guest, act, times);
	stop_unless(guest_run(&vm->guest, act, times));
}

static void add_line(struct listing *list, const char *fmt, ...)
{
	va_list args;

	if (list->count == MAX_FILES) {
		printf("Bail out! more than %d files\n", MAX_FILES);
		exit(1);
	}
	va_start(args, fmt);
	checked(vasprintf(&list->line[list->count++], fmt, args), "memory");
	va_end(args);
}

static void free_listing(struct listing *list)
{
	while (list->count)
		free(list->line[--list->count]);
}

/* Files in @dir under the name @prefix; directories too, unless it is the top. */
static void list_dir(struct listing *list, const char *dir, const char *prefix)
{
	char path[PATH_MAX], name[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *d = opendir(dir);

	checked(d ? 0 : -1, dir);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		checked(lstat(path, &st), path);
		if (S_ISREG(st.st_mode)) {
			add_line(list, "%04o %s%s", st.st_mode & 07777, prefix,
				 entry->d_name);
		} else if (*prefix) {
			snprintf(name, sizeof(name), "%s%s/", prefix, entry->d_name);
			list_dir(list, path, name);
		}
	}
	closedir(d);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

static void list_vm(struct listing *list, const struct vm *vm)
{
	list->count = 0;
	list_dir(list, TOP, "");
	list_dir(list, vm->dir, "vm/");
	qsort(list->line, list->count, sizeof(list->line[0]), compare_lines);
}

static bool has_line(const struct listing *list, const char *line)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		if (!strcmp(list->line[i], line))
			return true;
	}
	return false;
}

/* The reference list; the lines with '?' go to @optional, without it. */
static bool read_list(const char *path, struct listing *list, struct listing *optional)
{
	char line[PATH_MAX], mode[8], name[PATH_MAX];
	FILE *f = fopen(path, "r");

	list->count = 0;
	optional->count = 0;
	if (!f)
		return complain("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || sscanf(line, "%7s %[^\n]", mode, name) != 2)
			continue;
		if (name[0] == '?')
			add_line(optional, "%s %s", mode, name + 1);
		else
			add_line(list, "%s %s", mode, name);
	}
	fclose(f);
	return true;
}

static bool same_files(const struct listing *here)
{
	static struct listing list, optional;
	char path[PATH_MAX];
	const char *arch = getenv("BOOT_ARCH");
	bool ok = true;
	size_t i;

	snprintf(path, sizeof(path), "/tests/debugfs-%s.list", arch ? arch : "x86_64");
	if (!read_list(path, &list, &optional))
		return false;
	for (i = 0; i < list.count; i++) {
		if (has_line(here, list.line[i]))
			continue;
		printf("# missing: %s\n", list.line[i]);
		ok = complain("files differ from %s", path);
	}
	for (i = 0; i < here->count; i++) {
		if (has_line(&list, here->line[i]) || has_line(&optional, here->line[i]))
			continue;
		printf("# new: %s\n", here->line[i]);
		ok = complain("files differ from %s", path);
	}
	free_listing(&list);
	free_listing(&optional);
	return ok;
}

/* The file of a listing's line, as it lies in the file system. */
static const char *file_of(const char *line, const struct vm *vm, char *path)
{
	const char *name = strchr(line, ' ') + 1;

	if (!strncmp(name, "vm/", 3))
		snprintf(path, PATH_MAX, "%.2000s/%s", vm->dir, name + 3);
	else
		snprintf(path, PATH_MAX, TOP "/%s", name);
	return path;
}

/* One decimal number and a newline, then the end. */
static bool read_number(const char *path, long long *value)
{
	char text[64], end;
	int len = 0, more;
	ssize_t got;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return complain("%s: %s", path, strerror(errno));
	got = read(fd, text, sizeof(text) - 1);
	more = read(fd, &end, 1);
	close(fd);
	if (got <= 0)
		return complain("%s: read gives %zd", path, got);
	text[got] = '\0';
	if (sscanf(text, "%lld%c%n", value, &end, &len) != 2 || end != '\n' ||
	    len != got || text[0] == '+' || text[0] == ' ')
		return complain("%s: '%s' is not a number and a newline", path, text);
	if (more)
		return complain("%s: there is more after the number", path);
	return true;
}

static long long number(const char *dir, const char *name)
{
	char path[PATH_MAX];
	long long value;

	snprintf(path, sizeof(path), "%.2000s/%s", dir, name);
	if (!read_number(path, &value)) {
		printf("# %s\n", why);
		return -1;
	}
	return value;
}

static bool all_numbers(const struct listing *here, const struct vm *vm)
{
	char path[PATH_MAX];
	long long value;
	size_t i;

	for (i = 0; i < here->count; i++) {
		if (!read_number(file_of(here->line[i], vm, path), &value))
			return false;
	}
	return true;
}

static const char *counter(void)
{
	return act->moves[0].debugfs;
}

static bool is_value(const struct vm *vm, long long expected)
{
	long long value = number(vm->dir, counter());

	return value == expected ||
	       complain("%s is %lld, not %lld", counter(), value, expected);
}

static bool counts(const struct vm *vm)
{
	const struct guest_move *move = &act->moves[0];
	long long value = number(vm->dir, counter());

	if (move->precision == GUEST_EXACTLY && !move->less[0])
		return is_value(vm, vm->times);
	return value >= vm->times ||
	       complain("%s is %lld, less than %u", counter(), value, vm->times);
}

static bool is_vm_file(const char *name)
{
	return !strncmp(name, "vm/", 3) && !strchr(name + 3, '/');
}

/* Nothing runs, so the sums must be exact. */
static bool top_is_sum(const struct listing *here, const struct vm *a, const struct vm *b)
{
	long long sum, top;
	const char *name;
	size_t i;

	for (i = 0; i < here->count; i++) {
		name = strchr(here->line[i], ' ') + 1;
		if (!is_vm_file(name))
			continue;
		name += 3;
		sum = number(a->dir, name) + number(b->dir, name);
		top = number(TOP, name);
		if (top != sum)
			return complain("%s: %lld at the top, %lld in the VMs", name, top, sum);
	}
	return true;
}

/* Returns 0, or the negative errno of the write. */
static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/*
 * Only a zero, and then the value is zero.  In a VM's directory only where the
 * mode says so; at the top root may clear every file, whatever its mode.
 */
static bool writes_as_modes_say(const struct listing *here, const struct vm *vm)
{
	char path[PATH_MAX];
	long long value;
	size_t i;

	for (i = 0; i < here->count; i++) {
		bool top = !strchr(here->line[i], '/');
		bool writable = top || strtol(here->line[i], NULL, 8) & 0222;
		int expected = writable ? -EINVAL : -EACCES;
		int ret = write_text(file_of(here->line[i], vm, path), "1");

		if (ret != expected)
			return complain("%s: writing 1 gives %d, not %d", path, ret, expected);
		if (!writable)
			continue;
		ret = write_text(path, "0");
		if (ret)
			return complain("%s: writing 0 gives %d", path, ret);
		if (!read_number(path, &value))
			return false;
		if (value)
			return complain("%s: %lld after it was cleared", path, value);
	}
	return true;
}

static bool clears_one_vm(const struct vm *a, const struct vm *b)
{
	long long value = number(b->dir, counter());
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.2000s/%s", a->dir, counter());
	write_text(path, "0");
	if (!is_value(a, 0) || !is_value(b, value))
		return false;
	return number(TOP, counter()) == value ||
	       complain("the sum at the top did not follow");
}

static bool clears_all(const struct vm *a, const struct vm *b)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), TOP "/%s", counter());
	write_text(path, "0");
	return is_value(a, 0) && is_value(b, 0);
}

static bool disappears(struct vm *vm)
{
	guest_destroy(&vm->guest);
	return access(vm->dir, F_OK) || complain("%s is still there", vm->dir);
}

static int print_list(const struct vm *vm)
{
	static struct listing here;
	size_t i;

	list_vm(&here, vm);
	for (i = 0; i < here.count; i++)
		printf("%s\n", here.line[i]);
	return 0;
}

static int run_points(struct vm *a, struct vm *b)
{
	static struct listing here;

	tap_plan(8);
	list_vm(&here, a);
	report("files and modes are those of the unpatched kernel", same_files(&here));
	report("every file holds a number and a newline", all_numbers(&here, a));
	report_counted("a VM's files count this VM", act && counts(a) && counts(b));
	report("the files at the top add up the VMs", top_is_sum(&here, a, b));
	report_counted("a zero written to a VM's file clears it there alone",
		       act && clears_one_vm(a, b));
	report_counted("a zero written to a file at the top clears it in all VMs",
		       act && clears_all(a, b));
	report("a file can be cleared, with zero only, if its mode says so",
	       writes_as_modes_say(&here, a));
	report("the directory goes when its VM goes", disappears(a));
	return tap_end();
}

int main(int argc, char **argv)
{
	bool print = argc > 1 && !strcmp(argv[1], "--print");
	static struct vm a, b;

	if (!print && !getenv("BOOT_VARIANT"))
		return tap_skip_all("clears all VMs' statistics; set BOOT_VARIANT where it may");
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no /dev/kvm that can be opened");
	if (access(TOP, R_OK))
		return tap_skip_all("no debugfs at /sys/kernel/debug, or not root");
	create_vm(&a, 5);
	create_vm(&b, 7);
	if (print)
		return print_list(&a);
	return run_points(&a, &b);
}
