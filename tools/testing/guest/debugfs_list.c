// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test that the files in debugfs have the same names, modes and contents as those of an
 * unpatched kernel.
 *
 * The reference list of each architecture, debugfs_list/debugfs-ARCH.list, is the output of
 * `debugfs_list --print` on an unpatched kernel. It has one line for each file: the mode, and
 * the path below the directory of a VM ("vm/NAME") or below the top directory ("NAME"). A '?'
 * before the path marks a file that depends on the CPU. vcpu/arch/ has the guest code that
 * makes the kernel count.
 *
 * The program clears the statistics of all VMs, so it runs only if BOOT_VARIANT is set, as it
 * is in test machines.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "debugfs_list/debugfs_list.h"
#include "tap.h"

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

static bool all_numbers(const struct listing *here, const struct vm *vm)
{
	char path[PATH_MAX];
	long long value;
	size_t i;

	for (i = 0; i < here->count; i++) {
		if (!read_number(path_of(here->line[i], vm, path), &value))
			return false;
	}
	return true;
}

static const char *counter(void)
{
	return action->changes[0].debugfs;
}

static bool is_value(const struct vm *vm, long long expected)
{
	long long value = number_in(vm->dir, counter());

	return value == expected ||
	       fail("%s is %lld, expected %lld", counter(), value, expected);
}

static bool counts_vm(const struct vm *vm)
{
	const struct guest_change *change = &action->changes[0];
	long long value = number_in(vm->dir, counter());

	if (change->precision == GUEST_EXACTLY && !change->minus[0])
		return is_value(vm, vm->times);
	return value >= vm->times ||
	       fail("%s is %lld, expected at least %u", counter(), value, vm->times);
}

static bool is_vm_file(const char *name)
{
	return !strncmp(name, "vm/", 3) && !strchr(name + 3, '/');
}

/* No vCPU runs, so the sums must be exact. */
static bool top_is_sum(const struct listing *here, const struct vm *a, const struct vm *b)
{
	long long sum, top;
	const char *name;
	size_t i;

	for (i = 0; i < here->count; i++) {
		name = name_of(here->line[i]);
		if (!is_vm_file(name))
			continue;
		name += 3;
		sum = number_in(a->dir, name) + number_in(b->dir, name);
		top = number_in(KVM_DIR, name);
		if (top != sum)
			return fail("%s: %lld in the top directory, but the sum of the VMs is %lld",
				    name, top, sum);
	}
	return true;
}

/*
 * A file accepts only a zero, which clears it. In the directory of a VM, the mode must allow
 * the write. In the top directory, root can clear every file, whatever its mode.
 */
static bool writable_as_modes_say(const struct listing *here, const struct vm *vm)
{
	char path[PATH_MAX];
	long long value;
	size_t i;

	for (i = 0; i < here->count; i++) {
		bool top = !strchr(here->line[i], '/');
		bool writable = top || strtol(here->line[i], NULL, 8) & 0222;
		int expected = writable ? -EINVAL : -EACCES;
		int ret = write_text(path_of(here->line[i], vm, path), "1");

		if (ret != expected)
			return fail("%s: writing 1 returns %d, expected %d", path, ret, expected);
		if (!writable)
			continue;
		ret = write_text(path, "0");
		if (ret)
			return fail("%s: writing 0 returns %d", path, ret);
		if (!read_number(path, &value))
			return false;
		if (value)
			return fail("%s: the value is %lld after it was cleared", path, value);
	}
	return true;
}

static bool clears_one_vm(const struct vm *a, const struct vm *b)
{
	long long value = number_in(b->dir, counter());
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.2000s/%s", a->dir, counter());
	write_text(path, "0");
	if (!is_value(a, 0) || !is_value(b, value))
		return false;
	return number_in(KVM_DIR, counter()) == value ||
	       fail("the sum in the top directory is wrong after that");
}

static bool clears_all(const struct vm *a, const struct vm *b)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), KVM_DIR "/%s", counter());
	write_text(path, "0");
	return is_value(a, 0) && is_value(b, 0);
}

static bool disappears(struct vm *vm)
{
	guest_destroy(&vm->guest);
	return access(vm->dir, F_OK) || fail("%s still exists", vm->dir);
}

static int print_list(const struct vm *vm)
{
	static struct listing here;
	size_t i;

	list_files(&here, vm);
	for (i = 0; i < here.count; i++)
		printf("%s\n", here.line[i]);
	return 0;
}

static int run_checks(struct vm *a, struct vm *b)
{
	static struct listing here;

	tap_plan(8);
	list_files(&here, a);
	report("files and modes are those of the unpatched kernel", same_files(&here));
	report("every file consists of a number and a newline", all_numbers(&here, a));
	report_with_guest("the files of a VM count the exits of this VM",
			  action && counts_vm(a) && counts_vm(b));
	report("the files in the top directory are the sums of all VMs", top_is_sum(&here, a, b));
	report_with_guest("a zero written to a file of a VM clears only that file",
			  action && clears_one_vm(a, b));
	report_with_guest("a zero written to a file in the top directory clears it in all VMs",
			  action && clears_all(a, b));
	report("only a zero can be written, and only to files whose mode allows it",
	       writable_as_modes_say(&here, a));
	report("the directory of a VM disappears with the VM", disappears(a));
	return tap_end();
}

int main(int argc, char **argv)
{
	bool print = argc > 1 && !strcmp(argv[1], "--print");
	static struct vm a, b;

	if (!print && !getenv("BOOT_VARIANT"))
		return tap_skip_all("clears all VMs' statistics; set BOOT_VARIANT to allow that");
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (access(KVM_DIR, R_OK))
		return tap_skip_all("no access to " KVM_DIR);
	create_vm(&a, 5);
	create_vm(&b, 7);
	if (print)
		return print_list(&a);
	return run_checks(&a, &b);
}
