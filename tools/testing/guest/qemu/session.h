/* SPDX-License-Identifier: GPL-2.0-only */
/* One QEMU with its guest, and the questions that it is asked. */
#ifndef QEMU_SESSION_H
#define QEMU_SESSION_H

#include <stdbool.h>
#include <jansson.h>

#include "direct.h"
#include "qmp.h"
#include "tap.h"
#include "vmm.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct session {
	bool native;		/* on the build machine, not in a boot */
	struct vmm_config config;
	struct vmm vmm;
	struct qmp qmp;
	bool booted;
	json_t *cpus;		/* query-cpus-fast */
	struct direct vm;
	struct direct vcpu[VMM_CPUS];
	int direct_error;	/* why there are none, -errno */
};

/* What the environment says; exits if that is not enough. */
void session_configure(struct session *s);

/*
 * Start QEMU and greet it; a QEMU that does not greet back is left to the
 * points.  Returns 0 or -errno; on error nothing is left behind.
 */
int session_start(struct session *s);
void session_end(struct session *s);

/* qmp_call(), with a note if QEMU refuses. */
json_t *ask(struct session *s, const char *command, json_t *args);

/* query-stats; @vcpus and @providers are filters, consumed, NULL for none. */
json_t *query_stats(struct session *s, const char *target, json_t *vcpus, json_t *providers);

/* query-stats of one target: its statistics alone.  @vcpu -1 is the VM. */
json_t *query_one(struct session *s, int vcpu, json_t *providers);

/* query-stats-schemas: those of one target. */
json_t *query_schemas(struct session *s, const char *target, bool by_provider);

/* @answer, consumed, has to be an empty array. */
enum verdict expect_empty(json_t *answer);

/* QEMU has to refuse @command because of the provider. */
enum verdict expect_refused(struct session *s, const char *command, json_t *args);

#endif /* QEMU_SESSION_H */
