// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how long a VM lives while a thread is in the middle of pread(). userfaultfd stops the
 * read there. Meanwhile all fds are closed, the buffer is unmapped, the VMM ends, or the
 * reading process itself ends. A read of a file that does not hold its VM does not delay the end of
 * the VM, which can cut the read.
 *
 * LIFETIMES_COUNT is the number of times that all checks run (default: 1).
 */
#define _GNU_SOURCE
#include "kvm_stats_checks.h"
#include "lib/held_read.h"
#include "lib/vmm_end.h"
#include "lifetimes/repeat.h"

/* How often things were done, in memory that the processes of all checks share. */
static struct {
	unsigned long held;
	unsigned long ends;
} *totals;

/* The kernel copies the constants as a block, and stores the values one by one. */
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

	/* The read ends at a boundary between values: 512 is a multiple of their size. */
	return held_read_start(read, fd, offset, len < 512 ? len : 512);
}

/* No fd is left that could read the current values, but they can only grow a little. */
static const char *values_are_plausible(const struct stats_target *target,
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
		return stats_fail("the kernel no longer waits for the page: %s", strerror(errno));
	held_read_end(read);
	totals->held++;
	if (!target_holds_vm(target) && read->got > 0 && read->got < (ssize_t)read->len)
		read->len = read->got;
	if (read->got != (ssize_t)read->len)
		return stats_fail("a read of %zu bytes at %zu returns %zd: %s", read->len,
				  read->offset, read->got, strerror(errno));
	return values_are_plausible(target, read);
}

/* The reader, in the middle of a read, is the only user of the VM. */
static const char *reader_is_last(struct stats_target *target, struct held_read *read,
				  const struct vm_dir *dir)
{
	const char *message = target_holds_vm(target) ? vm_exists(dir, "during a read") :
							vm_disappears(dir, "during a read");

	if (!message)
		message = reuse_vm_memory();
	if (!message)
		message = finish_read(target, read);
	return message ? message : vm_disappears(dir, "after the read");
}

static const char *run_on_each_part(struct stats_target *target,
				    const char *(*run)(struct stats_target *target,
						       size_t part))
{
	long users = kvm_module_users();
	const char *message = NULL;
	size_t part;

	for (part = 0; part < NUM_PARTS && !message; part++)
		message = run(target, part);
	return message ? message : kvm_module_users_become(users);
}

/* The reader is another thread of the VMM. */
static const char *close_during_read(struct stats_target *target, size_t part)
{
	struct stats_target own = *target;
	struct held_read read;
	int fds[STATS_NUM_FDS];
	const char *message = target_vm(target, fds);
	struct vm_dir dir = vm_dir(getpid(), fds[STATS_FD_VM]);

	own.fd = fds[stats_fd_index(target)];
	if (!message)
		message = stats_file_load(&own.file, own.fd);
	if (!message)
		message = start_read(&own, part, own.fd, &read);
	if (message)
		return message;
	stats_close_fds(fds);
	message = reader_is_last(&own, &read, &dir);
	stats_file_free(&own.file);
	return message;
}

static const char *closed_during_read(struct stats_target *target)
{
	return run_on_each_part(target, close_during_read);
}

/* Another thread unmaps the buffer of the read. */
static const char *unmap_during_read(struct stats_target *target, size_t part)
{
	struct held_read read;
	const char *message = start_read(target, part, target->fd, &read);

	if (message)
		return message;
	if (held_read_unmap(&read))
		return stats_fail("munmap: %s", strerror(errno));
	held_read_end(&read);
	totals->held++;
	if (read.got < 0 && read.error == EFAULT && HELD_READ_PRESENT < STATS_COPY_UNIT)
		return NULL;
	if (read.got > HELD_READ_PRESENT || read.got <= HELD_READ_PRESENT - STATS_COPY_UNIT)
		return stats_fail("a read with memory for %d bytes returns %zd: %s",
				  HELD_READ_PRESENT, read.got, strerror(read.error));
	return stats_same(target, read.buf, read.got, read.offset, read.got);
}

static const char *unmapped_during_read(struct stats_target *target)
{
	return run_on_each_part(target, unmap_during_read);
}

/* The reader is another process than the VMM. */
static const char *end_during_read(struct stats_target *target, size_t part,
				   const struct vmm_end *end)
{
	struct stats_target remote = *target;
	struct stats_vmm vmm;
	struct held_read read;
	struct vm_dir dir;
	const char *message = vmm_start(&vmm, &dir);

	if (message)
		return message;
	remote.fd = keep_stats_fd(target, &vmm);
	message = stats_file_load(&remote.file, remote.fd);
	if (!message)
		message = start_read(&remote, part, remote.fd, &read);
	if (!message)
		message = end->end(&vmm);
	if (message)
		return message;
	totals->ends++;
	close(remote.fd);
	message = reader_is_last(&remote, &read, &dir);
	stats_file_free(&remote.file);
	vmm_finish(&vmm);
	return message;
}

static const char *any_end_during_read(struct stats_target *target, size_t part)
{
	return run_with_each_end(target, part, end_during_read);
}

static const char *vmm_ended_during_read(struct stats_target *target)
{
	return run_on_each_part(target, any_end_during_read);
}

/* A thread of this VMM reads. No process supplies the page, so the read never returns. */
static void reading_vmm_main(struct stats_target *target, size_t part, int socket)
{
	int fds[STATS_NUM_FDS];
	struct held_read read;
	const char *message;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	message = target_vm(target, fds);
	if (!message)
		message = start_read(target, part, fds[stats_fd_index(target)], &read);
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

	vmm_install_ends();
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
		return stats_fail("the VMM did not start to read");
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
		message = vm_exists(&dir, "while the VMM reads");
	if (message)
		return message;
	stats_must_end_in(HELD_READ_SECONDS, "ending a VMM during a read");
	message = end->end(&vmm);
	stats_must_end_in(0, "");
	if (!message)
		message = vm_disappears(&dir, "after the VMM ended during a read");
	vmm_finish(&vmm);
	totals->ends++;
	totals->held++;
	return message;
}

static const char *any_end_while_reading(struct stats_target *target, size_t part)
{
	return run_with_each_end(target, part, end_while_reading);
}

static const char *reading_vmm_ended(struct stats_target *target)
{
	return run_on_each_part(target, any_end_while_reading);
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
	if (lifetimes_skip_reason())
		return tap_skip_all(lifetimes_skip_reason());
	if (!held_read_is_possible())
		return tap_skip_all("this kernel has no userfaultfd, which the test needs");

	totals = shared_memory(sizeof(*totals));
	run_repeatedly(checks, ARRAY_SIZE(checks));
	tap_tried(totals->held, "reads held in the middle");
	tap_tried(totals->ends, "ends of VMMs during reads");
	return tap_end();
}
