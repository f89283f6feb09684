// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/kvm.h>

#include "host_file/loader.h"
#include "kvmstats.h"
#include "proc.h"

__asm__(".pushsection .rodata\n"
	".balign 8\n"
	".global host_file_object, host_file_object_end\n"
	"host_file_object: .incbin \"" BPF_OBJECTS "host_file.bpf.o\"\n"
	"host_file_object_end: .byte 0\n"
	".popsection\n");

/*
 * The static libelf of elfutils 0.192, which Debian 13 has, calls these functions, but lacks them:
 * https://sourceware.org/bugzilla/show_bug.cgi?id=32293. They keep a list of parts of a file, which
 * libbpf does not use.
 */
__attribute__((weak)) void eu_search_tree_init(void *tree)
{
}

__attribute__((weak)) void eu_search_tree_fini(void *tree, void (*free_node)(void *))
{
}

int loader_fail(struct loader *loader, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(loader->error, sizeof(loader->error), format, args);
	va_end(args);
	return -1;
}

/* ---- the loader's own VM ---- */

/* Any ID but 0, so that a record with the index instead of the ID is noticed */
#define VCPU_ID		3

static void interrupt(int signal)
{
	(void)signal;
}

/*
 * Runs the vCPU, so that it has a thread, and on x86 and arm64 some values that are not 0. It never
 * executes an instruction, and runs until the signal comes: on x86, a secondary vCPU waits for its
 * start; on arm64, the VM has no memory. The signal repeats, because the first one can come before.
 */
static void run_vcpu(struct loader *loader)
{
	const struct sigaction handler = { .sa_handler = interrupt };
	const struct itimerval never = { 0 }, often = {
		.it_value.tv_usec = 2000, .it_interval.tv_usec = 2000,
	};
	int size = ioctl(loader->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	struct sigaction before;
	sigset_t alarm, mask;
	struct kvm_run *run;

	run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, loader->vcpu, 0);
	if (run == MAP_FAILED)
		return;
	run->immediate_exit = 1;
	ioctl(loader->vcpu, KVM_RUN, 0);
#if defined(__x86_64__) || defined(__aarch64__)
	run->immediate_exit = 0;
	/* The program that started this one can have blocked it. */
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &handler, &before);
	sigprocmask(SIG_UNBLOCK, &alarm, &mask);
	setitimer(ITIMER_REAL, &often, NULL);
	ioctl(loader->vcpu, KVM_RUN, 0);
	setitimer(ITIMER_REAL, &never, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGALRM, &before, NULL);
#else
	(void)handler, (void)often, (void)never, (void)before, (void)alarm, (void)mask;
#endif
	munmap(run, size);
}

/* Returns an fd, or -1 and a message. Some CPUs of arm64 have less than 40 bits, KVM's default. */
static int new_vm(struct loader *loader)
{
	unsigned long type = 0;
	int vm;

#ifdef __aarch64__
	int bits = ioctl(loader->kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_VM_IPA_SIZE);

	if (bits > 0 && bits < 40)
		type = KVM_VM_TYPE_ARM_IPA_SIZE(bits);
#endif
	vm = ioctl(loader->kvm, KVM_CREATE_VM, type);
	return vm >= 0 ? vm : loader_fail(loader, "a VM cannot be created: %s", strerror(errno));
}

static int new_vcpu(struct loader *loader)
{
	loader->vcpu = ioctl(loader->vm, KVM_CREATE_VCPU, VCPU_ID);
	if (loader->vcpu < 0)
		return loader_fail(loader, "a vCPU cannot be created: %s", strerror(errno));
#ifdef __aarch64__
	struct kvm_vcpu_init init;

	if (ioctl(loader->vm, KVM_ARM_PREFERRED_TARGET, &init) ||
	    ioctl(loader->vcpu, KVM_ARM_VCPU_INIT, &init))
		return loader_fail(loader, "a vCPU cannot be initialized: %s", strerror(errno));
#endif
	return 0;
}

static int create_vm(struct loader *loader)
{
	loader->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (loader->kvm < 0 && errno == ENOENT)
		return loader_fail(loader, "there is no /dev/kvm. Load KVM's module");
	if (loader->kvm < 0)
		return loader_fail(loader, "/dev/kvm cannot be opened: %s%s", strerror(errno),
				   errno == EACCES ? ". Run this as root" : "");
	loader->vm = new_vm(loader);
	if (loader->vm < 0)
		return -1;
#ifdef __x86_64__
	if (ioctl(loader->vm, KVM_CREATE_IRQCHIP, 0))
		return loader_fail(loader, "an interrupt controller cannot be created: %s",
				   strerror(errno));
#endif
	if (new_vcpu(loader))
		return -1;
	loader->vm_stats = kvmstats_fd_open(loader->vm);
	loader->vcpu_stats = kvmstats_fd_open(loader->vcpu);
	if (loader->vm_stats < 0 || loader->vcpu_stats < 0)
		return loader_fail(loader, "KVM has no statistics fd (KVM_GET_STATS_FD). The "
				   "host file needs Linux 5.14 or later");
	run_vcpu(loader);
	return 0;
}

/* ---- loading ---- */

static int set_layout(struct loader *loader, struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata");
	int id = btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC), i;
	const struct btf_type *section = btf__type_by_id(btf, id < 0 ? 0 : id);
	const struct btf_var_secinfo *variable = btf_var_secinfos(section);
	size_t size;
	char *data = map ? (char *)bpf_map__initial_value(map, &size) : NULL;

	for (i = 0; data && id > 0 && i < btf_vlen(section); i++, variable++) {
		const struct btf_type *type = btf__type_by_id(btf, variable->type);

		if (strcmp(btf__name_by_offset(btf, type->name_off), "layout") ||
		    variable->size != sizeof(loader->layout))
			continue;
		memcpy(data + variable->offset, &loader->layout, sizeof(loader->layout));
		return 0;
	}
	return loader_fail(loader, "the BPF object is not that of this program");
}

/* Whether the kernel refused, and what can be done about it */
static int load_error(struct loader *loader, int err)
{
	const char *hint = "";

	if (err == -EPERM || err == -EACCES)
		hint = ". It needs CAP_BPF and CAP_PERFMON (root has them), no kernel lockdown in "
		"the mode 'confidentiality', and no security module that refuses it: see "
		"/sys/kernel/security/lsm";
	return loader_fail(loader, "the kernel does not load the BPF program: %s%s",
			   strerror(-err), hint);
}

int loader_open_object(struct loader *loader, const char *data, size_t size,
		       struct bpf_object **object)
{
	const struct bpf_object_open_opts options = {
		.sz = sizeof(options),
		.object_name = "kvm_stats",
	};

	bpf_object__close(*object);
	*object = bpf_object__open_mem(data, size, &options);
	if (!*object)
		return loader_fail(loader, "the BPF object cannot be opened: %s", strerror(errno));
	return set_layout(loader, *object);
}

/* The table of exits is that of the programs that count them, if there are some. */
static int share_exit_table(struct loader *loader, struct bpf_object *object)
{
	struct bpf_map *table = bpf_object__find_map_by_name(object, "exit_vcpus");

	if (loader->exit_fds[EXIT_TABLE] < 0)
		return bpf_map__set_max_entries(table, 1);
	return bpf_map__reuse_fd(table, loader->exit_fds[EXIT_TABLE]);
}

static int attach(struct loader *loader, const char *name)
{
	union bpf_iter_link_info info = { 0 };
	struct bpf_iter_attach_opts options = { .sz = sizeof(options) };
	struct bpf_program *program = bpf_object__find_program_by_name(loader->object, name);

	if (strcmp(name, "learn")) {
		info.map.map_fd = bpf_object__find_map_fd_by_name(loader->object, "parts");
		options.link_info = &info;
		options.link_info_len = sizeof(info);
	}
	bpf_link__destroy(loader->link);
	loader->link = bpf_program__attach_iter(program, &options);
	if (!loader->link)
		return loader_fail(loader, "the BPF iterator cannot be attached: %s",
				   strerror(errno));
	return 0;
}

static int load(struct loader *loader, const char *name)
{
	struct bpf_program *program;
	int err;

	if (loader_open_object(loader, host_file_object, host_file_object_end - host_file_object,
			       &loader->object))
		return -1;
	bpf_object__for_each_program(program, loader->object)
		bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), name));
	err = share_exit_table(loader, loader->object);
	if (!err)
		err = bpf_object__load(loader->object);
	return err ? load_error(loader, err) : attach(loader, name);
}

int loader_pass(struct loader *loader)
{
	int fd = bpf_iter_create(bpf_link__fd(loader->link));

	return fd >= 0 ? fd : loader_fail(loader, "the BPF iterator cannot be opened: %s",
					  strerror(errno));
}

/* ---- what the files of the loader show ---- */

/*
 * Stores what the program `learn` writes about file @fd of this process. The kernel returns EAGAIN
 * after each million files of other processes.
 */
static int learn_file(struct loader *loader, int fd, struct host_learned *learned)
{
	int pass = loader_pass(loader);
	bool found = false;
	ssize_t n;

	if (pass < 0)
		return -1;
	do {
		n = read(pass, learned, sizeof(*learned));
		found = n == sizeof(*learned) && learned->fd == (unsigned int)fd;
	} while (!found && (n > 0 || (n < 0 && errno == EAGAIN)));
	close(pass);
	return found ? 0 : loader_fail(loader, "the kernel does not show the files of this "
				       "process");
}

/* How far apart two variables of the kernel's image or of one module can be, in bytes */
#define MAX_DISTANCE	(UINT64_C(1) << 32)

/*
 * Whether the node before the VM can be the head of the list, which is a variable of KVM, as the
 * operations are. The nodes of VMs are in memory that the kernel allocates elsewhere.
 */
static bool follows_variable(const struct host_learned *learned)
{
	return learned->prev - learned->operations + MAX_DISTANCE < 2 * MAX_DISTANCE;
}

/*
 * KVM adds a new VM at the start of its list, so the node before a new VM is the head of the list,
 * unless another VM was created meanwhile. If two new VMs agree, it is the head. That is not enough
 * where VMs are created all the time, because new VMs get the memory of those that have ended.
 */
static int learn_list(struct loader *loader)
{
	__u64 last = 0;
	int tries;

	for (tries = 0; tries < 20; tries++) {
		int vm = new_vm(loader), err;
		struct host_learned learned;

		if (vm < 0)
			return -1;
		err = learn_file(loader, vm, &learned);
		close(vm);
		if (err)
			return err;
		if (!follows_variable(&learned))
			continue;
		if (learned.prev == last) {
			loader->layout.vm_list = last;
			return 0;
		}
		last = learned.prev;
	}
	return loader_fail(loader, "KVM's list of VMs was not found, because other processes "
			   "created VMs at the same time. Try again");
}

static int learn_module(struct loader *loader)
{
	struct host_learned learned;

	if (learn_file(loader, loader->kvm, &learned))
		return -1;
	if (learned.owner && !learned.instance)
		return loader_fail(loader, "the BPF program cannot identify the loaded instance of "
				   "KVM's module" LOADER_REPORT);
	if (!learned.owner && loader->is_module)
		return loader_fail(loader, "the BPF program does not find the module of /dev/kvm"
				   LOADER_REPORT);
	loader->layout.module = learned.owner;
	loader->layout.header.instance = learned.instance;
	return 0;
}

static int learn(struct loader *loader)
{
	int err;

	err = load(loader, "learn");
	if (!err)
		err = learn_module(loader);
	return err ? err : learn_list(loader);
}

/* ---- opening and closing ---- */

/* How long to wait for a process that uses no CPU time: it is stopped, or it hangs. */
#define LOCK_TIME	(10 * SECOND)

/* Returns the process that has locked the file, or 0 if it has released the lock just now. */
static pid_t lock_owner(int fd)
{
	char *locks = proc_read_all("locks"), *line, *next = locks;
	char file[64];
	struct stat st;
	int owner = 0;

	fstat(fd, &st);
	snprintf(file, sizeof(file), " %02x:%02x:%lu ", major(st.st_dev), minor(st.st_dev),
		 (unsigned long)st.st_ino);
	/* Processes that wait have an arrow before the type. */
	while (next && (line = strsep(&next, "\n"))) {
		if (strstr(line, file))
			sscanf(line, "%*d: FLOCK %*s %*s %d", &owner);
	}
	free(locks);
	return owner;
}

/* Returns 0 or -errno. */
static int wait_for_lock(int fd)
{
	uint64_t cpu_time, last = 0, now, since = clock_now();
	struct task owner;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return -errno;
		now = clock_now();
		cpu_time = task_read(&owner, lock_owner(fd), 0) ? owner.user + owner.kernel : 0;
		if (cpu_time != last)
			since = now;
		if (now >= since + LOCK_TIME)
			return -EWOULDBLOCK;
		last = cpu_time;
		usleep(20000);
	}
	return 0;
}

int loader_lock(char *error)
{
	int fd = open(LOADER_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int err = fd < 0 ? -errno : wait_for_lock(fd);

	if (!err)
		return fd;
	if (err == -EWOULDBLOCK)
		snprintf(error, LOADER_ERROR, "%s: PID %d has locked it, and does not unlock it. "
			 "If it is stopped, continue it with kill -CONT; otherwise, end it",
			 LOADER_LOCK, (int)lock_owner(fd));
	else
		snprintf(error, LOADER_ERROR, "%s cannot be locked: %s%s", LOADER_LOCK,
			 strerror(-err), err == -EACCES ? ". Run this as root" : "");
	if (fd >= 0)
		close(fd);
	return err;
}

int loader_print(enum libbpf_print_level level, const char *format, va_list args)
{
	if (!getenv("KVM_STATS_LIBBPF") || level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, args);
}

static int prepare(struct loader *loader, enum counted_exits exits)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	*loader = (struct loader){
		.exits = exits, .kvm = -1, .vm = -1, .vcpu = -1, .vm_stats = -1, .vcpu_stats = -1,
		.exit_fds = { -1, -1, -1, -1, -1, -1, -1 }, .exit_lock = -1,
	};
	if (exits && !HAVE_EXITS)
		return loader_fail(loader, "exits cannot be counted on this architecture. Leave "
				   "out --exits");
	libbpf_set_print(loader_print);
	/* Before Linux 5.11, and in kernels without memory cgroups, maps count as locked memory. */
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	loader->is_module = !access("/sys/module/kvm/initstate", F_OK);
	loader->with_clocks = true;
	if (create_vm(loader))
		return -1;
	if (kvmstats_has_other_pids())
		return loader_fail(loader, "this process is in a PID namespace of its own. Run "
				   "this in the initial one, outside of containers");
	return 0;
}

/* Without the clocks of the run queues, if the kernel cannot resolve their symbol */
static int load_without_clocks(struct loader *loader)
{
	struct host_layout before = loader->layout;
	int err;

	loader->with_clocks = false;
	memset(&loader->layout, 0, sizeof(loader->layout));
	err = layout_find(loader);
	loader->layout.vm_list = before.vm_list;
	loader->layout.module = before.module;
	loader->layout.header.instance = before.header.instance;
	return err ? err : load(loader, "host_file_without_clocks");
}

/* ---- the proof ---- */

static int wrong_value(struct loader *loader, const char *what, const char *name)
{
	return loader_fail(loader, "the BPF program is wrong on this kernel: %s %s differs from "
			   "KVM's own file" LOADER_REPORT, what, name);
}

static bool same_stat(const struct kvmstats_stat *a, const struct kvmstats_stat *b)
{
	return b && kvmstats_stat_flags(a) == kvmstats_stat_flags(b) &&
	       kvmstats_stat_exponent(a) == kvmstats_stat_exponent(b) &&
	       kvmstats_stat_size(a) == kvmstats_stat_size(b) &&
	       kvmstats_stat_offset(a) == kvmstats_stat_offset(b) &&
	       kvmstats_stat_bucket_size(a) == kvmstats_stat_bucket_size(b);
}

/* Compares the values of a VM or vCPU in the pass with those in KVM's own file. */
static int compare_samples(struct loader *loader, const struct kvmstats_sample *sample,
			   const struct kvmstats_sample *own, const struct kvmstats_schema *schema,
			   const struct kvmstats_schema *own_schema, const char *what)
{
	size_t i;

	for (i = 0; i < kvmstats_schema_count(own_schema); i++) {
		const struct kvmstats_stat *own_stat = kvmstats_schema_stat(own_schema, i);
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		const char *name = kvmstats_stat_name(own_stat);

		if (!same_stat(own_stat, stat) || strcmp(name, kvmstats_stat_name(stat)) ||
		    memcmp(kvmstats_sample_values(sample, stat),
			   kvmstats_sample_values(own, own_stat),
			   kvmstats_stat_size(stat) * sizeof(uint64_t)))
			return wrong_value(loader, what, name);
	}
	return 0;
}

static int compare_file(struct loader *loader, int fd, const struct kvmstats_sample *sample,
			const struct kvmstats_schema *schema, const char *what)
{
	struct kvmstats_schema *own_schema = NULL;
	struct kvmstats_sample *own = NULL;
	int err;

	err = kvmstats_schema_read(&own_schema, fd);
	if (!err)
		err = kvmstats_sample_new(&own, own_schema);
	if (!err)
		err = kvmstats_sample_read(own, fd);
	err = err ? loader_fail(loader, "KVM's statistics cannot be read: %s", strerror(-err)) :
		    compare_samples(loader, sample, own, schema, own_schema, what);
	kvmstats_sample_free(own);
	kvmstats_schema_free(own_schema);
	return err;
}

uint64_t loader_value(const struct kvmstats_sample *sample, const struct kvmstats_schema *schema,
		      const char *name, uint64_t missing)
{
	const struct kvmstats_stat *stat = kvmstats_schema_find(schema, name);
	uint64_t value;

	return stat && !kvmstats_sample_value(sample, stat, 0, &value) ? value : missing;
}

/* The thread is this one, which is on a CPU. */
static int check_thread(struct loader *loader, const struct kvmstats_host_vcpu *vcpu,
			const struct kvmstats_schema *schema)
{
	const struct kvmstats_sample *sample = kvmstats_host_vcpu_now(vcpu);

	if (kvmstats_host_vcpu_tid(vcpu) != gettid())
		return loader_fail(loader, "the BPF program is wrong on this kernel: it does not "
				   "find the thread of a vCPU" LOADER_REPORT);
	if (loader_value(sample, schema, "thread_known", 0) != 1)
		return wrong_value(loader, "thread", "thread_known");
	if (loader_value(sample, schema, "thread_on_cpu", 1) != 1)
		return wrong_value(loader, "thread", "thread_on_cpu");
	if (loader_value(sample, schema, "thread_state", 0))
		return wrong_value(loader, "thread", "thread_state");
	return 0;
}

static const struct kvmstats_host_vm *find_own_vm(const struct kvmstats_host *host)
{
	const struct kvmstats_host_vm *found = NULL;
	size_t i;

	for (i = 0; i < kvmstats_host_vms(host); i++) {
		const struct kvmstats_host_vm *vm = kvmstats_host_vm(host, i);

		/* A process that has ended can have had this PID. */
		if (kvmstats_host_vm_pid(vm) != getpid() || kvmstats_host_vm_is_orphan(vm))
			continue;
		if (found)
			return NULL;
		found = vm;
	}
	return found;
}

static int check_pass(struct loader *loader, const struct kvmstats_host *host)
{
	const struct kvmstats_schema *vm_schema = kvmstats_host_schema(host, KVMSTATS_KIND_VM);
	const struct kvmstats_schema *vcpu_schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	const struct kvmstats_host_vm *vm = find_own_vm(host);
	const struct kvmstats_host_vcpu *vcpu;
	int err;

	vcpu = vm && kvmstats_host_vm_vcpus(vm) == 1 ? kvmstats_host_vm_vcpu(vm, 0) : NULL;
	if (!vcpu || kvmstats_host_vcpu_id(vcpu) != VCPU_ID)
		return loader_fail(loader, "the BPF program is wrong on this kernel: it does not "
				   "find the VM of this process" LOADER_REPORT);
	err = compare_file(loader, loader->vm_stats, kvmstats_host_vm_now(vm), vm_schema, "VM");
	if (!err)
		err = compare_file(loader, loader->vcpu_stats, kvmstats_host_vcpu_now(vcpu),
				   vcpu_schema, "vCPU");
	if (!err && WITH_EXITS(loader))
		err = exits_check(loader, kvmstats_host_vcpu_now(vcpu), vcpu_schema);
	return err ? err : check_thread(loader, vcpu, vcpu_schema);
}

struct kvmstats_host *loader_read(struct loader *loader)
{
	struct kvmstats_host *host;
	int pass = loader_pass(loader), err;

	if (pass < 0)
		return NULL;
	err = kvmstats_host_open_fd(&host, pass);
	if (!err)
		err = kvmstats_host_read(host);
	close(pass);
	if (!err)
		return host;
	loader_fail(loader, "the BPF program's output cannot be read: %s", strerror(-err));
	kvmstats_host_close(host);
	return NULL;
}

static int prove(struct loader *loader)
{
	struct kvmstats_host *host = loader_read(loader);
	int err = host ? check_pass(loader, host) : -1;

	kvmstats_host_close(host);
	return err;
}

static int open_program(struct loader *loader, const char *program, enum counted_exits exits)
{
	int err;

	err = prepare(loader, exits);
	if (!err)
		err = layout_find(loader);
	if (!err)
		err = learn(loader);
	if (!err && WITH_EXITS(loader))
		err = exits_attach(loader);
	if (err || !load(loader, program))
		return err;
	return strcmp(program, "host_file") ? -1 : load_without_clocks(loader);
}

int loader_open_program(struct loader *loader, const char *program)
{
	return open_program(loader, program, EXITS_OF_NONE);
}

int loader_open_with_exits(struct loader *loader, enum counted_exits exits)
{
	int err;

	err = open_program(loader, "host_file", exits);
	if (!err && WITH_EXITS(loader))
		err = exits_run_guest(loader);
	return err ? err : prove(loader);
}

int loader_open(struct loader *loader)
{
	return loader_open_with_exits(loader, EXITS_OF_NONE);
}

void loader_close_vm(struct loader *loader)
{
	int *const fds[] = {
		&loader->vm_stats, &loader->vcpu_stats, &loader->vcpu, &loader->vm, &loader->kvm,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

void loader_close(struct loader *loader)
{
	loader_close_vm(loader);
	if (HAVE_EXITS)
		exits_close(loader);
	bpf_link__destroy(loader->link);
	bpf_object__close(loader->object);
	if (loader->btf != loader->base_btf)
		btf__free(loader->btf);
	btf__free(loader->base_btf);
}
