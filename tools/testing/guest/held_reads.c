// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lifetimes of VMs with a reader in the middle of pread(): everything is closed, the
 * memory goes, the VMM ends, the reader itself is ended. userfaultfd is what holds it
 * there.
 *
 * LIFETIMES_COUNT is how often all of it is tried (1).
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "held_read.h"
#include "lifetimes.h"
#include "vmm_end.h"

/* Shared with the processes that the checks run in. */
static struct tried {
	unsigned long held;
	unsigned long ends;
} *tried;

/* What is read: of what is copied, and of what is stored value by value. */
enum { CONSTANTS, VALUES, NUM_PARTS };

static size_t part_offset(const struct stats_target *target, size_t part)
{
	return part == VALUES ? target->file.header.data_offset : 0;
}

static const char *start_read(const struct stats_target *target, size_t part, int fd,
			      struct held_read *read)
{
	size_t offset = part_offset(target, part);
	size_t len = target->file.size - offset;

	/* whole words */
	return held_read_start(read, fd, offset, len < 512 ? len : 512);
}

/* Nobody is left to ask whether they have moved; but they only do by a little. */
static const char *values_may_move(const struct stats_target *target,
				   const struct held_read *read)
{
	size_t at;

	for (at = 0; at < read->len; at += sizeof(uint64_t)) {
		uint64_t before, now;

		memcpy(&before, target->file.bytes + read->offset + at, sizeof(before));
		memcpy(&now, read->buf + at, sizeof(now));
		if (now != before && (read->offset + at < target->file.header.data_offset ||
				      now - before > 10000))
			return stats_fail("the word at %zu is %#llx, before it was %#llx",
					  read->offset + at, (unsigned long long)now,
					  (unsigned long long)before);
	}
	return NULL;
}

static const char *finish_read(struct stats_target *target, struct held_read *read)
{
	if (held_read_supply(read))
		return stats_fail("nobody wants the page: %s", strerror(errno));
	held_read_end(read);
	tried->held++;
	if (read->got != (ssize_t)read->len)
		return stats_fail("a read of %zu at %zu gives %zd: %s", read->len,
				  read->offset, read->got, strerror(errno));
	return values_may_move(target, read);
}

/* With a reader in the middle, who holds the only file. */
static const char *last_reader(struct stats_target *target, struct held_read *read,
			       const struct vm_dir *dir)
{
	const char *message = vm_is_there(dir, "during a read");

	if (!message)
		message = vmm_reuse_memory();
	if (!message)
		message = finish_read(target, read);
	return message ? message : vm_goes(dir, "after the read");
}

static const char *for_each_part(struct stats_target *target,
				 const char *(*run)(struct stats_target *target,
						    size_t part))
{
	long users = kvm_module_users();
	const char *message = NULL;
	size_t part;

	for (part = 0; part < NUM_PARTS && !message; part++)
		message = run(target, part);
	return message ? message : kvm_modules_are_left(users);
}

/* The reader is another thread of the VMM. */
static const char *close_during_read(struct stats_target *target, size_t part)
{
	struct held_read read;
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);
	struct vm_dir dir = vm_dir(getpid(), fds[STATS_FD_VM]);

	if (!message)
		message = start_read(target, part, fds[which_stats(target)], &read);
	if (message)
		return message;
	stats_close_fds(fds);
	return last_reader(target, &read, &dir);
}

static const char *closed_during_read(struct stats_target *target)
{
	return for_each_part(target, close_during_read);
}

/* The memory that is read to goes, as another thread unmaps it. */
static const char *unmap_during_read(struct stats_target *target, size_t part)
{
	struct held_read read;
	const char *message = start_read(target, part, target->fd, &read);

	if (message)
		return message;
	if (held_read_unmap(&read))
		return stats_fail("munmap: %s", strerror(errno));
	held_read_end(&read);
	tried->held++;
	if (read.got < 0 && read.error == EFAULT && HELD_READ_ROOM < STATS_COPY_UNIT)
		return NULL;
	if (read.got > HELD_READ_ROOM || read.got <= HELD_READ_ROOM - STATS_COPY_UNIT)
		return stats_fail("a read whose memory goes after %d bytes gives %zd: %s",
				  HELD_READ_ROOM, read.got, strerror(read.error));
	return stats_same(target, read.buf, read.got, read.offset, read.got);
}

static const char *unmapped_during_read(struct stats_target *target)
{
	return for_each_part(target, unmap_during_read);
}

/* The reader is another process than the VMM. */
static const char *end_during_read(struct stats_target *target, size_t part,
				   const struct vmm_end *end)
{
	struct stats_target theirs = *target;
	struct stats_vmm vmm;
	struct held_read read;
	struct vm_dir dir;
	const char *message = vmm_start(&vmm, &dir);

	if (message)
		return message;
	theirs.fd = keep_one(target, &vmm);
	message = stats_file_load(&theirs.file, theirs.fd);
	if (!message)
		message = start_read(&theirs, part, theirs.fd, &read);
	if (!message)
		message = end->end(&vmm);
	if (message)
		return message;
	tried->ends++;
	close(theirs.fd);
	message = last_reader(&theirs, &read, &dir);
	stats_file_free(&theirs.file);
	vmm_finish(&vmm);
	return message;
}

static const char *any_end_during_read(struct stats_target *target, size_t part)
{
	return for_each_end(target, part, end_during_read);
}

static const char *vmm_ended_during_read(struct stats_target *target)
{
	return for_each_part(target, any_end_during_read);
}

/* The reader is a thread of the VMM, which ends without that anybody lets it go. */
static void reading_vmm_main(struct stats_target *target, size_t part, int socket)
{
	int fds[STATS_NUM_FDS];
	struct held_read read;
	const char *message;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	message = stats_bare_vm(fds);
	if (!message)
		message = start_read(target, part, fds[which_stats(target)], &read);
	if (message || !stats_send_fds(socket, fds)) {
		fprintf(stderr, "# reading VMM: %s\n", message ? message : strerror(errno));
		_exit(1);
	}
	for (;;)
		pause();
}

static const char *reading_vmm_start(struct stats_target *target, size_t part,
				     struct stats_vmm *vmm, struct vm_dir *dir)
{
	int sockets[2];
	bool received;

	vmm_can_end();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return stats_fail("socketpair: %s", strerror(errno));
	vmm->pid = fork();
	if (vmm->pid < 0)
		return stats_fail("fork: %s", strerror(errno));
	if (!vmm->pid) {
		close(sockets[0]);
		reading_vmm_main(target, part, sockets[1]);
	}
	close(sockets[1]);
	received = stats_receive_fds(sockets[0], vmm);
	close(sockets[0]);
	if (!received)
		return stats_fail("the VMM did not come to read");
	stats_close_fds(vmm->fds);
	*dir = vm_dir(vmm->pid, vmm->remote[STATS_FD_VM]);
	return NULL;
}

static const char *end_while_reading(struct stats_target *target, size_t part,
				     const struct vmm_end *end)
{
	struct stats_vmm vmm;
	struct vm_dir dir;
	const char *message = reading_vmm_start(target, part, &vmm, &dir);

	if (!message)
		message = vm_is_there(&dir, "while the VMM reads");
	if (message)
		return message;
	stats_must_end_in(HELD_READ_SECONDS, "the end of a VMM that is in the middle of a read");
	message = end->end(&vmm);
	stats_must_end_in(0, "");
	if (!message)
		message = vm_goes(&dir, "after the VMM, which was in the middle of a read");
	vmm_finish(&vmm);
	tried->ends++;
	tried->held++;
	return message;
}

static const char *any_end_while_reading(struct stats_target *target, size_t part)
{
	return for_each_end(target, part, end_while_reading);
}

static const char *reading_vmm_ended(struct stats_target *target)
{
	return for_each_part(target, any_end_while_reading);
}

static const struct stats_check checks[] = {
	STATS_CHECK("closed_during_read", closed_during_read),
	STATS_CHECK("unmapped_during_read", unmapped_during_read),
	STATS_CHECK("vmm_ended_during_read", vmm_ended_during_read),
	STATS_CHECK("reading_vmm_ended", reading_vmm_ended),
};

int main(int argc, char *argv[])
{
	vmm_end_main(argc, argv);
	if (lifetimes_cannot_be_seen())
		return tap_skip_all(lifetimes_cannot_be_seen());
	if (!held_read_is_possible())
		return tap_skip_all("this kernel has no userfaultfd to hold a read");

	tried = lifetimes_shared(sizeof(*tried));
	lifetimes_run(checks, ARRAY_SIZE(checks));
	tap_tried(tried->held, "reads held in the middle");
	tap_tried(tried->ends, "ends of VMMs during reads");
	return tap_end();
}
