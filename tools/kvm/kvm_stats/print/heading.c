// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "util.h"
#include "print/heading.h"

static void print_origins(const struct vmm *vmm)
{
	unsigned int printed = 0;
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		enum origin origin = vmm->target[i]->origin;

		if (printed & 1u << origin)
			continue;
		printf("%s%s", printed ? " and " : "", origin_text(origin));
		printed |= 1u << origin;
	}
}

void print_heading(const struct vmm *vmm)
{
	char buf[256];

	if (!vmm->kvm) {
		printf("# whole machine; source: ");
		print_origins(vmm);
		putchar('\n');
		return;
	}
	if (!vmm->pid)
		printf("# %s", vmm->guest);
	else
		printf("# PID %d (%s)", (int)vmm->pid, sanitize(vmm->comm, buf, sizeof(buf)));
	if (vmm->pid && vmm->guest)
		printf(", guest \"%s\"", sanitize(vmm->guest, buf, sizeof(buf)));
	printf(": %zu VM%s, %zu vCPU%s; source: ", vmm->vms, plural(vmm->vms), vmm->vcpus,
	       plural(vmm->vcpus));
	print_origins(vmm);
	putchar('\n');
}
