/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of Python's kvm_stat, which mean here what they mean there. */
#ifndef KVM_STAT_OPTIONS_H
#define KVM_STAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor.h"

struct kvm_stat_options {
	struct filter filter;		/* -f, from the beginning of names; -p, -g, --vm, --vcpu */
	enum sources sources;		/* -d, -t */
	bool include_past;		/* -i: what was counted before we started */
	bool list_names;		/* -f help */
	bool once;			/* -1 */
	bool log;			/* -l, -L */
	const char *file;		/* -L */
	bool csv;			/* -c */
	bool skip_zero;			/* -z */
	uint64_t delay;			/* -s, in ns */
	unsigned long count;		/* -n, which is ours: how many records; 0: no end */
};

/* Lines for a usage text. */
extern const char kvm_stat_options_help[];

void kvm_stat_options_init(struct kvm_stat_options *options);

/* -1, or the status to leave with: after a complaint, or the text of @usage. */
int kvm_stat_options_parse(struct kvm_stat_options *options, int argc, char **argv,
			   void (*usage)(void));
void kvm_stat_options_free(struct kvm_stat_options *options);

#endif /* KVM_STAT_OPTIONS_H */
