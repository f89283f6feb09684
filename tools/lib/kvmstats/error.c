// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Error messages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const struct {
	int err;
	const char *text;
} messages[] = {
	{ ESRCH, "no such process" },
	{ ENODEV,
	  "the process has no VM or vCPU fds, so it is not a KVM VMM, or the VM has ended" },
	{ EACCES, "not permitted to list the fds of the process" },
	{ EPERM, "not permitted to duplicate fds of the process" },
	{ EOPNOTSUPP, "this kernel has no binary KVM statistics" },
	{ EIO,
	  "this kernel opens statistics for the VMM only, and the VMM holds no statistics fd" },
	{ ESTALE, "the fd was closed or the value was cleared in the meantime" },
	{ EPROTO, "not a KVM fd, or not a valid KVM statistics file" },
	{ E2BIG, "a structure has members that this version of the library does not know" },
	{ EOVERFLOW, "a size exceeds the limits of the library or of the buffer" },
	{ ENODATA, "the sample has not been read yet" },
	{ ENOSYS,
	  "this kernel lacks pidfd_open() or pidfd_getfd(), which need Linux 5.6 or later" },
};

/* glibc has a strerror_r() that returns a string. The one of POSIX returns an int. */
static const char *system_text(int err, char *buf, size_t size)
{
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
	return strerror_r(err, buf, size);
#else
	return strerror_r(err, buf, size) ? "unknown error" : buf;
#endif
}

const char *kvmstats_strerror(int err, char *buf, size_t size)
{
	size_t i;

	err = abs(err);
	for (i = 0; i < ARRAY_SIZE(messages); i++) {
		if (messages[i].err == err)
			return messages[i].text;
	}
	return system_text(err, buf, size);
}
