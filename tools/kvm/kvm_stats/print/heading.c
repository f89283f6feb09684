// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "print/heading.h"
#include "util.h"

void print_heading(const struct vmm *vmm)
{
	char buf[256];

	if (!vmm->kvm) {
		printf("# whole machine; source: %s\n",
		       origins_text(vmm_origins(vmm), buf, sizeof(buf)));
		return;
	}
	if (!vmm->pid)
		printf("# %s", vmm->guest);
	else
		printf("# PID %d (%s)", (int)vmm->pid, sanitize(vmm->comm, buf, sizeof(buf)));
	if (vmm->pid && vmm->guest)
		printf(", guest \"%s\"", sanitize(vmm->guest, buf, sizeof(buf)));
	printf(": %zu VM%s, %zu vCPU%s; source: %s\n", vmm->vms, plural(vmm->vms), vmm->vcpus,
	       plural(vmm->vcpus), origins_text(vmm_origins(vmm), buf, sizeof(buf)));
}
