// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation and every copy on the path of KVM_STATS_GETFD, of reads and of the
 * creation of VMs and vCPUs fails in turn, until a try passes with none failing. Each
 * time: the right errno, or of a read the bytes before the fault; no fd and no VM
 * too many; and the next try works.
 *
 * Values that are stored to user memory one by one are no copies that could be made to
 * fail: bad_memory.c sees to those.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include <poll.h>
#include <sys/utsname.h>

#include "fail_nth.h"
#include "lifetimes.h"
#include "nobody.h"
#include "uring.h"

#define MOST_FAULTS	2000	/* of one path; more are an endless loop */
#define FILE_MAX	"/proc/sys/fs/file-max"

/* Shared with the processes that the checks run in. */
static struct tried {
	unsigned long opens;
	unsigned long reads;
	unsigned long creations;
	/* of the child of a check, and what it should see */
	enum fail_kind failed;
	int table_size;
	pid_t vmm;
} *tried;

/* One try, of which one allocation or copy fails, or none does. */
struct trial {
	long result;
	int error;
	enum fail_kind failed;
};

/* What is tried: @run runs between arming and disarming, the others do not. */
struct path {
	const char *name;
	const char *(*prepare)(struct stats_target *target);
	long (*run)(struct stats_target *target);
	const char *(*judge)(struct stats_target *target, const struct trial *trial);
	unsigned int first;		/* fault */
	unsigned long *tried;
};

/* How many are open, and the first one that is not; takes no fd to do so. */
static unsigned int count_fds(int *first_free)
{
	struct pollfd fds[256];
	unsigned int count = 0;
	int i;

	for (i = 0; i < (int)ARRAY_SIZE(fds); i++)
		fds[i] = (struct pollfd){ .fd = i };
	*first_free = -1;
	if (poll(fds, ARRAY_SIZE(fds), 0) < 0)
		return 0;
	for (i = ARRAY_SIZE(fds) - 1; i >= 0; i--) {
		if (fds[i].revents & POLLNVAL)
			*first_free = i;
		else
			count++;
	}
	return count;
}

/* An fd that was reserved and neither opened nor given back can only be missed. */
static const char *no_fd_is_lost(unsigned int before)
{
	int first_free, next;
	unsigned int now = count_fds(&first_free);

	if (now != before)
		return stats_fail("%u fds are open, before there were %u", now, before);
	next = dup(STDOUT_FILENO);
	close(next);
	return next == first_free ? NULL :
	       stats_fail("fd %d is lost: the next one is %d", first_free, next);
}

static const char *try_once(struct stats_target *target, const struct path *path,
			    unsigned int nth, enum fail_kind *failed)
{
	const char *message = path->prepare ? path->prepare(target) : NULL;
	int first_free;
	unsigned int fds = count_fds(&first_free);
	struct trial trial;

	if (message)
		return message;
	if (nth && fail_nth_arm(nth))
		return stats_fail("fail-nth: %s", strerror(errno));
	errno = 0;
	trial.result = path->run(target);
	trial.failed = nth ? fail_nth_disarm() : FAIL_NONE;
	trial.error = errno;
	*failed = trial.failed;

	message = path->judge(target, &trial);
	return message ? message : no_fd_is_lost(fds);
}

static void tell(const struct stats_target *target, const char *name,
		 const unsigned int failures[FAIL_NUM_KINDS])
{
	const char *kind = !target->file.size ? "kvm" : target->vcpu_id < 0 ? "vm" : "vcpu";

	printf("# %s.%s: %u slab allocations", kind, name, failures[FAIL_SLAB]);
	if (fail_nth_has(FAIL_PAGE))
		printf(", %u pages", failures[FAIL_PAGE]);
	if (fail_nth_has(FAIL_COPY))
		printf(", %u copies", failures[FAIL_COPY]);
	printf(" failed in turn\n");
}

/* The fault, and then what comes after it. */
static const char *try_fault(struct stats_target *target, const struct path *path,
			     unsigned int nth, enum fail_kind *failed)
{
	const char *message = try_once(target, path, nth, failed);
	enum fail_kind none;

	if (message)
		return stats_fail("fault %u: %s", nth, message);
	if (*failed == FAIL_NONE)
		return NULL;
	++*path->tried;
	message = try_once(target, path, 0, &none);
	return message ? stats_fail("after fault %u: %s", nth, message) : NULL;
}

static const char *fail_in_turn(struct stats_target *target, const struct path *path,
				unsigned int failures[FAIL_NUM_KINDS])
{
	unsigned int nth = path->first ? path->first : 1;
	enum fail_kind failed;

	for (; nth < MOST_FAULTS; nth++) {
		const char *message = try_fault(target, path, nth, &failed);

		if (message || failed == FAIL_NONE)
			return message;
		failures[failed]++;
	}
	return stats_fail("more than %d faults", MOST_FAULTS);
}

/* No fault of the memory of this process comes in between: all of it is there. */
static const char *faults_open(void)
{
	if (fail_nth_open())
		return stats_skip("no fault injection: " FAIL_NTH_KNOBS ": %s",
				  strerror(errno));
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return stats_fail("mlockall: %s", strerror(errno));
	return NULL;
}

/* Nothing holds the VM of the target any more. */
static const char *target_goes(struct stats_target *target)
{
	int *fds = target->machine;
	struct vm_dir dir = vm_dir(getpid(), fds[STATS_FD_VM]);
	const char *message = vm_is_there(&dir, "before its fds are closed");

	stats_close_fds(fds);
	return message ? message : vm_goes(&dir, "after its fds are closed");
}

static const char *judge_errno(const struct trial *trial, const char *what,
			       int slab, int page, int copy)
{
	const int expected[FAIL_NUM_KINDS] = { slab, page, copy };

	if (trial->failed == FAIL_NONE)
		return stats_fail("%s, of which nothing failed: %s", what,
				  strerror(trial->error));
	if (trial->error == expected[trial->failed])
		return NULL;
	return stats_fail("%s: %s, expected: %s", what, strerror(trial->error),
			  expected[trial->failed] ? strerror(expected[trial->failed]) :
			  "not to do that at all");
}

/* The ioctl */

static long run_getfd(struct stats_target *target)
{
	return ioctl(target->getfd_fd, KVM_STATS_GETFD, NULL);
}

static const char *judge_getfd(struct stats_target *target, const struct trial *trial)
{
	const char *message;

	if (trial->result < 0)
		return judge_errno(trial, "KVM_STATS_GETFD", ENOMEM, ENOMEM, 0);
	message = stats_still_reads(target, trial->result, tried->vmm);
	close(trial->result);
	return message;
}

static struct path getfd_path = {
	.run = run_getfd,
	.judge = judge_getfd,
};

/* The name and the open file are allocated. */
static const char *getfd(struct stats_target *target)
{
	unsigned int failures[FAIL_NUM_KINDS] = { 0 };
	const char *message = faults_open();

	getfd_path.tried = &tried->opens;
	if (!message)
		message = fail_in_turn(target, &getfd_path, failures);
	if (message)
		return message;
	tell(target, "getfd", failures);
	if (failures[FAIL_SLAB] < 2)
		return stats_fail("%u allocations failed, expected 2 or more",
				  failures[FAIL_SLAB]);
	return target_goes(target);
}

static int fd_table_size(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[128];
	int size = -1;

	while (status && size < 0 && fgets(line, sizeof(line), status))
		if (sscanf(line, "FDSize: %d", &size) != 1)
			size = -1;
	if (status)
		fclose(status);
	return size;
}

static struct {
	int fds[256];
	int num;
} filling;

static long run_getfd_table_full(struct stats_target *target)
{
	int size = tried->table_size, fd = -1;

	for (filling.num = 0; fd < size - 1 && filling.num < 256; filling.num++) {
		fd = dup(target->fd);
		filling.fds[filling.num] = fd;
	}
	return run_getfd(target);
}

static const char *judge_getfd_table_full(struct stats_target *target,
					  const struct trial *trial)
{
	if (trial->result >= 0 && trial->result < tried->table_size)
		return stats_fail("the table of %d fds was not full", tried->table_size);
	while (filling.num--)
		close(filling.fds[filling.num]);
	return judge_getfd(target, trial);
}

/* In a child, whose table is as small as it was here. */
static const char *try_with_full_table(struct stats_target *target)
{
	const struct path path = {
		.run = run_getfd_table_full,
		.judge = judge_getfd_table_full,
		.tried = &tried->opens,
	};
	const char *message = faults_open();

	tried->table_size = fd_table_size();
	return message ? message : try_fault(target, &path, target->arg, &tried->failed);
}

/* The table of fds has to grow as well, which is three allocations more. */
static const char *getfd_table_full(struct stats_target *target)
{
	unsigned int failures[FAIL_NUM_KINDS] = { 0 };
	const char *message = faults_open();

	for (target->arg = 1; !message; target->arg++) {
		message = stats_in_child(target, try_with_full_table);
		if (message || tried->failed == FAIL_NONE)
			break;
		failures[tried->failed]++;
	}
	if (message)
		return message;
	tell(target, "getfd_table_full", failures);
	if (failures[FAIL_SLAB] < 5)
		return stats_fail("%u allocations failed, expected 5 or more",
				  failures[FAIL_SLAB]);
	return target_goes(target);
}

/* Limits */

static const char *emfile(struct stats_target *target)
{
	return stats_emfile(target);
}

static const char *write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return stats_fail("%s: %s", path, strerror(errno));
	close(fd);
	return NULL;
}

/* Root is not kept to the limit. */
static const char *enfile_as_nobody(struct stats_target *target)
{
	const char *message = become_nobody();
	int first_free;
	unsigned int fds = count_fds(&first_free);

	if (!message)
		message = stats_refused("KVM_STATS_GETFD beyond " FILE_MAX,
					run_getfd(target), ENFILE);
	return message ? message : no_fd_is_lost(fds);
}

static const char *open_as_nobody(struct stats_target *target)
{
	const char *message = become_nobody();
	int fd;

	return message ? message : stats_getfd(target->getfd_fd, &fd);
}

static const char *enfile(struct stats_target *target)
{
	char limit[32] = "";
	const char *message, *restored;
	int fd;

	if (!getenv("BOOT_VARIANT"))
		return stats_skip("lowers " FILE_MAX "; set BOOT_VARIANT where it may");
	fd = open(FILE_MAX, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, limit, sizeof(limit) - 1) <= 0)
		return stats_fail(FILE_MAX ": %s", strerror(errno));
	close(fd);
	message = write_file(FILE_MAX, "0");
	if (!message)
		message = stats_in_child(target, enfile_as_nobody);
	restored = write_file(FILE_MAX, limit);
	if (message || restored)
		return message ? message : restored;
	message = stats_in_child(target, open_as_nobody);
	return message ? message : target_goes(target);
}

/* Reads */

static struct read_trial {
	size_t offset;
	size_t len;
	uint8_t *buf;		/* of len bytes; for a while what a pipe holds */
	struct uring ring;
	int pipe[2];
} reading;

static long run_pread(struct stats_target *target)
{
	return pread(target->fd, reading.buf, reading.len, reading.offset);
}

static const char *prepare_read(struct stats_target *target)
{
	memset(reading.buf, 0xa5, reading.len);
	if (lseek(target->fd, reading.offset, SEEK_SET) < 0)
		return stats_fail("lseek: %s", strerror(errno));
	return NULL;
}

static long run_read(struct stats_target *target)
{
	return read(target->fd, reading.buf, reading.len);
}

/* In @num pieces, the first ones of an odd number of bytes. */
static void split(struct iovec *pieces, unsigned int num)
{
	size_t each = (reading.len / num) | 1, at = 0;
	unsigned int i;

	for (i = 0; i < num; i++) {
		size_t left = reading.len - at;

		pieces[i].iov_base = reading.buf + at;
		pieces[i].iov_len = i + 1 == num || each > left ? left : each;
		at += pieces[i].iov_len;
	}
}

static long run_readv(struct stats_target *target)
{
	struct iovec pieces[3];

	split(pieces, ARRAY_SIZE(pieces));
	return readv(target->fd, pieces, ARRAY_SIZE(pieces));
}

/* More pieces than the kernel has room for on its stack. */
static long run_preadv2(struct stats_target *target)
{
	struct iovec pieces[12];

	split(pieces, ARRAY_SIZE(pieces));
	return preadv2(target->fd, pieces, ARRAY_SIZE(pieces), reading.offset, RWF_NOWAIT);
}

static const char *prepare_uring(struct stats_target *target)
{
	int error;

	memset(reading.buf, 0xa5, reading.len);
	uring_close(&reading.ring);
	error = uring_open(&reading.ring);
	(void)target;
	return error ? stats_skip("no io_uring: %s", strerror(-error)) : NULL;
}

static long run_uring(struct stats_target *target)
{
	int result = 0, error;

	error = uring_submit_read(&reading.ring, target->fd, reading.buf, reading.len,
				  reading.offset, 0);
	if (!error)
		error = uring_wait(&reading.ring, &result);
	if (!error && result >= 0)
		return result;
	errno = error ? -error : -result;
	return -1;
}

static const char *prepare_splice(struct stats_target *target)
{
	if (reading.pipe[1]) {
		close(reading.pipe[0]);
		close(reading.pipe[1]);
	}
	if (pipe2(reading.pipe, O_CLOEXEC))
		return stats_fail("pipe: %s", strerror(errno));
	return prepare_read(target);
}

static long run_splice(struct stats_target *target)
{
	return splice(target->fd, NULL, reading.pipe[1], NULL, reading.len, 0);
}

/* What was delivered is right, and there is a reason if it is less than asked for. */
static const char *judge_bytes(struct stats_target *target, const struct trial *trial)
{
	if (!trial->result && reading.len)
		return stats_fail("a read that fails looks like the end of the file");
	if (trial->failed == FAIL_NONE && trial->result != (ssize_t)reading.len)
		return stats_fail("%ld of %zu bytes although nothing failed",
				  trial->result, reading.len);
	if (trial->result > (ssize_t)reading.len)
		return stats_fail("%ld bytes, asked for were %zu", trial->result,
				  reading.len);
	return stats_same(target, reading.buf, trial->result, reading.offset,
			  trial->result);
}

static const char *judge_position(struct stats_target *target, const struct trial *trial)
{
	off_t expected = reading.offset + (trial->result > 0 ? trial->result : 0);
	off_t at = lseek(target->fd, 0, SEEK_CUR);

	return at == expected ? NULL :
	       stats_fail("a read at %zu that gives %ld goes to %lld", reading.offset,
			  trial->result, (long long)at);
}

/* Allocates nothing. */
static const char *judge_pread(struct stats_target *target, const struct trial *trial)
{
	if (trial->failed == FAIL_SLAB || trial->failed == FAIL_PAGE)
		return stats_fail("a read allocates memory");
	if (trial->result < 0)
		return judge_errno(trial, "pread", 0, 0, EFAULT);
	return judge_bytes(target, trial);
}

static const char *judge_read(struct stats_target *target, const struct trial *trial)
{
	const char *message = judge_pread(target, trial);

	return message ? message : judge_position(target, trial);
}

static const char *judge_preadv2(struct stats_target *target, const struct trial *trial)
{
	if (trial->result < 0)
		return judge_errno(trial, "preadv2", ENOMEM, ENOMEM, EFAULT);
	return judge_bytes(target, trial);
}

/* io_uring has EAGAIN for what it has no request for, and ENOMEM for others. */
static const char *judge_uring(struct stats_target *target, const struct trial *trial)
{
	struct trial again = *trial;

	if (again.failed != FAIL_COPY && again.error == EAGAIN)
		again.error = ENOMEM;
	if (again.result < 0)
		return judge_errno(&again, "io_uring", ENOMEM, ENOMEM, EFAULT);
	return judge_bytes(target, trial);
}

/* The pipe's pages are allocated; splice() says EAGAIN when none can be filled. */
static const char *judge_splice(struct stats_target *target, const struct trial *trial)
{
	const char *message = judge_position(target, trial);

	if (message)
		return message;
	if (trial->result < 0)
		return judge_errno(trial, "splice", EAGAIN, EAGAIN, EAGAIN);
	if (trial->result > 0 && trial->result <= (ssize_t)reading.len &&
	    read(reading.pipe[0], reading.buf, trial->result) != trial->result)
		return stats_fail("read of the pipe: %s", strerror(errno));
	return judge_bytes(target, trial);
}

static const struct path read_paths[] = {
	{ "pread", prepare_read, run_pread, judge_pread },
	{ "read", prepare_read, run_read, judge_read },
	{ "readv", prepare_read, run_readv, judge_read },
	{ "preadv2", prepare_read, run_preadv2, judge_preadv2 },
	{ "io_uring", prepare_uring, run_uring, judge_uring },
	{ "splice", prepare_splice, run_splice, judge_splice },
};

/* Constants alone, values alone, aligned and not, and all. */
static const char *read_parts(struct stats_target *target, const struct path *path,
			      unsigned int failures[FAIL_NUM_KINDS])
{
	size_t data = target->file.header.data_offset, size = target->file.size;
	const struct { size_t offset, len, align; } parts[] = {
		{ 0, data, 0 }, { data, size - data, 0 }, { data, size - data, 1 },
		{ data + 4, size - data - 4, 4 }, { 0, size, 0 },
	};
	uint8_t *buf = aligned_alloc(64, (size + 127) / 64 * 64);
	size_t i;

	if (!buf)
		return stats_fail("no memory");
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *message;

		reading.offset = parts[i].offset;
		reading.len = parts[i].len;
		reading.buf = buf + parts[i].align;
		message = fail_in_turn(target, path, failures);
		if (message)
			return stats_fail("%zu bytes at %zu: %s", reading.len,
					  reading.offset, message);
	}
	free(buf);
	return NULL;
}

static const char *reads_in_turn(struct stats_target *target)
{
	struct path path = read_paths[target->arg];
	unsigned int failures[FAIL_NUM_KINDS] = { 0 };
	const char *message = faults_open();

	path.tried = &tried->reads;
	if (!message)
		message = read_parts(target, &path, failures);
	if (message)
		return message;
	tell(target, path.name, failures);
	if (!failures[FAIL_SLAB] && !failures[FAIL_PAGE] && !failures[FAIL_COPY])
		message = fail_nth_has(FAIL_COPY) ? stats_fail("nothing failed") :
			  stats_skip("no allocations, and this kernel fails no copies");
	return message ? message : target_goes(target);
}

/* Creation */

static int kvm_fd = -1;
static int new_vm = -1;

static const char *judge_new(const struct trial *trial, const char *what)
{
	return trial->result < 0 ? judge_errno(trial, what, ENOMEM, ENOMEM, 0) : NULL;
}

static long run_create_vm(struct stats_target *target)
{
	(void)target;
	return ioctl(kvm_fd, KVM_CREATE_VM, 0);
}

static const char *judge_create_vm(struct stats_target *target, const struct trial *trial)
{
	const char *message = judge_new(trial, "KVM_CREATE_VM");
	int fd;

	(void)target;
	if (message || trial->result < 0)
		return message;
	message = stats_getfd(trial->result, &fd);
	if (!message)
		close(fd);
	close(trial->result);
	return message;
}

static const char *prepare_vm(struct stats_target *target)
{
	(void)target;
	if (new_vm >= 0)
		close(new_vm);
	new_vm = ioctl(kvm_fd, KVM_CREATE_VM, 0);
	return new_vm >= 0 ? NULL : stats_fail("KVM_CREATE_VM: %s", strerror(errno));
}

static long run_create_vcpu(struct stats_target *target)
{
	(void)target;
	return ioctl(new_vm, KVM_CREATE_VCPU, STATS_VCPU_ID);
}

static const char *judge_create_vcpu(struct stats_target *target,
				     const struct trial *trial)
{
	const char *message = judge_new(trial, "KVM_CREATE_VCPU");
	long vcpu = trial->result;
	int fd;

	if (!message && vcpu < 0)
		vcpu = run_create_vcpu(target);
	if (message || vcpu < 0)
		return message ? message :
		       stats_fail("the next KVM_CREATE_VCPU: %s", strerror(errno));
	message = stats_getfd(vcpu, &fd);
	if (!message)
		close(fd);
	close(vcpu);
	return message;
}

static const struct path create_paths[] = {
	{ "create_vm", NULL, run_create_vm, judge_create_vm },
	{ "create_vcpu", prepare_vm, run_create_vcpu, judge_create_vcpu },
};

/*
 * vmalloc() of struct kvm begins with two allocations that leave a stack in the log
 * when they fail, whatever the caller says.
 */
static unsigned int first_quiet(unsigned int which)
{
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
	return which ? 1 : 3;
#else
	(void)which;
	return 1;
#endif
}

static const char *create_in_turn(struct stats_target *target)
{
	unsigned int vms = vm_dirs_of(getpid()), failures[FAIL_NUM_KINDS] = { 0 };
	struct path path = create_paths[target->arg];
	long users = kvm_module_users();
	const char *message = faults_open();

	kvm_fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	path.tried = &tried->creations;
	path.first = first_quiet(target->arg);
	if (!message && fail_nth_choose(true, false))
		message = stats_fail(FAIL_NTH_KNOBS ": %s", strerror(errno));
	if (!message)
		message = fail_in_turn(target, &path, failures);
	if (!message && failures[FAIL_SLAB] < 3)
		message = stats_fail("%u allocations failed, expected more",
				     failures[FAIL_SLAB]);
	path.first = 1;
	if (!message && fail_nth_has(FAIL_PAGE) && !fail_nth_choose(false, true))
		message = fail_in_turn(target, &path, failures);
	if (message)
		return message;
	tell(target, path.name, failures);
	if (new_vm >= 0)
		close(new_vm);
	close(kvm_fd);
	message = vms_of_go(getpid(), vms);
	return message ? message : kvm_modules_are_left(users);
}

/* Suites */

static const char *set_up(struct stats_target *target)
{
	static int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (message)
		return message;
	tried->vmm = getpid();
	target->machine = fds;
	target->fd = fds[which_stats(target)];
	target->getfd_fd = fds[stats_target_kind(target, STATS_FD_VM, STATS_FD_VCPU)];
	return stats_file_load(&target->file, target->fd);
}

static const struct stats_check checks[] = {
	STATS_CHECK("getfd", getfd),
	STATS_CHECK("getfd_table_full", getfd_table_full),
	STATS_CHECK("emfile", emfile),
	STATS_CHECK("enfile", enfile),
	STATS_CHECK("pread", reads_in_turn, .arg = 0),
	STATS_CHECK("read", reads_in_turn, .arg = 1),
	STATS_CHECK("readv", reads_in_turn, .arg = 2),
	STATS_CHECK("preadv2", reads_in_turn, .arg = 3),
	STATS_CHECK("io_uring", reads_in_turn, .arg = 4),
	STATS_CHECK("splice", reads_in_turn, .arg = 5),
};

static const struct stats_check creation[] = {
	STATS_CHECK("create_vm", create_in_turn, .arg = 0),
	STATS_CHECK("create_vcpu", create_in_turn, .arg = 1),
};

static const struct stats_suite suites[] = {
	{ "vm", -1, checks, ARRAY_SIZE(checks), set_up },
	{ "vcpu", STATS_VCPU_ID, checks, ARRAY_SIZE(checks), set_up },
	{ "kvm", -1, creation, ARRAY_SIZE(creation), NULL },
};

/* The last suite is of no use here: creation is that of a 64-bit process. */
static bool creates_as_compat(void)
{
	struct utsname system;

	return sizeof(long) == 4 && !uname(&system) && strstr(system.machine, "64");
}

int main(void)
{
	if (lifetimes_cannot_be_seen())
		return tap_skip_all(lifetimes_cannot_be_seen());

	tried = lifetimes_shared(sizeof(*tried));
	run_suites(suites, ARRAY_SIZE(suites) - creates_as_compat());
	tap_tried(tried->opens, "faults in KVM_STATS_GETFD");
	tap_tried(tried->reads, "faults in reads");
	tap_tried(tried->creations, "faults in the creation of VMs and vCPUs");
	return tap_end();
}
