// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <string.h>

#include "kvmstats.h"

#define HELP_X86	1u
#define HELP_ARM64	2u
#define HELP_S390	4u
#define HELP_BOOK3S	8u
#define HELP_BOOKE	16u
#define HELP_MIPS	32u
#define HELP_ALL	63u

#if defined(__x86_64__) || defined(__i386__)
#define HELP_HERE	HELP_X86
#elif defined(__aarch64__)
#define HELP_HERE	HELP_ARM64
#elif defined(__s390x__)
#define HELP_HERE	HELP_S390
#elif defined(__powerpc64__)
#define HELP_HERE	HELP_BOOK3S
#elif defined(__powerpc__)
#define HELP_HERE	HELP_BOOKE
#elif defined(__mips__)
#define HELP_HERE	HELP_MIPS
#else
#define HELP_HERE	HELP_ALL
#endif

static const struct {
	unsigned int architectures;
	enum kvmstats_kind kind;
	const char *name;
	const char *text;
} help[] = {
#include "help_table.h"
	/* Later kernels have it. The reference is that of 5.10. */
	{ HELP_X86, KVMSTATS_KIND_VCPU, "notify_window_exits",
	  "The vCPU left the guest because the CPU could not deliver events for as long as the notify "
	  "window." },
};

const char *kvmstats_stat_help(const char *name, enum kvmstats_kind kind)
{
	size_t i;

	for (i = 0; i < sizeof(help) / sizeof(help[0]); i++) {
		if (help[i].architectures & HELP_HERE && help[i].kind == kind &&
		    !strcmp(help[i].name, name))
			return help[i].text;
	}
	return NULL;
}
