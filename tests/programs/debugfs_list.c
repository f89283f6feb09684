// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test that the files in debugfs have the same names, modes and contents as those of an
 * unpatched kernel.
 *
 * The names are those in Documentation/virt/kvm/stats-reference.rst, which the Makefile converts to
 * a list, and which docs.t compares with the source of the unpatched kernel. The top directory and
 * the directory of each VM have the same files, except those with a '/', which only a VM has. On an
 * unpatched kernel of a new architecture, this program prints the files that the page lacks.
 *
 * The program clears the statistics of all VMs, so it runs only if BOOT_VARIANT is set, as it
 * is in test machines.
 */
#define _GNU_SOURCE
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "lib/run.h"
#include "vcpu/guest.h"

#define KVM_DIR		"/sys/kernel/debug/kvm"
#define MAX_FILES	256

#define LIST		"/tests/stats-reference.list"

/* The scope of ../../tools/lib/kvmstats/reference.awk for this architecture. */
#if defined(__x86_64__) || defined(__i386__)
#define SCOPE		"x86"
#elif defined(__aarch64__)
#define SCOPE		"arm64"
#elif defined(__s390x__)
#define SCOPE		"s390"
#elif defined(__powerpc64__)
#define SCOPE		"book3s"
#elif defined(__mips__)
#define SCOPE		"mips"
#else
#define SCOPE		"none"
#endif

struct vm {
	struct guest guest;
	unsigned int times;	/* how often the vCPU executed the action */
	char dir[PATH_MAX];
};

static struct file {
	char statistic[64];	/* that the file shows, or "" */
	char name[64];
	unsigned int mode;
	bool optional;		/* depends on the CPU */
	bool found;
} files[MAX_FILES];
static size_t num_files;

/* The directory that check_file() checks, and how often it differs from the list. */
static const char *checked_dir;
static unsigned int differences;

/* The action of the guests. NULL if no guest can run. */
static const struct guest_action *action;

static struct vm a, b;

/* Creates a VM, and lets its vCPU execute the action as often as @times says. */
static void create_vm(struct vm *vm, unsigned int times)
{
	bail_out(guest_create(&vm->guest));
	snprintf(vm->dir, sizeof(vm->dir), KVM_DIR "/%d-%d", getpid(), vm->guest.vm);
	vm->times = times;
	action = guest_next_action(&vm->guest, NULL);
	if (!action)
		return;
	guest_append(&vm->guest, action, times);
	bail_out(guest_run(&vm->guest, action, times));
}

/* The numbers of large pages are not counters, which can be cleared. */
static unsigned int mode_of(const char *name)
{
	return strstr(name, "largepages") ? 0444 : 0644;
}

static void read_list(void)
{
	FILE *list = fopen(LIST, "r");
	char line[512], scope[64];

	if (!list)
		bail_out("cannot open " LIST);
	while (fgets(line, sizeof(line), list)) {
		struct file *file = &files[num_files];

		if (num_files == MAX_FILES ||
		    sscanf(line, "%63[^\t]\t%*[^\t]\t%63[^\t]\t%*[^\t]\t%63[^\n]", scope,
			   file->statistic, file->name) != 3)
			bail_out("wrong or too many lines in " LIST);
		file->mode = mode_of(file->name);
		num_files += !strcmp(scope, SCOPE) && strcmp(file->name, "--");
	}
	fclose(list);
}

/* Those that show no statistic are not in the list. */
static void add_files_of_vcpus(void)
{
#if defined(__x86_64__) || defined(__i386__)
	static const struct file x86[] = {
		{ "", "vcpu0/lapic_timer_advance_ns", 0444 },
		{ "", "vcpu0/tsc-offset", 0444 },
		{ "", "vcpu0/tsc-scaling-ratio", 0444, true },
		{ "", "vcpu0/tsc-scaling-ratio-frac-bits", 0444, true },
	};

	if (num_files + ARRAY_SIZE(x86) > MAX_FILES)
		bail_out("too many files");
	memcpy(files + num_files, x86, sizeof(x86));
	num_files += ARRAY_SIZE(x86);
#endif
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
	printf("# not in the list: %04o %s\n", mode, name);
	differences++;
	return FTW_CONTINUE;
}

static void compare_files(const char *dir)
{
	size_t i;

	checked_dir = dir;
	for (i = 0; i < num_files; i++)
		files[i].found = !is_in(&files[i], dir) || files[i].optional;
	if (nftw(dir, check_file, 16, FTW_PHYS | FTW_ACTIONRETVAL))
		fail("%s: %s", dir, strerror(errno));
	for (i = 0; i < num_files; i++)
		if (!files[i].found)
			fail("%s has no file %04o %s", dir, files[i].mode, files[i].name);
	if (differences)
		fail("%s has files that are not in the list", dir);
}

static void same_files(void)
{
	compare_files(KVM_DIR);
	compare_files(a.dir);
}

/* The file must consist of one decimal number and a newline. */
static long long read_number(const char *dir, const char *name)
{
	char path[PATH_MAX], text[64] = "", expected[32];
	long long value;
	FILE *file;
	bool more;

	snprintf(path, sizeof(path), "%.2000s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		fail("%s: %s", path, strerror(errno));
	more = !fgets(text, sizeof(text), file) || getc(file) != EOF;
	fclose(file);
	value = strtoll(text, NULL, 10);
	snprintf(expected, sizeof(expected), "%lld\n", value);
	if (more || strcmp(text, expected))
		fail("%s: '%s' is not one number and a newline", path, text);
	return value;
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

static void read_numbers(const char *dir)
{
	size_t i;

	for (i = 0; i < num_files; i++)
		if (exists(&files[i], dir))
			read_number(dir, files[i].name);
}

static void all_numbers(void)
{
	read_numbers(KVM_DIR);
	read_numbers(a.dir);
}

/* The file that shows the first statistic of the action */
static const char *counter(void)
{
	size_t i;

	for (i = 0; i < num_files; i++)
		if (!strcmp(files[i].statistic, action->changes[0].statistic))
			return files[i].name;
	fail("debugfs does not have %s", action->changes[0].statistic);
}

static void expect_value(const char *dir, long long expected)
{
	long long value = read_number(dir, counter());

	if (value != expected)
		fail("%s/%s is %lld, expected %lld", dir, counter(), value, expected);
}

static void expect_count(const struct vm *vm)
{
	const struct guest_change *change = &action->changes[0];
	long long value = read_number(vm->dir, counter());

	if (change->precision == GUEST_EXACTLY && !change->minus[0])
		expect_value(vm->dir, vm->times);
	if (value < vm->times)
		fail("%s is %lld, expected at least %u", counter(), value, vm->times);
}

static void counts_vms(void)
{
	expect_count(&a);
	expect_count(&b);
}

/* No vCPU runs, so the sums must be exact. */
static void top_is_sum(void)
{
	long long sum, top;
	const char *name;
	size_t i;

	for (i = 0; i < num_files; i++) {
		name = files[i].name;
		if (!is_in(&files[i], KVM_DIR))
			continue;
		sum = read_number(a.dir, name) + read_number(b.dir, name);
		top = read_number(KVM_DIR, name);
		if (top != sum)
			fail("%s: %lld in the top directory, but the sum of the VMs is %lld", name,
			     top, sum);
	}
}

/*
 * A file accepts only a zero, which clears it. In the directory of a VM, the mode must allow
 * the write. In the top directory, root can clear every file, whatever its mode.
 */
static void write_numbers(const char *dir)
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
			fail("%s/%s: writing 1 returns %d, expected %d", dir, file->name, ret,
			     expected);
		if (!writable)
			continue;
		ret = write_text(dir, file->name, "0");
		if (ret)
			fail("%s/%s: writing 0 returns %d", dir, file->name, ret);
		value = read_number(dir, file->name);
		if (value)
			fail("%s/%s: the value is %lld after it was cleared", dir, file->name,
			     value);
	}
}

static void writable_as_modes_say(void)
{
	write_numbers(KVM_DIR);
	write_numbers(a.dir);
}

static void clears_one_vm(void)
{
	long long value = read_number(b.dir, counter());

	write_text(a.dir, counter(), "0");
	expect_value(a.dir, 0);
	expect_value(b.dir, value);
	expect_value(KVM_DIR, value);
}

static void clears_all(void)
{
	write_text(KVM_DIR, counter(), "0");
	expect_value(a.dir, 0);
	expect_value(b.dir, 0);
}

static void disappears(void)
{
	if (!access(a.dir, F_OK))
		fail("%s still exists", a.dir);
}

static const char *needs_guest(void)
{
	return action ? NULL : "no guest can run";
}

static const struct check checks[] = {
	{ "files and modes are those of the unpatched kernel", same_files },
	{ "every file consists of a number and a newline", all_numbers },
	{ "the files of a VM count the exits of this VM", counts_vms, needs_guest },
	{ "the files in the top directory are the sums of all VMs", top_is_sum },
	{ "a zero written to a file of a VM clears only that file", clears_one_vm, needs_guest },
	{ "a zero written to a file in the top directory clears it in all VMs", clears_all,
	  needs_guest },
	{ "only a zero can be written, and only to files whose mode allows it",
	  writable_as_modes_say },
	{}
};

static const struct check end_check = {
	"the directory of a VM disappears with the VM", disappears
};

int main(void)
{
	if (!getenv("BOOT_VARIANT"))
		return tap_skip_all("clears all VMs' statistics; set BOOT_VARIANT to allow that");
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (access(KVM_DIR, R_OK))
		return tap_skip_all("no access to " KVM_DIR);
	read_list();
	add_files_of_vcpus();
	create_vm(&a, 5);
	create_vm(&b, 7);
	run_checks("", checks);
	guest_destroy(&a.guest);
	run_check("", &end_check);
	return tap_end();
}
