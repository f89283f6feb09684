/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kvm_exit and kvm_userspace_exit are also counted for each exit reason. This is the field of
 * the tracepoint that has the reason, and the names of the reasons.
 */
#ifndef SOURCE_EXIT_REASON_H
#define SOURCE_EXIT_REASON_H

#include <stddef.h>

struct exit_reason {
	unsigned int number;
	const char *name;
};

struct exit_reasons {
	const char *field;
	const struct exit_reason *reason;
	size_t reasons;
};

/*
 * @machine is utsname.machine of the host. @svm is for x86: the CPU has SVM and not VMX.
 * Returns NULL if the tracepoint @event has no exit reasons.
 */
const struct exit_reasons *exit_reasons_for(const char *event, const char *machine, int svm);

/* The same for the machine that kvm-stats runs on. */
const struct exit_reasons *exit_reasons_for_this_machine(const char *event);

#endif /* SOURCE_EXIT_REASON_H */
