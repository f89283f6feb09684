// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util.h"
#include "messages/name.h"
#include "messages/qmp.h"
#include "source/sources.h"

const char *qmp_reason(const struct vmm *vmm, char *buf, size_t size)
{
	char path[QMP_PATH_SIZE], why[128];
	const char *reason = qmp_strerror(vmm->qmp_error, why, sizeof(why));

	if (*vmm->qmp_path)
		snprintf(buf, size, "%s: %s", sanitize(vmm->qmp_path, path, sizeof(path)), reason);
	else
		snprintf(buf, size, "%s", reason);
	return buf;
}

void suggest_qmp(int err)
{
	switch (-err) {
	case ENXIO:
		complain("Start QEMU with -qmp unix:PATH,server=on,wait=off, or name its socket "
			 "with --qmp=PATH.");
		complain("The QMP socket of a guest of libvirt serves libvirt only.");
		break;
	case EACCES:
	case EPERM:
		complain("Run kvm-stats as root, or as the user that QEMU runs as.");
		break;
	case EBUSY:
		complain("QEMU serves one program at a time on each QMP socket. Start QEMU with "
			 "another -qmp for kvm-stats.");
		break;
	}
}

void explain_qmp(const struct vmm *vmm)
{
	char name[VMM_NAME_SIZE], why[2 * QMP_PATH_SIZE];

	complain("%s: cannot read statistics over QMP: %s", vmm_name(vmm, name, sizeof(name)),
		 qmp_reason(vmm, why, sizeof(why)));
	suggest_qmp(vmm->qmp_error);
}

bool offer_qmp(const struct vmm *vmm)
{
	struct qmp_paths paths = { 0 };
	char path[128];
	bool found;

	if (!HAVE_JSON)
		return false;
	qmp_find_paths(&paths, vmm->pid);
	found = paths.size;
	if (found)
		complain("QEMU listens for QMP on %s. Add --qmp to ask it for the statistics.",
			 sanitize(paths.argz, path, sizeof(path)));
	free(paths.argz);
	return found;
}
