// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "explain.h"
#include "output.h"
#include "session.h"

pid_t session_parse_pid(const char *text)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (!errno && end != text && !*end && pid > 0 && pid <= INT_MAX)
		return (pid_t)pid;
	complain("-p takes the ID of a process, a number above 0, not '%s'", text);
	return -1;
}

bool session_check_arguments(int argc, char **argv, pid_t pid)
{
	if (optind < argc) {
		complain("%s takes options only, found '%s'", argv[0], argv[optind]);
		return false;
	}
	if (pid > 0)
		return true;
	complain("%s needs -p PID; 'kvm-stats list' shows the processes that have VMs", argv[0]);
	return false;
}

void session_label(const struct kvmstats_vmm *vmm, const struct kvmstats_target *target,
		   char *label)
{
	int vm = kvmstats_target_vm(target);
	int vcpu = kvmstats_target_vcpu(target);

	if (kvmstats_target_kind(target) == KVMSTATS_VM) {
		if (kvmstats_vmm_vms(vmm) > 1)
			snprintf(label, LABEL_SIZE, "vm%d", vm);
		else
			snprintf(label, LABEL_SIZE, "vm");
	} else if (vm < 0) {
		snprintf(label, LABEL_SIZE, "vm?/vcpu%d#%d", vcpu, kvmstats_target_fd(target));
	} else {
		snprintf(label, LABEL_SIZE, "vcpu%d", vcpu);
	}
}

static int get_schema(struct session *session, struct source *source)
{
	struct kvmstats_schema **more;
	size_t i;
	int ret;

	for (i = 0; i < session->schemas; i++) {
		ret = kvmstats_schema_same(session->schema[i], source->fd);
		if (ret < 0)
			return ret;
		if (ret) {
			source->schema = session->schema[i];
			return 0;
		}
	}

	more = realloc(session->schema, (session->schemas + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	session->schema = more;
	ret = kvmstats_schema_read(&session->schema[session->schemas], source->fd);
	if (ret)
		return ret;
	source->schema = session->schema[session->schemas++];
	return 0;
}

static void close_source(struct source *source)
{
	kvmstats_sample_free(source->now);
	kvmstats_sample_free(source->before);
	close(source->fd);
}

static int open_source(struct session *session, struct source *source,
		       const struct kvmstats_target *target)
{
	int err;

	*source = (struct source){ .target = target };
	source->fd = kvmstats_target_open(target, &source->origin);
	if (source->fd < 0)
		return source->fd;

	session_label(session->vmm, target, source->label);
	err = get_schema(session, source);
	if (!err)
		err = kvmstats_sample_new(&source->now, source->schema);
	if (!err)
		err = kvmstats_sample_new(&source->before, source->schema);
	if (err)
		close_source(source);
	return err;
}

/* For thousands of vCPUs the usual limit of 1024 is too low. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static bool open_sources(struct session *session, const struct filter *filter)
{
	size_t count = kvmstats_vmm_targets(session->vmm);
	size_t missing = 0;
	char label[LABEL_SIZE];
	int why = 0;
	size_t i;
	int err;

	session->source = calloc(count, sizeof(*session->source));
	if (!session->source) {
		complain("out of memory");
		return false;
	}
	for (i = 0; i < count; i++) {
		const struct kvmstats_target *target = kvmstats_vmm_target(session->vmm, i);

		if (!filter_takes_target(filter, target))
			continue;
		err = open_source(session, &session->source[session->sources], target);
		if (!err) {
			session->sources++;
			continue;
		}
		if (!missing++ || err != why)
			session_label(session->vmm, target, label);
		why = err;
		if (err != -EIO)
			break;
	}
	if (missing && (why != -EIO || !session->sources)) {
		explain(session->pid, label, why);
		return false;
	}
	if (missing)
		complain("process %d: no statistics fd can be had of %s%s", (int)session->pid,
			 label, missing > 1 ? " and others" : "");
	return true;
}

static bool check_filter(const struct session *session, const struct filter *filter)
{
	int missing = filter_missing_vcpu(filter, session->vmm);

	if (missing < 0)
		return true;
	complain("process %d has no vCPU %d; it has %zu vCPUs, 'kvm-stats read -p %d' shows all",
		 (int)session->pid, missing, kvmstats_vmm_vcpus(session->vmm),
		 (int)session->pid);
	return false;
}

bool session_open(struct session *session, pid_t pid, const struct filter *filter)
{
	int err;

	*session = (struct session){ .pid = pid };
	allow_many_files();
	err = kvmstats_vmm_open(&session->vmm, pid);
	if (err) {
		explain(pid, NULL, err);
		return false;
	}
	if (!check_filter(session, filter) || !open_sources(session, filter)) {
		session_close(session);
		return false;
	}
	return true;
}

void session_close(struct session *session)
{
	size_t i;

	for (i = 0; i < session->sources; i++)
		close_source(&session->source[i]);
	free(session->source);
	for (i = 0; i < session->schemas; i++)
		kvmstats_schema_free(session->schema[i]);
	free(session->schema);
	kvmstats_vmm_close(session->vmm);
	*session = (struct session){ 0 };
}

int session_sample(struct session *session)
{
	size_t i;
	int err;

	for (i = 0; i < session->sources; i++) {
		struct source *source = &session->source[i];
		struct kvmstats_sample *oldest = source->before;

		source->before = source->now;
		source->now = oldest;
		err = kvmstats_sample_read(source->now, source->fd);
		if (err)
			return err;
	}
	return kvmstats_vmm_alive(session->vmm) ? 0 : -ESRCH;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

void session_print_head(const struct session *session)
{
	const struct kvmstats_vmm *vmm = session->vmm;
	size_t vms = kvmstats_vmm_vms(vmm);
	size_t vcpus = kvmstats_vmm_vcpus(vmm);
	char buf[256];

	printf("# process %d (%s)", (int)session->pid,
	       harmless(kvmstats_vmm_comm(vmm), buf, sizeof(buf)));
	if (kvmstats_vmm_guest(vmm))
		printf(", guest \"%s\"", harmless(kvmstats_vmm_guest(vmm), buf, sizeof(buf)));
	printf(": %zu VM%s, %zu vCPU%s; ", vms, plural(vms), vcpus, plural(vcpus));
	if (session->sources && session->source[0].origin == KVMSTATS_TAKEN)
		puts("from statistics fds taken from the VMM");
	else
		puts("from statistics fds opened by kvm-stats");
	if (vms > 1 && !kvmstats_vmm_distinct(vmm))
		puts("# this kernel cannot tell a duplicated VM fd from a second VM (no kcmp)");
}
