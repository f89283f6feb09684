// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read statistics files at random and compare the results with a model: the bytes of the
 * file, loaded while no vCPU ran. Offset, length, alignment and the pieces of the buffer are
 * random, and so is the position of an inaccessible page in the buffer. Most of them are
 * close to a boundary, for example the beginning of the values.
 *
 * READ_FUZZ_COUNT is the number of reads by each method and of each file. READ_FUZZ_SEED
 * reproduces a run.
 */
#define _GNU_SOURCE
#include "kvm_stats_checks.h"
#include "kvm_stats_open.h"
#include "lib/run.h"

#define DEFAULT_COUNT	4000
#define MAX_PIECES	8
#define FILL		0xa5

/* One read. */
struct attempt {
	const struct stats_target *target;
	size_t offset;
	size_t len;
	size_t writable;	/* bytes of the buffer before the inaccessible page */
	unsigned int pieces;
};

static uint64_t seed;
static unsigned long count, total;

/* The pages to read into. The page after them is inaccessible. */
static uint8_t *area;
static size_t area_size;

static size_t random_below(size_t limit)
{
	return random_next(&seed) % limit;
}

/* ---- choose a read at random ---- */

static size_t random_near(size_t boundary)
{
	size_t off = random_below(19);

	return boundary + 9 > off ? boundary + 9 - off : 0;
}

/* In a file with vCPUs, the start of a record or the end of the file. */
static size_t random_record(const struct stats_file *file)
{
	struct kvm_stats_vcpus vcpus;

	if (!(file->header.flags & KVM_STATS_HEADER_VCPUS))
		return file->size;
	memcpy(&vcpus, file->bytes + STATS_DESC_OFFSET, sizeof(vcpus));
	return vcpus.records_offset + vcpus.record_size *
	       random_below((file->size - vcpus.records_offset) / vcpus.record_size + 1);
}

static size_t random_offset(const struct stats_file *file)
{
	size_t desc = sizeof(struct kvm_stats_desc) + file->header.name_size;
	size_t record = random_record(file);
	const size_t boundaries[] = {
		0, STATS_HEADER_SIZE, STATS_DESC_OFFSET,
		STATS_DESC_OFFSET + desc * random_below(file->header.num_desc),
		file->header.data_offset,
		file->header.data_offset + 8 * random_below(32),
		file->header.data_offset + 256, record, record + 16, file->size,
	};

	switch (random_below(4)) {
	case 0:
		return random_below(file->size + 100);
	case 1:
		return boundaries[random_below(ARRAY_SIZE(boundaries))];
	default:
		return random_near(boundaries[random_below(ARRAY_SIZE(boundaries))]);
	}
}

static size_t random_length(const struct stats_file *file, size_t offset)
{
	size_t left = offset < file->size ? file->size - offset : 0;
	const size_t boundaries[] = { 0, 8, 64, 128, 256, 512, 1024, left, left + 8 };
	size_t len = boundaries[random_below(ARRAY_SIZE(boundaries))];

	switch (random_below(4)) {
	case 0:
		len = random_below(left + 100);
		break;
	case 1:
		len = random_near(len);
		break;
	case 2:
		len = 8 * random_below(left / 8 + 2);
		break;
	}
	return len < area_size ? len : area_size;
}

static void make_attempt(struct attempt *attempt, const struct stats_target *target)
{
	*attempt = (struct attempt){ .target = target };
	attempt->offset = random_offset(&target->file);
	attempt->len = random_length(&target->file, attempt->offset);
	attempt->writable = attempt->len;
	if (attempt->len && !random_below(4))
		attempt->writable = random_below(attempt->len);
	else if (attempt->len < area_size - 16 && random_below(2))
		attempt->writable = attempt->len + random_below(16);
	memset(area, FILL, area_size);
}

/* Returns the buffer. Its first @writable bytes are before the inaccessible page. */
static uint8_t *attempt_buf(const struct attempt *attempt)
{
	return area + area_size - attempt->writable;
}

/* ---- the ways to read ---- */

static long read_by_pread(struct attempt *attempt)
{
	return pread(attempt->target->fd, attempt_buf(attempt), attempt->len,
		     attempt->offset);
}

static long read_by_read(struct attempt *attempt)
{
	int fd = attempt->target->fd;
	long got;
	off_t at;

	/* lseek() refuses positions beyond the end. */
	if (attempt->offset > attempt->target->file.size)
		attempt->offset = attempt->target->file.size;
	if (lseek(fd, attempt->offset, SEEK_SET) < 0)
		return -1;
	got = read(fd, attempt_buf(attempt), attempt->len);
	at = lseek(fd, 0, SEEK_CUR);
	if (at != (off_t)attempt->offset + (got > 0 ? got : 0)) {
		errno = ESPIPE;
		return -1;
	}
	return got;
}

/* Splits the buffer into adjacent pieces. */
static long read_by_preadv(struct attempt *attempt)
{
	struct iovec piece[MAX_PIECES];
	uint8_t *at = attempt_buf(attempt);
	size_t left = attempt->len;
	unsigned int i;

	attempt->pieces = 1 + random_below(MAX_PIECES);
	for (i = 0; i < attempt->pieces; i++) {
		size_t len = i + 1 == attempt->pieces ? left : random_below(left + 1);

		if (random_below(2) && len > 8 && i + 1 < attempt->pieces)
			len -= len % 8;
		piece[i] = (struct iovec){ .iov_base = at, .iov_len = len };
		at += len;
		left -= len;
	}
	return preadv(attempt->target->fd, piece, attempt->pieces, attempt->offset);
}

static const struct method {
	const char *name;
	long (*read)(struct attempt *attempt);
} methods[] = {
	{ "read", read_by_read },
	{ "pread", read_by_pread },
	{ "preadv", read_by_preadv },
};

/* ---- check what a read returned ---- */

/*
 * Returns the maximum that the read may return, and stores the minimum. They differ if the read
 * faults, because the kernel may lose the last bytes before the inaccessible page.
 */
static size_t expected_size(const struct attempt *attempt, size_t *min)
{
	size_t size = attempt->target->file.size;
	size_t left = attempt->offset < size ? size - attempt->offset : 0;
	size_t max = left < attempt->len ? left : attempt->len;

	*min = max;
	if (max <= attempt->writable)
		return max;
	*min = attempt->writable < STATS_COPY_UNIT ? 0 :
	       attempt->writable - (STATS_COPY_UNIT - 1);
	return attempt->writable;
}

static void check_area(const struct attempt *attempt, size_t got)
{
	const uint8_t *buf = attempt_buf(attempt);
	size_t min, max = expected_size(attempt, &min), i;

	must(stats_same(attempt->target, buf, got, attempt->offset, got));
	for (i = 0; i < (size_t)(buf - area); i++)
		if (area[i] != FILL)
			fail("the read overwrites byte %zu before the buffer", buf - area - i);
	/* A copy that faults may have stored more bytes than it returned. */
	for (i = max; i < attempt->writable; i++)
		if (buf[i] != FILL)
			fail("the read overwrites byte %zu, after the data", i);
}

static void check_attempt(const struct attempt *attempt, long got)
{
	size_t min, max = expected_size(attempt, &min);

	if (got < 0 && errno == EFAULT && !min && attempt->writable < attempt->len &&
	    attempt->offset < attempt->target->file.size)
		return;
	if (got < 0 || (size_t)got > max || (size_t)got < min || (!got && max))
		fail("the result is %ld (%s), expected %zu to %zu", got,
		     got < 0 ? strerror(errno) : "no error", min, max);
	check_area(attempt, got);
}

/* The read that is checked. */
static struct attempt attempt;

static void fuzz(const void *arg)
{
	const struct method *method = arg;
	const struct stats_target *target = attempt.target;
	unsigned long i;

	for (i = 0; i < count; i++) {
		make_attempt(&attempt, target);
		total++;
		check_attempt(&attempt, method->read(&attempt));
	}
}

static void fuzz_target(const struct stats_target *target, const char *kind)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		attempt.target = target;
		if (!report_run(kind, methods[i].name, fuzz, &methods[i]))
			printf("# %zu bytes at %zu, %zu of them writable, in %u pieces\n",
			       attempt.len, attempt.offset, attempt.writable, attempt.pieces);
	}
}

/*
 * The files of a VM, of one of its two vCPUs, and of the VM with both. Not all kernels have the
 * last one.
 */
enum { TARGET_VM, TARGET_VCPU, TARGET_OBSERVER, NUM_TARGETS };
static int num_targets = NUM_TARGETS;

static const char *const kinds[] = { "vm", "vcpu", "observer" };

static void map_area(size_t file_size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	area_size = (file_size + 256 + page - 1) / page * page;
	area = mmap(NULL, area_size + page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || mprotect(area + area_size, page, PROT_NONE))
		fail("mmap: %s", strerror(errno));
}

static struct stats_target targets[NUM_TARGETS];

static void open_targets(const void *arg)
{
	int fds[STATS_NUM_FDS], i;
	size_t largest = 0;

	must(stats_bare_vm(fds));
	if (ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU, 0) < 0)
		fail("KVM_CREATE_VCPU: %s", strerror(errno));
	targets[TARGET_VM].fd = fds[STATS_FD_VM_STATS];
	targets[TARGET_VCPU].fd = fds[STATS_FD_VCPU_STATS];
	if (num_targets > TARGET_OBSERVER)
		must(stats_open(fds[STATS_FD_VM], &targets[TARGET_OBSERVER].fd));
	for (i = 0; i < num_targets; i++) {
		must(stats_file_load(&targets[i].file, targets[i].fd));
		if (targets[i].file.size > largest)
			largest = targets[i].file.size;
	}
	map_area(largest);
}

int main(void)
{
	int i;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	seed = random_seed("READ_FUZZ_SEED");
	count = setting("READ_FUZZ_COUNT", DEFAULT_COUNT);
	if (!kernel_has_stats_open()) {
		num_targets = TARGET_OBSERVER;
		printf("# observer: skipped, " NO_STATS_OPEN "\n");
	}
	bail_out(passes(open_targets, NULL) ? NULL : failure);
	tap_plan(num_targets * ARRAY_SIZE(methods));
	printf("# READ_FUZZ_SEED=%llu READ_FUZZ_COUNT=%lu\n",
	       (unsigned long long)seed, count);
	for (i = 0; i < num_targets; i++)
		fuzz_target(&targets[i], kinds[i]);
	tap_tried(total, "random reads against a model of the file");
	return tap_end();
}
