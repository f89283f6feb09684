/* SPDX-License-Identifier: GPL-2.0-only */
/* A QEMU with its guest, and the queries of its statistics. */
#ifndef QEMU_SESSION_H
#define QEMU_SESSION_H

#include <stdbool.h>
#include <jansson.h>

#include "qemu/check/table.h"
#include "qemu/direct.h"
#include "qemu/qmp.h"
#include "qemu/vmm.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct session {
	bool native;		/* runs on the build host, not in a test machine */
	bool unpatched;		/* the kernel does not have the series */
	struct vmm_config config;
	struct vmm vmm;
	struct qmp qmp;
	bool booted;
	json_t *cpus;		/* query-cpus-fast */
	struct direct vm;
	struct direct vcpu[VMM_CPUS];
	int direct_error;	/* -errno if the direct fds could not be opened */
};

/* Reads the configuration from the environment. Exits if a variable is missing. */
void session_configure(struct session *s);

/*
 * Starts QEMU and waits for the QMP greeting. check_greeting() reports a missing greeting. Returns
 * 0 or -errno. On error, no process and no fd is left over.
 */
int session_start(struct session *s);
void session_end(struct session *s);

/* Calls qmp_call(), and prints a note if QEMU refuses the command. */
json_t *query(struct session *s, const char *command, json_t *args);

/* Executes query-stats. Consumes the filters @vcpus and @providers, which may be NULL. */
json_t *query_stats(struct session *s, const char *target, json_t *vcpus, json_t *providers);

/* Returns the statistics of one vCPU, or of the VM if @vcpu is -1. */
json_t *query_one(struct session *s, int vcpu, json_t *providers);

/* Returns the schemas of one target. */
json_t *query_schemas(struct session *s, const char *target, bool by_provider);

/* Checks that @answer is an empty array. Consumes @answer. */
enum verdict expect_empty(json_t *answer);

/* Checks that QEMU refuses @command because of the provider. */
enum verdict expect_refused(struct session *s, const char *command, json_t *args);

#endif /* QEMU_SESSION_H */
