// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation and every copy on the path of KVM_STATS_GETFD and of reads fails in
 * turn, until a try passes with none failing. Each time: the right errno, or of a read
 * the bytes before the fault; no fd and no VM too many; and the next try works.
 *
 * Values that are stored to user memory one by one are no copies that could be made to
 * fail: bad_memory.c sees to those.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "faults_in_turn.h"
#include "lifetimes.h"
#include "nobody.h"
#include "uring.h"

#define FILE_MAX	"/proc/sys/fs/file-max"

/* Shared with the processes that the checks run in. */
static struct tried {
	unsigned long opens;
	unsigned long reads;
	/* of the child of a check, and what it should see */
	enum fail_kind failed;
	int table_size;
	pid_t vmm;
} *tried;

/* Nothing holds the VM of the target any more. */
static const char *target_goes(struct stats_target *target)
{
	int *fds = target->machine;
	struct vm_dir dir = vm_dir(getpid(), fds[STATS_FD_VM]);
	const char *message = vm_is_there(&dir, "before its fds are closed");

	stats_close_fds(fds);
	return message ? message : vm_goes(&dir, "after its fds are closed");
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

static const struct stats_suite suites[] = {
	{ "vm", -1, checks, ARRAY_SIZE(checks), set_up },
	{ "vcpu", STATS_VCPU_ID, checks, ARRAY_SIZE(checks), set_up },
};

int main(void)
{
	if (lifetimes_cannot_be_seen())
		return tap_skip_all(lifetimes_cannot_be_seen());

	tried = lifetimes_shared(sizeof(*tried));
	run_suites(suites, ARRAY_SIZE(suites));
	tap_tried(tried->opens, "faults in KVM_STATS_GETFD");
	tap_tried(tried->reads, "faults in reads");
	return tap_end();
}
