/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this folder share, and what unit tests call. */
#ifndef SOURCE_SOURCES_H
#define SOURCE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "model.h"
#include "source/perf_group.h"

/* ---- debugfs ---- */

/* Reads this directory instead of kvm/ in debugfs, for tests. @path must stay valid. */
void debugfs_set_path(const char *path);

/* ---- tracepoints ---- */

/*
 * kvm_exit and kvm_userspace_exit are also counted for each exit reason. This is the field of
 * the tracepoint that has the reason, and the names of the reasons.
 */
struct exit_reasons {
	const char *field;
	const struct exit_reason {
		unsigned int number;
		const char *name;
	} *reason;
	size_t reasons;
};

/*
 * @machine is utsname.machine of the host. @svm is for x86: the CPU has SVM and not VMX.
 * Returns NULL if the tracepoint @event has no exit reasons.
 */
const struct exit_reasons *exit_reasons_for(const char *event, const char *machine, int svm);

/* Sorted by name. kvm_exit is followed by its exit reasons, such as "kvm_exit(HLT)". */
struct tracepoints {
	struct tracepoint {
		char *name;
		struct perf_counter counter;
	} *tracepoint;
	size_t count;
	size_t capacity;
};

/*
 * Reads the directory @kvm (NULL: events/kvm in tracefs). Returns 0, -ENODEV if
 * there are no tracepoints of KVM, or another -errno.
 */
int tracepoints_list(struct tracepoints *tracepoints, const char *kvm,
		     const struct exit_reasons *(*reasons_of)(const char *event));
void tracepoints_free(struct tracepoints *tracepoints);

/* ---- QMP ---- */

/* Paths of QMP sockets. Initialize it with zeros. */
struct qmp_paths {
	char *argz;		/* see argz_next(); the caller frees it */
	size_t size;
};

/*
 * Finds the QMP sockets on the command line of the VMM: those of -qmp, and of -mon with -chardev,
 * if QEMU listens there. Returns 0 or -errno.
 */
int qmp_find_paths(struct qmp_paths *paths, const struct vmm *vmm);

/* The same for the text of a command line, see kvmstats_vmm_cmdline(). */
int qmp_parse_cmdline(struct qmp_paths *paths, const char *cmdline, size_t size);

/*
 * Connects to a socket that process @pid listens on. @of_vmm: @path belongs to the file system of
 * that process. Returns a nonblocking fd, or -errno. -EREMOTE: another process listens there.
 * -EBUSY: too many programs wait for a connection.
 */
int qmp_connect(const char *path, bool of_vmm, pid_t pid);

#endif /* SOURCE_SOURCES_H */
