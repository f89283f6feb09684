/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of the Python program kvm_stat. They have the same meaning here. */
#ifndef OPTIONS_KVM_STAT_H
#define OPTIONS_KVM_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options/options.h"
#include "targets/filter.h"
#include "targets/source.h"

struct kvm_stat_options {
	struct filter filter;		/* -f, -p, -g, --vm, --vcpu */
	enum sources sources;		/* -d, -t */
	bool include_past;		/* -i: totals since the VM was created */
	bool list_names;		/* -f help */
	bool once;			/* -1 */
	bool log;			/* -l, -L */
	const char *file;		/* -L */
	bool csv;			/* -c */
	bool skip_zero;			/* -z */
	uint64_t delay;			/* -s, in ns */
	unsigned long count;		/* -n, not in kvm_stat: number of records; 0: no limit */
};

/* For usage texts. */
extern const char kvm_stat_options_help[];

void kvm_stat_options_init(struct kvm_stat_options *options);

/*
 * Returns -1 to continue, or the exit status: after a message about a wrong option, or after
 * @usage was called for --help.
 */
int kvm_stat_options_parse(struct kvm_stat_options *options, int argc, char **argv,
			   usage_fn usage);
/* The argument of -s. Prints a message and returns false if it is not valid. */
bool kvm_stat_parse_delay(struct kvm_stat_options *options, const char *text);

void kvm_stat_options_free(struct kvm_stat_options *options);

#endif /* OPTIONS_KVM_STAT_H */
