// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test recordings: what is read is what was written, whatever happens to the files meanwhile, and
 * what is lost is reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "fake_host.h"
#include "guest_files.h"
#include "options.h"
#include "record/capture.h"
#include "record/frame.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/store.h"
#include "recorded.h"
#include "replay.h"
#include "tap.h"
#include "util.h"

/* Of a segment that is damaged, and of a frame */
#define SAMPLES		130
#define FRAME		60

static struct guest_files files;

static void put_file(const char *name, const void *data, size_t size)
{
	guest_files_put(&files, 0600, data, size, "%s", name);
}

static const struct store_limits no_limits = { .age = UINT64_MAX / 2, .size = UINT64_MAX / 2 };

/* ---- files and passes ---- */

#define FILES	3000

static void test_files(void)
{
	struct sample sample = { .time = 0 };
	unsigned int i, right = 0;
	char path[16], text[16];

	tap_ok(!sample_file(&sample, "/1"), "a sample can have no file");
	for (i = 0; i < FILES; i++) {
		sprintf(path, "/%u", i);
		sprintf(text, "%u", i * i);
		sample_add_file(&sample, path, text);
	}
	sample_add_file(&sample, "/1", "again");
	sample_add_file(&sample, "/empty", "");
	for (i = 0; i < FILES; i++) {
		sprintf(path, "/%u", i);
		sprintf(text, "%u", i * i);
		right += sample_file(&sample, path) && !strcmp(sample_file(&sample, path), text);
	}
	tap_is(right, FILES, "the first text that a file had is found");
	tap_ok(!*sample_file(&sample, "/empty") && !sample_file(&sample, "/none"),
	       "a file can be empty or missing");
	sample_free(&sample);
}

/* Returns the host after it has read the pass. */
static struct kvmstats_host *read_host(const struct bytes *pass)
{
	struct kvmstats_host *host = NULL;
	int fd = bytes_fd((void *)pass->data, pass->size);

	if (kvmstats_host_open_fd(&host, fd) || kvmstats_host_read(host))
		printf("# the host file cannot be read\n");
	close(fd);
	return host;
}

/* A VMM that ended keeps its names in the recording. */
static void test_names(const struct sample *sample)
{
	struct kvmstats_host *host = read_host(&sample->pass);
	const struct kvmstats_vmm *vmm = kvmstats_host_vmm(host, 0);

	tap_ok(vmm && !strcmp(kvmstats_vmm_comm(vmm), "qemu") &&
	       !strcmp(kvmstats_vmm_guest(vmm), "guest0") && !kvmstats_vmm_uuid(vmm) &&
	       !kvmstats_vmm_name_error(vmm), "a pass has the names of its VMMs");
	kvmstats_host_close(host);
}

/* A host of either byte order: guests come and go from sample 9 to 10. */
static void test_codec(void)
{
	const struct bytes none = { .data = NULL };
	struct recorded state = { .swapped = false };
	int swapped;

	for (swapped = 0; swapped < 2; swapped++) {
		struct sample before = { .time = 0 }, sample = { .time = 0 }, again = { .time = 0 };
		struct bytes whole = { .data = NULL }, difference = { .data = NULL };
		struct sample_origin origin;

		state.swapped = swapped;
		recorded_sample(&before, 9, &state);
		recorded_sample(&sample, 10, &state);
		sample_encode(&whole, &sample, &none);
		sample_encode(&difference, &sample, &before.pass);
		tap_ok(sample_decode(&again, &before.pass, difference.data, difference.size) &&
		       (again.time = sample.time) && recorded_same(&again, &sample),
		       "the difference to a sample gives the next one%s",
		       swapped ? ", in the other byte order" : "");
		tap_ok(2 * difference.size < whole.size, "it is much smaller: %zu of %zu bytes",
		       difference.size, whole.size);
		tap_ok(sample_get_origin(&again, &origin) &&
		       origin.boottime == 1100 * SECOND + 501, "the time since the boot is known");
		test_names(&again);
		bytes_free(&whole);
		bytes_free(&difference);
		sample_free(&before);
		sample_free(&sample);
		sample_free(&again);
	}
}

/* ---- reading a directory ---- */

struct found {
	unsigned int samples;
	unsigned int wrong;		/* neither as written, nor in the order */
	int last;
	unsigned int notices;
	char notice[1024];		/* the last ones */
};

static void note(const struct message *notice, void *arg)
{
	struct found *found = arg;
	size_t used = strlen(found->notice);
	char text[MESSAGE_SIZE];

	found->notices++;
	snprintf(found->notice + used, sizeof(found->notice) - used, "%s\n",
		 message_text(notice, text, sizeof(text)));
}

/* Returns the number of a usual sample, or -1. The first ones are made once. */
static int number_of(const struct sample *sample)
{
	static struct sample usual[SAMPLES];
	size_t n = (sample->time - RECORDED_START) / RECORDED_INTERVAL;

	if (n >= SAMPLES)
		return recorded_number(sample, NULL);
	if (!usual[n].time)
		recorded_sample(&usual[n], (unsigned int)n, NULL);
	return recorded_same(sample, &usual[n]) ? (int)n : -1;
}

/* Adds what is found from @time on. */
static void read_on(const char *path, uint64_t time, struct found *found)
{
	struct message why;
	struct recording *recording = recording_open(path, note, found, &why);
	const struct sample *sample;

	if (recording && time)
		recording_seek(recording, time);
	while (recording && (sample = recording_next(recording))) {
		int n = number_of(sample);

		if (sample->time < time)
			continue;
		found->samples++;
		found->wrong += n <= found->last;
		found->last = n;
	}
	recording_close(recording);
}

static struct found read_all(const char *path)
{
	struct found found = { .last = -1 };

	read_on(path, 0, &found);
	return found;
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", files.dir, name);
	return path;
}

/* Appends sample @n. Returns the notice. */
static struct message append_one(struct store *store, unsigned int n, const struct recorded *state)
{
	struct sample sample = { .time = 0 };
	struct message notice;

	recorded_sample(&sample, n, state);
	store_append(store, &sample, &notice);
	sample_free(&sample);
	return notice;
}

/* Appends samples. Returns the number of notices. */
static unsigned int append(struct store *store, unsigned int from, unsigned int to,
			   const struct recorded *state)
{
	unsigned int notices = 0;

	for (; from < to; from++)
		notices += *append_one(store, from, state).what != 0;
	return notices;
}

static void record(const char *name, const struct store_limits *limits, unsigned int from,
		   unsigned int to, const struct recorded *state)
{
	struct message why;
	struct store *store = store_open(path_of(name), limits, &why);

	if (!store || append(store, from, to, state))
		printf("# samples cannot be recorded\n");
	store_close(store);
}

/* Returns the path of the only segment. */
static const char *segment_of(const char *name)
{
	static char path[256];
	char segment[SEGMENT_NAME_SIZE];
	struct segment *list;

	if (segments_list(path_of(name), &list) != 1)
		printf("# there is not one segment\n");
	else
		snprintf(path, sizeof(path), "%s/%s", path_of(name), segment_name(list, segment));
	free(list);
	return path;
}

static void test_round_trip(void)
{
	struct found found;

	record("trip", &no_limits, 0, 1000, NULL);
	found = read_all(path_of("trip"));
	tap_is(found.samples, 1000, "all samples of several segments are read");
	tap_is(found.wrong, 0, "they are as they were written");
	tap_is(found.notices, 0, "there is nothing to report");
	record("trip", &no_limits, 1000, 1010, NULL);
	found = read_all(path_of("trip"));
	tap_ok(found.samples == 1010 && !found.wrong && !found.notices,
	       "a later recorder continues");
}

static void test_locks(void)
{
	struct message why;
	struct store *store = store_open(path_of("trip"), &no_limits, &why);

	tap_ok(!store_open(path_of("trip"), &no_limits, &why) && strstr(why.what, "another"),
	       "only one process records to a directory");
	store_close(store);
}

/* ---- seeking ---- */

static int next_number(struct recording *recording)
{
	const struct sample *sample = recording_next(recording);

	return sample ? recorded_number(sample, NULL) : -1;
}

static int number_at(struct recording *recording, uint64_t time)
{
	return recording_seek(recording, time) ? -2 : next_number(recording);
}

static void test_seek(void)
{
	struct message why;
	struct recording *recording = recording_open(path_of("trip"), NULL, NULL, &why);
	unsigned int n, right = 0;

	for (n = 0; n < 1010; n += 13)
		right += number_at(recording, RECORDED_START + n * RECORDED_INTERVAL + SECOND) ==
			 (int)n;
	tap_is(right, (1010 + 12) / 13, "the last sample before a time is found");
	tap_is(number_at(recording, RECORDED_START + 59 * RECORDED_INTERVAL), 59,
	       "a sample is found by exactly its time");
	tap_is(next_number(recording), 60, "it is followed by the next one, in the next frame");
	recording_back(recording, 1);
	tap_is(next_number(recording), 59, "the one before is in the frame before");
	recording_back(recording, 30);
	tap_is(next_number(recording), 29, "several samples can be skipped");
	number_at(recording, RECORDED_START + 365 * RECORDED_INTERVAL);
	recording_back(recording, 10);
	tap_is(next_number(recording), 355, "the one before can be in another segment");
	recording_back(recording, 5000);
	tap_is(next_number(recording), 0, "no sample precedes the first one");
	tap_is(number_at(recording, 1), 0, "before the recording, the first sample is next");
	tap_is(number_at(recording, UINT64_MAX), 1009, "after it, the last one is");
	tap_is(next_number(recording), -1, "the recording has an end");
	recording_back(recording, 0);
	tap_is(next_number(recording), 1009, "from where one can go back");
	recording_close(recording);
}

/* A recorder ends the frame that is being read, and begins others. */
static void test_live(void)
{
	struct found found = { .samples = 0 };
	struct recording *recording;
	struct message why;
	struct store *store = store_open(path_of("live"), &no_limits, &why);
	unsigned int n = 0;

	append(store, 0, FRAME - 1, NULL);
	recording = recording_open(path_of("live"), note, &found, &why);
	recording_next(recording);
	append(store, FRAME - 1, FRAME + 10, NULL);
	for (n = 1; recording_next(recording); n++)
		;
	tap_ok(n >= FRAME - 1 && !found.notices,
	       "what is appended while a recording is read is not damage");
	recording_close(recording);
	store_close(store);
}

/* ---- what the commands see of it ---- */

static struct replay *replay_of(const char *name, struct replay_options options)
{
	struct message why;

	options.dir = path_of(name);
	return replay_open(&options, NULL, NULL, &why);
}

static bool replay_is_at(struct replay *replay, unsigned int n)
{
	return replay && !replay_next(replay) &&
	       replay_time(replay) == RECORDED_START + n * RECORDED_INTERVAL;
}

static void test_replay(void)
{
	const uint64_t at = RECORDED_START + 500 * RECORDED_INTERVAL;
	const struct recorded booted = { .boot = 1 };
	struct replay_options options = { .since = at, .until = at - SECOND };
	struct replay *replay = replay_of("trip", (struct replay_options){ .at = at });
	struct message why;

	tap_ok(replay_is_at(replay, 500) && replay_next(replay) == -ENODATA,
	       "one sample is at a time");
	replay_close(replay);
	replay = replay_of("trip", (struct replay_options){ .at = at, .interval = 1 });
	tap_ok(replay_is_at(replay, 499) && replay_is_at(replay, 500), "growth has two samples");
	replay_close(replay);
	replay = replay_of("trip", (struct replay_options){
		.at = at, .interval = 1, .span = 60 * SECOND });
	tap_ok(replay_is_at(replay, 494), "evidence begins before the time, with all samples");
	replay_skip(replay, 3);
	tap_ok(replay_is_at(replay, 498) && !replay_has_gap(replay), "samples can be skipped");
	replay_back(replay, 2);
	tap_ok(replay_is_at(replay, 496) && replay_has_gap(replay),
	       "an earlier sample is no later one than the last");
	tap_ok(replay_is_at(replay, 497) && !replay_has_gap(replay), "the next one is");
	replay_close(replay);
	record("boots", &no_limits, 0, 5, NULL);
	record("boots", &no_limits, 5, 10, &booted);
	replay = replay_of("boots", (struct replay_options){
		.since = RECORDED_START, .interval = 1 });
	replay_is_at(replay, 0);
	replay_skip(replay, 6);
	tap_ok(replay_is_at(replay, 7) && replay_has_gap(replay),
	       "a boot in skipped samples is not forgotten");
	replay_close(replay);
	options.dir = path_of("trip");
	tap_ok(!replay_open(&options, NULL, NULL, &why) &&
	       !strcmp(why.what, "--until is before --since"),
	       "a time that ends before it begins is refused");
}

/* ---- extracts ---- */

/* Returns the exit status of kvm-stats record. Without @can_write, all its writes fail. */
static int run_record(const char **args, int count, bool can_write)
{
	const struct rlimit none = { 0, 0 };
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(9);
		signal(SIGXFSZ, SIG_IGN);
		if (!can_write)
			setrlimit(RLIMIT_FSIZE, &none);
		_exit(command_record(count, (char **)(uintptr_t)args));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_extract(const char *from, const char *extract, const char *until)
{
	const char *args[] = { "record", "--extract", extract, "--from", from,
			       "--since", "2025-11-28T23:16:40Z", "--until", until, NULL };

	return run_record(args, (int)ARRAY_SIZE(args) - 1, true);
}

static void test_extracts(void)
{
	char trip[128], first[128], second[128];
	struct found found;

	strcpy(trip, path_of("trip"));
	strcpy(first, path_of("first.zst"));
	strcpy(second, path_of("second.zst"));
	tap_is(run_extract(trip, first, "2025-11-28T23:33:20Z"), 0, "a time can be extracted");
	found = read_all(first);
	tap_ok(found.samples == 101 && found.last == 200 && !found.wrong && !found.notices,
	       "the extract has its samples, as they were written");
	tap_is(run_extract(first, second, "2025-11-28T23:25:00Z"), 0, "an extract has extracts");
	found = read_all(second);
	tap_ok(found.samples == 51 && found.last == 150 && !found.wrong, "they have their samples");
	tap_ok(run_extract(first, first, "2025-11-28T23:33:20Z") == 1 &&
	       read_all(first).samples == 101, "a file that exists is not overwritten");
	unlink(second);
	tap_ok(run_extract(first, second, "2025-11-28T22:00:00Z") == 1 && access(second, F_OK),
	       "of a time without samples, there is no extract");
}

/* ---- the recorder ---- */

/* A copy of a host file with two passes is recorded. */
static void test_recorder(void)
{
	struct host_image image = { .time = 1000, .arrival = 900 };
	char dir[128], from[128];
	const char *args[] = { "record", "--from", from, "--dir", dir, "-c", "2", "-i", "0.1",
			       NULL };
	const int count = (int)ARRAY_SIZE(args) - 1;
	struct recording *recording;
	struct kvmstats_host *host;
	const struct sample *sample;
	struct message why;

	strcpy(from, path_of("host"));
	strcpy(dir, path_of("recorder"));
	host_image_pass(&image, 5);
	host_image_pass(&image, 6);
	put_file("host", image.data, image.size);
	free(image.data);
	tap_is(run_record(args, count, true), 0, "a host file is recorded");
	recording = recording_open(dir, NULL, NULL, &why);
	tap_ok(recording_next(recording) && (sample = recording_next(recording)) &&
	       !recording_next(recording), "each pass is a sample");
	recording_seek(recording, UINT64_MAX);
	host = read_host(&recording_next(recording)->pass);
	tap_ok(kvmstats_host_vms(host) == 2 && kvmstats_host_vmms(host) == 2 &&
	       kvmstats_vmm_name_error(kvmstats_host_vmm(host, 0)) == -EREMOTE,
	       "it has the VMs, and why it has no names");
	kvmstats_host_close(host);
	recording_close(recording);
	tap_is(run_record(args, count, false), 1, "if samples are dropped, -c fails");
}

/* ---- what is read of a host ---- */

#define NS(type)	(KVM_STATS_TYPE_##type | KVM_STATS_UNIT_SECONDS | KVM_STATS_BASE_POW10)
#define VALUE		1234567891

static struct sample capture_guest(const char *proc, const char *cgroup)
{
	static const struct fake_stat stats[] = {
		{ .name = "exits", .size = 1 },
		{ "exit_io_ns", NS(CUMULATIVE), -9, 1, 0 },
		{ "thread_run_delay_ns", NS(CUMULATIVE), -9, 1, 0 },
		{ "thread_exec_start_ns", NS(INSTANT), -9, 1, 0 },
		{ "halt_wait_hist", NS(LOG_HIST), -9, 1, 0 },
	};
	static const uint64_t values[] = { VALUE, VALUE, VALUE, VALUE, VALUE };
	struct sample sample = { .time = 0 };
	struct fake_host host;
	int err = 0, i;

	proc_set_root(proc);
	cgroup_set_root(cgroup);
	fake_host_open(&host, NULL, 0, stats, ARRAY_SIZE(stats));
	for (i = 0; i < 2 && !err; i++) {
		fake_host_vm(&host, 7, 7, NULL);
		fake_host_vcpu(&host, 7, 0, values);
		if (!i)
			err = fake_host_sample(&host);
	}
	/* Processes are only read if the host file is not a copy. */
	host.monitor->is_copy = false;
	host.monitor->options.processes = PROCESSES_ALL;
	host_image_end(&host.image, 0);
	if (err || write(host.fd, host.image.data, host.image.size) < 0 ||
	    capture_sample(host.monitor, 10 * SECOND, &sample))
		printf("# the host cannot be read\n");
	fake_host_close(&host);
	proc_set_root("/proc");
	cgroup_set_root("/sys/fs/cgroup");
	return sample;
}

static const char *captured(const struct sample *sample, const char *root, const char *path)
{
	char full[192];
	const char *text;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	text = sample_file(sample, full);
	return text ? text : "missing";
}

/* With the interval of 10 s that capture_guest() has */
static void test_rounding(const struct sample *sample)
{
	struct kvmstats_host *host = read_host(&sample->pass);
	const struct kvmstats_host_vm *vm = kvmstats_host_vm(host, 0);
	const struct kvmstats_sample *now = kvmstats_host_vcpu_now(kvmstats_host_vm_vcpu(vm, 0));
	const uint64_t expected[] = { VALUE, 1234567000, 1234500000, 1234000000, VALUE };
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	size_t i, right = 0;

	for (i = 0; i < ARRAY_SIZE(expected); i++)
		right += *kvmstats_sample_values(now, kvmstats_schema_stat(schema, i)) ==
			 expected[i];
	tap_is((long long)right, ARRAY_SIZE(expected), "times are rounded as they need to be");
	kvmstats_host_close(host);
}

static void test_capture(void)
{
	static const char task[] =
		"7 (CPU 0/KVM) S 1 7 7 0 -1 0 10 11 12 13 14 15 16 17 20 0 3 0 100 99 50 25 26 27 28 "
		"29 30 31 32 33 34 35 36 37 38 3 40 0 42 9 44 45 46\n";
	static const char kept[] =
		"7 (CPU 0/KVM) S - - - - - - - - 12 - 14 15 - - - - - - - - 50 "
		"- - - - - - - - - - - - - - 3 - 0 - 9";
	char proc[128], cgroup[128];
	struct sample sample;

	strcpy(proc, path_of("proc"));
	strcpy(cgroup, path_of("cgroup"));
	guest_files_write(&files, 0600, task, "proc/7/stat");
	guest_files_write(&files, 0600, task, "proc/7/task/10000/stat");
	guest_files_write(&files, 0600, "123456789 98765432 5\n", "proc/7/task/10000/schedstat");
	guest_files_write(&files, 0600, "Name:\tx\nVmRSS:\t1 kB\nHugetlbPages:\t2 kB\n",
			  "proc/7/status");
	guest_files_write(&files, 0600, "0::/vms/a/vcpu0\n", "proc/7/task/10000/cgroup");
	guest_files_write(&files, 0600, "cpu\n", "cgroup/cgroup.controllers");
	guest_files_write(&files, 0600, "30\n", "cgroup/vms/cpu.weight");
	guest_files_write(&files, 0600, "40\n", "cgroup/vms/a/vcpu0/cpu.weight");
	sample = capture_guest(proc, cgroup);
	/* The weights of two threads are compared where their paths part. */
	tap_ok(!strcmp(captured(&sample, cgroup, "/vms/cpu.weight"), "30\n"),
	       "a sample has the weights of cgroups above");
	tap_ok(!strcmp(captured(&sample, cgroup, "/vms/a/vcpu0/cpu.weight"), "40\n"),
	       "and of that of a vCPU");
	tap_ok(!strcmp(captured(&sample, cgroup, "cgroup.controllers"), "cpu\n"),
	       "and which hierarchies there are, also after another sample");
	tap_ok(!strcmp(captured(&sample, proc, "7/task/10000/stat"), kept) &&
	       !strcmp(captured(&sample, proc, "7/task/10000/schedstat"), "123400000 98700000") &&
	       !strcmp(captured(&sample, proc, "7/status"), "Name:\tx\nHugetlbPages:\t2 kB\n"),
	       "only what is used of files is kept");
	test_rounding(&sample);
	sample_free(&sample);
}

/* ---- clocks and boots ---- */

static void test_clocks(void)
{
	const struct recorded late = { .clock = -3600 * (int64_t)SECOND }, booted = { .boot = 1 };
	struct message why;
	struct store *store = store_open(path_of("clock"), &no_limits, &why);
	struct found found = { .samples = 0 };
	struct recording *recording;
	const struct sample *sample;
	unsigned int usual = 0, back = 0, rebooted = 0;

	append(store, 1000, 1100, NULL);
	append(store, 1100, 1200, &late);
	append(store, 1200, 1300, &booted);
	store_close(store);
	recording = recording_open(path_of("clock"), note, &found, &why);
	while ((sample = recording_next(recording))) {
		usual += recorded_number(sample, NULL) >= 0;
		back += recorded_number(sample, &late) >= 0;
		rebooted += recorded_number(sample, &booted) >= 0;
	}
	tap_ok(usual == 100 && back == 100 && rebooted == 100,
	       "samples are kept after the clock was set back, and after a boot");
	tap_ok(strstr(found.notice, "the clock was set back by 3600.000 s after "),
	       "that the clock was set back is reported");
	tap_ok(strstr(found.notice, "the host was booted between "), "a boot is reported");
	tap_is(found.notices, 2, "nothing else is reported");
	recording_seek(recording, RECORDED_START + 1150 * RECORDED_INTERVAL + late.clock);
	sample = recording_next(recording);
	tap_is(sample ? recorded_number(sample, &late) : -1, 1150,
	       "of a time that was twice, the later sample is found");
	recording_close(recording);
}

/* ---- damage ---- */

struct copy {
	char *data;
	size_t size;
};

static struct copy load(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	struct copy copy;

	fstat(fd, &st);
	copy.size = (size_t)st.st_size;
	copy.data = malloc(copy.size);
	if (read(fd, copy.data, copy.size) != st.st_size)
		printf("# the segment cannot be read\n");
	close(fd);
	return copy;
}

static struct found read_copy(const char *data, size_t size)
{
	put_file("copy.zst", data, size);
	return read_all(path_of("copy.zst"));
}

/* A power cut: the file has any length. */
static void test_truncation(const struct copy *copy)
{
	unsigned int wrong = 0, lost = 0, silent = 0, before = 0, tries = 0;
	size_t size;

	for (size = 0; size <= copy->size; size += 1 + (size > 500) * 16, tries++) {
		struct found found = read_copy(copy->data, size);

		wrong += found.wrong;
		lost += found.samples < before;
		silent += found.samples > before + 1;
		before = found.samples;
	}
	tap_tried(tries, "lengths of a segment that was cut");
	tap_is(wrong, 0, "no sample of a file that was cut is wrong");
	tap_is(lost + silent, 0, "each sample is read immediately after it is written");
	tap_is(read_copy(copy->data, copy->size).samples, SAMPLES, "all of them at the end");
}

static void test_bit_flips(const struct copy *copy)
{
	unsigned int wrong = 0, unreported = 0, too_many = 0, harmless = 0, i;

	srandom(1);
	for (i = 0; i < 1000; i++) {
		size_t at = (size_t)random() % copy->size;
		char bit = (char)(1 << random() % 8);
		struct found found;

		copy->data[at] ^= bit;
		found = read_copy(copy->data, copy->size);
		wrong += found.wrong;
		unreported += found.samples < SAMPLES && !found.notices;
		too_many += found.samples + FRAME < SAMPLES;
		harmless += found.samples == SAMPLES;
		copy->data[at] ^= bit;
	}
	tap_tried(i, "bit flips in a segment");
	tap_is(wrong, 0, "no sample of a file with a flipped bit is wrong");
	tap_is(unreported, 0, "lost samples are reported");
	tap_is(too_many, 0, "a flipped bit costs one frame at most");
	printf("# %u flips cost no sample\n", harmless);
}

static void test_holes(const struct copy *copy)
{
	unsigned int wrong = 0, unreported = 0, i;

	for (i = 0; i < 200; i++) {
		size_t at = (size_t)random() % copy->size, size = 1 + (size_t)random() % 4096;
		char *data = malloc(copy->size);
		struct found found;

		memcpy(data, copy->data, copy->size);
		memset(data + at, 0, at + size > copy->size ? copy->size - at : size);
		found = read_copy(data, copy->size);
		wrong += found.wrong;
		unreported += found.samples < SAMPLES && !found.notices;
		free(data);
	}
	tap_tried(i, "holes in a segment");
	tap_ok(!wrong && !unreported, "no sample of a file with a hole is wrong or lost silently");
}

/* The first sample of the second frame is damaged, which costs the frame. */
static void test_lost_frame(const struct copy *copy)
{
	size_t at = (size_t)(frame_find(copy->data + 1, copy->size - 1) - copy->data);
	struct recording *recording;
	struct message why;

	copy->data[at + 200] ^= 1;
	put_file("frame.zst", copy->data, copy->size);
	copy->data[at + 200] ^= 1;
	recording = recording_open(path_of("frame.zst"), NULL, NULL, &why);
	tap_is(number_at(recording, RECORDED_START + 70 * RECORDED_INTERVAL), FRAME - 1,
	       "instead of a lost sample, the last one before is found");
	tap_is(next_number(recording), 2 * FRAME, "it is followed by the next frame");
	recording_back(recording, 1);
	tap_is(next_number(recording), FRAME - 1, "one can go back over a lost frame");
	recording_close(recording);
}

static void test_damage(void)
{
	struct copy copy;

	record("damage", &no_limits, 0, SAMPLES, NULL);
	copy = load(segment_of("damage"));
	test_truncation(&copy);
	test_bit_flips(&copy);
	test_holes(&copy);
	test_lost_frame(&copy);
	free(copy.data);
}

/* ---- the end of the recorder ---- */

/* Appends samples, and writes the number of each to @fd, until it is killed. */
static void record_until_killed(unsigned int from, int fd)
{
	struct message why;
	struct store *store = store_open(path_of("killed"), &no_limits, &why);

	for (; store; from++) {
		append(store, from, from + 1, NULL);
		if (write(fd, &from, sizeof(from)) != sizeof(from))
			break;
	}
	_exit(1);
}

static void test_kills(void)
{
	unsigned int next = 0, kills, lost = 0;
	struct found found;

	srandom(2);
	for (kills = 0; kills < 200; kills++) {
		unsigned int n = next - 1;
		int fd[2], wanted = (int)(random() % 20);
		pid_t pid;

		if (pipe(fd))
			return;
		pid = fork();
		if (!pid)
			record_until_killed(next, fd[1]);
		close(fd[1]);
		while (wanted-- && read(fd[0], &n, sizeof(n)) == sizeof(n))
			;
		usleep((useconds_t)(random() % 300));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		while (read(fd[0], &n, sizeof(n)) == sizeof(n))
			;
		close(fd[0]);
		/* One more can have been written. */
		found = (struct found){ .last = (int)next - 1 };
		read_on(path_of("killed"), RECORDED_START + next * RECORDED_INTERVAL, &found);
		/* A sample that a kill has cut was not written, and can be reported. */
		lost += found.last < (int)n || found.wrong;
		next = (unsigned int)found.last + 1;
	}
	found = read_all(path_of("killed"));
	lost += found.samples < next || found.wrong;
	tap_tried(kills, "times the recorder was killed");
	tap_is(lost, 0, "after each kill, every sample that was written is read");
	printf("# %u samples\n", next);
}

/* ---- limits ---- */

static uint64_t size_of(const char *name, struct segment **list, ssize_t *count)
{
	uint64_t size = 0;
	ssize_t i;

	*count = segments_list(path_of(name), list);
	for (i = 0; i < *count; i++)
		size += (uint64_t)(*list)[i].size;
	return size;
}

static const struct store_limits age = { .age = 800 * SECOND, .size = UINT64_MAX / 2 };

static void test_limits(void)
{
	const struct store_limits size = { .age = no_limits.age, .size = 20000 };
	struct segment *list;
	struct message why;
	struct store *store = store_open(path_of("size"), &size, &why);
	unsigned int n, above = 0, old = 0;
	ssize_t count;

	for (n = 0; n < 1000; n++) {
		append(store, n, n + 1, NULL);
		above += size_of("size", &list, &count) > size.size;
		free(list);
	}
	store_close(store);
	tap_is(above, 0, "the segments are never larger than the limit");
	tap_ok(read_all(path_of("size")).samples > 30 && !read_all(path_of("size")).wrong,
	       "what is left can be read");
	store = store_open(path_of("age"), &age, &why);
	for (n = 0; n < 1000; n++) {
		append(store, n, n + 1, NULL);
		size_of("age", &list, &count);
		old += list[0].time + age.age < RECORDED_START + n * RECORDED_INTERVAL;
		free(list);
	}
	store_close(store);
	tap_is(old, 0, "samples are never older than the limit");
	n = read_all(path_of("age")).samples;
	tap_ok(n >= 70 && n <= 81, "those that are younger are kept, except for a segment");
}

/* The clock was a year ahead when the recording began. */
static void test_age_after_clock(void)
{
	const struct recorded ahead = { .clock = (int64_t)(31536000 * SECOND) };
	struct segment *list;
	unsigned int old = 0;
	ssize_t count, i;

	record("ahead", &no_limits, 0, 3, &ahead);
	record("ahead", &age, 3, 1000, NULL);
	count = segments_list(path_of("ahead"), &list);
	for (i = 0; i < count; i++)
		old += list[i].time + age.age < RECORDED_START + 999 * RECORDED_INTERVAL;
	free(list);
	tap_ok(count > 1 && !old, "after a clock was ahead, old samples are removed, too");
}

/* One segment after the other is removed without a message, but not all at once. */
static void test_clock_ahead(void)
{
	const struct recorded ahead = { .clock = (int64_t)(31536000 * SECOND) };
	struct store *store;
	struct message why;

	record("jump", &age, 0, 3, NULL);
	record("jump", &age, 3, 6, NULL);
	store = store_open(path_of("jump"), &age, &why);
	tap_ok(strstr(append_one(store, 6, &ahead).what, "2 segments were removed at once"),
	       "if the clock makes all segments old, their removal is reported");
	store_close(store);
}

/* What is in the way of retention stays there, and is reported once. */
static void test_stuck_segment(void)
{
	struct store *store;
	struct message why;

	mkdir(path_of("stuck"), 0700);
	mkdir(path_of("stuck/kvm-stats-00000001-20251127T000000Z.zst"), 0700);
	store = store_open(path_of("stuck"), &age, &why);
	tap_ok(strstr(append_one(store, 0, NULL).what, "cannot be removed: ") &&
	       !*append_one(store, 0, NULL).what,
	       "a segment that cannot be removed is reported once");
	store_close(store);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_mode & 07777;
}

static void test_modes(void)
{
	mode_t mask = umask(077);

	record("modes", &no_limits, 0, 3, NULL);
	umask(mask);
	tap_ok(mode_of(path_of("modes")) == 0750 && mode_of(segment_of("modes")) == 0640,
	       "the group can read a recording, whatever the umask is");
}

/* Files with other names are not those of a recorder. */
static void test_names_of_segments(void)
{
	struct segment *list = NULL;

	put_file("names/kvm-stats-7-20260101T000000Z.zst", "", 0);
	put_file("names/kvm-stats-00000008-20260101T000000Z.zst", "", 0);
	tap_ok(segments_list(path_of("names"), &list) == 1 && list[0].number == 8,
	       "only names that a recorder writes are segments");
	free(list);
}

/* Looking whether it is a recording must not end its writer with SIGPIPE. */
static void test_pipe(void)
{
	int watch = inotify_init1(IN_NONBLOCK);
	char event[512];

	mkfifo(path_of("pipe"), 0600);
	inotify_add_watch(watch, path_of("pipe"), IN_OPEN);
	tap_ok(!recording_is_one(path_of("pipe")) && read(watch, event, sizeof(event)) < 0,
	       "a pipe is not opened to see whether it is a recording");
	close(watch);
}

/* Every write fails, and not because the disk is full. */
static void test_failing_writes(void)
{
	struct message why;
	struct store *store = store_open(path_of("fails"), &no_limits, &why);
	struct rlimit limit, none;
	struct segment *list;
	unsigned int notices;
	ssize_t count;

	append(store, 0, 3, NULL);
	getrlimit(RLIMIT_FSIZE, &limit);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	notices = append(store, 3, 20, NULL);
	count = segments_list(path_of("fails"), &list);
	free(list);
	setrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, SIG_DFL);
	tap_ok(count == 1 && notices == 1, "writes that fail leave no empty files, and one notice");
	append(store, 20, 21, NULL);
	store_close(store);
	tap_is(read_all(path_of("fails")).last, 20, "samples are written again after that");
}

/* Returns the path, which the caller frees, or NULL if that is not possible here. */
static char *mount_small(const char *name)
{
	const char *path = path_of(name);

	mkdir(path, 0700);
	if (!mount("none", path, "tmpfs", 0, "size=256k"))
		return strdup(path);
	tap_report(TAP_SKIP, "", "a full disk", "a tmpfs cannot be mounted");
	return NULL;
}

/* Another program needs all space. */
static void fill(const char *name)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_APPEND, 0600);
	char block[4096] = "";

	while (write(fd, block, sizeof(block)) > 0)
		;
	close(fd);
}

static void test_full_disk(void)
{
	char *path = mount_small("full");
	struct message why, notice = { .what = "" };
	unsigned int n, dropped;
	struct store *store;
	struct found found;
	bool said = false;

	if (!path)
		return;
	store = store_open(path, &no_limits, &why);
	for (n = 0; n < 20000 && !*notice.what; n++)
		notice = append_one(store, n, NULL);
	tap_ok(strstr(notice.what, "the oldest samples were removed"),
	       "on a full disk, the oldest samples are removed, and that is reported");
	found = read_all(path);
	tap_ok(!found.wrong && found.last == (int)n - 1, "the last sample is there");
	for (dropped = 0; dropped < 5000 && !said; dropped++, n++) {
		fill("full/other");
		said = strstr(append_one(store, n, NULL).what, "are dropped");
	}
	tap_ok(said, "if no sample is left to remove, samples are dropped, and that is reported");
	found = read_all(path);
	tap_ok(!found.wrong, "what is there is not wrong");
	store_close(store);
	tap_ok(!store_open(path, &no_limits, &why) && strstr(why.what, "less than 5 %"),
	       "a file system that is almost full is refused");
	umount2(path, MNT_DETACH);
	free(path);
}

/* Btrfs frees the space of a file some time after it was removed, as if a process had it open. */
static void test_late_space(void)
{
	enum { SEGMENTS = 8 };
	static const char block[16384];
	char *path = mount_small("late");
	struct segment *list = NULL;
	int fd[SEGMENTS], i;
	struct store *store;
	struct message why;

	if (!path)
		return;
	for (i = 0; i < SEGMENTS; i++) {
		struct segment segment = { .number = (uint64_t)i + 1, .time = RECORDED_START };
		char name[SEGMENT_NAME_SIZE], file[128];

		snprintf(file, sizeof(file), "late/%s", segment_name(&segment, name));
		put_file(file, block, sizeof(block));
		fd[i] = open(path_of(file), O_RDONLY);
	}
	store = store_open(path, &no_limits, &why);
	fill("late/other");
	for (i = 0; i < 3; i++)
		tap_ok(!!strstr(append_one(store, (unsigned int)i, NULL).what,
				"the oldest samples were removed") == !i,
		       "the removal of a segment is reported once (sample %d)", i);
	tap_is(segments_list(path, &list), SEGMENTS - 1,
	       "if the space of a segment is not free at once, no other one is removed");
	free(list);
	for (i = 0; i < SEGMENTS; i++)
		close(fd[i]);
	append_one(store, 3, NULL);
	tap_is(read_all(path).last, 3, "when it is free, samples are written again");
	store_close(store);
	umount2(path, MNT_DETACH);
	free(path);
}

/* ---- times of the user ---- */

/* Returns the time, or 0 if it is refused. */
static uint64_t parsed_time(const char *text)
{
	struct message why;
	uint64_t time;

	return parse_time("at", text, &time, &why) ? time : 0;
}

static void test_user_times(void)
{
	static const char * const wrong[] = {
		"", "25:00", "02:10:", "2:10 pm", "-6", "-0h", "-999999d", "--6h", "2026-13-01",
		"2026-11-28T02:10x", "2026-11-28T02:10:00.5e30", "9999-01-01", "1969-01-01T00:00Z",
	};
	const uint64_t second = UINT64_C(1795831800) * SECOND;	/* 2026-11-28T02:10:00Z */
	uint64_t now = clock_read(CLOCK_REALTIME), ago = parsed_time("-6h");
	uint64_t clock = parsed_time("02:10");
	size_t refused = 0, i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		refused += !parsed_time(wrong[i]);
	tap_is((long long)refused, ARRAY_SIZE(wrong), "wrong times are refused");
	tap_ok(parsed_time("2026-11-28T02:10Z") == second &&
	       parsed_time("2026-11-28T02:10:00Z") == second &&
	       parsed_time("2026-11-28T03:10:00.5+01:00") == second + SECOND / 2,
	       "times have zones and fractions");
	tap_ok(ago >= now - 6 * 3600 * SECOND && ago < now - 6 * 3600 * SECOND + 60 * SECOND,
	       "a time can be before now");
	tap_ok(clock <= now && now - clock < 25 * 3600 * SECOND, "a clock time is the last one");
	tap_ok(!parse_duration("200000d") && parse_duration("7d") == 7 * 86400 * SECOND,
	       "an age that has too many nanoseconds is refused");
}

int main(void)
{
	if (guest_files_make(&files))
		return 1;
	test_files();
	test_codec();
	test_user_times();
	test_round_trip();
	test_locks();
	test_seek();
	test_live();
	test_replay();
	test_extracts();
	test_recorder();
	test_capture();
	test_clocks();
	test_damage();
	test_kills();
	test_limits();
	test_age_after_clock();
	test_clock_ahead();
	test_stuck_segment();
	test_modes();
	test_names_of_segments();
	test_pipe();
	test_failing_writes();
	test_full_disk();
	test_late_space();
	guest_files_remove(&files);
	return tap_end();
}
