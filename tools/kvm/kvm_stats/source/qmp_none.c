// SPDX-License-Identifier: GPL-2.0-only
/* The QMP source of a kvm-stats without jansson: it has no targets. */
#include "source/qmp.h"

static int attach(struct source_context *context, struct vmm *vmm)
{
	(void)context;
	(void)vmm;
	return 0;
}

const struct source source_qmp = {
	.attach = attach,
};
