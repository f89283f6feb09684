/* SPDX-License-Identifier: GPL-2.0-only */
/* A VMM that is being looked at, and the open statistics of its VMs and vCPUs. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "filter.h"
#include "kvmstats.h"

#define LABEL_SIZE	48

struct source {
	const struct kvmstats_target *target;
	char label[LABEL_SIZE];
	int fd;
	enum kvmstats_origin origin;
	const struct kvmstats_schema *schema;
	struct kvmstats_sample *now;
	struct kvmstats_sample *before;
};

struct session {
	pid_t pid;
	struct kvmstats_vmm *vmm;
	struct source *source;
	size_t sources;
	struct kvmstats_schema **schema;	/* as many as differ, mostly two */
	size_t schemas;
};

/* -1 after a complaint. */
pid_t session_parse_pid(const char *text);

/* After getopt_long(): false after a complaint if something is missing or left over. */
bool session_check_arguments(int argc, char **argv, pid_t pid);

/*
 * Opens the statistics of what @filter takes.  False after a complaint; what
 * cannot be had of a VMM that has other numbers is complained about only.
 */
bool session_open(struct session *session, pid_t pid, const struct filter *filter);
void session_close(struct session *session);

/* Makes the last sample the one before, and reads a new one: 0 or -errno. */
int session_sample(struct session *session);

/* "vm", "vcpu0"; of several VMs "vm0", "vm?/vcpu0#12" (12: the VMM's fd). */
void session_label(const struct kvmstats_vmm *vmm, const struct kvmstats_target *target,
		   char *label);

/* A line of comment on whose numbers these are. */
void session_print_head(const struct session *session);

#endif /* SESSION_H */
