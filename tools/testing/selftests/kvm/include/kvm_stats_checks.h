/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What holds for every statistics fd of every architecture and needs no guest:
 * the layout of the file, reads of it, bad input, and who may hold it.
 *
 * The checks take a target whose file was loaded while nothing ran: what they
 * read must equal that.
 */
#ifndef SELFTEST_KVM_STATS_CHECKS_H
#define SELFTEST_KVM_STATS_CHECKS_H

#include <limits.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "kvm_stats_vmm.h"

#ifndef RWF_NOWAIT
#define RWF_NOWAIT		0x8
#endif

/* The most that the kernel's copy to user space stores at once. */
#ifdef __aarch64__
#define STATS_COPY_UNIT		16
#else
#define STATS_COPY_UNIT		8
#endif

static inline int stats_target_kind(const struct stats_target *target, int vm,
				    int vcpu)
{
	return target->vcpu_id < 0 ? vm : vcpu;
}

static inline void stats_target_id(const struct stats_target *target, pid_t vmm,
				   char id[STATS_NAME_SIZE])
{
	if (target->vcpu_id < 0)
		snprintf(id, STATS_NAME_SIZE, "kvm-%d", vmm);
	else
		snprintf(id, STATS_NAME_SIZE, "kvm-%d/vcpu-%d", vmm,
			 target->vcpu_id);
}

/*
 * Is all that differs from the file part of values that have moved since?  Even
 * while no guest runs, the host's memory management may flush TLBs.
 */
static inline bool stats_only_moved(const struct stats_target *target,
				    const uint8_t *buf, size_t len,
				    size_t offset)
{
	const struct stats_file *file = &target->file;
	struct stats_file now;
	bool moved = true;
	size_t i, at;

	if (stats_file_load(&now, target->fd) || now.size != file->size)
		return false;
	for (i = 0; i < len && moved; i++) {
		if (buf[i] == file->bytes[offset + i])
			continue;
		at = offset + i - (offset + i) % sizeof(uint64_t);
		moved = at >= file->header.data_offset &&
			memcmp(file->bytes + at, now.bytes + at,
			       sizeof(uint64_t));
	}
	stats_file_free(&now);
	return moved;
}

/* Does a read that returned @got, at @offset into @buf, equal the file? */
static inline const char *stats_same(const struct stats_target *target,
				     const void *buf, ssize_t got,
				     size_t offset, size_t expected)
{
	if (got < 0)
		return stats_fail("a read of %zu at %zu: %s, expected %zu bytes",
				  expected, offset, strerror(errno), expected);
	if ((size_t)got != expected)
		return stats_fail("a read at %zu gave %zd bytes, expected %zu",
				  offset, got, expected);
	if (memcmp(buf, target->file.bytes + offset, got) &&
	    !stats_only_moved(target, buf, got, offset))
		return stats_fail("a read of %zd at %zu gave other bytes than the whole file has",
				  got, offset);
	return NULL;
}

static inline const char *stats_refused(const char *what, long result,
					int expected)
{
	if (result >= 0)
		return stats_fail("%s succeeds, expected: %s", what,
				  strerror(expected));
	if (errno != expected)
		return stats_fail("%s: %s, expected: %s", what, strerror(errno),
				  strerror(expected));
	return NULL;
}

static inline const char *stats_getfd(int getfd_fd, int *fd)
{
	*fd = ioctl(getfd_fd, KVM_STATS_GETFD, NULL);
	return *fd >= 0 ? NULL :
	       stats_fail("KVM_STATS_GETFD: %s", strerror(errno));
}

/* Layout */

static inline const char *stats_layout_header(struct stats_target *target)
{
	return stats_check_header(&target->file);
}

static inline const char *stats_layout_id(struct stats_target *target)
{
	char id[STATS_NAME_SIZE];

	stats_target_id(target, getpid(), id);
	return stats_check_id(&target->file, id);
}

static inline const char *stats_layout_flags(struct stats_target *target)
{
	return stats_check_desc_flags(&target->file);
}

static inline const char *stats_layout_sizes(struct stats_target *target)
{
	return stats_check_desc_sizes(&target->file);
}

static inline const char *stats_layout_names(struct stats_target *target)
{
	return stats_check_desc_names(&target->file);
}

static inline const char *stats_layout_offsets(struct stats_target *target)
{
	return stats_check_desc_offsets(&target->file);
}

/* Clients keep the descriptors of one target for all others of its kind. */
static inline const char *stats_layout_same_for_all(struct stats_target *target)
{
	const struct stats_file *mine = &target->file;
	struct stats_file other;
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);
	size_t data = mine->header.data_offset;

	if (message)
		return message;
	message = stats_file_load(&other, fds[stats_target_kind(target,
								STATS_FD_VM_STATS,
								STATS_FD_VCPU_STATS)]);
	if (message)
		return message;
	if (other.size != mine->size)
		return stats_fail("another VM's file has %zu bytes, this one %zu",
				  other.size, mine->size);
	if (memcmp(&other.header, &mine->header, sizeof(other.header)))
		return stats_fail("another VM's file has another header");
	if (memcmp(other.bytes + STATS_DESC_OFFSET,
		   mine->bytes + STATS_DESC_OFFSET, data - STATS_DESC_OFFSET))
		return stats_fail("another VM's file has other descriptors");
	stats_file_free(&other);
	stats_close_fds(fds);
	return NULL;
}

/* Reading */

static inline const char *stats_read_whole(struct stats_target *target)
{
	size_t size = target->file.size;
	uint8_t buf[size + 64];
	const char *message;

	message = stats_same(target, buf, read(target->fd, buf, sizeof(buf)), 0,
			     size);
	if (message)
		return message;
	return stats_same(target, buf, read(target->fd, buf, sizeof(buf)), size, 0);
}

static inline const char *stats_read_bytewise(struct stats_target *target)
{
	const char *message;
	uint8_t byte;
	size_t pos;

	for (pos = 0; pos < target->file.size; pos++) {
		message = stats_same(target, &byte, read(target->fd, &byte, 1),
				     pos, 1);
		if (message)
			return message;
	}
	return stats_same(target, &byte, read(target->fd, &byte, 1), pos, 0);
}

static inline const char *stats_pread_one(struct stats_target *target,
					  size_t offset, size_t len)
{
	size_t size = target->file.size;
	size_t left = offset < size ? size - offset : 0;
	uint8_t buf[len + 1];
	const char *message;

	buf[len] = 0xa5;
	message = stats_same(target, buf, pread(target->fd, buf, len, offset),
			     offset, len < left ? len : left);
	if (!message && buf[len] != 0xa5)
		return stats_fail("a read of %zu at %zu wrote past the buffer",
				  len, offset);
	return message;
}

static inline const char *stats_pread_all_offsets(struct stats_target *target)
{
	const size_t lens[] = { 1, 3, 7, 8, 9, 24, 63, 300, target->file.size };
	size_t offset, i;

	for (offset = 0; offset <= target->file.size + 9; offset++) {
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			const char *message = stats_pread_one(target, offset,
							      lens[i]);

			if (message)
				return message;
		}
	}
	return NULL;
}

static inline const char *stats_pread_all_lengths(struct stats_target *target)
{
	size_t data = target->file.header.data_offset;
	const size_t offsets[] = {
		0, 1, STATS_HEADER_SIZE - 1, STATS_HEADER_SIZE,
		STATS_DESC_OFFSET - 3, STATS_DESC_OFFSET,
		STATS_DESC_OFFSET + STATS_DESC_SIZE + 5, data - 1, data,
		data + 4, target->file.size - 8, target->file.size - 1,
	};
	size_t len, i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (len = 1; len <= target->file.size + 9; len++) {
			const char *message = stats_pread_one(target, offsets[i],
							      len);

			if (message)
				return message;
		}
	}
	return NULL;
}

static inline const char *stats_pread_at_end(struct stats_target *target)
{
	size_t size = target->file.size;
	const char *message;

	message = stats_pread_one(target, size - 1, 16);
	if (!message)
		message = stats_pread_one(target, size, 16);
	if (!message)
		message = stats_pread_one(target, size + 1, 16);
	return message;
}

/* Among others an offset whose lower half lies within the file. */
static inline const char *stats_pread_huge_offset(struct stats_target *target)
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
			return stats_fail("pread at %lld gives %zd, expected 0: %s",
					  (long long)offsets[i], got,
					  strerror(errno));
	}
	return NULL;
}

static inline const char *stats_pread_negative(struct stats_target *target)
{
	uint8_t buf[16];
	const char *message;

	message = stats_refused("pread at -1",
				pread(target->fd, buf, sizeof(buf), -1), EINVAL);
	if (message)
		return message;
	return stats_refused("pread at the lowest offset",
			     pread(target->fd, buf, sizeof(buf), LLONG_MIN),
			     EINVAL);
}

static inline const char *stats_pread_keeps_position(struct stats_target *target)
{
	uint8_t buf[32];
	const char *message;

	message = stats_same(target, buf, read(target->fd, buf, 10), 0, 10);
	if (!message)
		message = stats_pread_one(target, 40, 8);
	if (message)
		return message;
	return stats_same(target, buf, read(target->fd, buf, 32), 10, 32);
}

static inline const char *stats_read_own_position(struct stats_target *target)
{
	const char *message;
	uint8_t buf[32];
	int other;

	message = stats_getfd(target->getfd_fd, &other);
	if (message)
		return message;
	message = stats_same(target, buf, read(target->fd, buf, 20), 0, 20);
	if (!message)
		message = stats_same(target, buf, read(other, buf, 32), 0, 32);
	close(other);
	return message;
}

static inline const char *stats_readv(struct stats_target *target)
{
	size_t size = target->file.size;
	uint8_t buf[size + 8];
	const struct iovec parts[] = {
		{ .iov_base = buf, .iov_len = 5 },
		{ .iov_base = NULL, .iov_len = 0 },
		{ .iov_base = buf + 5, .iov_len = size - 12 },
		{ .iov_base = buf + size - 7, .iov_len = 15 },
	};
	const char *message;

	message = stats_same(target, buf, readv(target->fd, parts, 4), 0, size);
	if (message)
		return message;
	message = stats_same(target, buf, preadv(target->fd, parts, 4, 9), 9,
			     size - 9);
	if (message)
		return message;
	return stats_same(target, buf, preadv2(target->fd, parts, 4, 9, 0), 9,
			  size - 9);
}

/* The file promises that no read of it waits. */
static inline const char *stats_preadv2_nowait(struct stats_target *target)
{
	size_t size = target->file.size;
	uint8_t buf[size];
	const struct iovec all = { .iov_base = buf, .iov_len = size };

	return stats_same(target, buf,
			  preadv2(target->fd, &all, 1, 0, RWF_NOWAIT), 0, size);
}

static inline const char *stats_seek(struct stats_target *target, off_t offset,
				     int whence, size_t expected)
{
	off_t pos = lseek(target->fd, offset, whence);
	uint8_t buf[16];
	size_t left;

	if (pos < 0)
		return stats_fail("lseek(%lld, %d): %s", (long long)offset, whence,
				  strerror(errno));
	if (pos != (off_t)expected)
		return stats_fail("lseek(%lld, %d) gives %lld, expected %zu",
				  (long long)offset, whence, (long long)pos,
				  expected);
	left = expected < target->file.size ? target->file.size - expected : 0;
	return stats_same(target, buf, read(target->fd, buf, sizeof(buf)),
			  expected, left < sizeof(buf) ? left : sizeof(buf));
}

static inline const char *stats_lseek(struct stats_target *target)
{
	size_t size = target->file.size;
	const char *message;

	message = stats_seek(target, STATS_HEADER_SIZE, SEEK_SET,
			     STATS_HEADER_SIZE);
	if (!message)
		message = stats_seek(target, 50, SEEK_CUR,
				     STATS_HEADER_SIZE + 16 + 50);
	if (!message)
		message = stats_seek(target, -20, SEEK_CUR,
				     STATS_HEADER_SIZE + 16 + 50 + 16 - 20);
	if (!message)
		message = stats_seek(target, 0, SEEK_END, size);
	if (!message)
		message = stats_seek(target, -8, SEEK_END, size - 8);
	if (!message)
		message = stats_seek(target, 0, SEEK_SET, 0);
	return message;
}

static inline const char *stats_lseek_invalid(struct stats_target *target)
{
	const char *message;
	uint8_t buf[16];

	message = stats_refused("lseek to -1", lseek(target->fd, -1, SEEK_SET),
				EINVAL);
	if (!message)
		message = stats_refused("lseek to before the start",
					lseek(target->fd, -1000000, SEEK_END),
					EINVAL);
	if (!message)
		message = stats_refused("lseek with whence 99",
					lseek(target->fd, 0, 99), EINVAL);
	if (message)
		return message;
	return stats_same(target, buf, read(target->fd, buf, 16), 0, 16);
}

/* As in a regular file without holes. */
static inline const char *stats_lseek_past_end(struct stats_target *target)
{
	size_t size = target->file.size;
	const char *message;

	message = stats_seek(target, size + 100, SEEK_SET, size + 100);
	if (!message)
		message = stats_seek(target, 10, SEEK_DATA, 10);
	if (!message)
		message = stats_seek(target, 10, SEEK_HOLE, size);
	if (message)
		return message;
	return stats_refused("lseek for data at the end",
			     lseek(target->fd, size, SEEK_DATA), ENXIO);
}

/* Bad memory */

/* A page that can be written to, and one that cannot, in this order. */
static inline uint8_t *stats_cliff(size_t *page)
{
	uint8_t *map;

	*page = sysconf(_SC_PAGESIZE);
	map = mmap(NULL, 2 * *page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || mprotect(map + *page, *page, PROT_NONE))
		return NULL;
	return map;
}

static inline const char *stats_fault(struct stats_target *target)
{
	const size_t offsets[] = { 0, STATS_HEADER_SIZE, STATS_DESC_OFFSET,
				   target->file.header.data_offset,
				   target->file.size - 1 };
	uint8_t buf[16];
	size_t page, i;
	uint8_t *map = stats_cliff(&page);
	const char *message;

	if (!map)
		return stats_fail("mmap: %s", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		message = stats_refused("a read to bad memory",
					pread(target->fd, map + page, page,
					      offsets[i]), EFAULT);
		if (message)
			return message;
	}
	message = stats_refused("a read to bad memory",
				read(target->fd, map + page, page), EFAULT);
	if (message)
		return message;
	return stats_same(target, buf, read(target->fd, buf, 16), 0, 16);
}

/*
 * A read that faults after @room bytes delivers them.  The kernel's copy may
 * stop before the store that faults, of a word or of two.
 */
static inline const char *stats_fault_after(struct stats_target *target,
					    uint8_t *cliff, size_t room)
{
	size_t size = target->file.size;
	uint8_t *buf = cliff - room;
	const char *message;
	uint8_t next[8];
	ssize_t got;

	lseek(target->fd, 0, SEEK_SET);
	memset(buf, 0xa5, room);
	got = read(target->fd, buf, size);
	if (got < 0 && errno == EFAULT && room < STATS_COPY_UNIT)
		return NULL;
	if (got > (ssize_t)room || got <= (ssize_t)room - STATS_COPY_UNIT)
		return stats_fail("a read that faults after %zu bytes gives %zd: %s",
				  room, got, got < 0 ? strerror(errno) : "");
	message = stats_same(target, buf, got, 0, got);
	if (message)
		return message;
	return stats_same(target, next, read(target->fd, next, 8), got, 8);
}

static inline const char *stats_fault_midway(struct stats_target *target)
{
	size_t page, room;
	uint8_t *map = stats_cliff(&page);

	if (!map)
		return stats_fail("mmap: %s", strerror(errno));
	if (lseek(target->fd, 0, SEEK_SET))
		return stats_fail("lseek to the start: %s", strerror(errno));
	for (room = 1; room <= page && room < target->file.size - 8; room++) {
		const char *message = stats_fault_after(target, map + page, room);

		if (message)
			return message;
	}
	return NULL;
}

/* The same with pread, so without the help of lseek. */
static inline const char *stats_fault_midway_at(struct stats_target *target)
{
	size_t page, room = 100;
	uint8_t *map = stats_cliff(&page);
	size_t offset;

	if (!map)
		return stats_fail("mmap: %s", strerror(errno));
	for (offset = 0; offset + room < target->file.size; offset++) {
		uint8_t *buf = map + page - room;
		ssize_t got = pread(target->fd, buf, target->file.size, offset);
		const char *message;

		if (got > (ssize_t)room ||
		    got <= (ssize_t)room - STATS_COPY_UNIT)
			return stats_fail("pread at %zu, to fault after %zu bytes, gives %zd: %s",
					  offset, room, got,
					  got < 0 ? strerror(errno) : "");
		message = stats_same(target, buf, got, offset, got);
		if (message)
			return message;
	}
	return NULL;
}

/* The fd */

static inline const char *stats_write_refused(struct stats_target *target)
{
	uint8_t byte = 0;
	const struct iovec one = { .iov_base = &byte, .iov_len = 1 };
	const char *message;

	message = stats_refused("write", write(target->fd, &byte, 1), EBADF);
	if (!message && pwrite(target->fd, &byte, 1, 0) >= 0)
		message = stats_fail("pwrite succeeds");
	if (!message)
		message = stats_refused("writev", writev(target->fd, &one, 1),
					EBADF);
	if (!message)
		message = stats_refused("ftruncate", ftruncate(target->fd, 0),
					EINVAL);
	return message;
}

static inline const char *stats_mmap_refused(struct stats_target *target)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page, PROT_READ, MAP_SHARED, target->fd, 0);
	const char *message;

	message = stats_refused("mmap", map == MAP_FAILED ? -1 : 0, ENODEV);
	if (message)
		return message;
	map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, target->fd, 0);
	return stats_refused("private mmap", map == MAP_FAILED ? -1 : 0, ENODEV);
}

static inline const char *stats_ioctl_refused(struct stats_target *target)
{
	const unsigned long requests[] = {
		KVM_STATS_GETFD, KVM_RUN, KVM_CREATE_VCPU, KVM_CHECK_EXTENSION,
		_IO(0xAE, 0xff), 0, 0xffffffff,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		const char *message;

		message = stats_refused("an ioctl of the stats fd",
					ioctl(target->fd, requests[i], 0), ENOTTY);
		if (message)
			return message;
	}
	return NULL;
}

/* KVM_STATS_GETFD has no argument: a value that is there changes nothing. */
static inline const char *stats_argument_ignored(struct stats_target *target)
{
	const unsigned long arguments[] = { 0, 1, 0xdeadbeef, -1UL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(arguments); i++) {
		int fd = ioctl(target->getfd_fd, KVM_STATS_GETFD, arguments[i]);

		if (fd < 0)
			return stats_fail("KVM_STATS_GETFD with argument %#lx: %s",
					  arguments[i], strerror(errno));
		close(fd);
	}
	return NULL;
}

static inline const char *stats_emfile(struct stats_target *target)
{
	struct rlimit limit, low;
	const char *message;
	int lowest = dup(target->fd);
	int fd;

	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	low = limit;
	low.rlim_cur = lowest;
	if (lowest < 0 || setrlimit(RLIMIT_NOFILE, &low))
		return stats_fail("cannot lower RLIMIT_NOFILE: %s", strerror(errno));

	message = stats_refused("KVM_STATS_GETFD without a free fd",
				ioctl(target->getfd_fd, KVM_STATS_GETFD, NULL),
				EMFILE);
	setrlimit(RLIMIT_NOFILE, &limit);
	if (message)
		return message;

	message = stats_getfd(target->getfd_fd, &fd);
	if (message)
		return message;
	if (fd != lowest)
		return stats_fail("the fd after EMFILE is %d, expected %d", fd,
				  lowest);
	close(fd);
	return NULL;
}

static inline const char *stats_cloexec(struct stats_target *target)
{
	int flags = fcntl(target->fd, F_GETFD);

	return flags & FD_CLOEXEC ? NULL :
	       stats_fail("F_GETFD gives %#x, expected FD_CLOEXEC", flags);
}

static inline const char *stats_read_only(struct stats_target *target)
{
	int flags = fcntl(target->fd, F_GETFL);

	return (flags & O_ACCMODE) == O_RDONLY ? NULL :
	       stats_fail("F_GETFL gives %#x, expected O_RDONLY", flags);
}

/* Agents find the fds by these names. */
static inline const char *stats_link_name(struct stats_target *target)
{
	char expected[64] = "anon_inode:kvm-vm-stats";
	char path[64], name[64] = "";

	if (target->vcpu_id >= 0)
		snprintf(expected, sizeof(expected),
			 "anon_inode:kvm-vcpu-stats:%d", target->vcpu_id);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
	if (readlink(path, name, sizeof(name) - 1) < 0)
		return stats_fail("readlink of %s: %s", path, strerror(errno));
	return !strcmp(name, expected) ? NULL :
	       stats_fail("the fd's name is '%s', expected '%s'", name, expected);
}

static inline const char *stats_fdinfo_has(const char *info, const char *key,
					   const char *value)
{
	char line[128];

	snprintf(line, sizeof(line), "\n%s:\t%s\n", key, value);
	return strstr(info, line) ? NULL :
	       stats_fail("fdinfo has no line '%s:\t%s'", key, value);
}

static inline const char *stats_fdinfo(struct stats_target *target)
{
	char id[STATS_NAME_SIZE], size[24], path[64], info[1024] = "";
	const char *message;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", target->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return stats_fail("open of %s: %s", path, strerror(errno));
	got = read(fd, info, sizeof(info) - 1);
	close(fd);
	if (got < 0)
		return stats_fail("read of %s: %s", path, strerror(errno));

	stats_target_id(target, getpid(), id);
	snprintf(size, sizeof(size), "%zu", target->file.size);
	message = stats_fdinfo_has(info, "kvm-stats-id", id);
	if (!message)
		message = stats_fdinfo_has(info, "kvm-stats-target",
					   target->vcpu_id < 0 ? "vm" : "vcpu");
	if (!message)
		message = stats_fdinfo_has(info, "kvm-stats-size", size);
	return message;
}

/* Who may hold it, and for how long */

static inline const char *stats_still_reads(struct stats_target *target, int fd,
					    pid_t vmm)
{
	struct stats_file file;
	const char *message;
	char id[STATS_NAME_SIZE];

	message = stats_file_load(&file, fd);
	if (!message)
		message = stats_check_header(&file);
	stats_target_id(target, vmm, id);
	if (!message)
		message = stats_check_id(&file, id);
	if (!message && file.size != target->file.size)
		message = stats_fail("a file of %zu bytes, expected %zu",
				     file.size, target->file.size);
	stats_file_free(&file);
	return message;
}

/* New VMs, which would take over the memory of one that is gone too early. */
static inline const char *stats_reuse_memory(void)
{
	int fds[8][STATS_NUM_FDS];
	const char *message = NULL;
	size_t i;

	for (i = 0; !message && i < ARRAY_SIZE(fds); i++)
		message = stats_bare_vm(fds[i]);
	while (i--)
		stats_close_fds(fds[i]);
	return message;
}

static inline const char *stats_outlives_fds(struct stats_target *target)
{
	int which = stats_target_kind(target, STATS_FD_VM_STATS,
				      STATS_FD_VCPU_STATS);
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);
	int fd;

	if (message)
		return message;
	fd = fds[which];
	fds[which] = -1;
	stats_close_fds(fds);
	message = stats_reuse_memory();
	if (!message)
		message = stats_still_reads(target, fd, getpid());
	close(fd);
	return message;
}

static inline const char *stats_outlives_vmm(struct stats_target *target)
{
	int which = stats_target_kind(target, STATS_FD_VM_STATS,
				      STATS_FD_VCPU_STATS);
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int i, fd;

	if (message)
		return message;
	message = stats_still_reads(target, vmm.fds[which], vmm.pid);
	stats_vmm_kill(&vmm);
	fd = vmm.fds[which];
	vmm.fds[which] = -1;
	stats_close_fds(vmm.fds);

	/* A VM is taken down in steps: look more than once. */
	for (i = 0; !message && i < 3; i++) {
		message = stats_still_reads(target, fd, vmm.pid);
		if (!message)
			message = stats_reuse_memory();
		usleep(5000);
	}
	close(fd);
	return message;
}

static inline const char *stats_opened_after_vmm(struct stats_target *target)
{
	int which = stats_target_kind(target, STATS_FD_VM, STATS_FD_VCPU);
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int fd;

	if (message)
		return message;
	stats_vmm_kill(&vmm);
	message = stats_getfd(vmm.fds[which], &fd);
	stats_close_fds(vmm.fds);
	if (message)
		return message;
	message = stats_still_reads(target, fd, vmm.pid);
	close(fd);
	return message;
}

/* The VMM passes its VM or vCPU fd on; the receiver opens the statistics. */
static inline const char *stats_opened_by_receiver(struct stats_target *target)
{
	int which = stats_target_kind(target, STATS_FD_VM, STATS_FD_VCPU);
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int fd;

	if (message)
		return message;
	message = stats_getfd(vmm.fds[which], &fd);
	if (!message)
		message = stats_still_reads(target, fd, vmm.pid);
	stats_vmm_kill(&vmm);
	return message;
}

/* An agent takes the VM or vCPU fd without the VMM's help. */
static inline const char *stats_opened_by_agent(struct stats_target *target)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int taken, fd;

	if (message)
		return message;
	message = stats_vmm_take(&vmm, stats_target_kind(target, STATS_FD_VM,
							 STATS_FD_VCPU), &taken);
	if (!message)
		message = stats_getfd(taken, &fd);
	if (!message)
		message = stats_still_reads(target, fd, vmm.pid);
	stats_vmm_kill(&vmm);
	return message;
}

/* An agent takes a statistics fd that the VMM has open. */
static inline const char *stats_taken_by_agent(struct stats_target *target)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int taken;

	if (message)
		return message;
	message = stats_vmm_take(&vmm, stats_target_kind(target,
							 STATS_FD_VM_STATS,
							 STATS_FD_VCPU_STATS),
				 &taken);
	if (!message)
		message = stats_still_reads(target, taken, vmm.pid);
	stats_vmm_kill(&vmm);
	return message;
}

static const struct stats_check stats_checks[] = {
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
	STATS_CHECK("pread_at_end", stats_pread_at_end),
	STATS_CHECK("pread_huge_offset", stats_pread_huge_offset),
	STATS_CHECK("pread_negative_offset", stats_pread_negative),
	STATS_CHECK("pread_keeps_position", stats_pread_keeps_position),
	STATS_CHECK("readv", stats_readv),
	STATS_CHECK("preadv2_nowait", stats_preadv2_nowait),
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
	STATS_CHECK("taken_by_agent", stats_taken_by_agent),
};

#endif /* SELFTEST_KVM_STATS_CHECKS_H */
