// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the QMP source: which sockets it finds, what it does with servers that do not behave as QEMU
 * does, and how answers become schemas and values. A server is a thread of this process.
 */
#include "source/qmp.c"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "tap.h"

#define GREETING	"{\"QMP\": {\"version\": {}, \"capabilities\": [\"oob\"]}}\r\n"
#define EVENT		"{\"event\": \"RESUME\", \"timestamp\": {\"seconds\": 1}}\r\n"
#define FIRST		"{\"return\": {}}\r\n"
#define ANSWERS		FIRST "{\"return\": [1]}\r\n{\"return\": [2]}\r\n"
#define FUZZED		20000

/* ---- paths ---- */

/* Spaces separate the arguments. */
static void find(const char *cmdline, const char *expected, const char *what)
{
	struct qmp_paths paths = { 0 };
	size_t size;
	char *argz;

	if (argz_create_sep(cmdline, ' ', &argz, &size) || qmp_parse_cmdline(&paths, argz, size))
		abort();
	argz_stringify(paths.argz, paths.size, ' ');
	if (!tap_ok(!strcmp(paths.size ? paths.argz : "", expected), "%s", what))
		printf("# expected '%s', found '%s'\n", expected, paths.argz);
	free(paths.argz);
	free(argz);
}

static void test_paths(void)
{
	find("qemu -qmp unix:/run/a,server=on,wait=off", "/run/a", "-qmp unix:");
	find("qemu --qmp unix:/run/a,server,nowait", "/run/a", "two dashes, and short forms");
	find("qemu -qmp-pretty unix:a,,b,server=yes -qmp unix:c,server=true", "c a,b",
	     "commas in paths, and two sockets");
	find("qemu -qmp unix:/run/a -qmp unix:/run/b,server=off", "", "QEMU is the client");
	find("qemu -qmp tcp:localhost:4444,server=on -qmp stdio", "", "other devices");
	find("qemu -qmp", "", "an option without its value");
	find("qemu -monitor unix:/run/a,server=on", "", "a monitor for people");
	find("kvm -chardev socket,id=qmp,path=/run/1.qmp,server=on,wait=off -mon "
	     "chardev=qmp,mode=control -chardev socket,id=qmp-event,path=/run/e.sock,reconnect=5 "
	     "-mon chardev=qmp-event,mode=control", "/run/1.qmp", "-mon, as on Proxmox VE");
	find("qemu -mon m,mode=control,pretty=on -chardev socket,path=/run/a,server=on,id=m",
	     "/run/a", "short forms in any order");
	find("qemu -chardev socket,id=m,path=/run/a,server=on -mon chardev=m,mode=readline", "",
	     "a monitor for people");
	find("qemu -chardev socket,id=m,path=/run/a,server=on -mon chardev=m", "",
	     "the default is for people");
	find("qemu -chardev socket,id=charmonitor,fd=30,server=on,wait=off -mon "
	     "chardev=charmonitor,id=monitor,mode=control", "", "libvirt passes an fd");
	find("qemu -mon chardev=m,mode=control", "", "a device that is missing");
	find("qemu -chardev pty,id=m,path=/run/a,server=on -mon chardev=m,mode=control", "",
	     "a device that is not a socket");
	find("qemu -qmp chardev:m -chardev socket,id=m,path=/run/a,server=on", "/run/a",
	     "-qmp chardev:");
}

/* ---- servers ---- */

struct server {
	const char *greeting;	/* NULL: accept no connection */
	const char *answer;	/* NULL: wait until the client closes the connection */
	bool closes;		/* after the answer */
	char path[64];
	int listener;
	pthread_t thread;
};

#define SERVER(hello, text)	((struct server){ .greeting = (hello), .answer = (text) })

/* The directory of all sockets */
static char dir[] = "/tmp/qmp_test.XXXXXX";

/* A "|" in the text is a pause. */
static void say(int fd, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "|");

		if (len && send(fd, text, len, MSG_NOSIGNAL) < 0)
			return;
		text += len;
		if (*text == '|') {
			usleep(50000);
			text++;
		}
	}
}

static void *serve(void *arg)
{
	const struct server *server = arg;
	char c;
	int fd;

	while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
		say(fd, server->greeting);
		if (server->answer && recv(fd, &c, 1, 0) > 0)
			say(fd, server->answer);
		while (!server->closes && recv(fd, &c, 1, 0) > 0)
			;
		close(fd);
	}
	return NULL;
}

static void start_server(struct server *server, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(server->path, sizeof(server->path), "%s/%s", dir, name);
	memcpy(address.sun_path, server->path, sizeof(server->path));
	server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(server->listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(server->listener, server->greeting ? 16 : 1) ||
	    (server->greeting && pthread_create(&server->thread, NULL, serve, server)))
		abort();
}

static void stop_server(struct server *server)
{
	shutdown(server->listener, SHUT_RDWR);
	if (server->greeting)
		pthread_join(server->thread, NULL);
	close(server->listener);
	unlink(server->path);
}

/* ---- answers of servers ---- */

static struct qmp qmp;
static struct vmm vmm;

static int ask_for_values(struct server *server)
{
	vmm.qmp_socket = server->path;
	return ask(&qmp, &vmm, VALUES);
}

static void expect(const char *what, struct server server, int err)
{
	start_server(&server, "socket");
	tap_is(ask_for_values(&server), err, what);
	free_answers(&qmp);
	stop_server(&server);
}

#define EXPECT(what, err, hello, text)	expect(what, SERVER(hello, text), err)

/* The values of the VM and of a vCPU, which are large numbers. */
static void test_values_of_targets(void)
{
	static const struct kvmstats_desc desc[] = {
		{ .name = "a", .size = 1 }, { .name = "b", .size = 2 },
	};
	struct server server = SERVER(GREETING, FIRST
		"{\"return\": [{\"provider\": \"kvm\", \"stats\": [{\"name\": \"b\", \"value\": "
		"[9007199254740993, 18446744073709551615]}, {\"name\": \"a\", \"value\": "
		"9223372036854775808}]}]}\r\n{\"return\": []}\r\n");
	struct place vm = { .qmp = &qmp }, vcpu = { .qmp = &qmp, .path = "/a" };
	uint64_t value[3];
	struct stat_set set = { .values = 3 };
	struct target target = { .vmm = &vmm, .set = &set, .values = value, .private = &vm };
	struct kvmstats_schema *schema;

	if (kvmstats_schema_make(&schema, desc, 2, sizeof(*desc)))
		abort();
	start_server(&server, "socket");
	set.schema = schema;
	vmm.qmp_socket = server.path;
	tap_is(read_target(&target), 0, "a target gets its values");
	tap_ok(value[0] == 1ull << 63 && value[1] == UINT64_MAX && value[2] == 9007199254740993,
	       "large numbers have all of their bits");
	stop_server(&server);
	target.private = &vcpu;
	tap_is(read_target(&target), -ENODATA, "another target is not in the answer");
	free_answers(&qmp);
	tap_is(read_target(&target), -ENOENT, "a new sample asks again");
	free_answers(&qmp);
	kvmstats_schema_free(schema);
}

static void test_answers(void)
{
	EXPECT("a late greeting, events and parts of answers are read", 0,
	       "||" GREETING "\r\n" EVENT,
	       EVENT FIRST EVENT "{\"ret|urn\": [1]}\r|\n" EVENT "{\"return\": [2]}\n");
	EXPECT("indented answers are read", 0, "{\r\n    \"QMP\": {\r\n    }\r\n}\r\n",
	       "{\r\n    \"return\": {\r\n    }\r\n}\r\n"
	       "{\r\n    \"return\": [\r\n        {\r\n        }\r\n    ]\r\n}\r\n"
	       "{\r\n    \"return\": [\r\n    ]\r\n}\r\n");
}

static void test_failures(void)
{
	static char deep[65536];

	EXPECT("a monitor for people is not QMP", -EPROTO,
	       "QEMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) ", NULL);
	EXPECT("a greeting without QMP is an error", -EPROTO, "{\"hello\": 1}\n", NULL);
	EXPECT("a message that is not an object is an error", -EPROTO, "[1]\n", NULL);
	EXPECT("an answer that is not JSON is an error", -EPROTO, GREETING,
	       FIRST "{\"return\": [\x80\xff}\r\n");
	EXPECT("an answer without a result is an error", -EPROTO, GREETING, "{}\r\n");
	qmp.received = MAX_RECEIVED + 1;
	tap_is(receive_text(&qmp), -EOVERFLOW, "an answer without end is an error");
	memset(deep, '[', sizeof(deep) - 1);
	memcpy(deep, "{\"return\": ", strlen("{\"return\": "));
	EXPECT("an answer with very deep arrays is an error", -EPROTO, GREETING, deep);
	EXPECT("an error of QEMU is one of the client", -EIO, GREETING,
	       FIRST "{\"error\": {\"class\": \"GenericError\", \"desc\": "
	       "\"KVM stats: ioctl failed\"}}\r\n");
	EXPECT("a QEMU without query-stats is recognized", -EOPNOTSUPP, GREETING,
	       FIRST "{\"error\": {\"class\": \"CommandNotFound\", \"desc\": "
	       "\"The command query-stats has not been found\"}}\r\n");
	expect("a connection that ends in the middle is an error", (struct server){
		.greeting = GREETING, .answer = FIRST "{\"return\": [", .closes = true,
	}, -ECONNRESET);
	expect("a connection that ends at once is an error", (struct server){
		.greeting = "", .closes = true,
	}, -ECONNRESET);
	EXPECT("a server that does not answer delays only until the deadline", -ETIMEDOUT,
	       GREETING, NULL);
	EXPECT("a server that accepts no connection is busy", -EBUSY, NULL, NULL);
}

/* Others are asked as well, but together they cannot delay a reading by much more than PATIENCE. */
static void test_several(void)
{
	struct server silent = SERVER(GREETING, NULL), good = SERVER(GREETING, ANSWERS);
	uint64_t begin = clock_now();
	int i;

	start_server(&silent, "silent");
	start_server(&good, "good");
	qmp.window = begin;
	qmp.waited = 0;
	for (i = 0; i < 20; i++)
		ask_for_values(&silent);
	tap_is(qmp.err, -ETIMEDOUT, "a server that does not answer is asked for a short time");
	tap_ok(clock_now() - begin < 2 * PATIENCE, "many of them delay less than a second each");
	tap_is(ask_for_values(&good), 0, "one that answers is read nevertheless");
	free_answers(&qmp);
	stop_server(&silent);
	stop_server(&good);
}

/* ---- connections ---- */

static int connect_error(const char *path, pid_t pid)
{
	int fd = qmp_connect(path, false, pid);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static void test_queue(void)
{
	struct server server = { 0 };
	int fd[8], i, err = 0;

	start_server(&server, "full");
	for (i = 0; i < 8; i++) {
		fd[i] = qmp_connect(server.path, false, getpid());
		if (fd[i] < 0)
			err = fd[i];
	}
	tap_is(err, -EBUSY, "a full queue of connections does not block");
	while (i--) {
		if (fd[i] >= 0)
			close(fd[i]);
	}
	stop_server(&server);
}

static void test_connections(void)
{
	char long_dir[256] = "", path[512];
	struct server server = SERVER(GREETING, ANSWERS);
	int fd;

	start_server(&server, "socket");
	tap_is(connect_error(server.path, getpid()), 0, "a socket of the process can be used");
	tap_is(connect_error(server.path, getppid()), -EREMOTE, "one of another cannot");
	fd = qmp_connect(server.path, true, getpid());
	tap_ok(fd >= 0, "a path of the VMM belongs to its file system");
	close(fd);
	/* The path is longer than an address of a socket can be. */
	memset(long_dir, 'x', 200);
	if (chdir(dir) || mkdir(long_dir, 0700))
		abort();
	snprintf(path, sizeof(path), "%s/link", long_dir);
	if (symlink("../socket", path))
		abort();
	fd = qmp_connect(path, true, getpid());
	tap_ok(fd >= 0, "it can be long, a link, and relative to the VMM's working directory");
	close(fd);
	unlink(path);
	rmdir(long_dir);
	stop_server(&server);
	tap_is(connect_error(server.path, getpid()), -ENOENT, "the socket must exist");
	tap_is(connect_error("/dev/null", getpid()), -ECONNREFUSED, "it must be a socket");
	test_queue();
}

/* ---- statistics ---- */

/* As QEMU does, the last statistic and the last bucket are first. */
static const char schemas_text[] =
	"[{\"provider\": \"kvm\", \"target\": \"vm\", \"stats\": ["
	"  {\"name\": \"pages_4k\", \"type\": \"instant\", \"exponent\": 0}]},"
	" {\"provider\": \"kvm\", \"target\": \"vcpu\", \"stats\": ["
	"  {\"name\": \"lin\", \"type\": \"linear-histogram\", \"unit\": \"cycles\","
	"   \"bucket-size\": 500, \"base\": 10, \"exponent\": 3},"
	"  {\"name\": \"odd_type\", \"type\": \"cubic\", \"exponent\": 0},"
	"  {\"name\": \"odd_unit\", \"type\": \"peak\", \"unit\": \"furlongs\", \"exponent\": 0},"
	"  {\"name\": \"no_value\", \"type\": \"peak\", \"exponent\": 0},"
	"  {\"name\": \"escape\\u001b[2J\", \"type\": \"peak\", \"exponent\": 0},"
	"  {\"name\": \"\", \"type\": \"peak\", \"exponent\": 0},"
	"  {\"type\": \"peak\", \"exponent\": 0}, 7,"
	"  {\"name\": \"wait_hist\", \"type\": \"log2-histogram\", \"unit\": \"seconds\","
	"   \"base\": 10, \"exponent\": -9},"
	"  {\"name\": \"size\", \"type\": \"peak\", \"unit\": \"bytes\", \"base\": 2, \"exponent\": 10},"
	"  {\"name\": \"blocking\", \"type\": \"instant\", \"unit\": \"boolean\", \"exponent\": 0},"
	"  {\"name\": \"exits\", \"type\": \"cumulative\", \"exponent\": 0}]}]";

static const char vcpus_text[] =
	"[{\"provider\": \"kvm\", \"qom-path\": \"/a\", \"stats\": ["
	"  {\"name\": \"exits\", \"value\": 6}]},"
	" {\"provider\": \"kvm\", \"qom-path\": \"/b\", \"stats\": ["
	"  {\"name\": \"lin\", \"value\": [4, 3]}, {\"name\": \"odd_type\", \"value\": 1},"
	"  {\"name\": \"odd_unit\", \"value\": 1}, {\"name\": \"not_in_schema\", \"value\": 1},"
	"  {\"name\": \"escape\\u001b[2J\", \"value\": 1},"
	"  {\"name\": \"wait_hist\", \"value\": [13, 12, 11]}, {\"name\": \"size\", \"value\": 8},"
	"  {\"name\": \"blocking\", \"value\": true}, {\"name\": \"exits\", \"value\": 5}]}]";

static const char cpus_text[] =
	"[{\"cpu-index\": 10, \"qom-path\": \"/ten\"}, {\"cpu-index\": 2, \"qom-path\": \"/two\"},"
	" {\"cpu-index\": 0, \"qom-path\": \"/zero\"}]";

static struct json_object *parse(const char *text)
{
	struct json_object *json = json_tokener_parse(text);

	if (!json)
		abort();
	return json;
}

static void check_stat(const struct kvmstats_schema *schema, size_t i, const char *name,
		       unsigned int type, const char *unit, unsigned int size)
{
	const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
	char text[32] = "";

	if (stat)
		kvmstats_stat_unit_text(stat, text, sizeof(text));
	tap_ok(stat && !strcmp(kvmstats_stat_name(stat), name) &&
	       kvmstats_stat_type(stat) == type && kvmstats_stat_size(stat) == size &&
	       !strcmp(text, unit), "statistic %zu is %s in '%s'", i, name, unit);
}

static void test_schema(const struct kvmstats_schema *schema)
{
	tap_is((long long)kvmstats_schema_count(schema), 5,
	       "statistics of unknown types and units, without a value or with an unsuitable name "
	       "are left out");
	check_stat(schema, 0, "exits", KVMSTATS_TYPE_CUMULATIVE, "", 1);
	check_stat(schema, 1, "blocking", KVMSTATS_TYPE_INSTANT, "boolean", 1);
	check_stat(schema, 2, "size", KVMSTATS_TYPE_PEAK, "KiB", 1);
	check_stat(schema, 3, "wait_hist", KVMSTATS_TYPE_LOG_HIST, "ns", 3);
	check_stat(schema, 4, "lin", KVMSTATS_TYPE_LINEAR_HIST, "cycles*10^3", 2);
	tap_is(kvmstats_stat_bucket_size(kvmstats_schema_find(schema, "lin")), 500,
	       "a linear histogram has its bucket size");
}

/* Copies the values of statistics of which @exits is the last one. */
static int copy(const struct kvmstats_schema *schema, const char *exits, uint64_t *values)
{
	struct json_object *stats;
	char text[512];
	int err;

	snprintf(text, sizeof(text), "[{\"name\": \"lin\", \"value\": [0, 0]}, "
		 "{\"name\": \"wait_hist\", \"value\": [0, 0, 0]}, "
		 "{\"name\": \"size\", \"value\": 0}, "
		 "{\"name\": \"blocking\", \"value\": false}%s]", exits);
	stats = parse(text);
	err = copy_values(schema, stats, values);
	json_object_put(stats);
	return err;
}

#define EXITS(value)	", {\"name\": \"exits\", \"value\": " value "}"

static void test_values(const struct kvmstats_schema *schema, struct json_object *stats)
{
	static const uint64_t expected[] = { 5, 1, 8, 11, 12, 13, 3, 4 };
	uint64_t values[ARRAY_SIZE(expected)];

	tap_is(copy_values(schema, stats, values), 0, "values are copied");
	tap_ok(!memcmp(values, expected, sizeof(values)),
	       "values are in the order of the schema, and buckets are ascending");
	tap_is(copy(schema, EXITS("18446744073709551615"), values), 0, "values can be above 2^63");
	tap_ok(values[0] == UINT64_MAX, "they are right");
	tap_is(copy(schema, "", values), -EPROTO, "a missing statistic is an error");
	tap_is(copy(schema, EXITS("[1]"), values), 0, "an array of one value is a value");
	tap_is(copy(schema, EXITS("[1, 2]"), values), -EPROTO,
	       "another number of values is an error");
	tap_is(copy(schema, EXITS("\"1\""), values), -EPROTO, "a string is an error");
	tap_is(copy(schema, EXITS("1.5"), values), -EPROTO, "a fraction is an error");
	tap_is(copy(schema, EXITS("-1"), values), -EPROTO, "a negative number is an error");
}

static void test_statistics(void)
{
	struct json_object *schemas = parse(schemas_text);
	struct qmp answers = { .answer = { [STATS_VCPU] = parse(vcpus_text) } };
	struct kvmstats_schema *schema = NULL;
	struct json_object *stats = find_stats(&answers, "/b");

	tap_ok(stats, "the statistics of a vCPU are found");
	tap_ok(!find_stats(&answers, "/c"), "those of an unknown one are not");
	tap_is(make_schema(schemas, "vcpu", stats, &schema), 0, "a schema is made");
	test_schema(schema);
	test_values(schema, stats);
	kvmstats_schema_free(schema);
	tap_is(make_schema(schemas, "vm", stats, &schema), -ENODATA,
	       "without values there is no schema");
	tap_is(make_schema(NULL, "vcpu", stats, &schema), -ENODATA,
	       "without schemas there is no schema");
	json_object_put(schemas);
	free_answers(&answers);
}

/* ---- vCPUs ---- */

static void path_is(const char *text, size_t count, size_t position, int id, const char *expected,
		    const char *what)
{
	struct json_object *cpus = parse(text);
	const char *path = vcpu_path(cpus, count, position, id);

	tap_ok(!strcmp(path ? path : "none", expected), "%s", what);
	json_object_put(cpus);
}

static void test_vcpus(void)
{
	path_is(cpus_text, 3, 1, 1, "/two", "vCPUs are in the order of their indexes");
	path_is(cpus_text, 3, 2, 64, "/ten", "the ID does not matter");
	path_is(cpus_text, 4, 3, 10, "/ten", "if KVM knows more of them, it does");
	path_is(cpus_text, 4, 1, 1, "none", "one that QEMU does not know has no path");
	path_is("[]", 0, 0, 0, "none", "there may be no vCPU");
	path_is("[{\"cpu-index\": 0}]", 1, 0, 0, "none", "a vCPU may have no path");
}

/* ---- damaged answers ---- */

/* Replaces, removes or doubles a byte. */
static void damage(char *text)
{
	static const char bytes[] = "0123456789-.e\"[]{},: tfn";
	size_t len = strlen(text), at = (size_t)rand() % len;

	switch (rand() % 3) {
	case 0:
		text[at] = bytes[(size_t)rand() % (sizeof(bytes) - 1)];
		break;
	case 1:
		memmove(text + at, text + at + 1, len - at);
		break;
	case 2:
		memmove(text + at + 1, text + at, len - at + 1);
		break;
	}
}

/* Returns the damaged answer, or NULL if it is not JSON any more. */
static struct json_object *damaged(const char *text)
{
	static char copied[4096];
	int n = 1 + rand() % 3;

	strcpy(copied, text);
	while (n--)
		damage(copied);
	return json_tokener_parse(copied);
}

static bool read_damaged(void)
{
	struct json_object *schemas = damaged(schemas_text), *cpus = damaged(cpus_text);
	struct qmp answers = { .answer = { [STATS_VCPU] = damaged(vcpus_text) } };
	struct kvmstats_schema *schema = NULL;
	uint64_t values[64];
	struct json_object *stats = find_stats(&answers, "/b");
	bool read = false;

	if (!make_schema(schemas, "vcpu", stats, &schema))
		read = !copy_values(schema, stats, values);
	vcpu_path(cpus, 3, 1, 1);
	kvmstats_schema_free(schema);
	json_object_put(schemas);
	json_object_put(cpus);
	free_answers(&answers);
	return read;
}

static void test_damage(void)
{
	unsigned int i, read = 0;

	srand(1);
	for (i = 0; i < FUZZED; i++)
		read += read_damaged();
	tap_ok(read && read < FUZZED, "damaged answers are read or refused");
	tap_tried(FUZZED, "damaged answers of QMP");
}

int main(void)
{
	if (!mkdtemp(dir))
		abort();
	vmm.pid = getpid();
	test_paths();
	test_values_of_targets();
	test_answers();
	test_failures();
	test_several();
	test_connections();
	test_statistics();
	test_vcpus();
	test_damage();
	rmdir(dir);
	return tap_end();
}
