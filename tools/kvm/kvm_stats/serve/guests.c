// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc.h"
#include "serve/names.h"
#include "util.h"

/* ---- cgroups ---- */

/* Removes what systemd adds: "machine-qemu\x2dweb.scope" is "machine-qemu-web". */
static void name_of_unit(char *unit)
{
	unsigned int code;
	char *to = unit;
	int len;

	*strrchr(unit, '.') = '\0';
	for (; *unit; unit += len) {
		len = sscanf(unit, "\\x%2x", &code) == 1 ? 4 : 1;
		*to++ = len == 4 ? (char)code : *unit;
	}
	*to = '\0';
}

/* Returns the systemd scope of the process, or else its innermost cgroup, or NULL. */
static char *cgroup_of(pid_t pid)
{
	char text[4096], *path = text, *part, *last = NULL;

	if (!proc_read(text, sizeof(text), "%d/cgroup", (int)pid))
		return NULL;
	/* The first hierarchy in which the process is not in the root */
	while ((path = strstr(path, ":/")) && (!path[2] || path[2] == '\n'))
		path += 2;
	if (!path)
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	for (part = strtok_r(path + 1, "/", &path); part; part = strtok_r(NULL, "/", &path)) {
		if (strcmp(part, "..") && (!last || !ends_with(last, ".scope")))
			last = part;
	}
	if (last && (ends_with(last, ".scope") || ends_with(last, ".service")))
		name_of_unit(last);
	return last ? strdup(last) : NULL;
}

/* ---- states ---- */

/*
 * The other threads are not examined, because a host has thousands. While the main thread of QEMU
 * does not run, it answers no requests, and handles no I/O of its guest.
 */
static enum vmm_state state_of(pid_t pid)
{
	struct task task;

	if (!pid || !task_read(&task, pid, 0))
		return VMM_UNKNOWN;
	if (task_is_stopped(&task))
		return VMM_STOPPED;
	return task.state == 'D' ? VMM_BLOCKED : VMM_RUNS;
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

/* The cgroup is kept, so that the name does not change while the process ends. */
static const char *name_of(struct vmm *vmm)
{
	if (is_named(vmm))
		return vmm->guest;
	if (!vmm->cgroup && vmm->pid)
		vmm->cgroup = cgroup_of(vmm->pid);
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
			.state = state_of(vmm->pid),
		};
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
