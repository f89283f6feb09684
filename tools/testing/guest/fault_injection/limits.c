// SPDX-License-Identifier: GPL-2.0-only
/* KVM_STATS_GETFD at the limits of open files. */
#define _GNU_SOURCE
#include "fault_injection/fault_injection.h"
#include "kvm_stats_check_fd.h"
#include "lib/unprivileged.h"

#define FILE_MAX	"/proc/sys/fs/file-max"

const char *emfile(struct stats_target *target)
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

/* The limit does not apply to root. */
static const char *enfile_unprivileged(struct stats_target *target)
{
	const char *message = become_unprivileged();
	int first_free;
	unsigned int fds = count_fds(&first_free);

	if (!message)
		message = stats_refused("KVM_STATS_GETFD beyond " FILE_MAX,
					run_getfd(target), ENFILE);
	return message ? message : no_fd_is_lost(fds);
}

static const char *open_unprivileged(struct stats_target *target)
{
	const char *message = become_unprivileged();
	int fd;

	return message ? message : stats_getfd(target->getfd_fd, &fd);
}

const char *enfile(struct stats_target *target)
{
	char limit[32] = "";
	const char *message, *restored;
	int fd;

	if (!getenv("BOOT_VARIANT"))
		return stats_skip("this check changes " FILE_MAX
				  "; set BOOT_VARIANT to allow that");
	fd = open(FILE_MAX, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, limit, sizeof(limit) - 1) <= 0)
		return stats_fail(FILE_MAX ": %s", strerror(errno));
	close(fd);
	message = write_file(FILE_MAX, "0");
	if (!message)
		message = stats_in_child(target, enfile_unprivileged);
	restored = write_file(FILE_MAX, limit);
	if (message || restored)
		return message ? message : restored;
	message = stats_in_child(target, open_unprivileged);
	return message ? message : target_disappears(target);
}
