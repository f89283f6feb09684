/* SPDX-License-Identifier: GPL-2.0-only */
/* The command that publishes the host file. */
#ifndef PUBLISH_H
#define PUBLISH_H

#include "options.h"
#include "util.h"

#if HAVE_BPF
int command_publish(int argc, char **argv);
#else
static inline int command_publish(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	complain("publish is not available: kvm-stats was built without libbpf");
	return STATUS_FAILED;
}
#endif

#endif /* PUBLISH_H */
