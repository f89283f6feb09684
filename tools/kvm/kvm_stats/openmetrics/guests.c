// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "openmetrics/guests.h"
#include "openmetrics/label.h"
#include "openmetrics/metadata.h"

static const struct metadata up_metadata = {
	"kvm_guest_up", FAMILY_GAUGE, NULL,
	"1 if kvm-stats can read the statistics of all selected vCPUs of the guest.",
};

static const struct metadata info_metadata = {
	"kvm_guest", FAMILY_INFO, NULL,
	"PID and name of the VMM, source of the statistics, and why some cannot be read.",
};

static const struct metadata vcpus_metadata = {
	"kvm_guest_vcpus", FAMILY_GAUGE, NULL, "Number of vCPUs of the guest.",
};

bool is_up(const struct vmm *vmm, const struct filter *filter)
{
	if (vmm_has_sums(vmm))
		return !vmm->debugfs_error;
	return vmm_may_lack_vm(vmm, filter) ||
	       (!vmm->fd_error && !vmm->missing && !vmm->debugfs_error);
}

/* Writes why statistics are missing, or nothing. */
static const char *error_of(const struct vmm *vmm, char *buf, size_t size)
{
	const char *what = vmm_lacks_only_vm(vmm) ? "VM values missing: " : "";
	char why[128];

	*buf = '\0';
	if (vmm->fd_error && !vmm_has_sums(vmm))
		snprintf(buf, size, "%s%s", what,
			 kvmstats_strerror(vmm->fd_error, why, sizeof(why)));
	else if (vmm->debugfs_error)
		snprintf(buf, size, "%sdebugfs: %s", what, strerror(-vmm->debugfs_error));
	return buf;
}

static void put_info(struct text *text, const struct identity *identity)
{
	const struct vmm *vmm = identity->vmm;
	char pid[16] = "", source[64], error[160];

	if (vmm->pid)
		snprintf(pid, sizeof(pid), "%d", (int)vmm->pid);
	text_puts(text, "kvm_guest_info{");
	put_guest(text, identity);
	put_label(text, "pid", pid);
	put_label(text, "vmm", vmm->comm ? vmm->comm : "");
	put_label(text, "source", vmm_sources(vmm, source, sizeof(source)));
	put_label(text, "error", error_of(vmm, error, sizeof(error)));
	text_puts(text, "} 1\n");
}

static void put_sample(struct text *text, const struct metadata *metadata,
		       const struct identity *identity, const struct filter *filter)
{
	const struct vmm *vmm = identity->vmm;

	if (metadata == &info_metadata) {
		put_info(text, identity);
		return;
	}
	text_printf(text, "%s{", metadata->name);
	put_guest_labels(text, identity);
	text_puts(text, "} ");
	text_put_number(text, metadata == &up_metadata ? is_up(vmm, filter) : vmm->vcpus);
	text_puts(text, "\n");
}

void put_guests(const struct exposition *out, const struct identities *identities,
		const struct filter *filter)
{
	static const struct metadata * const families[] = {
		&up_metadata, &info_metadata, &vcpus_metadata,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		put_metadata(out, families[i]);
		for (j = 0; j < identities->count; j++) {
			if (vmm_key(identities->identity[j].vmm))
				put_sample(out->text, families[i], &identities->identity[j],
					   filter);
		}
	}
}
