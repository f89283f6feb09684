// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random reads of statistics files against a model: the file's bytes, loaded while
 * nothing runs. Offsets, lengths, the alignment and the pieces of the buffer and
 * where it ends for good are random, most of them near a border of something.
 *
 * READ_FUZZ_COUNT is the number of reads by each way and file, READ_FUZZ_SEED
 * repeats a run.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include <limits.h>

#include "kvm_stats_checks.h"
#include "random.h"
#include "tap.h"
#include "uring.h"

#define DEFAULT_COUNT	4000
#define MAX_PIECES	8
#define FILL		0xa5

static uint64_t seed;
static unsigned long count, tried;

static size_t random_below(size_t limit)
{
	return random_next(&seed) % limit;
}

/* Memory: pages to read into, and behind them one that takes nothing. */
static uint8_t *area;
static size_t area_size;

struct attempt {
	const struct stats_target *target;
	size_t offset;
	size_t len;
	size_t room;		/* what fits before the page that takes nothing */
	unsigned int pieces;
	struct iovec piece[MAX_PIECES];
};

/* What it should return: with @least, as some of the room may stay unused. */
static size_t attempt_most(const struct attempt *attempt, size_t *least)
{
	size_t size = attempt->target->file.size;
	size_t left = attempt->offset < size ? size - attempt->offset : 0;
	size_t most = left < attempt->len ? left : attempt->len;

	*least = most;
	if (most <= attempt->room)
		return most;
	*least = attempt->room < STATS_COPY_UNIT ? 0 :
		 attempt->room - (STATS_COPY_UNIT - 1);
	return attempt->room;
}

static size_t random_near(size_t border)
{
	size_t off = random_below(19);

	return border + 9 > off ? border + 9 - off : 0;
}

static size_t random_offset(const struct stats_file *file)
{
	size_t desc = sizeof(struct kvm_stats_desc) + file->header.name_size;
	const size_t borders[] = {
		0, STATS_HEADER_SIZE, STATS_DESC_OFFSET,
		STATS_DESC_OFFSET + desc * random_below(file->header.num_desc),
		file->header.data_offset,
		file->header.data_offset + 8 * random_below(32),
		file->header.data_offset + 256, file->size,
	};

	switch (random_below(4)) {
	case 0:
		return random_below(file->size + 100);
	case 1:
		return borders[random_below(ARRAY_SIZE(borders))];
	default:
		return random_near(borders[random_below(ARRAY_SIZE(borders))]);
	}
}

static size_t random_length(const struct stats_file *file, size_t offset)
{
	size_t left = offset < file->size ? file->size - offset : 0;
	const size_t borders[] = { 0, 8, 64, 128, 256, 512, 1024, left, left + 8 };
	size_t len = borders[random_below(ARRAY_SIZE(borders))];

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
	attempt->room = attempt->len;
	if (attempt->len && !random_below(4))
		attempt->room = random_below(attempt->len);
	else if (attempt->len < area_size - 16 && random_below(2))
		attempt->room = attempt->len + random_below(16);
}

/* The buffer: as much of it as there is room for lies before the bad page. */
static uint8_t *attempt_buf(const struct attempt *attempt)
{
	return area + area_size - attempt->room;
}

static void fill_area(void)
{
	memset(area, FILL, area_size);
}

static const char *check_area(const struct attempt *attempt, size_t got)
{
	const uint8_t *buf = attempt_buf(attempt);
	size_t least, most = attempt_most(attempt, &least), i;
	const char *message;

	message = stats_same(attempt->target, buf, got, attempt->offset, got);
	if (message)
		return message;
	for (i = 0; i < (size_t)(buf - area); i++)
		if (area[i] != FILL)
			return stats_fail("byte %zu before the buffer is written to",
					  buf - area - i);
	/* A copy that faults may have stored more than it says. */
	for (i = most; i < attempt->room; i++)
		if (buf[i] != FILL)
			return stats_fail("byte %zu, behind what is delivered, is written to",
					  i);
	return NULL;
}

static const char *check_result(const struct attempt *attempt, long got)
{
	size_t least, most = attempt_most(attempt, &least);
	const char *what = "";
	const char *message;

	if (got < 0 && errno == EFAULT && !least && attempt->room < attempt->len &&
	    attempt->offset < attempt->target->file.size)
		return NULL;
	if (got >= 0 && (size_t)got <= most && (size_t)got >= least && (got || !most)) {
		message = check_area(attempt, got);
		if (!message)
			return NULL;
		what = message;
	}
	return stats_fail("%zu bytes at %zu with room for %zu, in %u pieces: %ld (%s), expected %zu to %zu; %s",
			  attempt->len, attempt->offset, attempt->room,
			  attempt->pieces, got, got < 0 ? strerror(errno) : "no error",
			  least, most, what);
}

/* Ways to read */

static long by_pread(struct attempt *attempt)
{
	return pread(attempt->target->fd, attempt_buf(attempt), attempt->len,
		     attempt->offset);
}

static long by_read(struct attempt *attempt)
{
	int fd = attempt->target->fd;
	long got;
	off_t at;

	/* Nobody can seek beyond the end. */
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

/* The pieces lie one behind the other, so that their sum is one buffer. */
static void split(struct attempt *attempt)
{
	uint8_t *at = attempt_buf(attempt);
	size_t left = attempt->len;
	unsigned int i;

	attempt->pieces = 1 + random_below(MAX_PIECES);
	for (i = 0; i < attempt->pieces; i++) {
		size_t len = i + 1 == attempt->pieces ? left : random_below(left + 1);

		if (random_below(2) && len > 8 && i + 1 < attempt->pieces)
			len -= len % 8;
		attempt->piece[i] = (struct iovec){ .iov_base = at, .iov_len = len };
		at += len;
		left -= len;
	}
}

static long by_preadv(struct attempt *attempt)
{
	split(attempt);
	return preadv(attempt->target->fd, attempt->piece, attempt->pieces,
		      attempt->offset);
}

static long by_preadv2_nowait(struct attempt *attempt)
{
	split(attempt);
	return preadv2(attempt->target->fd, attempt->piece, attempt->pieces,
		       attempt->offset, RWF_NOWAIT);
}

static struct uring ring;

static long by_uring(struct attempt *attempt)
{
	int result = 0, error;

	error = uring_submit_read(&ring, attempt->target->fd, attempt_buf(attempt),
				  attempt->len, attempt->offset, 0);
	if (!error)
		error = uring_wait(&ring, &result);
	if (!error && result >= 0)
		return result;
	errno = error ? -error : -result;
	return -1;
}

/* By way of a pipe, which takes what fits. */
static long by_splice(struct attempt *attempt)
{
	static int ends[2];
	loff_t at = attempt->offset;
	long got, sum = 0;

	if (!ends[1] && pipe(ends))
		return -1;
	attempt->room = attempt->len;
	while ((size_t)sum < attempt->len) {
		got = splice(attempt->target->fd, &at, ends[1], NULL,
			     attempt->len - sum, 0);
		if (got <= 0)
			return got < 0 ? got : sum;
		if (read(ends[0], attempt_buf(attempt) + sum, got) != got)
			return -1;
		sum += got;
	}
	return sum;
}

static const struct {
	const char *name;
	long (*read)(struct attempt *attempt);
} ways[] = {
	{ "read", by_read },
	{ "pread", by_pread },
	{ "preadv", by_preadv },
	{ "preadv2_nowait", by_preadv2_nowait },
	{ "io_uring", by_uring },
	{ "splice", by_splice },
};

static const char *fuzz(const struct stats_target *target,
			long (*read_it)(struct attempt *attempt))
{
	struct attempt attempt;
	const char *message = NULL;
	unsigned long i;

	for (i = 0; i < count && !message; i++) {
		make_attempt(&attempt, target);
		fill_area();
		tried++;
		message = check_result(&attempt, read_it(&attempt));
		if (message)
			return stats_fail("read %lu: %s", i, message);
	}
	return NULL;
}

static void fuzz_target(const struct stats_target *target, const char *suite)
{
	const char *message;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (ways[i].read == by_uring && uring_open(&ring)) {
			tap_report(TAP_SKIP, suite, ways[i].name, "no io_uring");
			continue;
		}
		message = fuzz(target, ways[i].read);
		tap_report(message ? TAP_NOT_OK : TAP_OK, suite, ways[i].name, message);
	}
}

static const char *make_area(size_t file_size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	area_size = (file_size + 256 + page - 1) / page * page;
	area = mmap(NULL, area_size + page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || mprotect(area + area_size, page, PROT_NONE))
		return stats_fail("mmap: %s", strerror(errno));
	return NULL;
}

static const char *open_targets(struct stats_target *vm, struct stats_target *vcpu)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (message)
		return message;
	*vm = (struct stats_target){ .fd = fds[STATS_FD_VM_STATS], .vcpu_id = -1 };
	*vcpu = (struct stats_target){ .fd = fds[STATS_FD_VCPU_STATS] };
	message = stats_file_load(&vm->file, vm->fd);
	if (!message)
		message = stats_file_load(&vcpu->file, vcpu->fd);
	if (!message)
		message = make_area(vm->file.size > vcpu->file.size ? vm->file.size :
				    vcpu->file.size);
	return message;
}

int main(void)
{
	struct stats_target vm, vcpu;
	const char *message;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	seed = random_seed("READ_FUZZ_SEED");
	count = setting("READ_FUZZ_COUNT", DEFAULT_COUNT);
	message = open_targets(&vm, &vcpu);
	if (message) {
		printf("Bail out! %s\n", message);
		return 1;
	}
	tap_plan(2 * ARRAY_SIZE(ways));
	printf("# READ_FUZZ_SEED=%llu READ_FUZZ_COUNT=%lu\n",
	       (unsigned long long)seed, count);
	fuzz_target(&vm, "vm");
	fuzz_target(&vcpu, "vcpu");
	tap_tried(tried, "random reads against a model of the file");
	return tap_end();
}
