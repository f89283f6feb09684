// SPDX-License-Identifier: GPL-2.0-only
/* Test limits and the freezer of cgroups of both versions, in a directory of sample files. */
#include "cgroup.h"
#include "guest_files.h"
#include "tap.h"
#include "util.h"

static struct guest_files files;

#define write_file(text, ...)	guest_files_write(&files, 0600, text, __VA_ARGS__)

/* Times in us */
static void write_v2(const char *path, const char *max, int usage, int periods, int throttled,
		     int throttled_us)
{
	char text[256];

	write_file(max, "%s/cpu.max", path);
	snprintf(text, sizeof(text), "usage_usec %d\nuser_usec 1\nsystem_usec 2\nnr_periods %d\n"
		 "nr_throttled %d\nthrottled_usec %d\nnr_bursts 0\n", usage, periods, throttled,
		 throttled_us);
	write_file(text, "%s/cpu.stat", path);
}

/* Times in ns, except for the limit */
static void write_v1(const char *path, const char *quota, int usage, int periods, int throttled,
		     int throttled_ns)
{
	char text[256];

	write_file(quota, "cpu%s/cpu.cfs_quota_us", path);
	write_file("100000\n", "cpu%s/cpu.cfs_period_us", path);
	snprintf(text, sizeof(text), "nr_periods %d\nnr_throttled %d\nthrottled_time %d\n", periods,
		 throttled, throttled_ns);
	write_file(text, "cpu%s/cpu.stat", path);
	snprintf(text, sizeof(text), "%d\n", usage);
	write_file(text, "cpuacct%s/cpuacct.usage", path);
}

static void test_version2(void)
{
	struct membership *vm;

	write_file("cpuset cpu io memory pids\n", "cgroup.controllers");
	write_v2("vms/a", "50000 100000\n", 1000, 10, 0, 0);
	vm = membership_get("0::/vms/a\n");
	tap_ok(vm && vm->cpu && vm->cpu->parent && !vm->cpu->parent->parent,
	       "a cgroup has those above it, except for the root");
	cgroup_update(vm->cpu, 10 * SECOND);
	tap_ok(cgroup_is_limited(vm->cpu) && !cgroup_is_limited(vm->cpu->parent),
	       "a limit is that of its cgroup");
	tap_is(vm->cpu->now.quota * 2, vm->cpu->now.period, "quota and period are read");
	tap_ok(!cgroup_limit_binds(vm->cpu) && !cgroup_throttled(vm->cpu),
	       "the first update knows no interval");
	write_v2("vms/a", "50000 100000\n", 501000, 20, 9, 700000);
	cgroup_update(vm->cpu, 11 * SECOND);
	tap_is(cgroup_throttled(vm->cpu), 700 * MILLISECOND, "throttled time is in ns");
	tap_ok(cgroup_limit_binds(vm->cpu), "a limit that is used up and throttles binds");
	write_v2("vms/a", "50000 100000\n", 701000, 30, 12, 800000);
	cgroup_update(vm->cpu, 12 * SECOND);
	tap_ok(!cgroup_limit_binds(vm->cpu), "a limit of which much is left does not bind");
	write_v2("vms/a", "50000 100000\n", 1201000, 40, 12, 800000);
	cgroup_update(vm->cpu, 13 * SECOND);
	tap_ok(!cgroup_limit_binds(vm->cpu), "a limit that does not throttle does not bind");
	write_v2("vms/a", "max 100000\n", 1301000, 50, 20, 900000);
	cgroup_update(vm->cpu, 14 * SECOND);
	tap_ok(!cgroup_is_limited(vm->cpu) && !cgroup_limit_binds(vm->cpu) &&
	       !cgroup_throttled(vm->cpu), "a limit can be removed");
	membership_put(vm);
}

/* The cgroups of two vCPUs of libvirt, and one above with a limit for both */
static void test_nested(void)
{
	struct membership *first, *second, *again;

	write_v2("m/vm.scope", "100000 100000\n", 0, 0, 0, 0);
	first = membership_get("0::/m/vm.scope/libvirt/vcpu0\n");
	second = membership_get("0::/m/vm.scope/libvirt/vcpu1\n");
	again = membership_get("0::/m/vm.scope/libvirt/vcpu1\n");
	tap_ok(first->cpu != second->cpu && first->cpu->parent == second->cpu->parent,
	       "cgroups share those above them");
	tap_ok(second == again && again->refs == 2, "threads with the same cgroups share them");
	cgroup_update(first->cpu, 20 * SECOND);
	cgroup_update(second->cpu, 20 * SECOND);
	write_v2("m/vm.scope", "100000 100000\n", 1000000, 10, 10, 500000);
	cgroup_update(first->cpu, 21 * SECOND);
	cgroup_update(second->cpu, 21 * SECOND);
	tap_is(cgroup_throttled(first->cpu->parent->parent), 500 * MILLISECOND,
	       "a cgroup above is read, once in a pass");
	tap_ok(!cgroup_is_limited(first->cpu), "files that do not exist are no limits");
	write_v2("m/vm.scope/libvirt/vcpu0", "1000 100000\n", 0, 0, 0, 0);
	cgroup_update(first->cpu, 22 * SECOND);
	tap_ok(!cgroup_is_limited(first->cpu), "new limits are not searched in each pass");
	cgroup_update(first->cpu, 31 * SECOND);
	tap_ok(cgroup_is_limited(first->cpu), "a new limit is found after ten seconds");
	membership_put(first);
	membership_put(second);
	tap_is(again->refs, 1, "each thread gives its membership back");
	membership_put(again);
}

static const char version1[] =
	"12:freezer:/vms/b\n11:cpuset:/\n4:cpu,cpuacct:/vms/b\n3:memory:/x\n"
	"1:name=systemd:/vms/b\n0::/vms/b\n";

static void test_version1(void)
{
	struct membership *vm;

	unlink("cgroup.controllers");
	cgroups_begin();
	write_v1("/vms", "-1\n", 0, 0, 0, 0);
	write_v1("/vms/b", "20000\n", 0, 0, 0, 0);
	vm = membership_get(version1);
	cgroup_update(vm->cpu, 40 * SECOND);
	tap_ok(cgroup_is_limited(vm->cpu) && !cgroup_is_limited(vm->cpu->parent),
	       "a quota of -1 is no limit");
	write_v1("/vms/b", "20000\n", 200000000, 10, 10, 700000000);
	cgroup_update(vm->cpu, 41 * SECOND);
	tap_is(cgroup_throttled(vm->cpu), 700 * MILLISECOND, "version 1 has throttled time in ns");
	tap_ok(cgroup_limit_binds(vm->cpu), "cpuacct has the usage");
	membership_put(vm);
	write_v1("/vms/c", "20000\n", 0, 0, 0, 0);
	unlink("cpuacct/vms/c/cpuacct.usage");
	vm = membership_get("4:cpu:/vms/c\n");
	cgroup_update(vm->cpu, 42 * SECOND);
	write_v1("/vms/c", "20000\n", 0, 10, 5, 0);
	unlink("cpuacct/vms/c/cpuacct.usage");
	cgroup_update(vm->cpu, 43 * SECOND);
	tap_ok(cgroup_limit_binds(vm->cpu), "without cpuacct, the throttled periods decide");
	membership_put(vm);
	vm = membership_get("4:cpuacct,cpu:/vms/b\n");
	cgroup_update(vm->cpu, 42 * SECOND);
	tap_ok(vm->cpu && cgroup_is_limited(vm->cpu), "the order of controllers does not matter");
	membership_put(vm);
}

static void test_frozen(void)
{
	struct membership *vm = membership_get(version1);

	tap_ok(!membership_frozen_in(vm), "without files, a cgroup is not frozen");
	write_file("THAWED\n", "freezer/vms/b/freezer.state");
	tap_ok(!membership_frozen_in(vm), "a cgroup that is thawed is not frozen");
	write_file("FREEZING\n", "freezer/vms/b/freezer.state");
	tap_ok(!membership_frozen_in(vm), "a cgroup that cannot be frozen yet is not frozen");
	write_file("FROZEN\n", "freezer/vms/b/freezer.state");
	tap_ok(membership_frozen_in(vm) && !strcmp(membership_frozen_in(vm), "freezer"),
	       "version 1 freezes");
	write_file("THAWED\n", "freezer/vms/b/freezer.state");
	write_file("populated 1\nfrozen 1\n", "unified/vms/b/cgroup.events");
	tap_ok(membership_frozen_in(vm), "version 2 freezes alongside version 1");
	membership_put(vm);
	write_file("cpu\n", "cgroup.controllers");
	cgroups_begin();
	write_file("populated 1\nfrozen 1\n", "vms/c/cgroup.events");
	vm = membership_get("0::/vms/c\n");
	tap_ok(membership_frozen_in(vm), "version 2 freezes");
	write_file("populated 1\nfrozen 0\n", "vms/c/cgroup.events");
	tap_ok(!membership_frozen_in(vm), "a cgroup that runs again is not frozen");
	membership_put(vm);
}

static ssize_t count_read(char *buf, size_t size, const char *path, void *arg)
{
	*(int *)arg += !!strstr(path, "/cgroup.controllers");
	return read_kernel_file(buf, size, path);
}

/* A recording needs it in each sample. */
static void test_passes(void)
{
	struct membership *vm = membership_get("0::/vms/c\n");
	int reads = 0;

	kernel_set_reader(count_read, &reads);
	cgroups_begin();
	membership_frozen_in(vm);
	membership_frozen_in(vm);
	tap_is(reads, 1, "in a pass, it is read once which hierarchies there are");
	cgroups_begin();
	membership_frozen_in(vm);
	tap_is(reads, 2, "and in the next pass again");
	kernel_set_reader(NULL, NULL);
	membership_put(vm);
}

static ssize_t count_limit(char *buf, size_t size, const char *path, void *arg)
{
	*(int *)arg += !!strstr(path, "/cpu.max");
	return read_kernel_file(buf, size, path);
}

/* Two cgroups, and the one above them, have no limit. */
static void test_spread(void)
{
	struct membership *a = membership_get("0::/spread/a\n");
	struct membership *b = membership_get("0::/spread/b\n");
	int reads = 0, most = 0, all = 0;
	uint64_t second;

	cgroup_update(a->cpu, 100 * SECOND);
	cgroup_update(b->cpu, 100 * SECOND);
	kernel_set_reader(count_limit, &reads);
	for (second = 101; second <= 120; second++, reads = 0) {
		cgroup_update(a->cpu, second * SECOND);
		cgroup_update(b->cpu, second * SECOND);
		most = reads > most ? reads : most;
		all += reads;
	}
	kernel_set_reader(NULL, NULL);
	tap_ok(most == 1 && all == 6, "not all limits are read in the same pass");
	membership_put(a);
	membership_put(b);
}

static void test_odd_text(void)
{
	static const char * const texts[] = {
		"", "x", "0:", "0::", "0::/\n", "0::/../../host\n", "4:cpu\n",
		"4:cpus,xcpu:/a\n", "\n\n:::\n",
	};
	static char deep[8000];
	struct membership *vm;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		vm = membership_get(texts[i]);
		tap_ok(vm && !vm->cpu && !membership_frozen_in(vm), "no cgroup is in '%s'",
		       strcspn(texts[i], "\n") == strlen(texts[i]) ? texts[i] : "several lines");
		membership_put(vm);
	}
	strcpy(deep, "0::");
	for (i = 0; i < 990; i++)
		strcat(deep, "/deep");
	vm = membership_get(deep);
	cgroup_update(vm->cpu, 50 * SECOND);
	tap_ok(!membership_frozen_in(vm) && !cgroup_is_limited(vm->cpu),
	       "a path that is too long has no limit");
	membership_put(vm);
}

int main(void)
{
	if (guest_files_make(&files) || chdir(files.dir))
		return 1;
	cgroup_set_root(files.dir);
	test_version2();
	test_nested();
	test_version1();
	test_frozen();
	test_passes();
	test_spread();
	test_odd_text();
	guest_files_remove(&files);
	return tap_end();
}
