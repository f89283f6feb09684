// SPDX-License-Identifier: GPL-2.0-only
/*
 * The QMP source: QEMU reads its own statistics fds, and returns the values.
 *
 * It replaces the fds that kvm-stats cannot open, if the user selected it. All sessions are asked
 * at the same time before the targets are read, so a QEMU that does not answer delays a sample
 * once, and not once for each of its VMs and vCPUs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "qmp/statistics.h"
#include "source/qmp.h"
#include "source/qmp_clients.h"
#include "targets/vmm.h"

/* The private data of a target. */
struct member {
	struct qmp_clients *clients;
	struct qmp_client *client;
	char *path;			/* of a vCPU in QEMU's object tree; NULL: the VM */
	uint64_t *values;
	size_t hint;			/* see qmp_find_stats() */
};

/* ---- samples ---- */

static void sample(struct source_context *context)
{
	if (context->qmp)
		qmp_clients_sample(context->qmp);
}

static const json_t *stats_of(const struct qmp_session *session, const char *path, size_t *hint)
{
	enum qmp_command command = path ? QMP_STATS_VCPU : QMP_STATS_VM;

	return qmp_find_stats(session->answer[command], path, hint);
}

static int copy_values(struct target *target)
{
	struct member *member = target->private;
	const struct qmp_session *session = member->client->session;
	const json_t *stats;

	if (session->err)
		return session->err;
	stats = stats_of(session, member->path, &member->hint);
	return stats ? qmp_copy_values(target->set->schema, stats, member->values) : -ENODATA;
}

static int read_target(struct target *target)
{
	struct member *member = target->private;
	int err = copy_values(target);

	if (!err)
		err = kvmstats_sample_set(target->now, member->values, target->set->values,
					  clock_now());
	if (err) {
		target->vmm->qmp_error = err;
		qmp_client_note_path(target->vmm, member->client->session);
	}
	return err;
}

static void free_member(struct member *member)
{
	free(member->values);
	free(member->path);
	free(member);
}

static void detach(struct target *target)
{
	struct member *member = target->private;

	member->client->targets--;
	qmp_clients_release(member->clients, member->client);
	free_member(member);
}

/* ---- targets ---- */

static struct target_key key_of(const struct kvmstats_target *from)
{
	return (struct target_key){
		.source = &source_qmp,
		.scope = kvmstats_target_kind(from) == KVMSTATS_KIND_VM ? SCOPE_VM : SCOPE_VCPU,
		.vm = kvmstats_target_vm(from),
		.vcpu = kvmstats_target_vcpu(from),
		.vmm_fd = kvmstats_target_fd(from),
	};
}

/* Returns the number of vCPUs of the VMM that are before @target. */
static size_t position_of(const struct vmm *vmm, const struct kvmstats_target *target)
{
	size_t position = 0;
	size_t i;

	for (i = 0; kvmstats_vmm_target(vmm->kvm, i) != target; i++)
		position += kvmstats_target_kind(kvmstats_vmm_target(vmm->kvm, i)) ==
			    KVMSTATS_KIND_VCPU;
	return position;
}

/*
 * Returns the path of a vCPU in QEMU's object tree, or NULL. KVM's IDs of vCPUs are not always
 * QEMU's indexes: on x86 they are APIC IDs. Both are in the same order.
 */
static const char *path_of(const struct vmm *vmm, const struct kvmstats_target *target,
			   const struct qmp_vcpu *vcpu, size_t count)
{
	size_t i;

	if (count == vmm->vcpus)
		return vcpu[position_of(vmm, target)].path;
	for (i = 0; i < count; i++) {
		if (vcpu[i].index == kvmstats_target_vcpu(target))
			return vcpu[i].path;
	}
	return NULL;
}

static struct member *new_member(struct qmp_clients *clients, struct qmp_client *client,
				 const char *path, size_t values)
{
	struct member *member = calloc(1, sizeof(*member));

	if (!member)
		return NULL;
	member->clients = clients;
	member->client = client;
	member->path = path ? strdup(path) : NULL;
	member->values = calloc(values + 1, sizeof(*member->values));
	if (member->values && (!path || member->path))
		return member;
	free_member(member);
	return NULL;
}

/* Adds the target with the statistics of the vCPU @path, or of the VM. */
static int add_target(struct source_context *context, struct vmm *vmm, struct qmp_client *client,
		      const struct target_key *key, const char *path)
{
	const struct qmp_session *session = client->session;
	struct kvmstats_schema *schema;
	const struct stat_set *set;
	struct member *member;
	struct target *target;
	size_t hint = 0;
	int err = qmp_make_schema(session->answer[QMP_SCHEMAS], path ? "vcpu" : "vm",
				  stats_of(session, path, &hint), &schema);

	if (!err)
		err = stat_sets_add(&context->sets, schema, &set);
	if (err)
		return err;
	member = new_member(context->qmp, client, path, set->values);
	target = member ? target_add(vmm, key, set) : NULL;
	if (!target) {
		if (member)
			free_member(member);
		return -ENOMEM;
	}
	target->origin = ORIGIN_QMP;
	target->private = member;
	client->targets++;
	return 0;
}

static int add_reader(struct source_context *context, struct vmm *vmm, struct qmp_client *client,
		      const struct kvmstats_target *from, const struct qmp_vcpu *vcpu, size_t count)
{
	struct target_key key = key_of(from);
	const char *path = NULL;

	if (target_is_listed(vmm, &key))
		return 0;
	/* QMP knows one VM. Which of several it is cannot be found out. */
	if (vmm->vms > 1 || key.vm < 0)
		return -ENOTUNIQ;
	if (key.scope == SCOPE_VCPU) {
		path = path_of(vmm, from, vcpu, count);
		if (!path)
			return -ENODATA;
	}
	return add_target(context, vmm, client, &key, path);
}

/* Returns the VM or vCPU of reader @i if its statistics fd cannot be opened, otherwise NULL. */
static const struct kvmstats_target *unreadable(const struct vmm *vmm, size_t i)
{
	const struct kvmstats_reader *reader = kvmstats_watch_reader(vmm->watch, i);

	return kvmstats_reader_error(reader) ? kvmstats_reader_target(reader) : NULL;
}

/* Keeps the known targets. Returns whether new ones are needed. */
static bool keep_targets(struct vmm *vmm)
{
	bool needs_more = false;
	size_t i;

	for (i = 0; i < kvmstats_watch_readers(vmm->watch); i++) {
		const struct kvmstats_target *from = unreadable(vmm, i);
		struct target_key key;

		if (!from)
			continue;
		key = key_of(from);
		needs_more |= !target_keep(vmm, &key);
	}
	return needs_more;
}

static int add_targets(struct source_context *context, struct vmm *vmm, struct qmp_client *client)
{
	struct qmp_vcpu *vcpu;
	size_t count, i;
	int last_err = 0;
	int err = qmp_list_vcpus(client->session->answer[QMP_CPUS], &vcpu, &count);

	if (err)
		return err;
	for (i = 0; i < kvmstats_watch_readers(vmm->watch); i++) {
		const struct kvmstats_target *from = unreadable(vmm, i);

		err = from ? add_reader(context, vmm, client, from, vcpu, count) : 0;
		if (err)
			last_err = err;
	}
	free(vcpu);
	return last_err;
}

/* ---- the source ---- */

static int attach_new(struct source_context *context, struct vmm *vmm)
{
	struct qmp_client *client = qmp_clients_find(context->qmp, vmm->pid);
	int err;

	if (client)
		err = qmp_clients_ask(context->qmp, client);
	else
		client = qmp_clients_add(context->qmp, context->filter, vmm, &err);
	if (!err)
		err = add_targets(context, vmm, client);
	if (client)
		qmp_clients_release(context->qmp, client);
	return err;
}

static int attach(struct source_context *context, struct vmm *vmm)
{
	int err;

	/* The peer of a socket in another PID namespace has the PID 0, too. */
	if (!context->qmp || !vmm->pid || !keep_targets(vmm))
		return 0;
	if (clock_now() < vmm->qmp_retry)
		return vmm->qmp_error;
	err = attach_new(context, vmm);
	vmm->qmp_retry = err ? clock_now() + QMP_RETRY_TIME : 0;
	return err;
}

static int open_source(struct source_context *context)
{
	context->qmp = calloc(1, sizeof(struct qmp_clients));
	return context->qmp ? 0 : -ENOMEM;
}

static void close_source(struct source_context *context)
{
	if (context->qmp)
		qmp_clients_free(context->qmp);
	context->qmp = NULL;
}

const struct source source_qmp = {
	.open = open_source,
	.close = close_source,
	.attach = attach,
	.sample = sample,
	.read = read_target,
	.detach = detach,
	.replaces_fds = true,
};
