// SPDX-License-Identifier: GPL-2.0-only
/*
 * The QMP source: QEMU reads its own statistics fds, and returns the values.
 *
 * It replaces the fds that kvm-stats cannot open, if the user selected it. QEMU serves one client
 * of a QMP socket at a time, so each reading of a VMM connects, asks, and disconnects. VMMs are
 * asked one after the other, and the time that is lost with those that do not answer is limited.
 */
#include "source/sources.h"

#include <argz.h>
#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "filter.h"
#include "model.h"
#include "util.h"

/* The statistics of a thousand vCPUs take about 6 MB. */
#define MAX_RECEIVED	((size_t)64 << 20)
/* The time for all answers of a VMM. */
#define ANSWER_TIME	SECOND
/* A new VMM that did not answer is asked again after this time. */
#define RETRY_TIME	(30 * SECOND)
/* If VMMs that do not answer have cost this much in RETRY_TIME, others get less time. */
#define PATIENCE	(2 * SECOND)
#define SHORT_TIME	(50 * MILLISECOND)

/* What QEMU is asked. */
enum command {
	GREETING,		/* QEMU sends it without a question */
	CAPABILITIES,
	STATS_VM,
	STATS_VCPU,
	VALUES,			/* the commands before this one are enough for the values */
	SCHEMAS = VALUES,
	CPUS,
	COMMANDS,
};

static const char * const commands[COMMANDS] = {
	[GREETING] = "",
	[CAPABILITIES] = "\"qmp_capabilities\"",
	[STATS_VM] = "\"query-stats\", \"arguments\": "
		"{\"target\": \"vm\", \"providers\": [{\"provider\": \"kvm\"}]}",
	[STATS_VCPU] = "\"query-stats\", \"arguments\": "
		"{\"target\": \"vcpu\", \"providers\": [{\"provider\": \"kvm\"}]}",
	[SCHEMAS] = "\"query-stats-schemas\", \"arguments\": {\"provider\": \"kvm\"}",
	[CPUS] = "\"query-cpus-fast\"",
};

/* The conversation with the VMM that was asked last. */
struct qmp {
	bool of_vmm;			/* paths are from command lines; see qmp_connect() */
	const struct vmm *vmm;		/* NULL: none since the last sample */
	struct json_object *answer[COMMANDS];
	/*
	 * Why there are no answers, or 0. In addition to the errors of qmp_connect(): -EBUSY: no
	 * greeting. -ETIMEDOUT: no answer. -EPROTO: what was received is not QMP. -EOVERFLOW: the
	 * answers are too long. -ECONNRESET: QEMU closed the connection. -EOPNOTSUPP: QEMU does not
	 * know a command. -EIO: QEMU returned another error.
	 */
	int err;
	uint64_t window;		/* start of the time in which @waited was measured */
	uint64_t waited;		/* for VMMs that did not answer, in ns */
	/* While it is connected: */
	int fd;
	uint64_t deadline;
	struct json_tokener *tokener;
	size_t received;		/* bytes since the connection was made */
	size_t at, end;			/* what of @text has not been parsed */
	char text[65536];
};

/* The private data of a target: what it is to QEMU. */
struct place {
	struct qmp *qmp;
	char *path;			/* of a vCPU in QEMU's object tree; NULL: the VM */
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
 * @path is NULL. Returns NULL if the answer does not have them.
 */
static struct json_object *find_stats(const struct qmp *qmp, const char *path)
{
	struct json_object *answer = qmp->answer[path ? STATS_VCPU : STATS_VM];
	size_t i;

	for (i = 0; i < length_of(answer); i++) {
		struct json_object *result = json_object_array_get_idx(answer, i);
		const char *found = string_of(result, path ? "qom-path" : "provider");

		if (found && !strcmp(found, path ? path : "kvm"))
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

/* ---- a connection ---- */

static void free_answers(struct qmp *qmp)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		json_object_put(qmp->answer[i]);
		qmp->answer[i] = NULL;
	}
	qmp->vmm = NULL;
}

/* Waits for text, and receives what has arrived. Returns 0 or -errno. */
static int receive_text(struct qmp *qmp)
{
	struct pollfd polled = { .fd = qmp->fd, .events = POLLIN };
	struct timespec left;
	ssize_t n;
	int ready;

	if (qmp->received > MAX_RECEIVED)
		return -EOVERFLOW;
	do {
		left = clock_until(qmp->deadline);
		ready = ppoll(&polled, 1, &left, NULL);
	} while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return -ETIMEDOUT;
	n = recv(qmp->fd, qmp->text, sizeof(qmp->text), 0);
	if (n <= 0)
		return n ? -errno : -ECONNRESET;
	qmp->received += (size_t)n;
	qmp->at = 0;
	qmp->end = (size_t)n;
	return 0;
}

/* Receives a message, which the caller releases. Returns 0 or -errno. */
static int receive_message(struct qmp *qmp, struct json_object **message)
{
	do {
		int err = qmp->at < qmp->end ? 0 : receive_text(qmp);

		if (err)
			return err;
		*message = json_tokener_parse_ex(qmp->tokener, qmp->text + qmp->at,
						 (int)(qmp->end - qmp->at));
		qmp->at += json_tokener_get_parse_end(qmp->tokener);
	} while (json_tokener_get_error(qmp->tokener) == json_tokener_continue);
	/* An error of the tokener has no message. */
	if (json_object_is_type(*message, json_type_object))
		return 0;
	json_object_put(*message);
	return -EPROTO;
}

/* Sends a command, and waits for the answer. Ignores events. Returns 0 or -errno. */
static int send_command(struct qmp *qmp, enum command command)
{
	const char *key = command == GREETING ? "QMP" : "return", *class;
	struct json_object *message = NULL, *error;
	char text[256];
	int len = snprintf(text, sizeof(text), "{\"execute\": %s}\r\n", commands[command]);
	int err;

	/* It fits in the buffer of the socket. */
	if (command != GREETING && send(qmp->fd, text, (size_t)len, MSG_NOSIGNAL) != len)
		return -ECONNRESET;
	do {
		json_object_put(message);
		err = receive_message(qmp, &message);
		if (err)
			return err;
	} while (json_object_object_get(message, "event"));
	error = json_object_object_get(message, "error");
	class = string_of(error, "class");
	qmp->answer[command] = json_object_get(json_object_object_get(message, key));
	if (error)
		err = class && !strcmp(class, "CommandNotFound") ? -EOPNOTSUPP : -EIO;
	else if (!qmp->answer[command])
		err = -EPROTO;
	json_object_put(message);
	return err;
}

static int converse(struct qmp *qmp, enum command end)
{
	int err = 0, command;

	for (command = 0; !err && command < (int)end; command++)
		err = send_command(qmp, command);
	return err == -ETIMEDOUT && !qmp->answer[GREETING] ? -EBUSY : err;
}

/* Gets the answers to the commands before @end over vmm->qmp_socket. Returns 0 or -errno. */
static int ask(struct qmp *qmp, const struct vmm *vmm, enum command end)
{
	uint64_t now = clock_now();

	if (now - qmp->window > RETRY_TIME) {
		qmp->window = now;
		qmp->waited = 0;
	}
	free_answers(qmp);
	qmp->vmm = vmm;
	qmp->deadline = now + (qmp->waited < PATIENCE ? ANSWER_TIME : SHORT_TIME);
	qmp->received = 0;
	qmp->at = 0;
	qmp->end = 0;
	qmp->tokener = json_tokener_new();
	qmp->fd = qmp->tokener && vmm->qmp_socket ?
		  qmp_connect(vmm->qmp_socket, qmp->of_vmm, vmm->pid) : -ENOMEM;
	qmp->err = qmp->fd < 0 ? qmp->fd : converse(qmp, end);
	if (qmp->fd >= 0)
		close(qmp->fd);
	if (qmp->tokener)
		json_tokener_free(qmp->tokener);
	if (qmp->err)
		qmp->waited += clock_now() - now;
	return qmp->err;
}

/*
 * Asks everything over one socket after the other. vmm->qmp_socket is the one that answers, or that
 * of the returned -errno.
 */
static int try_paths(struct qmp *qmp, struct vmm *vmm, const struct qmp_paths *paths)
{
	char *path = NULL, *reported = NULL;
	int err = -ENXIO;

	while (err && (path = argz_next(paths->argz, paths->size, path))) {
		int failed;

		vmm->qmp_socket = path;
		failed = ask(qmp, vmm, COMMANDS);
		/* A socket of another process is the least interesting reason. */
		if (failed != -EREMOTE || err == -ENXIO) {
			err = failed;
			reported = path;
		}
	}
	vmm->qmp_socket = reported ? strdup(reported) : NULL;
	return err;
}

/* Finds the sockets of @vmm, and tries them. Returns 0 or -errno. */
static int ask_first(const struct monitor *monitor, struct vmm *vmm)
{
	const struct filter *filter = monitor->options.filter;
	struct qmp_paths paths = { 0 };
	size_t i;
	int err = 0;

	free(vmm->qmp_socket);
	vmm->qmp_socket = NULL;
	if (!filter->qmp_paths)
		err = qmp_find_paths(&paths, vmm);
	for (i = 0; !err && i < filter->qmp_paths; i++)
		err = -argz_add(&paths.argz, &paths.size, filter->qmp_path[i]);
	if (!err)
		err = try_paths(monitor->qmp, vmm, &paths);
	free(paths.argz);
	return err;
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

/* The first target of a VMM that is read asks for all of them. */
static int read_target(struct target *target)
{
	const struct place *place = target->private;
	struct qmp *qmp = place->qmp;
	int err = qmp->vmm == target->vmm ? qmp->err : ask(qmp, target->vmm, VALUES);
	struct json_object *stats = find_stats(qmp, place->path);

	if (!err)
		err = stats ? copy_values(target->set->schema, stats, target->values) : -ENODATA;
	if (err)
		target->vmm->unread.qmp_error = err;
	return err;
}

static void detach(struct target *target)
{
	struct place *place = target->private;

	free(place->path);
	free(place);
}

/* Adds the target with the statistics of the vCPU @path, or of the VM. */
static int add_target(struct monitor *monitor, struct vmm *vmm, const struct target *key,
		      const char *path)
{
	struct qmp *qmp = monitor->qmp;
	struct target target = *key;
	struct kvmstats_schema *schema;
	struct place *place;
	int err = make_schema(qmp->answer[SCHEMAS], path ? "vcpu" : "vm", find_stats(qmp, path),
			      &schema);

	if (err)
		return err;
	target.set = stat_set_get(&monitor->sets, schema, true);
	place = target.set ? calloc(1, sizeof(*place)) : NULL;
	if (!place)
		return -ENOMEM;
	place->qmp = qmp;
	place->path = path ? strdup(path) : NULL;
	target.origin = ORIGIN_QMP;
	target.private = place;
	if ((place->path || !path) && target_add(vmm, &target))
		return 0;
	detach(&target);
	return -ENOMEM;
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

/* Adds the target @key with the statistics that the fd of @replaced would have. */
static int replace_fd(struct monitor *monitor, struct vmm *vmm, const struct target *key,
		      const struct kvmstats_target *replaced)
{
	const struct qmp *qmp = monitor->qmp;
	const char *path = NULL;

	/* QMP knows one VM. Which of several it is cannot be found out. */
	if (vmm->vms > 1 || key->vm < 0)
		return -ENOTUNIQ;
	if (key->scope == SCOPE_VCPU) {
		path = vcpu_path(qmp->answer[CPUS], vmm->vcpus, position_of(vmm, replaced),
				 key->vcpu);
		if (!path)
			return -ENODATA;
	}
	return add_target(monitor, vmm, key, path);
}

/* ---- the source ---- */

/* Asks the VMM only if it has a new VM or vCPU, and if it is not known to be silent. */
static int attach(struct monitor *monitor, struct vmm *vmm)
{
	bool may_ask = clock_now() >= vmm->qmp_retry, asked = false;
	int ask_err = 0, err, last_err = 0;
	size_t i;

	/* The peer of a socket in another PID namespace has the PID 0, too. */
	if (!monitor->qmp || !vmm->pid)
		return 0;
	for (i = 0; i < kvmstats_vmm_targets(vmm->kvm); i++) {
		const struct kvmstats_target *replaced = kvmstats_vmm_target(vmm->kvm, i);
		const struct target key = target_of(&source_qmp, replaced);

		err = kvmstats_target_error(replaced);
		if (!err || err == -ECANCELED || target_keep(vmm, &key))
			continue;
		if (!may_ask) {
			last_err = vmm->unread.qmp_error;
			continue;
		}
		if (!asked)
			ask_err = ask_first(monitor, vmm);
		asked = true;
		err = ask_err ? ask_err : replace_fd(monitor, vmm, &key, replaced);
		if (err)
			last_err = err;
	}
	if (asked)
		vmm->qmp_retry = last_err ? clock_now() + RETRY_TIME : 0;
	return last_err;
}

/* The next targets that are read get new answers. */
static void sample(struct monitor *monitor)
{
	if (monitor->qmp)
		free_answers(monitor->qmp);
}

static int open_source(struct monitor *monitor)
{
	enum sources sources = monitor->options.sources;
	struct qmp *qmp;

	if (!monitor->options.filter->qmp || (sources && !(sources & SOURCES_FD)))
		return 0;
	qmp = calloc(1, sizeof(*qmp));
	if (!qmp)
		return -ENOMEM;
	qmp->of_vmm = !monitor->options.filter->qmp_paths;
	monitor->qmp = qmp;
	return 0;
}

static void close_source(struct monitor *monitor)
{
	sample(monitor);
	free(monitor->qmp);
	monitor->qmp = NULL;
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
