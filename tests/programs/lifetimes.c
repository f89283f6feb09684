// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how long a VM lives if files of KVM_STATS_GETFD hold it. The statistics, vCPU, VM and
 * /dev/kvm fds are closed in every order. VMMs exit, are killed and call exec() while another
 * process is in the middle of a read, where userfaultfd stops it. After the last holder has closed
 * the file, nothing of the VM is left.
 */
#define _GNU_SOURCE
#include <signal.h>

#include "kvm_stats_checks.h"
#include "lib/held_read.h"
#include "lib/run.h"
#include "lib/vm_dir.h"

static struct {
	unsigned long orders;
	unsigned long ends;
	unsigned long reads;
	unsigned long held;
} *totals;

static int stats_fd_index(const struct stats_target *target)
{
	return stats_target_kind(target, STATS_FD_VM_STATS, STATS_FD_VCPU_STATS);
}

/* Checks that @fd still reads the statistics of a VM of the process @vmm. */
static void check_reads(struct stats_target *target, int fd, pid_t vmm)
{
	totals->reads++;
	must(stats_still_reads(target, fd, vmm));
}

/* ---- the fds are closed in every order ---- */

#define NUM_ORDERS	24

enum { FD_STATS, FD_VCPU, FD_VM, FD_KVM, NUM_FDS };

/* The fd of /dev/kvm stays open, unlike in stats_bare_vm(). */
static void open_fds(const struct stats_target *target, int fds[NUM_FDS])
{
	fds[FD_KVM] = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	fds[FD_VM] = ioctl(fds[FD_KVM], KVM_CREATE_VM, 0);
	fds[FD_VCPU] = ioctl(fds[FD_VM], KVM_CREATE_VCPU, STATS_VCPU_ID);
	if (fds[FD_VCPU] < 0)
		fail("KVM_CREATE_VM or KVM_CREATE_VCPU: %s", strerror(errno));
	must(stats_getfd(fds[stats_target_kind(target, FD_VM, FD_VCPU)], &fds[FD_STATS]));
}

/* The open statistics fd can be read, and an open VM or vCPU fd can open another one. */
static void remaining_fds_work(struct stats_target *target, const int fds[NUM_FDS])
{
	int getfd_fd = fds[stats_target_kind(target, FD_VM, FD_VCPU)];
	int fd;

	if (fds[FD_STATS] >= 0)
		check_reads(target, fds[FD_STATS], getpid());
	if (getfd_fd < 0)
		return;
	must(stats_getfd(getfd_fd, &fd));
	check_reads(target, fd, getpid());
	close(fd);
}

static void close_and_check(struct stats_target *target, int fds[NUM_FDS], int which,
			    const char *when, const struct vm_dir *dir)
{
	close(fds[which]);
	fds[which] = -1;
	if (fds[FD_STATS] < 0 && fds[FD_VCPU] < 0 && fds[FD_VM] < 0) {
		vm_disappears(dir, when);
		return;
	}
	vm_exists(dir, when);
	if (fds[FD_VCPU] < 0 && fds[FD_VM] < 0)
		must(stats_reuse_memory());
	remaining_fds_work(target, fds);
}

/* The digits of @number, in falling base, select which of the remaining fds is next. */
static void make_order(unsigned int number, int order[NUM_FDS])
{
	int rest[NUM_FDS] = { FD_STATS, FD_VCPU, FD_VM, FD_KVM };
	int i, left;

	for (i = 0, left = NUM_FDS; i < NUM_FDS; i++, left--) {
		int next = number % left;

		number /= left;
		order[i] = rest[next];
		memmove(rest + next, rest + next + 1,
			(left - next - 1) * sizeof(*rest));
	}
}

static void close_in_order(struct stats_target *target, unsigned int number)
{
	static const char *const names[] = { "statistics", "vCPU", "VM", "/dev/kvm" };
	int fds[NUM_FDS], order[NUM_FDS], i;
	struct vm_dir dir;
	char when[80];

	open_fds(target, fds);
	dir = vm_dir(getpid(), fds[FD_VM]);
	make_order(number, order);
	vm_exists(&dir, "with all fds open");
	for (i = 0; i < NUM_FDS; i++) {
		snprintf(when, sizeof(when), "closing %s, %s, %s, %s, after %d of them",
			 names[order[0]], names[order[1]], names[order[2]], names[order[3]], i + 1);
		close_and_check(target, fds, order[i], when, &dir);
	}
	totals->orders++;
}

static const char *closed_in_every_order(struct stats_target *target)
{
	long users = kvm_module_users();
	unsigned int number;

	for (number = 0; number < NUM_ORDERS; number++)
		close_in_order(target, number);
	kvm_module_users_become(users);
	return NULL;
}

/* ---- VMMs that end ---- */

static void exit_now(int signal)
{
	_exit(0);
}

static void exec_now(int signal)
{
	execl("/proc/self/exe", "vmm", "--pause", NULL);
	_exit(1);
}

static void end_by_signal(const struct stats_vmm *vmm, int signal)
{
	kill(vmm->pid, signal);
	waitpid(vmm->pid, NULL, 0);
}

/* exec() closes the VMM's fds, but the process continues to run. */
static void end_by_exec(const struct stats_vmm *vmm, int signal)
{
	char path[64], name[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", vmm->pid,
		 vmm->remote[STATS_FD_VM]);
	kill(vmm->pid, signal);
	while (readlink(path, name, sizeof(name)) >= 0)
		usleep(1000);
	if (waitpid(vmm->pid, NULL, WNOHANG))
		fail("exec() ended the process");
}

static const struct vmm_end {
	const char *name;
	void (*end)(const struct stats_vmm *vmm, int signal);
	int signal;
} vmm_ends[] = {
	{ "after exit()", end_by_signal, SIGUSR1 },
	{ "after SIGKILL", end_by_signal, SIGKILL },
	{ "after exec()", end_by_exec, SIGUSR2 },
};

/* Kills the VMM if it is still a process, which it is after exec(). */
static void finish_vmm(struct stats_vmm *vmm)
{
	if (!waitpid(vmm->pid, NULL, WNOHANG))
		stats_vmm_kill(vmm);
}

/* Starts a VMM, and returns the target's statistics fd of those that the VMM passes on. */
static int start_vmm(const struct stats_target *target, struct stats_vmm *vmm, struct vm_dir *dir)
{
	int *stats = &vmm->fds[stats_fd_index(target)], fd;

	must(stats_vmm_start(vmm));
	*dir = vm_dir(vmm->pid, vmm->remote[STATS_FD_VM]);
	fd = *stats;
	*stats = -1;
	stats_close_fds(vmm->fds);
	return fd;
}

/* ---- reads that are stopped in the middle ---- */

static void start_read(const struct stats_target *target, int fd, struct held_read *read)
{
	size_t offset = target->file.header.data_offset;
	size_t len = target->file.size - offset;

	if (!held_read_is_possible())
		must(stats_skip("this kernel has no userfaultfd, which the check needs"));
	/* The read ends at a boundary between values: 512 is a multiple of their size. */
	held_read_start(read, fd, offset, len < 512 ? len : 512, sizeof(uint64_t));
}

/* No fd is left that could read the current values, but they can only grow a little. */
static void values_are_plausible(const struct stats_target *target, const struct held_read *read)
{
	size_t at;

	for (at = 0; at < read->len; at += sizeof(uint64_t)) {
		uint64_t before, now;

		memcpy(&before, target->file.bytes + read->offset + at, sizeof(before));
		memcpy(&now, read->buf + at, sizeof(now));
		if (now - before > 10000)
			fail("the word at %zu is %#llx, before it was %#llx", read->offset + at,
			     (unsigned long long)now, (unsigned long long)before);
	}
}

/* The reader, in the middle of a read, holds the only reference to the VM. */
static void reader_keeps_vm(struct stats_target *target, struct held_read *read,
			    const struct vm_dir *dir, const char *when)
{
	vm_exists(dir, when);
	must(stats_reuse_memory());
	held_read_supply(read);
	held_read_end(read);
	totals->held++;
	if (read->got != (ssize_t)read->len)
		fail("a read of %zu bytes at %zu returns %zd: %s", read->len, read->offset,
		     read->got, strerror(errno));
	values_are_plausible(target, read);
	vm_disappears(dir, "after the read");
}

/* The reader is another thread of the VMM. */
static const char *closed_during_read(struct stats_target *target)
{
	struct stats_target own = *target;
	long users = kvm_module_users();
	struct held_read read;
	int fds[STATS_NUM_FDS];
	struct vm_dir dir;

	must(stats_bare_vm(fds));
	dir = vm_dir(getpid(), fds[STATS_FD_VM]);
	own.fd = fds[stats_fd_index(target)];
	must(stats_file_load(&own.file, own.fd));
	start_read(&own, own.fd, &read);
	stats_close_fds(fds);
	reader_keeps_vm(&own, &read, &dir, "during a read");
	kvm_module_users_become(users);
	return NULL;
}

/* The reader is another process than the VMM. */
static void end_during_read(struct stats_target *target, const struct vmm_end *end)
{
	struct stats_target remote = *target;
	struct stats_vmm vmm;
	struct held_read read;
	struct vm_dir dir;

	remote.fd = start_vmm(target, &vmm, &dir);
	must(stats_file_load(&remote.file, remote.fd));
	start_read(&remote, remote.fd, &read);
	totals->ends++;
	end->end(&vmm, end->signal);
	close(remote.fd);
	reader_keeps_vm(&remote, &read, &dir, end->name);
	finish_vmm(&vmm);
}

static const char *vmm_ended_during_read(struct stats_target *target)
{
	long users = kvm_module_users();
	size_t i;

	signal(SIGUSR1, exit_now);	/* VMMs inherit the handlers */
	signal(SIGUSR2, exec_now);
	for (i = 0; i < ARRAY_SIZE(vmm_ends); i++)
		end_during_read(target, &vmm_ends[i]);
	kvm_module_users_become(users);
	return NULL;
}

static const struct stats_check checks[] = {
	STATS_CHECK("closed_in_every_order", closed_in_every_order),
	STATS_CHECK("closed_during_read", closed_during_read),
	STATS_CHECK("vmm_ended_during_read", vmm_ended_during_read),
};

static const struct stats_suite suites[] = {
	STATS_SUITE("vm", -1, checks, set_up_vm),
	STATS_SUITE("vcpu", STATS_VCPU_ID, checks, set_up_vm),
};

int main(int argc, char *argv[])
{
	/* exec_now() starts this program again. */
	while (argc == 2 && !strcmp(argv[1], "--pause"))
		pause();
	if (vm_dirs_skip_reason())
		return tap_skip_all(vm_dirs_skip_reason());
	totals = shared_memory(sizeof(*totals));
	run_suites(suites, ARRAY_SIZE(suites));
	tap_tried(totals->orders, "orders of closing fds");
	tap_tried(totals->ends, "ends of VMMs");
	tap_tried(totals->reads, "reads by processes that hold a file");
	tap_tried(totals->held, "reads held in the middle");
	return tap_end();
}
