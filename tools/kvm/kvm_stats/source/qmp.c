// SPDX-License-Identifier: GPL-2.0-only
/*
 * The QMP source: QEMU reads its own statistics fds, and returns the values.
 *
 * It replaces the fds that kvm-stats cannot open, if the user selected it. All VMMs are asked at
 * the same time before the targets are read, so a QEMU that does not answer delays a sample once,
 * and not once for each of its VMs and vCPUs.
 */
#include "source/sources.h"

#if HAVE_JSON
#include <argz.h>
#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util.h"
#include "targets/filter.h"
#include "targets/vmm.h"

/* The statistics of a thousand vCPUs take about 6 MB. */
#define MAX_RECEIVED	((size_t)64 << 20)
/* The time for all answers of a sample, or of one VMM that is asked for the first time. */
#define ANSWER_TIME	SECOND
/* A VMM that did not answer is asked again after this time. */
#define RETRY_TIME	(30 * SECOND)
/* If VMMs that do not answer have cost this much in RETRY_TIME, others get less time. */
#define PATIENCE	(2 * SECOND)
#define SHORT_TIME	(50 * MILLISECOND)

/* The IDs of the commands. */
enum command {
	CAPABILITIES,
	STATS_VM,
	STATS_VCPU,
	SCHEMAS,
	CPUS,
	COMMANDS,
};

/* Sets of commands, as bits. */
#define VALUES		(1u << CAPABILITIES | 1u << STATS_VM | 1u << STATS_VCPU)
#define EVERYTHING	(VALUES | 1u << SCHEMAS | 1u << CPUS)

struct client;

/* The private data of a target. */
struct values {
	struct client *client;
	struct values *next;		/* of the same client */
	char *path;			/* of a vCPU in QEMU's object tree; NULL: the VM */
	const struct kvmstats_schema *schema;
	int err;			/* why the last answer does not have them: -errno, or 0 */
	uint64_t value[];
};

/*
 * A VMM, and its answers to the last commands.
 *
 * QEMU serves one client of a QMP socket at a time, so a client connects, asks, and disconnects as
 * soon as it has the answers.
 */
struct client {
	pid_t pid;
	char *path;			/* of the socket */
	bool from_vmm;			/* see struct qmp_paths */
	struct values *values;		/* of its targets; NULL: the client is not in use */
	struct json_object *answer[COMMANDS];	/* NULL: no answer, or it was copied */
	/*
	 * Why the last attempt failed, or 0. In addition to the errors of qmp_connect(): -EBUSY: no
	 * greeting. -ETIMEDOUT: no answer. -EPROTO: what was received is not QMP. -EOVERFLOW: the
	 * answers are too long. -ECONNRESET: QEMU closed the connection. -EOPNOTSUPP: QEMU does not
	 * know a command. -EIO: QEMU returned another error.
	 */
	int err;
	int fd;				/* -1: not connected */
	struct json_tokener *tokener;	/* has the beginning of a message */
	bool greeted;
	unsigned int missing;		/* the set of commands that have no answer yet */
	size_t received;		/* bytes of this attempt */
};

/* The VMMs that are asked. */
struct qmp {
	struct client **client;
	size_t count;
	size_t capacity;		/* of the array @client */
	uint64_t window;		/* start of the time in which @waited was measured */
	uint64_t waited;		/* for VMMs that did not answer, in ns */
};

/* ---- query-stats ---- */

/* json-c requires that the caller knows the type of strings and arrays. */
static const char *string_of(struct json_object *object, const char *key)
{
	struct json_object *string = json_object_object_get(object, key);

	return json_object_is_type(string, json_type_string) ? json_object_get_string(string) :
							       NULL;
}

static size_t length_of(struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

/*
 * Returns the statistics in the answer to query-stats: those of the vCPU @path, or of the VM if
 * @path is NULL. Returns NULL if the answer does not have them. The search starts at index *@hint,
 * which is set to the place found.
 */
static struct json_object *find_stats(const struct client *client, const char *path, size_t *hint)
{
	struct json_object *answer = client->answer[path ? STATS_VCPU : STATS_VM];
	size_t count = length_of(answer);
	size_t i;

	for (i = 0; i < count; i++) {
		size_t at = (*hint + i) % count;
		struct json_object *result = json_object_array_get_idx(answer, at);
		const char *found = string_of(result, path ? "qom-path" : "provider");

		if (!found || strcmp(found, path ? path : "kvm"))
			continue;
		*hint = at;
		return json_object_object_get(result, "stats");
	}
	return NULL;
}

static bool number_of(struct json_object *value, uint64_t *number)
{
	*number = json_object_get_uint64(value);
	return json_object_is_type(value, json_type_boolean) ||
	       (json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0);
}

/* Returns the number of values, or 0 if @value is not one of a statistic. */
static size_t size_of(struct json_object *value)
{
	uint64_t number;

	if (json_object_is_type(value, json_type_array))
		return length_of(value) <= UINT16_MAX ? length_of(value) : 0;
	return number_of(value, &number);
}

/* QEMU lists the last bucket of a histogram first. */
static bool copy_value(struct json_object *value, size_t size, uint64_t *to)
{
	size_t n;

	if (size_of(value) != size)
		return false;
	if (!json_object_is_type(value, json_type_array))
		return number_of(value, to);
	for (n = 0; n < size; n++) {
		if (!number_of(json_object_array_get_idx(value, size - 1 - n), &to[n]))
			return false;
	}
	return true;
}

/*
 * Searches @stats backwards from index *@left, because QEMU lists the kernel's last statistic
 * first. Returns the value of the statistic @name and sets *@left to its index, or returns NULL.
 */
static struct json_object *find_value(struct json_object *stats, const char *name, size_t *left)
{
	size_t at = *left;

	while (at--) {
		struct json_object *stat = json_object_array_get_idx(stats, at);
		const char *found = string_of(stat, "name");

		if (!found || strcmp(found, name))
			continue;
		*left = at;
		return json_object_object_get(stat, "value");
	}
	return NULL;
}

/*
 * Copies the values of all statistics of @schema to @values, in the order of their offsets. Returns
 * 0, or -EPROTO if a statistic is missing or has another number of values.
 */
static int copy_values(const struct kvmstats_schema *schema, struct json_object *stats,
		       uint64_t *values)
{
	size_t left = length_of(stats);
	size_t i;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		size_t first = kvmstats_stat_offset(stat) / sizeof(*values);

		if (!copy_value(find_value(stats, kvmstats_stat_name(stat), &left),
				kvmstats_stat_size(stat), &values[first]))
			return -EPROTO;
	}
	return 0;
}

/* Copies the values of all targets. As JSON they need 20 times the memory. */
static void copy_answers(struct client *client)
{
	struct values *values;
	size_t hint = 0;

	/* The last target is the first in the list, as the last vCPU in the answer. */
	for (values = client->values; values; values = values->next) {
		struct json_object *stats = find_stats(client, values->path, &hint);

		values->err = stats ? copy_values(values->schema, stats, values->value) : -ENODATA;
	}
}

/* ---- a connection ---- */

static void free_answers(struct client *client)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		json_object_put(client->answer[i]);
		client->answer[i] = NULL;
	}
}

/* Ends the attempt, with @err if it has failed. */
static void disconnect(struct client *client, int err)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
	client->err = err;
	if (client->tokener)
		json_tokener_free(client->tokener);
	client->tokener = NULL;
	if (err)
		free_answers(client);
}

/* Frees the answers, connects again, and asks a set of commands. Does not wait. */
static void start(struct client *client, unsigned int commands)
{
	disconnect(client, -ECANCELED);
	client->greeted = false;
	client->missing = commands;
	client->received = 0;
	client->err = 0;
	client->tokener = json_tokener_new();
	client->fd = client->tokener ? qmp_connect(client->path, client->from_vmm, client->pid) :
				       -ENOMEM;
	if (client->fd < 0)
		disconnect(client, client->fd);
}

static const char * const commands[COMMANDS] = {
	[CAPABILITIES] = "\"qmp_capabilities\"",
	[STATS_VM] = "\"query-stats\", \"arguments\": "
		"{\"target\": \"vm\", \"providers\": [{\"provider\": \"kvm\"}]}",
	[STATS_VCPU] = "\"query-stats\", \"arguments\": "
		"{\"target\": \"vcpu\", \"providers\": [{\"provider\": \"kvm\"}]}",
	[SCHEMAS] = "\"query-stats-schemas\", \"arguments\": {\"provider\": \"kvm\"}",
	[CPUS] = "\"query-cpus-fast\"",
};

/* All commands fit in the buffer of the socket. Returns 0 or -errno. */
static int send_commands(const struct client *client)
{
	char text[1024];
	size_t len = 0, i;
	ssize_t n;

	for (i = 0; i < COMMANDS; i++) {
		if (client->missing & 1u << i)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"{\"execute\": %s, \"id\": %zu}\r\n",
						commands[i], i);
	}
	n = send(client->fd, text, len, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EPIPE ? -ECONNRESET : -errno;
	return (size_t)n == len ? 0 : -EIO;
}

/* Ignores events, and answers without the ID of a command. */
static int handle_message(struct client *client, struct json_object *message)
{
	struct json_object *id = json_object_object_get(message, "id");
	struct json_object *error = json_object_object_get(message, "error");
	int command = json_object_is_type(id, json_type_int) ? json_object_get_int(id) : -1;
	const char *class;

	/* Until the greeting has arrived, the program there may not speak QMP. */
	if (!client->greeted) {
		client->greeted = json_object_object_get(message, "QMP");
		return client->greeted ? send_commands(client) : -EPROTO;
	}
	if (command < 0 || command >= COMMANDS || !(client->missing & 1u << command))
		return 0;
	if (error) {
		class = string_of(error, "class");
		return class && !strcmp(class, "CommandNotFound") ? -EOPNOTSUPP : -EIO;
	}
	client->answer[command] = json_object_get(json_object_object_get(message, "return"));
	if (!client->answer[command])
		return -EPROTO;
	client->missing &= ~(1u << command);
	return 0;
}

/* Handles the messages that end in @text. The tokener keeps the beginning of the next one. */
static int handle_text(struct client *client, const char *text, size_t len)
{
	int err = 0;

	while (!err && client->missing && len) {
		struct json_object *message;
		size_t used;

		message = json_tokener_parse_ex(client->tokener, text, (int)len);
		used = json_tokener_get_parse_end(client->tokener);
		if (json_tokener_get_error(client->tokener) == json_tokener_continue)
			return 0;
		/* An error of the tokener has no message. */
		if (json_object_is_type(message, json_type_object))
			err = handle_message(client, message);
		else
			err = -EPROTO;
		json_object_put(message);
		text += used;
		len -= used;
	}
	return err;
}

/* Receives what has arrived. Disconnects after the last answer, or after an error. */
static void receive(struct client *client)
{
	char text[65536];
	ssize_t n = recv(client->fd, text, sizeof(text), 0);
	int err;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		client->received += (size_t)n;
	if (n <= 0)
		err = n ? -errno : -ECONNRESET;
	else if (client->received > MAX_RECEIVED)
		err = -EOVERFLOW;
	else
		err = handle_text(client, text, (size_t)n);
	if (!err && client->missing)
		return;
	if (!err)
		copy_answers(client);
	disconnect(client, err);
	/* The answers to EVERYTHING are used once more. */
	if (!client->answer[SCHEMAS])
		free_answers(client);
}

/* Waits until all clients have their answers or have failed. After @deadline the rest fails. */
static void finish(const struct qmp *qmp, uint64_t deadline)
{
	struct pollfd *polled = calloc(qmp->count + 1, sizeof(*polled));
	bool connected;
	size_t i;

	while (polled) {
		struct timespec left = clock_until(deadline);

		connected = false;
		for (i = 0; i < qmp->count; i++) {
			polled[i] = (struct pollfd){ .fd = qmp->client[i]->fd, .events = POLLIN };
			connected |= polled[i].fd >= 0;
		}
		if (!connected || clock_now() >= deadline)
			break;
		if (ppoll(polled, qmp->count, &left, NULL) <= 0)
			continue;
		for (i = 0; i < qmp->count; i++) {
			if (polled[i].revents)
				receive(qmp->client[i]);
		}
	}
	free(polled);
	for (i = 0; i < qmp->count; i++) {
		if (qmp->client[i]->fd >= 0)
			disconnect(qmp->client[i], qmp->client[i]->greeted ? -ETIMEDOUT : -EBUSY);
	}
}

/* ---- clients ---- */

/* Frees the last client. */
static void drop_client(struct qmp *qmp)
{
	struct client *client = qmp->client[--qmp->count];

	disconnect(client, -ECANCELED);
	free(client->path);
	free(client);
}

/* Returns NULL if memory is exhausted. */
static struct client *add_client(struct qmp *qmp, const char *path, bool from_vmm, pid_t pid)
{
	struct client **more = array_grow(qmp->client, qmp->count, &qmp->capacity, sizeof(*more));
	struct client *client = more ? malloc(sizeof(*client)) : NULL;

	if (more)
		qmp->client = more;
	if (!client)
		return NULL;
	*client = (struct client){
		.pid = pid, .path = strdup(path), .from_vmm = from_vmm, .fd = -1,
	};
	qmp->client[qmp->count++] = client;
	if (client->path)
		return client;
	drop_client(qmp);
	return NULL;
}

/* Asks for schemas and vCPUs, too. Returns 0 or -errno. */
static int ask(struct qmp *qmp, struct client *client)
{
	uint64_t now = clock_now();

	if (now - qmp->window > RETRY_TIME) {
		qmp->window = now;
		qmp->waited = 0;
	}
	start(client, EVERYTHING);
	finish(qmp, now + (qmp->waited < PATIENCE ? ANSWER_TIME : SHORT_TIME));
	if (client->err)
		qmp->waited += clock_now() - now;
	return client->err;
}

/* Notes the socket for messages. */
static void note_path(struct vmm *vmm, const struct client *client)
{
	snprintf(vmm->qmp_path, sizeof(vmm->qmp_path), "%s", client->path);
}

/* Asks over one socket after the other. Returns NULL if no answer is usable, and sets @err. */
static struct client *try_paths(struct qmp *qmp, struct vmm *vmm, const struct qmp_paths *paths,
				int *err)
{
	const char *path = NULL;

	*err = -ENXIO;
	while ((path = argz_next(paths->argz, paths->size, path))) {
		struct client *client = add_client(qmp, path, paths->from_vmm, vmm->pid);
		int failed = client ? ask(qmp, client) : -ENOMEM;

		if (!failed) {
			*err = 0;
			return client;
		}
		if (!client) {
			*err = failed;
			break;
		}
		/* A socket of another process is the least interesting reason. */
		if (failed != -EREMOTE || *err == -ENXIO) {
			*err = failed;
			note_path(vmm, client);
		}
		drop_client(qmp);
	}
	return NULL;
}

/* Returns the client of @vmm with new answers. Returns NULL if that fails, and sets @err. */
static struct client *find_client(struct source_context *context, struct vmm *vmm, int *err)
{
	const struct filter *filter = context->filter;
	struct qmp *qmp = context->qmp;
	struct qmp_paths paths = { 0 };
	struct client *client = NULL;
	size_t i;

	for (i = 0; i < qmp->count; i++) {
		if (qmp->client[i]->pid != vmm->pid)
			continue;
		*err = ask(qmp, qmp->client[i]);
		return *err ? NULL : qmp->client[i];
	}
	vmm->qmp_path[0] = '\0';
	*err = filter->qmp_paths ? 0 : qmp_find_paths(&paths, vmm->pid);
	for (i = 0; !*err && i < filter->qmp_paths; i++)
		*err = qmp_add_path(&paths, filter->qmp_path[i], vmm->pid, vmm->guest);
	if (!*err)
		client = try_paths(qmp, vmm, &paths, err);
	free(paths.argz);
	return client;
}

/* ---- query-stats-schemas ---- */

/* Returns the number of the name that the library has for it, or -1. */
static int number_of_name(const char *name, const char *(*name_of)(unsigned int number))
{
	int number;

	for (number = 0; name && name_of(number); number++) {
		if (!strcmp(name_of(number), name))
			return number;
	}
	return -1;
}

/* Names are printed on terminals and in other formats. */
static bool is_printable(const char *name)
{
	const char *at;

	for (at = name; *at >= ' ' && *at <= '~'; at++)
		;
	return *name && !*at;
}

static int64_t integer_of(struct json_object *object, const char *key)
{
	return json_object_get_int64(json_object_object_get(object, key));
}

/* Returns false if the statistic is left out. QEMU leaves out the unit of a plain number. */
static bool describe(struct json_object *described, struct json_object *stats, size_t *left,
		     struct kvmstats_desc *desc)
{
	const char *name = string_of(described, "name");
	const char *unit = string_of(described, "unit");
	int type = number_of_name(string_of(described, "type"), kvmstats_type_name);
	int unit_number = unit ? number_of_name(unit, kvmstats_unit_name) : KVMSTATS_UNIT_NONE;
	int64_t exponent = integer_of(described, "exponent");
	int64_t bucket_size = integer_of(described, "bucket-size");

	if (!name || !is_printable(name) || type < 0 || unit_number < 0 ||
	    exponent != (int16_t)exponent || bucket_size != (uint32_t)bucket_size)
		return false;
	*desc = (struct kvmstats_desc){
		.name = name,
		.type = type,
		.unit = unit_number,
		.base = integer_of(described, "base") == 2 ? KVMSTATS_BASE_POW2 :
							     KVMSTATS_BASE_POW10,
		.exponent = (int)exponent,
		.bucket_size = (uint32_t)bucket_size,
		.size = size_of(find_value(stats, name, left)),
	};
	return desc->size;
}

/*
 * Makes the schema of @stats from the answer to query-stats-schemas. @target is "vm" or "vcpu".
 * Leaves out statistics of unknown types and units, and those that @stats does not have. Returns
 * 0 or -errno. -ENODATA: there are no statistics.
 */
static int make_schema(struct json_object *schemas, const char *target, struct json_object *stats,
		       struct kvmstats_schema **schema)
{
	size_t i, count = 0, left = length_of(stats);
	struct json_object *described = NULL;
	struct kvmstats_desc *desc;
	int err = -ENODATA;

	for (i = 0; !described && i < length_of(schemas); i++) {
		struct json_object *entry = json_object_array_get_idx(schemas, i);
		const char *found = string_of(entry, "target");

		if (found && !strcmp(found, target))
			described = json_object_object_get(entry, "stats");
	}
	desc = calloc(length_of(described) + 1, sizeof(*desc));
	if (!desc)
		return -ENOMEM;
	for (i = length_of(described); i--; )
		count += describe(json_object_array_get_idx(described, i), stats, &left,
				  &desc[count]);
	if (count)
		err = kvmstats_schema_make(schema, desc, count, sizeof(*desc));
	free(desc);
	return err;
}

/* ---- query-cpus-fast ---- */

static int by_index(const void *a, const void *b)
{
	int64_t x = integer_of(*(struct json_object * const *)a, "cpu-index");
	int64_t y = integer_of(*(struct json_object * const *)b, "cpu-index");

	return (x > y) - (x < y);
}

/*
 * Returns the path in QEMU's object tree of a vCPU: the one at @position of @count in the order of
 * KVM's IDs, which has @id. Returns NULL if QEMU does not have it. KVM's IDs are not always QEMU's
 * indexes: on x86 they are APIC IDs. Both are in the same order.
 */
static const char *vcpu_path(struct json_object *cpus, size_t count, size_t position, int id)
{
	size_t i = position;

	if (length_of(cpus) == count && count) {
		json_object_array_sort(cpus, by_index);
	} else {
		for (i = 0; i < length_of(cpus); i++) {
			if (integer_of(json_object_array_get_idx(cpus, i), "cpu-index") == id)
				break;
		}
	}
	return i < length_of(cpus) ? string_of(json_object_array_get_idx(cpus, i), "qom-path") :
				     NULL;
}

/* ---- targets ---- */

static int read_target(struct target *target)
{
	const struct values *values = target->private;
	int err = values->client->err ? values->client->err : values->err;

	if (!err)
		err = kvmstats_sample_set(target->now, values->value, target->set->values,
					  clock_now());
	if (err) {
		target->vmm->qmp_error = err;
		note_path(target->vmm, values->client);
	}
	return err;
}

static void free_values(struct values *values)
{
	free(values->path);
	free(values);
}

/* sample() frees a client that is not in use. */
static void detach(struct target *target)
{
	struct values *values = target->private;
	struct values **at = &values->client->values;

	while (*at != values)
		at = &(*at)->next;
	*at = values->next;
	free_values(values);
}

/* Adds the target with the statistics of the vCPU @path, or of the VM. */
static int add_target(struct source_context *context, struct vmm *vmm, struct client *client,
		      const struct target_key *key, const char *path)
{
	struct kvmstats_schema *schema;
	const struct stat_set *set;
	struct values *values;
	struct target *target;
	size_t hint = 0;
	int err = make_schema(client->answer[SCHEMAS], path ? "vcpu" : "vm",
			      find_stats(client, path, &hint), &schema);

	if (!err)
		err = stat_sets_add(&context->sets, schema, &set);
	if (err)
		return err;
	values = calloc(1, sizeof(*values) + set->values * sizeof(uint64_t));
	if (!values)
		return -ENOMEM;
	*values = (struct values){
		.client = client, .next = client->values, .path = path ? strdup(path) : NULL,
		.schema = set->schema,
	};
	target = path && !values->path ? NULL : target_add(vmm, key, set);
	if (!target) {
		free_values(values);
		return -ENOMEM;
	}
	target->origin = ORIGIN_QMP;
	target->private = values;
	client->values = values;
	return 0;
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

/* Adds the target with the statistics that the fd of @from would have. */
static int replace_fd(struct source_context *context, struct vmm *vmm, struct client *client,
		      const struct kvmstats_target *from)
{
	const struct target_key key = target_key_of(&source_qmp, from);
	const char *path = NULL;

	/* QMP knows one VM. Which of several it is cannot be found out. */
	if (vmm->vms > 1 || key.vm < 0)
		return -ENOTUNIQ;
	if (key.scope == SCOPE_VCPU) {
		path = vcpu_path(client->answer[CPUS], vmm->vcpus, position_of(vmm, from),
				 key.vcpu);
		if (!path)
			return -ENODATA;
	}
	return add_target(context, vmm, client, &key, path);
}

/* ---- the source ---- */

/* Asks the VMM only if it has a new VM or vCPU, and if it is not known to be silent. */
static int attach(struct source_context *context, struct vmm *vmm)
{
	bool may_ask = clock_now() >= vmm->qmp_retry, asked = false;
	struct client *client = NULL;
	int last_err = 0;
	size_t i;

	/* The peer of a socket in another PID namespace has the PID 0, too. */
	if (!context->qmp || !vmm->pid)
		return 0;
	for (i = 0; i < kvmstats_watch_readers(vmm->watch); i++) {
		const struct kvmstats_reader *reader = kvmstats_watch_reader(vmm->watch, i);
		const struct kvmstats_target *from = kvmstats_reader_target(reader);
		const struct target_key key = target_key_of(&source_qmp, from);
		int err = 0;

		if (!kvmstats_reader_error(reader) || target_keep(vmm, &key))
			continue;
		if (!may_ask) {
			last_err = vmm->qmp_error;
			continue;
		}
		if (!asked)
			client = find_client(context, vmm, &last_err);
		asked = true;
		if (client)
			err = replace_fd(context, vmm, client, from);
		if (err)
			last_err = err;
	}
	if (client)
		free_answers(client);
	if (asked)
		vmm->qmp_retry = last_err ? clock_now() + RETRY_TIME : 0;
	return last_err;
}

static void sample(struct source_context *context)
{
	struct qmp *qmp = context->qmp;
	size_t i;

	if (!qmp)
		return;
	for (i = qmp->count; i--; ) {
		struct client *client = qmp->client[i];

		if (client->values) {
			start(client, VALUES);
			continue;
		}
		qmp->client[i] = qmp->client[qmp->count - 1];
		qmp->client[qmp->count - 1] = client;
		drop_client(qmp);
	}
	finish(qmp, clock_now() + ANSWER_TIME);
}

static int open_source(struct source_context *context)
{
	context->qmp = calloc(1, sizeof(struct qmp));
	return context->qmp ? 0 : -ENOMEM;
}

/* The monitor has detached all targets. */
static void close_source(struct source_context *context)
{
	struct qmp *qmp = context->qmp;

	if (!qmp)
		return;
	while (qmp->count)
		drop_client(qmp);
	free(qmp->client);
	free(qmp);
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

#else

/* Without json-c, the source has no targets. */
static int attach_nothing(struct source_context *context, struct vmm *vmm)
{
	(void)context;
	(void)vmm;
	return 0;
}

const struct source source_qmp = {
	.attach = attach_nothing,
};

#endif
