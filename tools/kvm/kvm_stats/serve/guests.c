// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc.h"
#include "serve/names.h"
#include "util.h"

/* ---- processes ---- */

/*
 * The other threads are not examined, because a host has thousands. While the main thread of QEMU
 * does not run, it answers no requests, and handles no I/O of its guest.
 */
static void read_process(struct guest *guest, pid_t pid)
{
	struct task task;

	if (!pid || !task_read(&task, pid, 0))
		return;
	guest->cpu_time = task.user + task.kernel;
	guest->memory = task.memory;
	guest->state = task.state == 'D' ? VMM_BLOCKED : VMM_RUNS;
	if (task_is_stopped(&task))
		guest->state = VMM_STOPPED;
}

/* Writes why statistics are missing. */
static void write_error(const struct vmm *vmm, char *buf)
{
	const char *what = vmm_lacks_only_vm(vmm) ? "VM values missing: " : "";
	const struct unread *unread = &vmm->unread;

	if (unread->fd_error && !vmm_has_sums(vmm))
		snprintf(buf, ERROR_SIZE, "%s%s", what, error_text(unread->fd_error));
	else if (unread->debugfs_error)
		snprintf(buf, ERROR_SIZE, "%sdebugfs: %s", what, strerror(-unread->debugfs_error));
	else
		snprintf(buf, ERROR_SIZE, "unknown");
}

/* ---- all guests ---- */

static bool is_named(const struct vmm *vmm)
{
	return vmm->guest && *vmm->guest;
}

static const char *name_of(const struct vmm *vmm)
{
	if (is_named(vmm))
		return vmm->guest;
	return vmm->cgroup ? vmm->cgroup : "";
}

static void mark_ambiguous(struct guest *guests, size_t count)
{
	struct guest *a, *b;

	for (a = guests; a < guests + count; a++) {
		a->ambiguous |= !*a->name && !*a->uuid;
		for (b = a + 1; b < guests + count; b++) {
			if (strcmp(a->uuid, b->uuid) || strcmp(a->name, b->name))
				continue;
			a->ambiguous = true;
			b->ambiguous = true;
		}
	}
}

bool examine_guests(struct guest **guests, const struct monitor *monitor)
{
	struct guest *guest = reallocarray(*guests, monitor->vmms + 1, sizeof(*guest));
	size_t i;

	if (!guest)
		return false;
	*guests = guest;
	for (i = 0; i < monitor->vmms; i++) {
		struct vmm *vmm = monitor->vmm[i];

		guest[i] = (struct guest){
			.vmm = vmm, .name = name_of(vmm), .uuid = vmm->uuid ? vmm->uuid : "",
			.state = VMM_UNKNOWN,
		};
		read_process(&guest[i], vmm->pid);
		if (vmm_fails(vmm, monitor->options.filter))
			write_error(vmm, guest[i].error);
	}
	mark_ambiguous(guest, monitor->vmms);
	return true;
}

/* ---- labels ---- */

void put_label(FILE *to, char before, const char *name, const char *value)
{
	uint32_t character;
	size_t len;

	fprintf(to, "%c%s=\"", before, name);
	for (; *value; value += len ? len : 1) {
		len = utf8_decode(value, &character);
		if (!len)
			fputs("\xef\xbf\xbd", to);
		else if (*value == '\n')
			fputs("\\n", to);
		else if (*value == '"' || *value == '\\')
			fprintf(to, "\\%c", *value);
		else
			fwrite(value, 1, len, to);
	}
	fputc('"', to);
}

void put_guest(FILE *to, const struct guest *guest)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "pid %d", (int)guest->vmm->pid);
	put_label(to, '{', "guest",
		  guest->ambiguous && !is_named(guest->vmm) ? pid : guest->name);
	put_label(to, ',', "uuid", guest->uuid);
}

void put_guest_labels(FILE *to, const struct guest *guest)
{
	put_guest(to, guest);
	if (guest->ambiguous && is_named(guest->vmm) && guest->vmm->pid)
		fprintf(to, ",pid=\"%d\"", (int)guest->vmm->pid);
}
