// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file system whose only file can be opened and mapped, but never read.
 *
 * usage: jam DIRECTORY
 *
 * Mounts itself on DIRECTORY, prints "ready", and "held" for each read of the file "page", which it
 * does not answer. A process that waits for the page is in uninterruptible sleep until this program
 * ends. It ends after 30 seconds, so that no bug in a test blocks the host for longer.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <signal.h>
#include <unistd.h>

#define LIMIT	30	/* in s */
#define FILE_ID	2
#define FOREVER	1000000

static char request[1 << 17];

static int answer(int fd, uint64_t unique, int err, void *data, size_t size)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof(header) + size), .error = -err, .unique = unique,
	};
	struct iovec part[] = { { &header, sizeof(header) }, { data, size } };

	return writev(fd, part, 2) < 0 ? -errno : 0;
}

static struct fuse_attr attributes(uint64_t id)
{
	return (struct fuse_attr){
		.ino = id, .nlink = 1, .size = id == FILE_ID ? 4096 : 0,
		.mode = id == FILE_ID ? S_IFREG | 0444 : S_IFDIR | 0755,
	};
}

static void handle(int fd, const struct fuse_in_header *header)
{
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096,
	};
	struct fuse_entry_out entry = {
		.nodeid = FILE_ID, .attr = attributes(FILE_ID), .entry_valid = FOREVER,
		.attr_valid = FOREVER,
	};
	struct fuse_attr_out attr = {
		.attr = attributes(header->nodeid), .attr_valid = FOREVER,
	};
	struct fuse_open_out open = { .fh = 1 };

	switch (header->opcode) {
	case FUSE_INIT:
		answer(fd, header->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		answer(fd, header->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		answer(fd, header->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(fd, header->unique, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		puts("held");
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(fd, header->unique, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[64];

	if (argc != 2 || fd < 0) {
		perror("jam: /dev/fuse");
		return 1;
	}
	alarm(LIMIT);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mount("jam", argv[1], "fuse", MS_NOSUID | MS_NODEV, options)) {
		perror("jam: mount");
		return 1;
	}
	puts("ready");
	for (;;) {
		if (read(fd, request, sizeof(request)) > 0)
			handle(fd, (const struct fuse_in_header *)request);
		else if (errno != EINTR && errno != ENOENT)
			return 0;
	}
}
