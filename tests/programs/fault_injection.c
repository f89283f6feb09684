// SPDX-License-Identifier: GPL-2.0-only
/*
 * Let every allocation and every copy in the ioctls that open statistics, in reads, and in the
 * creation of VMs and vCPUs fail in turn. Each time the errno is the right one, or a read returns
 * the bytes before the fault. No fd, no VM and no use count of a module is left over, and the next
 * run succeeds.
 *
 * A copy that fault injection lets fail copies nothing. stats_abi.c tests copies that end in the
 * middle.
 */
#define _GNU_SOURCE
#include "kvm_stats_open.h"
#include "lib/run.h"
#include "lib/vm_dir.h"

/* ---- faults ---- */

/*
 * Run an operation again and again: the first allocation or copy between the kernel and user space
 * fails, then the second one and so on, until a run in which none fails. This needs
 * CONFIG_FAILSLAB and debugfs, and uses CONFIG_FAIL_PAGE_ALLOC and CONFIG_FAULT_INJECTION_USERCOPY
 * if the kernel has them; see Documentation/fault-injection.
 *
 * The kernel counts all kinds together. Accesses to single words (put_user(),
 * unsafe_put_user()) neither count nor fail.
 */

#define MAX_IN_TURN	2000	/* faults of one operation; more mean an endless loop */
#define MAX_FAULTS	"1000000"

enum fault { FAULT_SLAB, FAULT_PAGE, FAULT_COPY, NUM_FAULTS, NO_FAULT };

/* The outcome of one run. */
struct trial {
	long result;
	enum fault fault;
};

struct operation {
	const char *name;
	void (*prepare)(struct stats_target *target);
	long (*run)(struct stats_target *target);	/* faults are armed only here */
	void (*check)(struct stats_target *target, const struct trial *trial);
	int errors[NUM_FAULTS];	/* what each fault causes; 0: the operation must not do that */
	unsigned int first;	/* the first fault to inject; 0 means 1 */
	unsigned int failures[NUM_FAULTS];
};

static const struct {
	const char *name;
	const char *dir;
} kinds[NUM_FAULTS] = {
	[FAULT_SLAB] = { "allocates memory", "/sys/kernel/debug/failslab" },
	[FAULT_PAGE] = { "allocates pages", "/sys/kernel/debug/fail_page_alloc" },
	[FAULT_COPY] = { "copies memory", "/sys/kernel/debug/fail_usercopy" },
};

static int nth_fd = -1;
static bool available[NUM_FAULTS];

static bool write_attribute(enum fault fault, const char *name, const char *value)
{
	bool written;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", kinds[fault].dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	written = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
	close(fd);
	return written;
}

/* The kernel decreases "times" by one at each fault. The file can be read only once. */
static long read_times(enum fault fault)
{
	char path[64], text[24] = "";
	long times;
	int fd;

	snprintf(path, sizeof(path), "%s/times", kinds[fault].dir);
	fd = available[fault] ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	times = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 ? atol(text) : -1;
	close(fd);
	return times;
}

/* Can the kernel inject this kind of fault? Valid after faults_open(). */
static bool faults_have(enum fault fault)
{
	return available[fault];
}

/*
 * Selects which allocations count and fail. Allocations that may sleep are always included,
 * highmem pages never.
 */
static void faults_choose(bool slab, bool page)
{
	if (write_attribute(FAULT_SLAB, "ignore-gfp-wait", "N") &&
	    write_attribute(FAULT_SLAB, "cache-filter", slab ? "N" : "Y") &&
	    (!faults_have(FAULT_PAGE) ||
	     (write_attribute(FAULT_PAGE, "ignore-gfp-wait", "N") &&
	      write_attribute(FAULT_PAGE, "ignore-gfp-highmem", "Y") &&
	      write_attribute(FAULT_PAGE, "min-order", page ? "0" : "32"))))
		return;
	fail("cannot set the attributes of fault injection: %s", strerror(errno));
}

/* Prepares the calling process: opens fault injection and locks its memory. */
static void faults_open(void)
{
	int fault;

	/* With "verbose" 0 the kernel does not log the faults. */
	for (fault = 0; fault < NUM_FAULTS; fault++)
		available[fault] = write_attribute(fault, "verbose", "0") &&
				   write_attribute(fault, "times", MAX_FAULTS);
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (!faults_have(FAULT_SLAB) || nth_fd < 0)
		must(stats_skip("this kernel has no fault injection for the slab allocator"));
	/* Page faults of this process would count as allocations. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		fail("mlockall: %s", strerror(errno));
	faults_choose(true, true);
}

static bool set_nth(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(nth_fd, text, len, 0) == len;
}

/* Runs the operation while fault @nth is armed. Preserves the errno of the operation. */
static struct trial run_armed(struct stats_target *target, const struct operation *operation,
			      unsigned int nth)
{
	struct trial trial = { .fault = NO_FAULT };
	long times[NUM_FAULTS];
	char text[16] = "";
	int fault, error;
	bool hit;

	for (fault = 0; fault < NUM_FAULTS; fault++)
		times[fault] = read_times(fault);
	set_nth(nth);
	trial.result = operation->run(target);
	error = errno;
	/* If the copy of this pread() or of set_nth() fails, none failed before. */
	hit = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	if (!set_nth(0))
		set_nth(0);
	for (fault = 0; fault < NUM_FAULTS; fault++)
		if (read_times(fault) != times[fault] && hit)
			trial.fault = fault;
	errno = error;
	return trial;
}

static void check_error(const struct operation *operation, const struct trial *trial)
{
	if (trial->fault == NO_FAULT && trial->result < 0)
		fail("without a fault: %s", strerror(errno));
	if (trial->fault == NO_FAULT)
		return;
	if (!operation->errors[trial->fault])
		fail("the operation %s", kinds[trial->fault].name);
	if (trial->result < 0)
		must(stats_refused(operation->name, trial->result,
				   operation->errors[trial->fault]));
}

/* An fd that stays open, or reserved without being open, changes the lowest free number. */
static int lowest_free_fd(void)
{
	int fd = dup(STDOUT_FILENO);

	close(fd);
	return fd;
}

/* Runs the operation once, without a fault if @nth is 0. Returns the fault. */
static enum fault try_once(struct stats_target *target, struct operation *operation,
			   unsigned int nth)
{
	int before, after;
	struct trial trial = { .fault = NO_FAULT };

	if (operation->prepare)
		operation->prepare(target);
	before = lowest_free_fd();
	if (nth)
		trial = run_armed(target, operation, nth);
	else
		trial.result = operation->run(target);
	check_error(operation, &trial);
	operation->check(target, &trial);
	after = lowest_free_fd();
	if (after != before)
		fail("fd %d is lost: the lowest free one is %d", before, after);
	return trial.fault;
}

/*
 * Injects all faults, and counts them by kind. After each of them the error is the right one, no fd
 * is lost, and the next run succeeds.
 */
static void fail_in_turn(struct stats_target *target, struct operation *operation)
{
	unsigned int nth = operation->first ? operation->first : 1;
	enum fault fault;

	while ((fault = try_once(target, operation, nth)) != NO_FAULT) {
		operation->failures[fault]++;
		try_once(target, operation, 0);
		if (++nth == MAX_IN_TURN)
			fail("more than %d faults", MAX_IN_TURN);
	}
}

/* ---- the operations ---- */

/* The numbers of faults. */
static struct {
	unsigned long opens;
	unsigned long reads;
	unsigned long creations;
} *totals;

static const char *set_up_open(struct stats_target *target)
{
	return kernel_has_stats_open() ? set_up_vm(target) : stats_skip(NO_STATS_OPEN);
}

static const char *set_up_observer(struct stats_target *target)
{
	must(set_up_open(target));
	must(stats_open(target->getfd_fd, &target->fd));
	stats_file_free(&target->file);
	return stats_file_load(&target->file, target->fd);
}

static unsigned long report_failures(const struct operation *operation)
{
	const unsigned int *failures = operation->failures;

	printf("# %s: %u slab allocations, %u pages, %u copies failed in turn\n", operation->name,
	       failures[FAULT_SLAB], failures[FAULT_PAGE], failures[FAULT_COPY]);
	return failures[FAULT_SLAB] + failures[FAULT_PAGE] + failures[FAULT_COPY];
}

static const char *target_disappears(void)
{
	struct vm_dir dir = vm_dir(getpid(), vm_fds[STATS_FD_VM]);

	vm_exists(&dir, "before its fds are closed");
	stats_close_fds(vm_fds);
	vm_disappears(&dir, "after its fds are closed");
	return NULL;
}

/* ---- ioctls that open statistics ---- */

/* All of them allocate at least the statistics file and the open file. */
static const char *fail_open(struct stats_target *target, struct operation *operation)
{
	const unsigned int *failures = operation->failures;

	faults_open();
	fail_in_turn(target, operation);
	totals->opens += report_failures(operation);
	if (failures[FAULT_SLAB] < 2 ||
	    (operation->errors[FAULT_COPY] && faults_have(FAULT_COPY) && !failures[FAULT_COPY]))
		fail("%u allocations and %u copies failed, expected more", failures[FAULT_SLAB],
		     failures[FAULT_COPY]);
	return target_disappears();
}

static long run_getfd(struct stats_target *target)
{
	return ioctl(target->getfd_fd, KVM_STATS_GETFD, NULL);
}

static void check_getfd(struct stats_target *target, const struct trial *trial)
{
	if (trial->result < 0)
		return;
	must(stats_still_reads(target, trial->result, getpid()));
	close(trial->result);
}

static const char *getfd(struct stats_target *target)
{
	struct operation operation = {
		.name = "KVM_STATS_GETFD",
		.run = run_getfd,
		.check = check_getfd,
		.errors = { ENOMEM, ENOMEM, 0 },
	};

	return fail_open(target, &operation);
}

/* The file must have the vCPU of the target's VM. */
static void check_observer(int fd)
{
	struct stats_vm_file file;

	must(stats_vm_file_load(&file, fd));
	if (file.num_records != 1)
		fail("the file has %u records, expected 1", file.num_records);
	stats_vm_file_free(&file);
	close(fd);
}

static long run_open(struct stats_target *target)
{
	struct kvm_stats_open open = { 0 };

	return ioctl(target->getfd_fd, KVM_STATS_OPEN, &open);
}

static void check_open(struct stats_target *target, const struct trial *trial)
{
	if (trial->result >= 0)
		check_observer(trial->result);
}

static const char *open_observer(struct stats_target *target)
{
	struct operation operation = {
		.name = "KVM_STATS_OPEN",
		.run = run_open,
		.check = check_open,
		.errors = { ENOMEM, ENOMEM, EFAULT },
	};

	return fail_open(target, &operation);
}

/* With the number before that of the target's VM, KVM_STATS_NEXT opens this VM. */
static struct kvm_stats_next next;
static uint64_t number_before;
static int kvm_fd = -1;

static long run_next(struct stats_target *target)
{
	next = (struct kvm_stats_next){ .vm = number_before };
	return ioctl(kvm_fd, KVM_STATS_NEXT, &next);
}

static void check_next(struct stats_target *target, const struct trial *trial)
{
	uint64_t expected = number_before + (trial->result >= 0);

	if (next.vm != expected)
		fail("the number of the VM is %llu, expected %llu", (unsigned long long)next.vm,
		     (unsigned long long)expected);
	if (trial->result >= 0)
		check_observer(next.fd);
}

static const char *open_next(struct stats_target *target)
{
	struct operation operation = {
		.name = "KVM_STATS_NEXT",
		.run = run_next,
		.check = check_next,
		.errors = { ENOMEM, ENOMEM, EFAULT },
	};
	int fd;

	kvm_fd = stats_open_kvm();
	must(stats_open_last(&number_before, &fd));
	number_before--;
	close(fd);
	return fail_open(target, &operation);
}

/* ---- reads ---- */

/* The read under test. */
static struct {
	size_t offset;
	size_t len;
	uint8_t *buf;		/* of @len bytes */
} reading;

static void prepare_read(struct stats_target *target)
{
	memset(reading.buf, 0xa5, reading.len);
	if (lseek(target->fd, reading.offset, SEEK_SET) < 0)
		fail("lseek: %s", strerror(errno));
}

static long run_read(struct stats_target *target)
{
	return read(target->fd, reading.buf, reading.len);
}

/* A read is short, or fails, only because of a fault. The position moves by what it returns. */
static void check_read(struct stats_target *target, const struct trial *trial)
{
	off_t expected = reading.offset + (trial->result > 0 ? trial->result : 0);
	off_t at = lseek(target->fd, 0, SEEK_CUR);

	if (at != expected)
		fail("after a read at %zu that returned %ld, the position is %lld", reading.offset,
		     trial->result, (long long)at);
	if (trial->result < 0)
		return;
	if (!trial->result || trial->result > (ssize_t)reading.len ||
	    (trial->fault == NO_FAULT && trial->result != (ssize_t)reading.len))
		fail("a read of %zu bytes returned %ld", reading.len, trial->result);
	must(stats_same(target, reading.buf, trial->result, reading.offset, trial->result));
}

/* Reads the constants alone, the values alone (aligned and unaligned), and the whole file. */
static const char *reads(struct stats_target *target)
{
	size_t data = target->file.header.data_offset, size = target->file.size, i;
	const struct { size_t offset, len, align; } parts[] = {
		{ 0, data, 0 }, { data, size - data, 0 }, { data, size - data, 1 },
		{ data + 4, size - data - 4, 4 }, { 0, size, 0 },
	};
	struct operation operation = {
		.name = "read",
		.prepare = prepare_read,
		.run = run_read,
		.check = check_read,
		.errors = { 0, 0, EFAULT },
	};
	uint8_t *buf = aligned_alloc(64, (size + 127) / 64 * 64);

	faults_open();
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		reading.offset = parts[i].offset;
		reading.len = parts[i].len;
		reading.buf = buf + parts[i].align;
		fail_in_turn(target, &operation);
	}
	totals->reads += report_failures(&operation);
	if (faults_have(FAULT_COPY) && !operation.failures[FAULT_COPY])
		fail("no copy of a read failed");
	return target_disappears();
}

/* ---- creation of VMs and vCPUs ---- */

static int new_vm = -1;

static long run_create_vm(struct stats_target *target)
{
	return ioctl(kvm_fd, KVM_CREATE_VM, 0);
}

static void prepare_vm(struct stats_target *target)
{
	if (new_vm >= 0)
		close(new_vm);
	new_vm = run_create_vm(target);
	if (new_vm < 0)
		fail("KVM_CREATE_VM: %s", strerror(errno));
}

static long run_create_vcpu(struct stats_target *target)
{
	return ioctl(new_vm, KVM_CREATE_VCPU, STATS_VCPU_ID);
}

static void check_created(int owner)
{
	int fd;

	must(stats_getfd(owner, &fd));
	close(fd);
	close(owner);
}

static void check_create(struct stats_target *target, const struct trial *trial)
{
	if (trial->result >= 0)
		check_created(trial->result);
}

/* The same VM must be able to create the vCPU after a failure. */
static void check_create_vcpu(struct stats_target *target, const struct trial *trial)
{
	long vcpu = trial->result < 0 ? run_create_vcpu(target) : trial->result;

	if (vcpu < 0)
		fail("the next KVM_CREATE_VCPU: %s", strerror(errno));
	check_created(vcpu);
}

/* Fails slab allocations first. Then fails pages, if the kernel can inject that fault. */
static const char *create_in_turn(struct stats_target *target, struct operation *operation)
{
	const char *series = getenv("BOOT_SERIES");
	unsigned int vms = vm_count();
	long users = kvm_module_users();

	if (series && strncmp(series, "5.10", 4))
		return stats_skip("Linux %s logs a stack trace after some faults", series);
	kvm_fd = stats_open_kvm();
	faults_open();
	faults_choose(true, false);
	fail_in_turn(target, operation);
	if (operation->failures[FAULT_SLAB] < 3)
		fail("%u allocations failed, expected more", operation->failures[FAULT_SLAB]);
	operation->first = 1;
	if (faults_have(FAULT_PAGE)) {
		faults_choose(false, true);
		fail_in_turn(target, operation);
	}
	totals->creations += report_failures(operation);
	if (new_vm >= 0)
		close(new_vm);
	close(kvm_fd);
	vm_count_becomes(vms);
	kvm_module_users_become(users);
	return NULL;
}

static const char *create_vm(struct stats_target *target)
{
	struct operation operation = {
		.name = "KVM_CREATE_VM",
		.run = run_create_vm,
		.check = check_create,
		.errors = { ENOMEM, ENOMEM, 0 },
	};

	/*
	 * On x86 and arm64, vmalloc() of struct kvm begins with two allocations that log a stack
	 * trace when they fail, whatever flags the caller passes. With kmemleak each of them has
	 * a second allocation, and kmemleak itself logs the failure of a fifth one.
	 */
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
	operation.first = access("/sys/kernel/debug/kmemleak", F_OK) ? 3 : 6;
#endif
	return create_in_turn(target, &operation);
}

/*
 * Linux 5.10 does not undo a failed creation of a vCPU on powerpc. With HV the vCPU still
 * counts in its core, so that the next one is refused. PR logs a stack trace. The e500
 * returns EPERM.
 */
static const char *create_vcpu(struct stats_target *target)
{
#ifdef __powerpc__
	(void)prepare_vm;
	(void)check_create_vcpu;
	return stats_skip("Linux 5.10 does not undo a failed creation on powerpc");
#else
	struct operation operation = {
		.name = "KVM_CREATE_VCPU",
		.prepare = prepare_vm,
		.run = run_create_vcpu,
		.check = check_create_vcpu,
		.errors = { ENOMEM, ENOMEM, 0 },
	};

	return create_in_turn(target, &operation);
#endif
}

static const struct stats_check checks[] = {
	STATS_CHECK("getfd", getfd),
	STATS_CHECK("read", reads),
};

static const struct stats_check open_checks[] = {
	STATS_CHECK("open", open_observer),
	STATS_CHECK("next", open_next),
};

static const struct stats_check observer_checks[] = {
	STATS_CHECK("read", reads),
};

static const struct stats_check create_checks[] = {
	STATS_CHECK("vm", create_vm),
	STATS_CHECK("vcpu", create_vcpu),
};

static const struct stats_suite suites[] = {
	STATS_SUITE("observer", -1, open_checks, set_up_open),
	STATS_SUITE("observer", -1, observer_checks, set_up_observer),
	STATS_SUITE("vm", -1, checks, set_up_vm),
	STATS_SUITE("vcpu", STATS_VCPU_ID, checks, set_up_vm),
	STATS_SUITE("created", -1, create_checks, NULL),
};

int main(void)
{
	if (vm_dirs_skip_reason())
		return tap_skip_all(vm_dirs_skip_reason());

	totals = shared_memory(sizeof(*totals));
	run_suites(suites, ARRAY_SIZE(suites));
	tap_tried(totals->opens, "faults in KVM_STATS_GETFD");
	tap_tried(totals->reads, "faults in reads");
	tap_tried(totals->creations, "faults in the creation of VMs and vCPUs");
	return tap_end();
}
