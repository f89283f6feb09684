// SPDX-License-Identifier: GPL-2.0-only
/* Test the model of a host: what remains from sample to sample, the filter, and messages. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <sys/resource.h>

#include "fake_host.h"
#include "guest_files.h"
#include "internal.h"
#include "notice.h"
#include "private_host.h"
#include "problem.h"
#include "tap.h"

static const struct fake_stat vm_stats[] = {
	{ .name = "pages", .flags = KVM_STATS_TYPE_INSTANT, .size = 1 },
};

static const struct fake_stat vcpu_stats[] = {
	{ .name = "exits", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
};

/* What options->event() has reported */
struct events {
	int started, ended;
	pid_t pid;
};

static void count_event(const struct vmm *vmm, bool started, void *arg)
{
	struct events *events = arg;

	events->started += started;
	events->ended += !started;
	events->pid = vmm->pid;
}

static void open_host(struct fake_host *host, struct events *events)
{
	*events = (struct events){ 0 };
	fake_host_open(host, vm_stats, 1, vcpu_stats, 1);
	host->options.event = count_event;
	host->options.arg = events;
}

/* A VM of process @pid with vCPUs 0 to @vcpus - 1. Its ID is that of the process. */
static void put_vm(struct fake_host *host, pid_t pid, uint32_t vcpus)
{
	uint64_t exits = 10 * (uint64_t)pid;
	uint32_t i;

	fake_host_vm(host, (uint64_t)pid, pid, NULL);
	for (i = 0; i < vcpus; i++, exits++)
		fake_host_vcpu(host, (uint64_t)pid, i, &exits);
}

static const char *labels_of(const struct vmm *vmm)
{
	static char labels[256];
	size_t i;

	*labels = '\0';
	for (i = 0; i < vmm->targets; i++)
		snprintf(labels + strlen(labels), sizeof(labels) - strlen(labels), "%s%s",
			 i ? " " : "", vmm->target[i]->label);
	return labels;
}

static void test_samples(void)
{
	const struct target *vm, *vcpu;
	struct events events;
	struct fake_host host;
	const struct vmm *vmm;

	open_host(&host, &events);
	put_vm(&host, 102, 2);
	put_vm(&host, 101, 1);
	tap_is(fake_host_sample(&host), 0, "a sample of two VMs can be read");
	tap_ok(host.monitor->vmms == 2 && host.monitor->vmm[0]->pid == 101,
	       "VMMs are in the order of their PIDs");
	tap_is(events.started, 0, "the VMMs of the first sample are no events");
	vmm = host.monitor->vmm[1];
	vm = vmm->target[0];
	vcpu = vmm->target[2];
	tap_text(labels_of(vmm), "vm vcpu0 vcpu1", "a VM comes before its vCPUs");
	tap_ok(vm->vcpu == -1 && vcpu->vcpu == 1 && vcpu->tid == 10001 && vcpu->vmm == vmm,
	       "targets have the vCPU and its thread");
	tap_ok(vcpu->now && !vcpu->before, "the first sample has no previous one");

	put_vm(&host, 101, 1);
	put_vm(&host, 102, 2);
	fake_host_sample(&host);
	tap_ok(host.monitor->vmm[1] == vmm && vmm->target[0] == vm && vmm->target[2] == vcpu,
	       "VMMs, VMs and vCPUs keep their addresses");
	tap_ok(vcpu->now && vcpu->before, "the second sample has a previous one");
	tap_is(host.monitor->time - host.monitor->time_before, SECOND,
	       "times are those of the samples");

	put_vm(&host, 102, 3);
	put_vm(&host, 103, 1);
	fake_host_sample(&host);
	tap_ok(vmm->target[2] == vcpu && vmm->targets == 4, "a new vCPU changes no others");
	tap_ok(events.started == 1 && events.ended == 1 && events.pid == 101,
	       "a VMM that appears and one that ends are events");
	tap_is(fake_host_sample(&host), 0, "there can be no VMs");
	tap_is(host.monitor->vmms, 0, "all VMMs have ended");
	fake_host_close(&host);
}

static void test_several_vms(void)
{
	const struct target *vcpu;
	struct events events;
	struct fake_host host;
	size_t at;

	open_host(&host, &events);
	put_vm(&host, 101, 2);
	fake_host_sample(&host);
	vcpu = host.monitor->vmm[0]->target[2];
	put_vm(&host, 101, 2);
	fake_host_vm(&host, 7, 101, NULL);
	fake_host_vcpu(&host, 7, 1, NULL);
	at = host.image.size + offsetof(struct kvm_host_vcpu, tid);
	fake_host_vcpu(&host, 7, INT_MAX, NULL);
	host_image_patch(&host.image, at, 0, 4);
	fake_host_sample(&host);
	tap_text(labels_of(host.monitor->vmm[0]),
		 "vm0 vm1 vm1/vcpu0 vm0/vcpu1 vm1/vcpu1 vm0/vcpu2147483647",
		 "vCPUs of two VMs are in the order of their IDs");
	tap_ok(host.monitor->vmm[0]->target[4] == vcpu && vcpu->id == 101,
	       "a vCPU keeps its address and its VM");
	fake_host_close(&host);
}

static void test_filter(void)
{
	struct events events;
	struct fake_host host;

	open_host(&host, &events);
	filter_add_pid(&host.filter, 102);
	filter_add_vcpus(&host.filter, (struct filter_range){ 1, 1 });
	put_vm(&host, 101, 3);
	put_vm(&host, 102, 3);
	fake_host_sample(&host);
	tap_ok(host.monitor->vmms == 1 && host.monitor->vmm[0]->pid == 102,
	       "the filter selects processes");
	tap_text(labels_of(host.monitor->vmm[0]), "vcpu1", "the filter selects vCPUs");
	tap_is(host.monitor->vmm[0]->vcpus, 3, "the number of vCPUs is that of all");
	tap_ok(!monitor_has_ended(host.monitor), "the selected process exists");
	put_vm(&host, 101, 3);
	fake_host_sample(&host);
	tap_ok(monitor_has_ended(host.monitor), "all selected processes have ended");
	fake_host_close(&host);
}

/* ---- messages ---- */

static char text[MESSAGE_SIZE];

static const char *text_of(const struct message *message)
{
	return message_text(message, text, sizeof(text));
}

static void test_message(void)
{
	struct message message;

	message_set(&message, "it is %s", "wrong");
	tap_text(text_of(&message), "it is wrong", "a message can have no object");
	message_object(&message, "PID %d", 1);
	message_advice(&message, "Do this");
	tap_text(text_of(&message), "PID 1: it is wrong. Do this.",
		 "a message has an object, what happened, and advice");
	message_set(&message, "no guest is named '%s'", "\033[2J");
	tap_text(text_of(&message), "no guest is named '?[2J'", "control characters are replaced");
}

static void test_selection(void)
{
	struct message why;
	struct events events;
	struct fake_host host;

	open_host(&host, &events);
	put_vm(&host, 101, 2);
	fake_host_sample(&host);
	tap_ok(check_vmms(host.monitor, &why) && check_matches(host.monitor, &why),
	       "without a filter, everything is selected");
	filter_add_vcpus(&host.filter, (struct filter_range){ 0, 5 });
	put_vm(&host, 101, 2);
	fake_host_sample(&host);
	tap_ok(check_vmms(host.monitor, &why), "a range can be partly missing");
	filter_add_vcpus(&host.filter, (struct filter_range){ 4, 4 });
	tap_ok(!check_vmms(host.monitor, &why), "a vCPU that is missing is reported");
	tap_text(text_of(&why), "PID 101 (?): it has no vCPU 4, but 2 vCPUs", "by its ID");
	put_vm(&host, 101, 2);
	put_vm(&host, 102, 1);
	fake_host_sample(&host);
	tap_ok(!check_vmms(host.monitor, &why), "so is one that several VMMs lack");
	tap_text(text_of(&why), "no VMM has all vCPUs that --vcpu selects", "without its ID");
	fake_host_close(&host);
	open_host(&host, &events);
	filter_set_regex(&host.filter, "nosuch", &why);
	put_vm(&host, 101, 2);
	fake_host_sample(&host);
	tap_ok(!check_matches(host.monitor, &why), "a statistic that does not exist is reported");
	tap_text(text_of(&why), "no statistic matches 'nosuch'. Run 'kvm-stats schema' for the "
		 "names.", "with the expression");
	filter_add_pid(&host.filter, 1);
	tap_ok(!check_vmms(host.monitor, &why), "a process without a VM is reported");
	tap_text(text_of(&why), "PID 1: the file has no VM of this process. Run 'kvm-stats list' "
		 "for the processes that have VMs.", "by its ID");
	fake_host_sample(&host);
	tap_is(monitor_sample(host.monitor), -ENODATA, "the end of a copy is reported");
	tap_text(text_of(&host.monitor->problem), "fake: the file has no more samples", "by name");
	fake_host_close(&host);
}

static void test_missing_exits(void)
{
	struct events events;
	struct fake_host host;

	open_host(&host, &events);
	host.options.exits = true;
	put_vm(&host, 101, 1);
	tap_is(fake_host_sample(&host), -EOPNOTSUPP, "a copy without the exits that are wanted");
	tap_text(text_of(&host.monitor->problem), "fake: the host file has no statistics of exits. "
		 "Leave out --exits, or publish the file with 'kvm-stats publish --exits'.",
		 "is reported");
	fake_host_close(&host);
}

/* The file is published with --exits, and then without. */
static void test_exits(void)
{
	static const struct fake_stat exits_stats[] = {
		{ .name = "exits", .size = 1 }, { .name = "exit_hist", .size = 1 },
	};
	struct notices notices = { .started = true };
	struct events events;
	struct fake_host host;

	open_host(&host, &events);
	fake_host_set_stats(&host, vm_stats, 1, exits_stats, ARRAY_SIZE(exits_stats));
	fake_host_sample(&host);
	notices_print(&notices, host.monitor);
	tap_is(notices.exits, EXITS_MISSING, "without a VM, no message about them is due");
	fake_host_vm(&host, 101, 101, NULL);
	fake_host_vcpu(&host, 101, 0, NULL);
	fake_host_sample(&host);
	notices_print(&notices, host.monitor);
	tap_ok(notices.exits != EXITS_MISSING, "it is when the first VM appears");
	tap_ok(monitor_exits(host.monitor) != EXITS_MISSING, "the host file has exit statistics");
	fake_host_set_stats(&host, vm_stats, 1, vcpu_stats, 1);
	put_vm(&host, 101, 1);
	fake_host_sample(&host);
	tap_is(monitor_exits(host.monitor), EXITS_MISSING,
	       "after it was published again without them, they are missing");
	fake_host_close(&host);
}

static void test_files(void)
{
	static struct filter filter;
	struct monitor_options options = { .filter = &filter, .from = "/nonexistent" };
	struct monitor *monitor;
	struct message why;

	tap_is(monitor_open(&monitor, &options, &why), -ENOENT, "a missing file is an error");
	tap_text(text_of(&why), "/nonexistent: the host file cannot be read: No such file or "
		 "directory", "with its name");
	options.from = "/proc/self/status";
	if (monitor_open(&monitor, &options, &why))
		fake_host_fail(why.what);
	tap_is(monitor_sample(monitor), -EPROTO, "another file is an error");
	tap_text(text_of(&monitor->problem), "/proc/self/status: it is not a host file. Copy one "
		 "with 'cat /run/kvm-stats/host.pin >FILE'.", "with advice");
	monitor_close(monitor);
}

#if HAVE_BPF
/* ---- a fake private host file, instead of private_host.c ---- */

static struct fake_host private;
static int tries, loaded, load_error, pass_error;
static enum counted_exits private_exits;
static pid_t chosen;			/* the last VMM, negative: it was removed */
static uint64_t private_start;		/* when the VMM started */

struct private_host *private_host_open(enum counted_exits exits, struct message *why)
{
	tries++;
	private_exits = exits;
	if (load_error) {
		message_set(why, "it does not load");
		return NULL;
	}
	loaded++;
	return (struct private_host *)&private;
}

void private_host_choose(struct private_host *host, pid_t pid, bool choose)
{
	chosen = choose ? pid : -pid;
}

int private_host_pass(void *arg)
{
	struct fake_host *host = arg;
	size_t vm = host->image.size;
	int fd;

	if (pass_error)
		return pass_error;
	put_vm(host, 4711, 1);
	host_image_patch(&host->image, vm + offsetof(struct kvm_host_vm, start_time), private_start,
			 8);
	host_image_end(&host->image, 0);
	fd = bytes_fd(host->image.data, host->image.size);
	fake_host_begin_pass(host);
	return fd;
}

void private_host_close(struct private_host *host)
{
	loaded -= !!host;
}

static struct guest_files proc;

/* Makes a directory like /proc in which process 4711 has run a guest. */
static void make_proc(void)
{
	if (guest_files_make(&proc))
		fake_host_fail("the directory cannot be made");
	guest_files_task(&proc, "4711/stat", &(struct guest_task){
		.name = "qemu", .state = 'S', .threads = 1, .guest = 1 });
	kvmstats_places.proc = proc.dir;
	kvmstats_places.file = "/nonexistent/host.pin";
	kvmstats_places.socket = "/nonexistent/host.sock";
}

static void test_private(void)
{
	struct filter filter = { 0 };
	struct events events = { 0 };
	struct monitor_options options = {
		.filter = &filter, .event = count_event, .arg = &events,
	};
	struct monitor *monitor;
	const struct vmm *vmm;
	struct rlimit limit;
	struct message why;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 100;
	setrlimit(RLIMIT_NOFILE, &limit);
	make_proc();
	fake_host_open(&private, vm_stats, 1, vcpu_stats, 1);
	load_error = 1;
	if (monitor_open(&monitor, &options, &why))
		fake_host_fail(why.what);
	getrlimit(RLIMIT_NOFILE, &limit);
	tap_ok(limit.rlim_cur == limit.rlim_max, "all fds that are allowed can be used");
	tap_ok(!monitor_sample(monitor) && !monitor->has_values && monitor->vmms == 1,
	       "without a host file, VMMs come from /proc");
	vmm = monitor->vmm[0];
	load_error = 0;
	monitor_sample(monitor);
	tap_is(tries, 1, "loading a file is not tried again at once");
	monitor->next_try = 0;
	tap_ok(!monitor_sample(monitor) && tries == 2 && monitor->has_values,
	       "it is tried again later");
	tap_ok(monitor->vmm[0] == vmm && !events.ended && vmm->targets == 2 &&
	       vmm->target[1]->now && !vmm->target[1]->before,
	       "a VMM keeps its address, and has values now");
	monitor_sample(monitor);
	tap_ok(vmm->target[1]->before && tries == 2, "then this file is read");

	pass_error = -ESTALE;
	load_error = 1;
	tap_ok(!monitor_sample(monitor) && !monitor->has_values && !loaded,
	       "a stale file is closed");
	tap_ok(monitor->vmms == 1 && monitor->vmm[0] == vmm && !vmm->target[0]->now,
	       "the VMM remains, without values");
	load_error = 0;
	monitor->next_try = 0;
	tap_is(monitor_sample(monitor), -ESTALE, "a new file can be stale at once");
	tap_is(monitor->vmms, 0, "then no VMM refers to an earlier pass");
	pass_error = 0;
	tap_ok(!monitor_sample(monitor) && monitor->has_values && monitor->vmms == 1,
	       "it is read when it has values");
	monitor_close(monitor);
	tap_is(loaded, 0, "it is closed");
	fake_host_close(&private);
	guest_files_remove(&proc);
}

static void test_chosen(void)
{
	struct filter filter = { 0 };
	struct monitor_options options = { .filter = &filter, .exits = true };
	struct monitor *monitor;
	struct message why;

	make_proc();
	filter_add_pid(&filter, 4711);
	fake_host_open(&private, vm_stats, 1, vcpu_stats, 1);
	load_error = 1;
	if (monitor_open(&monitor, &options, &why))
		fake_host_fail(why.what);
	tap_ok(monitor_sample(monitor) && monitor_sample(monitor) == -EPERM,
	       "exits that cannot be counted are an error each time");
	tap_text(text_of(&monitor->problem), "it does not load", "with the reason");
	load_error = 0;
	tap_ok(!monitor_sample(monitor) && chosen == 4711 &&
	       private_exits == EXITS_OF_CHOSEN, "a VMM that is named is chosen");
	chosen = 0;
	private_start += SECOND;
	tap_ok(!monitor_sample(monitor) && chosen == 4711,
	       "so is a later one with the same PID");
	chosen = 0;
	pass_error = -ESTALE;
	monitor_sample(monitor);
	tap_is(chosen, 4711, "it is chosen again when the file was loaded again");
	pass_error = 0;
	monitor_close(monitor);
	fake_host_close(&private);
	filter_free(&filter);
	guest_files_remove(&proc);
}
#endif

int main(void)
{
	test_samples();
	test_several_vms();
	test_filter();
	test_message();
	test_selection();
	test_files();
	test_missing_exits();
	test_exits();
#if HAVE_BPF
	test_private();
	test_chosen();
#endif
	return tap_end();
}
