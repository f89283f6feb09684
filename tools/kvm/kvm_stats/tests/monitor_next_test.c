// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test that the end of a VM is not an error, that VMs of unknown processes are followed, and that
 * the use of memory and files does not grow.
 */
#include "fake_vms.h"
#include "model.h"
#include "sums.h"
#include "tap.h"
#include "top/screen.h"

static struct monitor *start(const struct filter *filter)
{
	const struct monitor_options options = { .filter = filter };
	struct monitor *monitor;

	if (monitor_open(&monitor, &options) || monitor_sample(monitor))
		exit(1);
	return monitor;
}

static void test_end(struct monitor *monitor)
{
	tap_ok(monitor->vmms == 2 && !monitor->vmm[0]->pid &&
	       monitor->vmm[0]->targets == 1 + VM_IMAGE_VCPUS,
	       "VMs whose process is not known are read");
	tap_ok(vmm_key(monitor->vmm[0]) < vmm_key(monitor->vmm[1]) &&
	       !strcmp(monitor->vmm[0]->guest, "vm 1"), "they have the order of their numbers");
	end_vm(1);
	monitor_sample(monitor);
	tap_ok(monitor->vmms == 1 && !strcmp(monitor->vmm[0]->guest, "vm 2"),
	       "a VM that has ended is released");
}

/* The VM ends after the check for events. */
static void test_end_at_read(struct monitor *monitor)
{
	alive[2] = false;
	tap_is(monitor_sample(monitor), 0, "a sample of a VM that ends is read");
	tap_ok(!vmm_fails(monitor->vmm[0], monitor->options.filter),
	       "it has no values that could be missing");
	tap_is(monitor->vmm[0]->targets, 0, "it has no values");
	monitor_refresh(monitor);
	tap_is(monitor->vmms, 0, "the next refresh releases it");
}

#ifdef HAVE_CURSES
/* The processes of these VMs cannot be examined: only KVM_STATS_NEXT has the VMs. */
static void test_prompt(struct filter *filter)
{
	static const char keys[] = "gp";
	struct top top = { .filter = filter, .kvm_stat = true };
	size_t i;

	start_vms(1, 2, creator);
	for (i = 0; keys[i]; i++) {
		kvm_stat_key(&top, keys[i]);
		tap_ok(top.prompt.kind == PROMPT_GUEST && top.choices && top.choices->vmms == 2 &&
		       !strcmp(top.choices->vmm[1]->guest, "vm 2"),
		       "the prompt of %c lists VMs of unknown processes", keys[i]);
	}
	monitor_close(top.choices);
	end_vm(1);
	end_vm(2);
}
#endif

/* ---- memory and files ---- */

static void sample(struct monitor *monitor, struct totals *totals)
{
	if (monitor_sample(monitor) || totals_update(totals))
		exit(1);
}

static int lowest_free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static unsigned long allocations;

static void count_allocation(const volatile void *memory, size_t size)
{
	(void)memory;
	(void)size;
	allocations++;
}

static void ignore_free(const volatile void *memory)
{
	(void)memory;
}

int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
					      void (*free_hook)(const volatile void *))
	__attribute__((weak));

/* The first samples allocate memory for the values. */
static void test_samples(struct monitor *monitor, struct totals *totals)
{
	int i;

	start_vms(1, VMS, creator);
	advance(SECOND);
	for (i = 0; i < 4; i++)
		sample(monitor, totals);
	__sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free);
	allocations = 0;
	for (i = 0; i < 100; i++)
		sample(monitor, totals);
	tap_is(allocations, 0, "samples allocate nothing");
	tap_ok(monitor->vmms == VMS && totals->totals, "they have the values of all VMs");
	for (i = 1; i <= VMS; i++)
		end_vm(i);
	monitor_refresh(monitor);
}

static void test_many(struct monitor *monitor, struct totals *totals)
{
	size_t memory = 0;
	int fd = 0, i;

	for (i = 0; i <= 10000; i++) {
		if (i == 1) {
			memory = __sanitizer_get_current_allocated_bytes();
			fd = lowest_free_fd();
		}
		start_vms(1, 1, creator);
		advance(SECOND);
		sample(monitor, totals);
		if (monitor->vmms != 1)
			break;
		end_vm(1);
		monitor_refresh(monitor);
		sample(monitor, totals);
	}
	tap_is(i, 10001, "10,000 VMs that come and go are read");
	tap_is(__sanitizer_get_current_allocated_bytes(), memory, "they leave no memory behind");
	tap_is(lowest_free_fd(), fd, "and no open file");
}

int main(void)
{
	struct filter filter = { 0 };
	struct monitor *monitor;
	struct totals *totals;
	struct stat namespace;

	/* In another PID namespace, as in tools.t, the files have PIDs that mean nothing there. */
	if (!stat("/proc/self/ns/pid", &namespace) && namespace.st_ino != 0xEFFFFFFC)
		creator = getpid();
	start_vms(1, 2, creator);
	monitor = start(&filter);
	totals = totals_open(monitor, NULL, NULL);
	test_end(monitor);
	test_end_at_read(monitor);
#ifdef HAVE_CURSES
	test_prompt(&filter);
#endif
	test_samples(monitor, totals);
	test_many(monitor, totals);
	totals_close(totals);
	monitor_close(monitor);
	return tap_end();
}
