// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kvm_stats_checks.h"

/*
 * The layout of the file: header, id and descriptors.
 */

static const char *stats_layout_header(struct stats_target *target)
{
	return stats_check_header(&target->file);
}

const char *stats_layout_id(struct stats_target *target)
{
	char id[STATS_NAME_SIZE];

	stats_target_id(target, getpid(), id);
	return stats_check_id(&target->file, id);
}

static const char *stats_layout_flags(struct stats_target *target)
{
	return stats_check_desc_flags(&target->file);
}

static const char *stats_layout_sizes(struct stats_target *target)
{
	return stats_check_desc_sizes(&target->file);
}

static const char *stats_layout_names(struct stats_target *target)
{
	return stats_check_desc_names(&target->file);
}

static const char *stats_layout_offsets(struct stats_target *target)
{
	return stats_check_desc_offsets(&target->file);
}

static const char *same_descriptors(const struct stats_file *mine,
				    const struct stats_file *other)
{
	size_t data = mine->header.data_offset;

	if (other->size != mine->size)
		return stats_fail("the file of another VM has %zu bytes, this one %zu",
				  other->size, mine->size);
	if (memcmp(&other->header, &mine->header, sizeof(other->header)))
		return stats_fail("the file of another VM has a different header");
	if (memcmp(other->bytes + STATS_DESC_OFFSET,
		   mine->bytes + STATS_DESC_OFFSET, data - STATS_DESC_OFFSET))
		return stats_fail("the file of another VM has different descriptors");
	return NULL;
}

/* Clients read the descriptors once and use them for all VMs or all vCPUs. */
static const char *stats_layout_same_for_all(struct stats_target *target)
{
	int which = stats_target_kind(target, STATS_FD_VM_STATS,
				      STATS_FD_VCPU_STATS);
	struct stats_file other;
	int fds[STATS_NUM_FDS];

	stats_must(stats_bare_vm(fds));
	stats_must(stats_file_load(&other, fds[which]));
	stats_must(same_descriptors(&target->file, &other));
	stats_file_free(&other);
	stats_close_fds(fds);
	return NULL;
}

/*
 * Reads of any offset and length, with each of the system calls for it.
 */

#define CANARY	0xa5

const char *stats_read_whole(struct stats_target *target)
{
	size_t size = target->file.size;
	uint8_t buf[size + 64];

	stats_must(stats_same(target, buf, read(target->fd, buf, sizeof(buf)),
			      0, size));
	return stats_same(target, buf, read(target->fd, buf, sizeof(buf)), size, 0);
}

const char *stats_read_bytewise(struct stats_target *target)
{
	uint8_t byte;
	size_t pos;

	for (pos = 0; pos < target->file.size; pos++) {
		stats_must(stats_same(target, &byte, read(target->fd, &byte, 1),
				      pos, 1));
	}
	return stats_same(target, &byte, read(target->fd, &byte, 1), pos, 0);
}

/* Two fds of one VM or vCPU each have their own file position. */
static const char *stats_read_own_position(struct stats_target *target)
{
	uint8_t buf[32];
	int other;

	stats_must(stats_getfd(target->getfd_fd, &other));
	stats_must(stats_same(target, buf, read(target->fd, buf, 20), 0, 20));
	stats_must(stats_same(target, buf, read(other, buf, 32), 0, 32));
	close(other);
	return NULL;
}

static const char *pread_one(struct stats_target *target, size_t offset,
			     size_t len)
{
	size_t size = target->file.size;
	size_t left = offset < size ? size - offset : 0;
	uint8_t buf[len + 1];

	buf[len] = CANARY;
	stats_must(stats_same(target, buf, pread(target->fd, buf, len, offset),
			      offset, len < left ? len : left));
	if (buf[len] != CANARY)
		return stats_fail("pread() of %zu bytes at %zu wrote past the buffer",
				  len, offset);
	return NULL;
}

const char *stats_pread_all_offsets(struct stats_target *target)
{
	const size_t lens[] = { 1, 3, 7, 8, 9, 24, 63, 300, target->file.size };
	size_t offset, i;

	for (offset = 0; offset <= target->file.size + 9; offset++) {
		for (i = 0; i < ARRAY_SIZE(lens); i++)
			stats_must(pread_one(target, offset, lens[i]));
	}
	return NULL;
}

const char *stats_pread_all_lengths(struct stats_target *target)
{
	size_t data = target->file.header.data_offset;
	const size_t offsets[] = {
		0, 1, STATS_HEADER_SIZE - 1, STATS_HEADER_SIZE,
		STATS_DESC_OFFSET - 3, STATS_DESC_OFFSET,
		STATS_DESC_OFFSET + STATS_DESC_SIZE + 5, data - 1, data,
		data + 4, target->file.size - 8, target->file.size - 1,
	};
	/* A file with vCPUs is long: not all lengths, for slow machines. */
	size_t step = target->file.size < 8192 ? 1 : 7;
	size_t len, i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (len = 1; len <= target->file.size + 9; len += step)
			stats_must(pread_one(target, offsets[i], len));
	}
	return NULL;
}

/* The lower 32 bits of one of these offsets are an offset in the file. */
const char *stats_pread_huge_offset(struct stats_target *target)
{
	const int64_t offsets[] = {
		1LL << 31, 1LL << 32, (1LL << 32) + STATS_HEADER_SIZE, 1LL << 40,
		(1LL << 62) + 8, LLONG_MAX - 16,
	};
	uint8_t buf[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		ssize_t got = pread(target->fd, buf, sizeof(buf), offsets[i]);

		if (got)
			return stats_fail("pread() at %lld returned %zd, expected 0: %s",
					  (long long)offsets[i], got,
					  got < 0 ? strerror(errno) : "no error");
	}
	return NULL;
}

const char *stats_pread_negative(struct stats_target *target)
{
	uint8_t buf[16];

	stats_must(stats_refused("pread() at -1",
				 pread(target->fd, buf, sizeof(buf), -1),
				 EINVAL));
	return stats_refused("pread() at the lowest offset",
			     pread(target->fd, buf, sizeof(buf), LLONG_MIN),
			     EINVAL);
}

const char *stats_pread_keeps_position(struct stats_target *target)
{
	uint8_t buf[32];

	stats_must(stats_same(target, buf, read(target->fd, buf, 10), 0, 10));
	stats_must(pread_one(target, 40, 8));
	return stats_same(target, buf, read(target->fd, buf, 32), 10, 32);
}

const char *stats_readv(struct stats_target *target)
{
	size_t size = target->file.size;
	uint8_t buf[size + 8];
	const struct iovec parts[] = {
		{ .iov_base = buf, .iov_len = 5 },
		{ .iov_base = NULL, .iov_len = 0 },
		{ .iov_base = buf + 5, .iov_len = size - 12 },
		{ .iov_base = buf + size - 7, .iov_len = 15 },
	};

	stats_must(stats_same(target, buf, readv(target->fd, parts, 4), 0,
			      size));
	stats_must(stats_same(target, buf, preadv(target->fd, parts, 4, 9), 9,
			      size - 9));
	return stats_same(target, buf, preadv2(target->fd, parts, 4, 9, 0), 9,
			  size - 9);
}

const char *stats_splice_refused(struct stats_target *target)
{
	int ends[2];

	if (pipe(ends))
		return stats_fail("pipe() failed: %s", strerror(errno));
	return stats_refused("splice()",
			     splice(target->fd, NULL, ends[1], NULL, 1, 0),
			     EINVAL);
}

/*
 * lseek() on a statistics fd.
 */

#define READ_SIZE	16

/* Checks the position that lseek() returns, and reads from there. */
static const char *seek_and_read(struct stats_target *target, off_t offset,
				 int whence, size_t expected)
{
	off_t pos = lseek(target->fd, offset, whence);
	uint8_t buf[READ_SIZE];
	size_t left;

	if (pos < 0)
		return stats_fail("lseek(%lld, %d) failed: %s",
				  (long long)offset, whence, strerror(errno));
	if (pos != (off_t)expected)
		return stats_fail("lseek(%lld, %d) returned %lld, expected %zu",
				  (long long)offset, whence, (long long)pos,
				  expected);
	left = expected < target->file.size ? target->file.size - expected : 0;
	return stats_same(target, buf, read(target->fd, buf, sizeof(buf)),
			  expected, left < sizeof(buf) ? left : sizeof(buf));
}

const char *stats_lseek(struct stats_target *target)
{
	size_t size = target->file.size, pos = STATS_HEADER_SIZE;

	stats_must(seek_and_read(target, pos, SEEK_SET, pos));
	pos += READ_SIZE + 50;
	stats_must(seek_and_read(target, 50, SEEK_CUR, pos));
	pos += READ_SIZE - 20;
	stats_must(seek_and_read(target, -20, SEEK_CUR, pos));
	stats_must(seek_and_read(target, 0, SEEK_END, size));
	stats_must(seek_and_read(target, -8, SEEK_END, size - 8));
	return seek_and_read(target, 0, SEEK_SET, 0);
}

const char *stats_lseek_invalid(struct stats_target *target)
{
	uint8_t buf[READ_SIZE];

	stats_must(stats_refused("lseek() to -1",
				 lseek(target->fd, -1, SEEK_SET), EINVAL));
	stats_must(stats_refused("lseek() to before the start",
				 lseek(target->fd, -1000000, SEEK_END),
				 EINVAL));
	stats_must(stats_refused("lseek() with whence 99",
				 lseek(target->fd, 0, 99), EINVAL));
	return stats_same(target, buf, read(target->fd, buf, sizeof(buf)), 0,
			  sizeof(buf));
}

/* The fd behaves like a regular file without holes. */
const char *stats_lseek_past_end(struct stats_target *target)
{
	size_t size = target->file.size;

	stats_must(seek_and_read(target, size + 100, SEEK_SET, size + 100));
	stats_must(seek_and_read(target, 10, SEEK_DATA, 10));
	stats_must(seek_and_read(target, 10, SEEK_HOLE, size));
	return stats_refused("lseek() for data at the end",
			     lseek(target->fd, size, SEEK_DATA), ENXIO);
}

/*
 * Reads to memory that cannot be written to, from the start or in part.
 */

/* Returns the end of a writable page.  The page behind it is inaccessible. */
static uint8_t *map_cliff(size_t *page)
{
	uint8_t *map;

	*page = sysconf(_SC_PAGESIZE);
	map = mmap(NULL, 2 * *page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || mprotect(map + *page, *page, PROT_NONE))
		return NULL;
	return map + *page;
}

const char *stats_fault(struct stats_target *target)
{
	const size_t offsets[] = { 0, STATS_HEADER_SIZE, STATS_DESC_OFFSET,
				   target->file.header.data_offset,
				   target->file.size - 1 };
	uint8_t buf[16];
	size_t page, i;
	uint8_t *cliff = map_cliff(&page);

	if (!cliff)
		return stats_fail("mmap() failed: %s", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		stats_must(stats_refused("pread() to bad memory",
					 pread(target->fd, cliff, page,
					       offsets[i]), EFAULT));
	}
	stats_must(stats_refused("read() to bad memory",
				 read(target->fd, cliff, page), EFAULT));
	return stats_same(target, buf, read(target->fd, buf, 16), 0, 16);
}

/*
 * A read with @space writable bytes must deliver those, except for at most the
 * store of the kernel that faulted.
 */
static const char *delivered_all(ssize_t got, size_t space)
{
	if (got <= (ssize_t)space && got > (ssize_t)space - STATS_COPY_UNIT)
		return NULL;
	return stats_fail("a read to %zu writable bytes returned %zd: %s", space,
			  got, got < 0 ? strerror(errno) : "no error");
}

static const char *fault_after(struct stats_target *target, uint8_t *cliff,
			       size_t space)
{
	uint8_t *buf = cliff - space;
	uint8_t next[8];
	ssize_t got;

	lseek(target->fd, 0, SEEK_SET);
	memset(buf, 0xa5, space);
	got = read(target->fd, buf, target->file.size);
	if (got < 0 && errno == EFAULT && space < STATS_COPY_UNIT)
		return NULL;
	stats_must(delivered_all(got, space));
	stats_must(stats_same(target, buf, got, 0, got));
	return stats_same(target, next, read(target->fd, next, 8), got, 8);
}

const char *stats_fault_midway(struct stats_target *target)
{
	size_t page, space;
	uint8_t *cliff = map_cliff(&page);

	if (!cliff)
		return stats_fail("mmap() failed: %s", strerror(errno));
	if (lseek(target->fd, 0, SEEK_SET))
		return stats_fail("lseek() to the start failed: %s",
				  strerror(errno));
	for (space = 1; space <= page && space < target->file.size - 8; space++)
		stats_must(fault_after(target, cliff, space));
	return NULL;
}

/* The same with pread(), for kernels on which lseek() does not work. */
const char *stats_fault_midway_at(struct stats_target *target)
{
	size_t page, offset, space = 100;
	uint8_t *cliff = map_cliff(&page);
	ssize_t got;

	if (!cliff)
		return stats_fail("mmap() failed: %s", strerror(errno));
	for (offset = 0; offset + space < target->file.size; offset++) {
		got = pread(target->fd, cliff - space, target->file.size, offset);
		stats_must(delivered_all(got, space));
		stats_must(stats_same(target, cliff - space, got, offset, got));
	}
	return NULL;
}

/*
 * The fd itself: what it refuses, its flags, its name and its fdinfo.
 */

const char *stats_write_refused(struct stats_target *target)
{
	uint8_t byte = 0;
	const struct iovec one = { .iov_base = &byte, .iov_len = 1 };

	stats_must(stats_refused("write()", write(target->fd, &byte, 1),
				 EBADF));
	if (pwrite(target->fd, &byte, 1, 0) >= 0)
		return stats_fail("pwrite() succeeded, expected an error");
	stats_must(stats_refused("writev()", writev(target->fd, &one, 1),
				 EBADF));
	return stats_refused("ftruncate()", ftruncate(target->fd, 0), EINVAL);
}

const char *stats_mmap_refused(struct stats_target *target)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page, PROT_READ, MAP_SHARED, target->fd, 0);

	stats_must(stats_refused("shared mmap()", map == MAP_FAILED ? -1 : 0,
				 ENODEV));
	map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, target->fd, 0);
	return stats_refused("private mmap()", map == MAP_FAILED ? -1 : 0,
			     ENODEV);
}

const char *stats_ioctl_refused(struct stats_target *target)
{
	const unsigned long requests[] = {
		KVM_STATS_GETFD, KVM_RUN, KVM_CREATE_VCPU, KVM_CHECK_EXTENSION,
		_IO(0xAE, 0xff), 0, 0xffffffff,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		stats_must(stats_refused("an ioctl() on the statistics fd",
					 ioctl(target->fd, requests[i], 0),
					 ENOTTY));
	}
	return NULL;
}

/* KVM_STATS_GETFD has no argument, so KVM must ignore what is passed. */
static const char *stats_argument_ignored(struct stats_target *target)
{
	const unsigned long arguments[] = { 0, 1, 0xdeadbeef, -1UL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(arguments); i++) {
		int fd = ioctl(target->getfd_fd, KVM_STATS_GETFD, arguments[i]);

		if (fd < 0)
			return stats_fail("KVM_STATS_GETFD with the argument %#lx failed: %s",
					  arguments[i], strerror(errno));
		close(fd);
	}
	return NULL;
}

void stats_limit_fds(bool limited)
{
	rlim_t lowest = dup(0);
	struct rlimit limit;

	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limited ? lowest : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static const char *stats_emfile(struct stats_target *target)
{
	int fd, lowest = dup(target->fd);
	const char *message;

	close(lowest);
	stats_limit_fds(true);
	message = stats_refused("KVM_STATS_GETFD without a free fd",
				ioctl(target->getfd_fd, KVM_STATS_GETFD, NULL),
				EMFILE);
	stats_limit_fds(false);
	if (!message)
		message = stats_getfd(target->getfd_fd, &fd);
	return message || fd == lowest ? message :
	       stats_fail("the fd after EMFILE is %d, expected %d", fd, lowest);
}

const char *stats_cloexec(struct stats_target *target)
{
	int flags = fcntl(target->fd, F_GETFD);

	return flags >= 0 && flags & FD_CLOEXEC ? NULL :
	       stats_fail("F_GETFD returned %#x, expected FD_CLOEXEC", flags);
}

const char *stats_read_only(struct stats_target *target)
{
	int flags = fcntl(target->fd, F_GETFL);

	return (flags & O_ACCMODE) == O_RDONLY ? NULL :
	       stats_fail("F_GETFL returned %#x, expected O_RDONLY", flags);
}

/* Monitoring agents find the fds by these names. */
const char *stats_link_name(struct stats_target *target)
{
	char expected[64] = "anon_inode:kvm-vm-stats";
	char path[64], name[64] = "";

	if (target->vcpu_id >= 0)
		snprintf(expected, sizeof(expected),
			 "anon_inode:kvm-vcpu-stats:%d", target->vcpu_id);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
	if (readlink(path, name, sizeof(name) - 1) < 0)
		return stats_fail("readlink() of %s failed: %s", path,
				  strerror(errno));
	return !strcmp(name, expected) ? NULL :
	       stats_fail("the name of the fd is '%s', expected '%s'", name,
			  expected);
}

const char *stats_check_fdinfo(const struct stats_target *target,
			       const char *kind, size_t size)
{
	char path[64], id[STATS_NAME_SIZE], expected[256], info[1024] = "";
	const char *found;
	int len, fd;

	stats_target_id(target, getpid(), id);
	len = snprintf(expected, sizeof(expected),
		       "\nkvm-stats-target:\t%s\nkvm-stats-id:\t%s\n", kind, id);
	if (size)
		snprintf(expected + len, sizeof(expected) - len,
			 "kvm-stats-size:\t%zu\n", size);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", target->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, info, sizeof(info) - 1) < 0)
		return stats_fail("cannot read %s: %s", path, strerror(errno));
	close(fd);
	found = strstr(info, "\nkvm-stats-");
	return found && !strcmp(found, expected) ? NULL :
	       stats_fail("fdinfo has other lines than target %s, id %s, size %zu",
			  kind, id, size);
}

static const char *stats_fdinfo(struct stats_target *target)
{
	return stats_check_fdinfo(target, target->vcpu_id < 0 ? "vm" : "vcpu",
				  target->file.size);
}

/*
 * Which processes can open and read the statistics, and for how long.
 */

static int stats_fd_of(const struct stats_target *target)
{
	return stats_target_kind(target, STATS_FD_VM_STATS, STATS_FD_VCPU_STATS);
}

static int getfd_fd_of(const struct stats_target *target)
{
	return stats_target_kind(target, STATS_FD_VM, STATS_FD_VCPU);
}

/*
 * Creates new VMs.  They would reuse the memory of a VM that was freed too
 * early.
 */
const char *stats_reuse_memory(void)
{
	int fds[8][STATS_NUM_FDS];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++)
		stats_must(stats_bare_vm(fds[i]));
	while (i--)
		stats_close_fds(fds[i]);
	return NULL;
}

/* Closes @fds except the statistics fd of the target, which it returns. */
static int keep_stats_fd(const struct stats_target *target,
			 int fds[STATS_NUM_FDS])
{
	int which = stats_fd_of(target);
	int fd = fds[which];

	fds[which] = -1;
	stats_close_fds(fds);
	return fd;
}

static const char *stats_outlives_fds(struct stats_target *target)
{
	int fds[STATS_NUM_FDS];
	int fd;

	stats_must(stats_bare_vm(fds));
	fd = keep_stats_fd(target, fds);
	stats_must(stats_reuse_memory());
	stats_must(stats_still_reads(target, fd, getpid()));
	close(fd);
	return NULL;
}

static const char *stats_outlives_vmm(struct stats_target *target)
{
	struct stats_vmm vmm;
	int i, fd;

	stats_must(stats_vmm_start(&vmm));
	stats_must(stats_still_reads(target, vmm.fds[stats_fd_of(target)],
				     vmm.pid));
	stats_vmm_kill(&vmm);
	fd = keep_stats_fd(target, vmm.fds);

	/* KVM frees parts of a VM after its last fd is closed: read repeatedly. */
	for (i = 0; i < 3; i++) {
		stats_must(stats_still_reads(target, fd, vmm.pid));
		stats_must(stats_reuse_memory());
		usleep(5000);
	}
	close(fd);
	return NULL;
}

static const char *stats_opened_after_vmm(struct stats_target *target)
{
	struct stats_vmm vmm;
	int fd;

	stats_must(stats_vmm_start(&vmm));
	stats_vmm_kill(&vmm);
	stats_must(stats_getfd(vmm.fds[getfd_fd_of(target)], &fd));
	stats_close_fds(vmm.fds);
	stats_must(stats_still_reads(target, fd, vmm.pid));
	close(fd);
	return NULL;
}

/* The VMM sends its VM or vCPU fd; the receiver opens the statistics. */
static const char *stats_opened_by_receiver(struct stats_target *target)
{
	struct stats_vmm vmm;
	int fd;

	stats_must(stats_vmm_start(&vmm));
	stats_must(stats_getfd(vmm.fds[getfd_fd_of(target)], &fd));
	stats_must(stats_still_reads(target, fd, vmm.pid));
	stats_vmm_kill(&vmm);
	return NULL;
}

/* An agent duplicates the VM or vCPU fd without help from the VMM. */
static const char *stats_opened_by_agent(struct stats_target *target)
{
	struct stats_vmm vmm;
	int taken, fd;

	stats_must(stats_vmm_start(&vmm));
	stats_must(stats_vmm_take(&vmm, getfd_fd_of(target), &taken));
	stats_must(stats_getfd(taken, &fd));
	stats_must(stats_still_reads(target, fd, vmm.pid));
	stats_vmm_kill(&vmm);
	return NULL;
}

/* An agent duplicates a statistics fd that the VMM has open. */
static const char *stats_taken_by_agent(struct stats_target *target)
{
	struct stats_vmm vmm;
	int taken;

	stats_must(stats_vmm_start(&vmm));
	stats_must(stats_vmm_take(&vmm, stats_fd_of(target), &taken));
	stats_must(stats_still_reads(target, taken, vmm.pid));
	stats_vmm_kill(&vmm);
	return NULL;
}

const struct stats_check stats_checks[] = {
	STATS_CHECK("header", stats_layout_header),
	STATS_CHECK("id", stats_layout_id),
	STATS_CHECK("descriptor_flags", stats_layout_flags),
	STATS_CHECK("descriptor_sizes", stats_layout_sizes),
	STATS_CHECK("descriptor_names", stats_layout_names),
	STATS_CHECK("descriptor_offsets", stats_layout_offsets),
	STATS_CHECK("descriptors_same_for_all", stats_layout_same_for_all),
	STATS_CHECK("read_whole", stats_read_whole),
	STATS_CHECK("read_bytewise", stats_read_bytewise),
	STATS_CHECK("read_own_position", stats_read_own_position),
	STATS_CHECK("pread_all_offsets", stats_pread_all_offsets),
	STATS_CHECK("pread_all_lengths", stats_pread_all_lengths),
	STATS_CHECK("pread_huge_offset", stats_pread_huge_offset),
	STATS_CHECK("pread_negative_offset", stats_pread_negative),
	STATS_CHECK("pread_keeps_position", stats_pread_keeps_position),
	STATS_CHECK("readv", stats_readv),
	STATS_CHECK("splice_refused", stats_splice_refused),
	STATS_CHECK("lseek", stats_lseek),
	STATS_CHECK("lseek_invalid", stats_lseek_invalid),
	STATS_CHECK("lseek_past_end", stats_lseek_past_end),
	STATS_CHECK("fault", stats_fault),
	STATS_CHECK("fault_midway", stats_fault_midway),
	STATS_CHECK("fault_midway_at_offset", stats_fault_midway_at),
	STATS_CHECK("write_refused", stats_write_refused),
	STATS_CHECK("mmap_refused", stats_mmap_refused),
	STATS_CHECK("ioctl_refused", stats_ioctl_refused),
	STATS_CHECK("argument_ignored", stats_argument_ignored),
	STATS_CHECK("emfile", stats_emfile),
	STATS_CHECK("close_on_exec", stats_cloexec),
	STATS_CHECK("read_only", stats_read_only),
	STATS_CHECK("link_name", stats_link_name),
	STATS_CHECK("fdinfo", stats_fdinfo),
	STATS_CHECK("outlives_vm_and_vcpu_fds", stats_outlives_fds),
	STATS_CHECK("outlives_vmm", stats_outlives_vmm),
	STATS_CHECK("opened_after_vmm_died", stats_opened_after_vmm),
	STATS_CHECK("opened_by_receiver", stats_opened_by_receiver),
	STATS_CHECK("opened_by_agent", stats_opened_by_agent),
	STATS_CHECK("duplicated_by_agent", stats_taken_by_agent),
};
