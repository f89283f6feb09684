// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "util.h"
#include "messages/name.h"

const char *vmm_name(const struct vmm *vmm, char *buf, size_t size)
{
	char comm[64], guest[128];

	sanitize(vmm->comm, comm, sizeof(comm));
	if (!vmm->kvm)
		snprintf(buf, size, "the whole machine");
	else if (!vmm->pid)
		snprintf(buf, size, "%s", vmm->guest);
	else if (vmm->guest)
		snprintf(buf, size, "PID %d (%s), guest \"%s\"", (int)vmm->pid, comm,
			 sanitize(vmm->guest, guest, sizeof(guest)));
	else
		snprintf(buf, size, "PID %d (%s)", (int)vmm->pid, comm);
	return buf;
}
