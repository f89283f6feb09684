// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/answer.h"
#include "qemu/session.h"

static const char *setting(const char *name, const char *preset)
{
	const char *value = getenv(name) ?: preset;

	if (value)
		return value;
	fprintf(stderr, "%s: %s is not set; expected a path below $BOOT_HOST\n",
		program_invocation_short_name, name);
	exit(2);
}

void session_configure(struct session *s)
{
	const char *variant = getenv("BOOT_VARIANT");

	s->native = !variant;
	s->unpatched = variant && !strcmp(variant, "unpatched");
	s->config.host = setting("BOOT_HOST", NULL);
	s->config.kernel = setting("BOOT_KERNEL", NULL);
	s->config.initrd = setting("BOOT_GUEST_INITRD", NULL);
	s->config.qemu = setting("BOOT_QEMU", "/usr/bin/qemu-system-x86_64");
	s->config.name = "stats-guest";
}

int session_start(struct session *s)
{
	int ret = vmm_start(&s->vmm, &s->config);
	int i;

	if (ret)
		return ret;

	s->vm = DIRECT_NONE;
	for (i = 0; i < VMM_CPUS; i++)
		s->vcpu[i] = DIRECT_NONE;
	qmp_open(&s->qmp, s->vmm.qmp);
	return 0;
}

void session_end(struct session *s)
{
	int i;

	direct_close(&s->vm);
	for (i = 0; i < VMM_CPUS; i++)
		direct_close(&s->vcpu[i]);
	json_decref(s->cpus);
	qmp_close(&s->qmp);
	vmm_stop(&s->vmm);
}

json_t *query(struct session *s, const char *command, json_t *args)
{
	json_t *ret = qmp_call(&s->qmp, command, args);

	if (!ret)
		note("%s: %s", command, s->qmp.error);
	return ret;
}

json_t *query_stats(struct session *s, const char *target, json_t *vcpus, json_t *providers)
{
	return query(s, "query-stats", json_pack("{s:s, s:o*, s:o*}", "target", target,
						 "vcpus", vcpus, "providers", providers));
}

json_t *query_one(struct session *s, int vcpu, json_t *providers)
{
	const char *path = NULL;
	json_t *results, *stats;

	if (vcpu < 0) {
		results = query_stats(s, "vm", NULL, providers);
		stats = answer_stats(results, "provider", "kvm");
	} else {
		path = json_string_value(json_object_get(json_array_get(s->cpus, vcpu),
							 "qom-path"));
		results = query_stats(s, "vcpu", json_pack("[s]", path ?: ""), providers);
		stats = answer_stats(results, "qom-path", path ?: "");
	}
	if (json_array_size(results) != 1)
		stats = NULL;
	if (!stats)
		note("one result with statistics expected, found %zu results",
		     json_array_size(results));

	json_incref(stats);
	json_decref(results);
	return stats;
}

json_t *query_schemas(struct session *s, const char *target, bool by_provider)
{
	json_t *args = by_provider ? json_pack("{s:s}", "provider", "kvm") : NULL;
	json_t *results = query(s, "query-stats-schemas", args);
	json_t *schemas = answer_stats(results, "target", target);

	if (!schemas)
		note("one set of schemas for target %s expected, found none", target);

	json_incref(schemas);
	json_decref(results);
	return schemas;
}

enum verdict expect_empty(json_t *answer)
{
	bool ok = json_is_array(answer) && !json_array_size(answer);

	if (answer && !ok)
		note("[] expected, found %zu results", json_array_size(answer));
	json_decref(answer);
	return ok ? PASS : FAIL;
}

enum verdict expect_refused(struct session *s, const char *command, json_t *args)
{
	json_t *answer = qmp_call(&s->qmp, command, args);
	bool ok = !answer && strstr(s->qmp.error, "provider");

	if (!ok)
		note("an error about the provider expected, found %s",
		     answer ? "an answer" : s->qmp.error);
	json_decref(answer);
	return ok ? PASS : FAIL;
}
