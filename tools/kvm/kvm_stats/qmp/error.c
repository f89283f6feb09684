// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "kvmstats.h"
#include "qmp/error.h"

const char *qmp_strerror(int err, char *buf, size_t size)
{
	switch (-err) {
	case ENXIO:
		return "found no QMP socket of this process";
	case EREMOTE:
		return "another process listens on the socket";
	case ECONNREFUSED:
		return "no process listens on the socket";
	case EBUSY:
		return "the VMM does not greet; another program may be connected to the socket";
	case ETIMEDOUT:
		return "the VMM does not answer in time";
	case EPROTO:
		return "the VMM does not speak QMP, or its answer is not valid";
	case EOVERFLOW:
		return "the answer is too long";
	case ECONNRESET:
		return "the VMM has closed the connection";
	case EOPNOTSUPP:
		return "this QEMU has no query-stats (QEMU 7.1 and later have it)";
	case EIO:
		return "QEMU cannot read its statistics";
	case ENODATA:
		return "QEMU has no statistics of the VM or vCPU (KVM has them from Linux 5.14 on)";
	case ENOTUNIQ:
		return "the process has several VMs, and QMP knows one";
	default:
		return kvmstats_strerror(err, buf, size);
	}
}
