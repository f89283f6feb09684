/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of a check of KVM statistics: NULL if the check passed, otherwise
 * a message.  stats_fail() returns the message of a check that failed,
 * stats_skip() that of a check that cannot run on this host.
 *
 * A message is valid until the next call of either function.  Its text may be
 * passed as an argument to that call.
 */
#ifndef SELFTEST_KVM_STATS_MESSAGE_H
#define SELFTEST_KVM_STATS_MESSAGE_H

#ifndef __printf
#define __printf(fmt, args)	__attribute__((__format__(__printf__, fmt, args)))
#endif

#define STATS_MESSAGE_SIZE	512
#define STATS_SKIP_PREFIX	"SKIP "

__printf(1, 2) const char *stats_fail(const char *fmt, ...);
__printf(1, 2) const char *stats_skip(const char *fmt, ...);

#endif /* SELFTEST_KVM_STATS_MESSAGE_H */
