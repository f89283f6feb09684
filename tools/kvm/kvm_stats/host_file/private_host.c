// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host_file/loader.h"
#include "private_host.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif
#ifndef CAP_BPF
#define CAP_BPF		39
#endif

struct private_host {
	struct loader loader;
};

static bool has_capability(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

/* CAP_SYS_ADMIN includes the other two. */
static bool may_load(void)
{
	return has_capability(CAP_SYS_ADMIN) ||
	       (has_capability(CAP_BPF) && has_capability(CAP_PERFMON));
}

struct private_host *private_host_open(enum counted_exits exits, struct message *why)
{
	struct private_host *host;

	if (!may_load())
		return NULL;
	host = malloc(sizeof(*host));
	if (!host) {
		message_no_memory(why);
		return NULL;
	}
	if (!loader_open_with_exits(&host->loader, exits)) {
		/* The VM of the proof would be a guest of the host until this process ends. */
		loader_close_vm(&host->loader);
		return host;
	}
	message_set(why, "%s", host->loader.error);
	private_host_close(host);
	return NULL;
}

/* If it fails, the statistics of the VMM do not change. */
void private_host_choose(struct private_host *host, pid_t pid, bool chosen)
{
	if (HAVE_EXITS && host->loader.exits == EXITS_OF_CHOSEN)
		exits_choose(&host->loader, pid, chosen);
}

int private_host_pass(void *arg)
{
	struct private_host *host = arg;
	int fd = loader_pass(&host->loader);

	return fd >= 0 ? fd : -errno;
}

void private_host_close(struct private_host *host)
{
	if (host)
		loader_close(&host->loader);
	free(host);
}
