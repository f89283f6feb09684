// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the statistics of exits in the host file: which VMMs count, several users, vCPUs that end,
 * threads that run several vCPUs, and processes that are killed. exit_stats tests the classes and
 * the times.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kvmstats.h"
#include "tap.h"
#include "util.h"

#if HAVE_BPF && HAVE_EXITS

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "host_file/exits.h"
#include "host_file/loader.h"
#include "tiny_vmm.h"

#define VCPUS		2
#define EXITS		40	/* of each vCPU of a VMM */

static struct loader loader;

/* ---- passes ---- */

/* Returns vCPU @id of the process's newest VM, which is not that of the loader, or NULL. */
static const struct kvmstats_host_vcpu *find_vcpu(const struct kvmstats_host *host, pid_t pid,
						  size_t id)
{
	size_t i;

	for (i = 0; host && i < kvmstats_host_vms(host); i++) {
		const struct kvmstats_host_vm *vm = kvmstats_host_vm(host, i);
		const struct kvmstats_host_vcpu *first = kvmstats_host_vm_vcpu(vm, 0);

		if (kvmstats_host_vm_pid(vm) == pid && first && !kvmstats_host_vcpu_id(first))
			return kvmstats_host_vm_vcpu(vm, id);
	}
	return NULL;
}

static uint64_t value_of(const struct kvmstats_host *host, const struct kvmstats_host_vcpu *vcpu,
			 const char *name)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);

	return loader_value(kvmstats_host_vcpu_now(vcpu), schema, name, UINT64_MAX);
}

/* All exits of a vCPU by class */
static uint64_t exits_by_class(const struct kvmstats_host *host,
			       const struct kvmstats_host_vcpu *vcpu)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		const char *name = kvmstats_stat_name(stat);

		if (!strncmp(name, "exit_", 5) && strcmp(name, "exit_hist") &&
		    strcmp(name + strlen(name) - 3, "_ns"))
			sum += kvmstats_sample_values(kvmstats_host_vcpu_now(vcpu), stat)[0];
	}
	return sum;
}

/* ---- VMMs ---- */

/* A VMM whose vCPUs have exited EXITS times, and wait. */
struct vmm {
	pid_t pid;
	int ready, run;		/* pipes: it has exited, and it shall run */
};

static void run_vmm(int ready, int run)
{
	struct tiny_vm vm;
	int i, exits;
	char c;

	if (tiny_create(&vm, VCPUS, false))
		_exit(1);
	while (read(run, &c, 1) == 1) {
		for (i = 0; i < VCPUS; i++)
			for (exits = 0; exits < EXITS; exits++)
				if (!tiny_exits(&vm.vcpu[i]))
					_exit(1);
		write(ready, "", 1);
	}
	_exit(0);
}

static struct vmm start_vmm(void)
{
	struct vmm vmm = { 0 };
	int ready[2], run[2];

	if (pipe(ready) || pipe(run))
		return vmm;
	vmm.pid = fork();
	if (!vmm.pid) {
		close(ready[0]);
		close(run[1]);
		run_vmm(ready[1], run[0]);
	}
	close(ready[1]);
	close(run[0]);
	vmm.ready = ready[0];
	vmm.run = run[1];
	return vmm;
}

/* Returns whether each vCPU has exited EXITS times more. */
static bool run_more(const struct vmm *vmm)
{
	char c;

	return write(vmm->run, "", 1) == 1 && read(vmm->ready, &c, 1) == 1;
}

static void end_vmm(const struct vmm *vmm)
{
	close(vmm->run);
	close(vmm->ready);
	kill(vmm->pid, SIGKILL);
	waitpid(vmm->pid, NULL, 0);
}

/* Whether all vCPUs have this value of TINY_CLASS. */
static bool have_exits(pid_t pid, uint64_t expected)
{
	struct kvmstats_host *host = loader_read(&loader);
	bool right = host;
	size_t i;

	for (i = 0; right && i < VCPUS; i++) {
		const struct kvmstats_host_vcpu *vcpu = find_vcpu(host, pid, i);
		uint64_t exits = vcpu ? value_of(host, vcpu, TINY_CLASS) : UINT64_MAX;

		right = exits == expected;
		if (!right)
			printf("# PID %d: vCPU %zu has %llu exits, not %llu\n", pid, i,
			       (unsigned long long)exits, (unsigned long long)expected);
	}
	kvmstats_host_close(host);
	return right;
}

/* ---- users ---- */

/* Another process that counts exits */
struct user {
	pid_t pid;
	int ready, end;		/* pipes: it counts, and it shall end */
	uint32_t link;		/* the ID of its link to kvm_entry */
};

/* The links in the order in which the programs are attached */
enum { LINK_EXIT = 2, LINK_ENTRY };

static struct bpf_link_info link_info(const struct loader *of, size_t link)
{
	struct bpf_link_info info = { 0 };
	uint32_t size = sizeof(info);

	bpf_obj_get_info_by_fd(of->exit_fds[link], &info, &size);
	return info;
}

static void run_user(enum counted_exits exits, pid_t choice, int ready, int end)
{
	static struct loader own;
	uint32_t link;
	char c;

	if (loader_open_with_exits(&own, exits) || (choice && exits_choose(&own, choice, true)))
		_exit(1);
	link = link_info(&own, LINK_ENTRY).id;
	write(ready, &link, sizeof(link));
	read(end, &c, 1);
	loader_close(&own);
	_exit(0);
}

/* @choice: the PID of the VMM that it chooses, or 0 */
static struct user start_user(enum counted_exits exits, pid_t choice)
{
	struct user user = { 0 };
	int ready[2], end[2];

	if (pipe(ready) || pipe(end))
		return user;
	user.pid = fork();
	if (!user.pid) {
		close(end[1]);
		run_user(exits, choice, ready[1], end[0]);
	}
	close(ready[1]);
	close(end[0]);
	user.ready = ready[0];
	user.end = end[1];
	return user;
}

static uint32_t wait_for_user(struct user *user)
{
	return read(user->ready, &user->link, sizeof(user->link)) > 0 ? user->link : 0;
}

static void end_user(const struct user *user)
{
	close(user->ready);
	close(user->end);
	waitpid(user->pid, NULL, 0);
}

static void kill_user(const struct user *user)
{
	kill(user->pid, SIGKILL);
	end_user(user);
}

/* ---- which VMMs count ---- */

static void test_choice(void)
{
	struct vmm one = start_vmm(), other = start_vmm(), third = start_vmm();
	struct user user;

	exits_choose(&loader, one.pid, true);
	tap_ok(run_more(&one) && run_more(&other), "two VMMs run");
	tap_ok(have_exits(one.pid, EXITS), "the one that is chosen counts");
	tap_ok(have_exits(other.pid, 0), "the other one does not");
	exits_choose(&loader, other.pid, true);
	run_more(&one);
	run_more(&other);
	tap_ok(have_exits(one.pid, 2 * EXITS) && have_exits(other.pid, EXITS),
	       "one that is chosen later counts from then on");
	exits_choose(&loader, one.pid, false);
	run_more(&one);
	run_more(&other);
	tap_ok(have_exits(one.pid, 2 * EXITS) && have_exits(other.pid, 2 * EXITS),
	       "one that is no longer chosen does not count");
	user = start_user(EXITS_OF_CHOSEN, one.pid);
	tap_ok(wait_for_user(&user), "a second user chooses it");
	run_more(&one);
	run_more(&other);
	tap_ok(run_more(&third) && have_exits(one.pid, 3 * EXITS) &&
	       have_exits(other.pid, 3 * EXITS) && have_exits(third.pid, 0),
	       "those that one of both has chosen count, and no other one");
	end_user(&user);
	run_more(&one);
	run_more(&other);
	tap_ok(have_exits(one.pid, 3 * EXITS) && have_exits(other.pid, 4 * EXITS),
	       "when the second user ends, its choice ends");
	exits_choose(&loader, other.pid, false);
	end_vmm(&one);
	end_vmm(&other);
	end_vmm(&third);
}

/* ---- threads ---- */

static void test_two_vcpus_of_a_thread(void)
{
	struct kvmstats_host *host;
	bool right = true;
	struct tiny_vm vm;
	size_t i;

	if (tiny_create(&vm, VCPUS, false))
		return;
	/* vCPU 1 exits twice as often. */
	for (i = 0; i < 3 * EXITS; i++)
		right &= tiny_exits(&vm.vcpu[i % 3 ? 1 : 0]);
	host = loader_read(&loader);
	for (i = 0; i < VCPUS; i++) {
		const struct kvmstats_host_vcpu *vcpu = find_vcpu(host, getpid(), i);

		right &= vcpu && value_of(host, vcpu, TINY_CLASS) == (i + 1) * EXITS &&
			 exits_by_class(host, vcpu) == value_of(host, vcpu, "exits") &&
			 value_of(host, vcpu, "userspace_ns") > 0;
	}
	tap_ok(right, "two vCPUs that a thread runs in turn have their own exits");
	kvmstats_host_close(host);
	tiny_close(&vm);
}

static void *run_in_thread(void *vcpu)
{
	return tiny_exits(vcpu) ? vcpu : NULL;
}

static void test_threads_of_a_vcpu(void)
{
	struct kvmstats_host *host;
	const struct kvmstats_host_vcpu *vcpu;
	struct tiny_vm vm;
	size_t i;

	if (tiny_create(&vm, 1, false))
		return;
	for (i = 0; i < EXITS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, run_in_thread, &vm.vcpu[0]);
		pthread_join(thread, NULL);
	}
	host = loader_read(&loader);
	vcpu = find_vcpu(host, getpid(), 0);
	tap_ok(vcpu && value_of(host, vcpu, TINY_CLASS) == EXITS &&
	       exits_by_class(host, vcpu) == value_of(host, vcpu, "exits"),
	       "a vCPU that many threads run has all its exits");
	kvmstats_host_close(host);
	tiny_close(&vm);
}

/* ---- vCPUs that end ---- */

/* The kernel gives the memory of a vCPU that has ended to the next one. */
static bool counts_from_zero(unsigned int exits)
{
	const struct kvmstats_host_vcpu *vcpu;
	struct kvmstats_host *host;
	struct tiny_vm vm;
	bool right;
	unsigned int i;

	if (tiny_create(&vm, 1, false))
		return false;
	host = loader_read(&loader);
	vcpu = find_vcpu(host, getpid(), 0);
	right = vcpu && !exits_by_class(host, vcpu) && !value_of(host, vcpu, "guest_ns");
	kvmstats_host_close(host);
	for (i = 0; i < exits; i++)
		right &= tiny_exits(&vm.vcpu[0]);
	host = loader_read(&loader);
	vcpu = find_vcpu(host, getpid(), 0);
	right &= vcpu && value_of(host, vcpu, TINY_CLASS) == exits &&
		 exits_by_class(host, vcpu) == value_of(host, vcpu, "exits");
	kvmstats_host_close(host);
	tiny_close(&vm);
	return right;
}

static void test_many_vcpus(void)
{
	const char *number = getenv("EXITS_VCPUS");
	unsigned int i, many = number ? atoi(number) : 1000, wrong = 0;

	for (i = 1; i <= many; i++) {
		wrong += !counts_from_zero(1 + i % 7);
		/* A boot ends a program that prints nothing for long. */
		if (i % 50 == 0)
			tap_tried(50, "vCPUs, one after the other");
	}
	tap_is(wrong, 0, "each vCPU counts from 0");
}

/* ---- vCPUs that end unseen, on all modules of KVM: the program for entries is called ---- */

/* On arm64, the program gets the vCPU from a variable of the kernel, and not from its caller. */
#ifdef __aarch64__
#define CALLER_HAS_VCPU	false
#else
#define CALLER_HAS_VCPU	true
#endif

/* The kernel's address of the loader's vCPU, or 0 */
static uint64_t vcpu_address(void)
{
	static struct loader learner;
	struct host_learned learned;
	uint64_t address = 0;
	FILE *file = NULL;

	if (!loader_open_program(&learner, "learn"))
		file = fdopen(loader_pass(&learner), "r");
	while (file && fread(&learned, sizeof(learned), 1, file) == 1) {
		if (learned.fd == (unsigned int)loader.vcpu)
			address = learned.private_data;
	}
	if (file)
		fclose(file);
	loader_close(&learner);
	return address;
}

/* Calls the program for a tracepoint. Only one form of kvm_exit has the vCPU first. */
static bool call(size_t link, uint64_t vcpu)
{
	uint64_t args[12] = { vcpu, vcpu };
	struct bpf_test_run_opts options = {
		.sz = sizeof(options), .ctx_in = args, .ctx_size_in = sizeof(args),
	};
	int fd = bpf_prog_get_fd_by_id(link_info(&loader, link).prog_id);
	int err = bpf_prog_test_run_opts(fd, &options);

	close(fd);
	return !err;
}

static void *enter(void *vcpu)
{
	return call(LINK_ENTRY, *(uint64_t *)vcpu) ? vcpu : NULL;
}

/* Returns the fd of the table, and stores the vCPU's entry and its index; or -1. */
static int find_entry(uint64_t vcpu, uint32_t *index, struct exit_vcpu *entry)
{
	int fd = loader.exit_fds[EXIT_TABLE];

	for (*index = 0; *index < EXIT_ENTRIES; ++*index) {
		if (!bpf_map_lookup_elem(fd, index, entry) && entry->vcpu == vcpu)
			return fd;
	}
	return -1;
}

/*
 * Enters while the entry says that the vCPU handles an exit, and returns the time in the guest.
 * @other_vm: it is the entry of another VM, whose vCPU had the same memory. @other_thread: it had
 * another thread; otherwise its thread had no entry.
 */
static uint64_t enter_after_unseen_end(uint64_t vcpu, bool other_vm, bool other_thread)
{
	struct exit_vcpu entry;
	pthread_t thread;
	uint32_t index;
	int fd;

	if (!enter(&vcpu))
		return UINT64_MAX;
	fd = find_entry(vcpu, &index, &entry);
	memset(entry.value, 0, sizeof(entry.value));
	entry.value[EXIT_GUEST] = 1234;
	entry.doing = EXIT_NS(EXIT_CLASS_other);
	entry.inode += other_vm;
	entry.tid |= EXIT_NO_THREAD;
	if (fd < 0 || bpf_map_update_elem(fd, &index, &entry, BPF_ANY))
		return UINT64_MAX;
	if (!other_thread) {
		enter(&vcpu);
	} else {
		pthread_create(&thread, NULL, enter, &vcpu);
		pthread_join(thread, NULL);
	}
	find_entry(vcpu, &index, &entry);
	return entry.value[EXIT_GUEST] + entry.value[EXIT_NS(EXIT_CLASS_other)];
}

static void test_unseen_end(void)
{
	uint64_t vcpu = vcpu_address();

	exits_choose(&loader, getpid(), true);
	tap_ok(vcpu, "the kernel's address of a vCPU is known");
	tap_is(enter_after_unseen_end(vcpu, false, true), 1234,
	       "a vCPU with a new thread keeps values");
	tap_is(enter_after_unseen_end(vcpu, true, true), 0, "that of another VM counts from 0");
	tap_is(enter_after_unseen_end(vcpu, true, false), 0,
	       "that of another VM with the same thread, too");
	exits_choose(&loader, getpid(), false);
}

/*
 * Entries of vCPUs that have ended are given to others. None of these addresses is that of a vCPU.
 * The test cases after this one find a table without an empty entry.
 */
static void test_full_table(void)
{
	struct exit_vcpu entry;
	uint64_t vcpu = 0;
	uint32_t index;

	exits_choose(&loader, getpid(), true);
	while (vcpu < 2 * EXIT_ENTRIES * 4096ull) {
		vcpu += 4096;
		enter(&vcpu);
	}
	tap_ok(find_entry(vcpu, &index, &entry) >= 0,
	       "after twice as many vCPUs as the table has entries, the next one gets an entry");
	exits_choose(&loader, getpid(), false);
}

/* ---- KVM's own statistics of exits ---- */

/* After the loader has described them, the file has such statistics, as that of such a KVM has. */
static void test_own_exits(void)
{
	static struct loader again;

	again = loader;
	tap_ok(!exits_describe(&again) && again.exits == EXITS_OF_NONE &&
	       again.layout.header.vcpu_descs == loader.layout.header.vcpu_descs,
	       "if KVM has statistics of exits, the file does not have them twice");
}

/* ---- processes that are killed ---- */

static void test_killed_vmms(void)
{
	int i, wrong = 0;

	for (i = 0; i < 20; i++) {
		struct vmm vmm = start_vmm();

		exits_choose(&loader, vmm.pid, true);
		if (!run_more(&vmm) || !have_exits(vmm.pid, EXITS))
			wrong++;
		write(vmm.run, "", 1);
		end_vmm(&vmm);
		exits_choose(&loader, vmm.pid, false);
	}
	tap_is(wrong, 0, "VMMs that are killed while they run leave nothing to those after them");
}

/* ---- users that are killed ---- */

/* The kernel detaches programs some time after their last user has ended. */
static bool is_detached(uint32_t link)
{
	int fd, tries;

	for (tries = 0; tries < 1000; tries++) {
		fd = bpf_link_get_fd_by_id(link);
		if (fd < 0)
			return true;
		close(fd);
		usleep(10000);
	}
	return false;
}

/* It has the lock, so others would wait for it for ever. */
static void test_stopped_user(void)
{
	static struct loader other;
	char error[LOADER_ERROR], owner[32];
	pid_t pid = fork();

	if (!pid) {
		loader_lock(error);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	snprintf(owner, sizeof(owner), "PID %d has locked", (int)pid);
	tap_ok(loader_open_with_exits(&other, EXITS_OF_CHOSEN) && strstr(other.error, owner),
	       "a user that is stopped while it has the lock is reported");
	loader_close(&other);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#define USERS	3

static void test_users_at_once(void)
{
	struct user user[USERS];
	bool same = true;
	size_t i;

	for (i = 0; i < USERS; i++)
		user[i] = start_user(EXITS_OF_CHOSEN, 0);
	for (i = 0; i < USERS; i++)
		same &= wait_for_user(&user[i]) && user[i].link == user[0].link;
	tap_ok(same, "%d users that start at the same time have one attachment", USERS);
	for (i = 0; i < USERS; i++)
		kill_user(&user[i]);
	tap_ok(is_detached(user[0].link), "after all are killed, it is detached");
}

/* How often the vCPU has entered the guest after an exit */
static uint64_t exits_seen(uint64_t vcpu)
{
	struct exit_vcpu entry;
	uint64_t sum = 0;
	uint32_t index;
	size_t i;

	if (find_entry(vcpu, &index, &entry) < 0)
		return 0;
	for (i = 0; i < EXIT_HIST_SIZE; i++)
		sum += entry.value[EXIT_HIST + i];
	return sum;
}

/* Returns how many of two exits of a vCPU count. */
static uint64_t count_two(uint64_t vcpu)
{
	uint64_t before;
	int i;

	call(LINK_ENTRY, vcpu);
	before = exits_seen(vcpu);
	for (i = 0; i < 2; i++) {
		call(LINK_EXIT, vcpu);
		call(LINK_ENTRY, vcpu);
	}
	return exits_seen(vcpu) - before;
}

/* This process stays a user of the links that were published. */
static void test_unpublish(uint64_t vcpu)
{
	static struct loader published;
	char error[LOADER_ERROR];
	int lock;

	published = loader;
	exits_keep(&published);
	tap_is(count_two(vcpu), 2, "all vCPUs count while the file is published");
	lock = loader_lock(error);
	exits_unpublish(lock);
	close(lock);
	tap_is(count_two(vcpu), 0, "when it no longer is, only those that a user has chosen do");
}

/* The first user is killed before the second one, this process, ends. */
static void test_killed_user(void)
{
	struct user user = start_user(EXITS_OF_ALL, 0), next;
	uint32_t link = wait_for_user(&user);
	uint64_t vcpu;

	tap_ok(link && !loader_open_with_exits(&loader, EXITS_OF_CHOSEN) &&
	       link_info(&loader, LINK_ENTRY).id == link,
	       "a second user shares the attachment of the first");
	vcpu = vcpu_address();
	exits_choose(&loader, getpid(), true);
	if (CALLER_HAS_VCPU)
		tap_is(count_two(vcpu), 2, "exits of a VMM that two users have chosen count once");
	kill_user(&user);
	if (CALLER_HAS_VCPU)
		tap_is(count_two(vcpu), 2, "after the first user is killed, they still count");
	exits_choose(&loader, getpid(), false);
	next = start_user(EXITS_OF_CHOSEN, 0);
	tap_ok(wait_for_user(&next) == link && (!CALLER_HAS_VCPU || !count_two(vcpu)),
	       "the next user removes the choice of the one that was killed");
	kill_user(&next);
	if (CALLER_HAS_VCPU)
		test_unpublish(vcpu);
}

/* Users outside of this test have another lock file. */
static bool leave_other_users(void)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tmpfs", "/run", "tmpfs", 0, NULL);
}

/* This process is a user before and after that. */
static void test_users(void)
{
	uint32_t link = link_info(&loader, LINK_ENTRY).id;

	loader_close(&loader);
	tap_ok(link && is_detached(link), "when the last user ends, the programs are detached");
	test_users_at_once();
	test_stopped_user();
	test_killed_user();
}

/* For measurements: counts the exits of all vCPUs, or of none, until standard input ends. */
static int count_until_end(enum counted_exits exits)
{
	char c;

	if (loader_open_with_exits(&loader, exits)) {
		fprintf(stderr, "%s\n", loader.error);
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	loader_close(&loader);
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);	/* so that a check that hangs is the last one */
	if (argc > 1)
		return count_until_end(strcmp(argv[1], "all") ? EXITS_OF_CHOSEN :
							       EXITS_OF_ALL);
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("there is no /dev/kvm, or it cannot be opened");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return tap_skip_all("the kernel has no BTF");
	if (geteuid())
		return tap_skip_all("BPF programs need root");
	if (!leave_other_users())
		return tap_skip_all("/run cannot be replaced");
	if (loader_open_with_exits(&loader, EXITS_OF_CHOSEN)) {
		if (strstr(loader.error, "CAP_BPF") || strstr(loader.error, "5.14"))
			return tap_skip_all(loader.error);
		tap_ok(false, "the programs load, and are right: %s", loader.error);
		return tap_end();
	}
	tap_ok(true, "the programs load, and are right");
	test_users();
	if (CALLER_HAS_VCPU) {
		test_unseen_end();
		test_full_table();
	}
	test_own_exits();
	if (!exits_have_reasons(&loader)) {
		loader_close(&loader);
		return tap_end();
	}
	test_choice();
	test_killed_vmms();
	exits_choose(&loader, getpid(), true);
	test_two_vcpus_of_a_thread();
	test_threads_of_a_vcpu();
	test_many_vcpus();
	loader_close(&loader);
	return tap_end();
}

#else

int main(void)
{
	return tap_skip_all("built without libbpf, or the architecture has no classes of exits");
}

#endif
