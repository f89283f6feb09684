// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* What errors of this library mean. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const struct {
	int err;
	const char *text;
} meanings[] = {
	{ ESRCH, "no such process" },
	{ ENODEV, "the process has no VM or vCPU fds, so it is not a KVM VMM" },
	{ EACCES, "not allowed to look at the fds of the process" },
	{ EPERM, "not allowed to take fds of the process" },
	{ EOPNOTSUPP, "this kernel has no binary KVM statistics" },
	{ EIO, "this kernel opens statistics for the VMM only, and the VMM holds none" },
	{ ESTALE, "changed in the meantime" },
	{ EPROTO, "not a KVM statistics file, or a damaged one" },
	{ EOVERFLOW, "a KVM statistics file beyond all sensible limits, or a value too long" },
	{ ENODATA, "nothing read yet" },
	{ ENOSYS, "this kernel lacks pidfd_open() or pidfd_getfd(), which are in 5.6 and later" },
};

/* Whichever strerror_r() the C library has: one returns a string, one an int. */
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
	for (i = 0; i < ARRAY_SIZE(meanings); i++) {
		if (meanings[i].err == err)
			return meanings[i].text;
	}
	return system_text(err, buf, size);
}
