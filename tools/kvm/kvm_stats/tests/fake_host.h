/* SPDX-License-Identifier: GPL-2.0-only */
/* A monitor with fake VMMs, for tests of expositions. */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include <stdio.h>
#include <stdlib.h>

#include "serve/serve.h"

static struct filter filter;
static struct monitor monitor = {
	.options.filter = &filter, .sets.filter = &filter, .generation = 1, .denied = 3,
};

static void fail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static struct vmm *add_vmm(pid_t pid, const char *guest, size_t vms, size_t vcpus)
{
	struct vmm *vmm = calloc(1, sizeof(*vmm));
	struct vmm **more = realloc(monitor.vmm, (monitor.vmms + 1) * sizeof(*more));

	if (!vmm || !more)
		fail("out of memory");
	vmm->pid = pid;
	vmm->comm = "qemu-system-x86";
	vmm->guest = guest;
	vmm->vms = vms;
	vmm->vcpus = vcpus;
	monitor.vmm = more;
	monitor.vmm[monitor.vmms++] = vmm;
	return vmm;
}

static const struct source image_source;

/* Adds a VM, or a vCPU if @from->vcpu is not negative. Its sample is empty. */
static struct target *add_target_of(struct vmm *vmm, const struct target *from)
{
	struct target *target = target_add(vmm, from);

	if (!target)
		fail("out of memory");
	return target;
}

#endif /* FAKE_HOST_H */
