// SPDX-License-Identifier: GPL-2.0-only
/* Test the debugfs source, in a directory of sample files. */
#include <linux/capability.h>
#include <sys/syscall.h>

#include "guest_files.h"
#include "kvm_stat.h"
#include "tap.h"

static struct guest_files files;

static void write_host(const char *name, mode_t mode)
{
	guest_files_write(&files, mode, "0\n", "%s", name);
}

static void write_vm(int pid, int fd, const char *name, const char *value)
{
	guest_files_write(&files, 0644, value, "%d-%d/%s", pid, fd, name);
}

static struct source *open_and_select(bool include_past, pid_t pid)
{
	struct source *source = debugfs_open(files.dir, include_past);
	size_t i;

	for (i = 0; i < source->count; i++)
		source->stat[i].selected = true;
	source->select(source, pid);
	return source;
}

/* Writes "name=value" of each statistic. */
static void values_are(struct source *source, const char *expected, const char *what)
{
	char text[256] = "";
	size_t len = 0, i;

	if (!source->read(source))
		strcpy(text, source->problem);
	for (i = 0; i < source->count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=%lld", i ? " " : "",
					source->stat[i].name, (long long)source->stat[i].value);
	tap_text(text, expected, what);
}

static void test_sums(void)
{
	struct source *source = open_and_select(true, 0);

	values_are(source, "exit_instruction=110 exits=300 instruction_lpsw=7",
		   "the values are sums over all VMs since their creation");
	tap_ok(source->stat[2].parent == 0 && source->stat[1].parent == -1,
	       "instruction_* of s390 are parts of exit_instruction");
	tap_ok(debugfs_vm(source, 1) && !debugfs_vm(source, 2), "two VMs have sums");
	source->reset(source);
	values_are(source, "exit_instruction=0 exits=0 instruction_lpsw=0",
		   "after a reset, values are 0");
	source->close(source);
}

static void test_growth(void)
{
	struct source *source = open_and_select(false, 0);
	const struct statistic *vm;

	values_are(source, "exit_instruction=0 exits=0 instruction_lpsw=0",
		   "without the past, values start at 0");
	write_vm(101, 8, "exits", "205\n");
	write_vm(getpid(), 9, "exits", "90\n");
	write_vm(getpid(), 9, "instruction_lpsw", "9\n");
	values_are(source, "exit_instruction=0 exits=-5 instruction_lpsw=2",
		   "a value can grow in one VM, and fall in another");
	vm = debugfs_vm(source, 0);
	vm = strncmp(vm->name, "101-", 4) ? debugfs_vm(source, 1) : vm;
	tap_is(vm->value - vm->before, 5, "the sum of a VM has no parts of other statistics");
	write_vm(102, 3, "exits", "1000\n");
	values_are(source, "exit_instruction=0 exits=-5 instruction_lpsw=2",
		   "what a VM counted before it was found is not growth");
	write_vm(102, 3, "exits", "1001\n");
	values_are(source, "exit_instruction=0 exits=-4 instruction_lpsw=2", "a new VM counts");
	guest_files_remove(&files);
	mkdir(files.dir, 0700);
	values_are(source, "exit_instruction=0 exits=0 instruction_lpsw=0",
		   "VMs that have ended are subtracted");
	guest_files_remove(&files);
	tap_ok(!source->read(source) && strstr(source->problem, "No such file"),
	       "a directory that is gone is a problem");
	source->close(source);
}

static void write_files(void)
{
	mkdir(files.dir, 0700);
	write_host("exits", 0644);
	write_host("halt_wait_ns", 0644);
	write_host("exit_instruction", 0444);
	write_host("instruction_lpsw", 0444);
	write_vm(101, 8, "exits", "200\n");
	write_vm(101, 8, "exit_instruction", "100\n");
	write_vm(101, 8, "vcpu0/tsc-offset", "1\n");
	write_vm(getpid(), 9, "exits", "100\n");
	write_vm(getpid(), 9, "exit_instruction", "10\n");
	write_vm(getpid(), 9, "instruction_lpsw", "7\n");
}

static void test_process(void)
{
	struct source *source = open_and_select(true, getpid());

	values_are(source, "exit_instruction=10 exits=100 instruction_lpsw=7",
		   "only the VM of the selected process is read");
	source->select(source, 101);
	values_are(source, "exit_instruction=0 exits=0 instruction_lpsw=0",
		   "the past is included only in the first reading");
	write_vm(101, 8, "exits", "203\n");
	values_are(source, "exit_instruction=0 exits=3 instruction_lpsw=0",
		   "another process can be selected");
	write_vm(101, 8, "exits", "200\n");
	source->select(source, 10);
	values_are(source, "exit_instruction=0 exits=0 instruction_lpsw=0",
		   "a process without a VM has no values");
	source->close(source);
}

/* Without these capabilities, the mode of a file also limits root. */
static void drop_access_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		abort();
	data[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
	if (syscall(SYS_capset, &header, data))
		abort();
}

static void problem_is(struct source *source, const char *expected, const char *what)
{
	if (!tap_ok(strstr(source->problem, expected), "%s", what))
		printf("# expected '%s', found '%s'\n", expected, source->problem);
	source->close(source);
}

/* As when the kernel is locked down */
static void test_unreadable(void)
{
	struct source *source;

	drop_access_capabilities();
	write_host("exits", 0200);
	source = open_and_select(true, 0);
	values_are(source, "exit_instruction=110 instruction_lpsw=7",
		   "a statistic that cannot be read is left out");
	problem_is(source, "1 of 3 statistics cannot be read: Permission denied",
		   "the problem has their number");
	chmod(files.dir, 0);
	problem_is(debugfs_open(files.dir, false), "Permission denied. Run kvm_stat as root",
		   "a directory that cannot be read is a problem");
	chmod(files.dir, 0700);
	problem_is(debugfs_open("/nonexistent/kvm", false), "does not exist. Load KVM's module",
		   "so is a host without KVM");
}

int main(void)
{
	if (guest_files_make(&files))
		abort();
	write_files();
	test_sums();
	test_process();
	test_growth();
	write_files();
	test_unreadable();
	guest_files_remove(&files);
	return tap_end();
}
