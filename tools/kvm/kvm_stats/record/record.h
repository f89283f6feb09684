/* SPDX-License-Identifier: GPL-2.0-only */
/* The command that records what the guests do. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "options.h"
#include "util.h"

#if HAVE_ZSTD
int command_record(int argc, char **argv);
#else
static inline int command_record(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	complain("record is not available: kvm-stats was built without libzstd");
	return STATUS_FAILED;
}
#endif

#endif /* RECORD_RECORD_H */
