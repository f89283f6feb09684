// SPDX-License-Identifier: GPL-2.0-only
/* Test the debugfs sources, in a directory of sample files. */
#include <errno.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "guest_files.h"
#include "model.h"
#include "source/sources.h"
#include "tap.h"
#include "util.h"

#define VM_FD	9

static struct guest_files files;

static void write_value(const char *name, const char *text, mode_t mode)
{
	guest_files_write(&files, mode, text, "%d-%d/%s", (int)getpid(), VM_FD, name);
}

static void write_values(void)
{
	write_value("exits", "100\n", 0644);
	write_value("guest_mode", "1\n", 0444);
	write_value("pages_4k", "30\n", 0444);
	write_value("halt_poll_ns", "200000\n", 0444);
	write_value("halt_wait_hist", "1\n", 0644);
	write_value("mmu_rmaps_stat", "Rmap_Count:\t0\n", 0444);
}

/* ---- a VMM without a process ---- */

static struct filter filter;
static struct monitor monitor = { .options.filter = &filter, .sets.filter = &filter };
static const char not_null;	/* the sources do not examine vmm->kvm */
static struct vmm vmm = { .kvm = (const void *)&not_null, .vms = 1 };

static const struct source source_of_vcpus;

/* Registers a vCPU that has two statistics. */
static void add_vcpu(void)
{
	static const struct kvmstats_desc desc[] = {
		{ .name = "exits", .size = 1 },
		{ .name = "guest_mode", .type = KVMSTATS_TYPE_INSTANT, .size = 1 },
	};
	struct target vcpu = { .source = &source_of_vcpus, .scope = SCOPE_VCPU };
	struct kvmstats_schema *schema;

	if (target_keep(&vmm, &vcpu))
		return;
	if (kvmstats_schema_make(&schema, desc, 2, sizeof(*desc)))
		abort();
	vcpu.set = stat_set_get(&monitor.sets, schema, true);
	if (!vcpu.set || !target_add(&vmm, &vcpu))
		abort();
}

static int attach(const struct source *source, bool vcpu)
{
	int err;

	targets_begin(&vmm);
	if (vcpu)
		add_vcpu();
	err = source->attach(&monitor, &vmm);
	targets_end(&vmm);
	return err;
}

/* Writes "name=value" of each statistic of the last target. */
static const char *last_values(void)
{
	static char text[256];
	struct target *target = vmm.target[vmm.targets - 1];
	size_t len = 0, i;
	uint64_t value;

	text[0] = '\0';
	if (target_read(target))
		return "not readable";
	for (i = 0; i < kvmstats_schema_count(target->set->schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(target->set->schema, i);

		kvmstats_sample_value(target->now, stat, 0, &value);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=%llu", i ? " " : "",
					kvmstats_stat_name(stat), (unsigned long long)value);
	}
	return text;
}

static void text_is(const char *found, const char *expected, const char *what)
{
	if (!tap_ok(!strcmp(found, expected), "%s", what))
		printf("# expected '%s', found '%s'\n", expected, found);
}

static void test_sums(void)
{
	tap_is(attach(&source_debugfs, false), 0, "debugfs has the VM");
	text_is(last_values(), "exits=100 guest_mode=1 halt_poll_ns=200000 pages_4k=30",
		"all values are read, except for histograms");
	tap_ok(!source_debugfs.replaces_fds, "sums do not replace fds");
	tap_ok(vmm_has_sums(&vmm), "they are sums over the vCPUs");
}

static void test_vm(void)
{
	struct target *known;

	tap_is(attach(&source_debugfs_vm, true), 0, "debugfs has the VM of known vCPUs");
	tap_is((long long)vmm.targets, 2, "the vCPU and the VM are targets");
	text_is(last_values(), "halt_poll_ns=200000 pages_4k=30",
		"the VM has no sums over the vCPUs");
	tap_ok(!vmm_has_sums(&vmm), "statistics of the VM only are no sums");
	text_is(vmm.target[1]->label, "vm", "it is a VM");
	known = vmm.target[1];
	write_value("pages_4k", "31\n", 0444);
	tap_ok(!attach(&source_debugfs_vm, true) && vmm.target[1] == known,
	       "the VM is kept when the VMM is scanned again");
	text_is(last_values(), "halt_poll_ns=200000 pages_4k=31", "its values are read again");
	tap_is(attach(&source_debugfs, false), 0, "without the vCPU,");
	tap_ok(vmm.targets == 1 && vmm.target[0] != known, "the sums replace the VM");
}

/* No file system lists the directories in the order of the fds. */
static void test_order(void)
{
	static const int fds[] = { 7, 3, 12, 5, 10, 4, 8, 11, 6 };
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++)
		guest_files_write(&files, 0644, "100\n", "%d-%d/exits", (int)getpid(), fds[i]);
	tap_is(attach(&source_debugfs, false), 0, "a process can have several VMs");
	for (i = 0; i < vmm.targets; i++)
		good &= vmm.target[i]->vm == (int)i && vmm.target[i]->vmm_fd == 3 + (int)i;
	tap_ok(good && i == 10, "they are numbered in the order of their fds");
	guest_files_remove(&files);
	mkdir(files.dir, 0700);
	write_values();
}

/* The advice of EMFILE names the limit. */
static void test_few_files(void)
{
	struct rlimit old, limit;
	int next = dup(0);
	int more;

	close(next);
	targets_begin(&vmm);
	targets_end(&vmm);
	getrlimit(RLIMIT_NOFILE, &old);
	for (more = 0; more < 2; more++) {
		limit = (struct rlimit){ (rlim_t)(next + more), old.rlim_max };
		setrlimit(RLIMIT_NOFILE, &limit);
		tap_is(attach(&source_debugfs, false), -EMFILE, "too many open files are an error");
	}
	setrlimit(RLIMIT_NOFILE, &old);
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

/* As when the kernel is locked down */
static void test_some_files(void)
{
	drop_access_capabilities();
	write_value("exits", "100\n", 0200);
	targets_begin(&vmm);
	targets_end(&vmm);
	tap_is(attach(&source_debugfs, false), -EACCES, "a file that cannot be read is an error");
	tap_is(vmm.targets, 1, "the other files are read");
	tap_is(attach(&source_debugfs, false), -EACCES, "it remains an error");
}

static void test_missing(void)
{
	vmm.pid = 1;
	tap_is(attach(&source_debugfs_vm, true), -ENOENT, "a VMM without a directory is an error");
	debugfs_set_path("/nonexistent");
	tap_is(attach(&source_debugfs_vm, true), -ENODEV, "so is a machine without debugfs");
}

int main(void)
{
	if (guest_files_make(&files))
		abort();
	write_values();
	debugfs_set_path(files.dir);
	vmm.pid = getpid();
	test_sums();
	test_vm();
	test_order();
	test_few_files();
	test_some_files();
	test_missing();
	targets_free(&vmm);
	stat_sets_free(&monitor.sets);
	guest_files_remove(&files);
	return tap_end();
}
