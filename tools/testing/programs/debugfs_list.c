// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test that the files in debugfs have the same names, modes and contents as those of an
 * unpatched kernel.
 *
 * debugfs_list/debugfs-ARCH.list has one line "MODE NAME" for each file. The top directory and the
 * directory of each VM have the same files, except those with a '/', which only a VM has. A '?'
 * before the name marks a file that depends on the CPU. To write the list of an architecture, run
 * this program on an unpatched kernel with an empty list: it prints all lines.
 *
 * The program clears the statistics of all VMs, so it runs only if BOOT_VARIANT is set, as it
 * is in test machines.
 */
#define _GNU_SOURCE
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/failure.h"
#include "tap.h"
#include "vcpu/guest.h"

#define KVM_DIR		"/sys/kernel/debug/kvm"
#define MAX_FILES	256

#if defined(__x86_64__) || defined(__i386__)
#define LIST		"/tests/debugfs-x86.list"
#elif defined(__aarch64__)
#define LIST		"/tests/debugfs-arm64.list"
#elif defined(__s390x__)
#define LIST		"/tests/debugfs-s390.list"
#elif defined(__powerpc64__)
#define LIST		"/tests/debugfs-powerpc.list"
#elif defined(__mips__)
#define LIST		"/tests/debugfs-mips.list"
#else
#define LIST		"/dev/null"
#endif

struct vm {
	struct guest guest;
	unsigned int times;	/* how often the vCPU executed the action */
	char dir[PATH_MAX];
};

/* A line of the list. */
static struct file {
	unsigned int mode;
	bool optional;
	char name[64];
	bool found;
} files[MAX_FILES];
static size_t num_files;

/* The directory that check_file() checks. */
static const char *checked_dir;

/* The action of the guests. NULL if no guest can run. */
static const struct guest_action *action;

static void report(const char *name, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, "", name, failure);
}

/* Reports a test case that needs a guest. */
static void report_with_guest(const char *name, bool ok)
{
	if (action)
		report(name, ok);
	else
		tap_report(TAP_SKIP, "", name, "no guest can run");
}

static void stop_on_error(const char *message)
{
	if (message) {
		printf("Bail out! %s\n", message);
		exit(1);
	}
}

/* Creates a VM, and lets its vCPU execute the action as often as @times says. */
static void create_vm(struct vm *vm, unsigned int times)
{
	stop_on_error(guest_create(&vm->guest));
	snprintf(vm->dir, sizeof(vm->dir), KVM_DIR "/%d-%d", getpid(), vm->guest.vm);
	vm->times = times;
	action = guest_next_action(&vm->guest, NULL);
	if (!action)
		return;
	guest_append(&vm->guest, action, times);
	stop_on_error(guest_run(&vm->guest, action, times));
}

static void read_list(void)
{
	struct file *file = files;
	FILE *list = fopen(LIST, "r");
	char line[128], name[66];

	if (!list)
		stop_on_error("cannot open " LIST);
	while (fgets(line, sizeof(line), list)) {
		if (line[0] == '#')
			continue;
		if (file == files + MAX_FILES || sscanf(line, "%o %64s", &file->mode, name) != 2)
			stop_on_error("wrong or too many lines in " LIST);
		file->optional = name[0] == '?';
		strcpy(file->name, name + file->optional);
		file++;
	}
	num_files = file - files;
	fclose(list);
}

/* Only a VM has the files with a '/'. */
static bool is_in(const struct file *file, const char *dir)
{
	return strcmp(dir, KVM_DIR) || !strchr(file->name, '/');
}

/* Called by nftw(), which is not to descend from the top directory to the VMs. */
static int check_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *name = path + strlen(checked_dir) + 1;
	unsigned int mode = st->st_mode & 07777;
	size_t i;

	if (type != FTW_F) {
		bool is_vm = ftw->level && !strcmp(checked_dir, KVM_DIR);

		return is_vm ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
	}
	for (i = 0; i < num_files; i++) {
		if (strcmp(files[i].name, name) || files[i].mode != mode ||
		    !is_in(&files[i], checked_dir))
			continue;
		files[i].found = true;
		return FTW_CONTINUE;
	}
	fail("%s has files that are not in " LIST, checked_dir);
	printf("# not in the list: %04o %s\n", mode, name);
	return FTW_CONTINUE;
}

static bool same_files(const char *dir)
{
	size_t i;

	failure[0] = '\0';
	checked_dir = dir;
	for (i = 0; i < num_files; i++)
		files[i].found = !is_in(&files[i], dir) || files[i].optional;
	if (nftw(dir, check_file, 16, FTW_PHYS | FTW_ACTIONRETVAL))
		return fail("%s: %s", dir, strerror(errno));
	for (i = 0; i < num_files; i++) {
		if (!files[i].found)
			fail("%s has no file %04o %s", dir, files[i].mode, files[i].name);
	}
	return !failure[0];
}

/* The file must consist of one decimal number and a newline. */
static bool read_number(const char *dir, const char *name, long long *value)
{
	char path[PATH_MAX], text[64] = "", expected[32];
	FILE *file;
	bool more;

	snprintf(path, sizeof(path), "%.2000s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		return fail("%s: %s", path, strerror(errno));
	more = !fgets(text, sizeof(text), file) || getc(file) != EOF;
	fclose(file);
	*value = strtoll(text, NULL, 10);
	snprintf(expected, sizeof(expected), "%lld\n", *value);
	return (!more && !strcmp(text, expected)) ||
	       fail("%s: '%s' is not one number and a newline", path, text);
}

/* Returns 0, or the negative errno of the write. */
static int write_text(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%.2000s/%s", dir, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static bool exists(const struct file *file, const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.2000s/%s", dir, file->name);
	return is_in(file, dir) && (!file->optional || !access(path, F_OK));
}

static bool all_numbers(const char *dir)
{
	long long value;
	size_t i;

	for (i = 0; i < num_files; i++) {
		if (exists(&files[i], dir) && !read_number(dir, files[i].name, &value))
			return false;
	}
	return true;
}

static const char *counter(void)
{
	return action->changes[0].debugfs;
}

static bool is_value(const char *dir, long long expected)
{
	long long value;

	return read_number(dir, counter(), &value) &&
	       (value == expected ||
		fail("%s/%s is %lld, expected %lld", dir, counter(), value, expected));
}

static bool counts_vm(const struct vm *vm)
{
	const struct guest_change *change = &action->changes[0];
	long long value;

	if (change->precision == GUEST_EXACTLY && !change->minus[0])
		return is_value(vm->dir, vm->times);
	return read_number(vm->dir, counter(), &value) &&
	       (value >= vm->times ||
		fail("%s is %lld, expected at least %u", counter(), value, vm->times));
}

/* No vCPU runs, so the sums must be exact. */
static bool top_is_sum(const struct vm *a, const struct vm *b)
{
	long long of_a, of_b, top;
	const char *name;
	size_t i;

	for (i = 0; i < num_files; i++) {
		name = files[i].name;
		if (!is_in(&files[i], KVM_DIR))
			continue;
		if (!read_number(a->dir, name, &of_a) || !read_number(b->dir, name, &of_b) ||
		    !read_number(KVM_DIR, name, &top))
			return false;
		if (top != of_a + of_b)
			return fail("%s: %lld in the top directory, but the sum of the VMs is %lld",
				    name, top, of_a + of_b);
	}
	return true;
}

/*
 * A file accepts only a zero, which clears it. In the directory of a VM, the mode must allow
 * the write. In the top directory, root can clear every file, whatever its mode.
 */
static bool writable_as_modes_say(const char *dir)
{
	const struct file *file;
	long long value;

	for (file = files; file < files + num_files; file++) {
		bool writable = !strcmp(dir, KVM_DIR) || file->mode & 0222;
		int expected = writable ? -EINVAL : -EACCES;
		int ret;

		if (!exists(file, dir))
			continue;
		ret = write_text(dir, file->name, "1");
		if (ret != expected)
			return fail("%s/%s: writing 1 returns %d, expected %d", dir, file->name,
				    ret, expected);
		if (!writable)
			continue;
		ret = write_text(dir, file->name, "0");
		if (ret)
			return fail("%s/%s: writing 0 returns %d", dir, file->name, ret);
		if (!read_number(dir, file->name, &value))
			return false;
		if (value)
			return fail("%s/%s: the value is %lld after it was cleared", dir,
				    file->name, value);
	}
	return true;
}

static bool clears_one_vm(const struct vm *a, const struct vm *b)
{
	long long value;

	if (!read_number(b->dir, counter(), &value))
		return false;
	write_text(a->dir, counter(), "0");
	return is_value(a->dir, 0) && is_value(b->dir, value) && is_value(KVM_DIR, value);
}

static bool clears_all(const struct vm *a, const struct vm *b)
{
	write_text(KVM_DIR, counter(), "0");
	return is_value(a->dir, 0) && is_value(b->dir, 0);
}

static bool disappears(struct vm *vm)
{
	guest_destroy(&vm->guest);
	return access(vm->dir, F_OK) || fail("%s still exists", vm->dir);
}

int main(void)
{
	static struct vm a, b;

	if (!getenv("BOOT_VARIANT"))
		return tap_skip_all("clears all VMs' statistics; set BOOT_VARIANT to allow that");
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (access(KVM_DIR, R_OK))
		return tap_skip_all("no access to " KVM_DIR);
	read_list();
	create_vm(&a, 5);
	create_vm(&b, 7);
	tap_plan(8);
	report("files and modes are those of the unpatched kernel",
	       same_files(KVM_DIR) && same_files(a.dir));
	report("every file consists of a number and a newline",
	       all_numbers(KVM_DIR) && all_numbers(a.dir));
	report_with_guest("the files of a VM count the exits of this VM",
			  action && counts_vm(&a) && counts_vm(&b));
	report("the files in the top directory are the sums of all VMs", top_is_sum(&a, &b));
	report_with_guest("a zero written to a file of a VM clears only that file",
			  action && clears_one_vm(&a, &b));
	report_with_guest("a zero written to a file in the top directory clears it in all VMs",
			  action && clears_all(&a, &b));
	report("only a zero can be written, and only to files whose mode allows it",
	       writable_as_modes_say(KVM_DIR) && writable_as_modes_say(a.dir));
	report("the directory of a VM disappears with the VM", disappears(&a));
	return tap_end();
}
