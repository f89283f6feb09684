// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare the expositions of sample statistics from files in memory with exposition.openmetrics,
 * and those in the text format with them. With UPDATE=1 in the environment, write the file first.
 * With an argument, also write the text format to the file of that name.
 */
#include "cgroup.h"
#include "fake_vmms.h"
#include "guest_files.h"
#include "image.h"
#include "tap.h"
#include "util.h"

#define TYPE(name)	((uint32_t)KVMSTATS_TYPE_##name)
#define UNIT(name)	((uint32_t)KVMSTATS_UNIT_##name << 4)
#define BASE(name)	((uint32_t)KVMSTATS_BASE_##name << 8)

/* Numbers that later kernels may use. */
#define LATER_TYPE	9u
#define LATER_UNIT	(7u << 4)
#define LATER_BASE	(5u << 8)

#define COUNTER		TYPE(CUMULATIVE)
#define SECONDS		UNIT(SECONDS)
#define BYTES		UNIT(BYTES)
#define POW2		BASE(POW2)

/* Adds a statistic with @size values, sets them to @value, and returns a pointer to them. */
static uint64_t *add(struct image *image, const char *name, uint32_t flags, int exponent,
		     unsigned int size, uint32_t bucket_size, uint64_t value)
{
	uint64_t *values = &image->data[image->data_size / sizeof(uint64_t)];
	unsigned int i;

	image_add(image, name, flags, exponent, size, bucket_size);
	for (i = 0; i < size; i++)
		values[i] = value;
	return values;
}

/* ---- the statistics ---- */

static void vm_image(struct image *image)
{
	uint64_t *sizes;

	image_init(image);
	add(image, "exits", COUNTER, 0, 1, 0, UINT64_MAX);
	add(image, "pages", TYPE(INSTANT), 0, 1, 0, 7);
	add(image, "pages_4k", TYPE(INSTANT), 0, 1, 0, 3);
	add(image, "pages_2m", TYPE(INSTANT), 0, 1, 0, 2);
	add(image, "max_rmap", TYPE(PEAK), 0, 1, 0, 8);
	add(image, "memory", TYPE(INSTANT) | BYTES | POW2, 10, 1, 0, UINT64_MAX);
	add(image, "sent_bytes", COUNTER | BYTES, 0, 1, 0, 9);
	add(image, "cycles", COUNTER | UNIT(CYCLES), 3, 1, 0, 10);
	add(image, "blocking", TYPE(INSTANT) | UNIT(BOOLEAN), 0, 1, 0, 1);
	sizes = add(image, "sizes_hist", TYPE(LINEAR_HIST) | BYTES | POW2, -1, 4, 3, 1);
	sizes[3] = 5;
	add(image, "boundless_hist", TYPE(LINEAR_HIST), 0, 2, 0, 2);
}

static void odd_image(struct image *image)
{
	image_init(image);
	add(image, "later_type", LATER_TYPE | LATER_UNIT, 0, 2, 0, 11);
	add(image, "later_base", COUNTER | SECONDS | LATER_BASE, -9, 1, 0, 12);
	add(image, "far", COUNTER | SECONDS, -32768, 1, 0, 13);
	add(image, "several", COUNTER, 0, 2, 0, 14);
	add(image, "odd.name \"it\" \\is", COUNTER, 0, 1, 0, 15);
	/* Omitted: a duplicate name, the name of a counter, a family of another type. */
	add(image, "odd_name_-it- -is", COUNTER, 0, 1, 0, 16);
	add(image, "several_total", TYPE(INSTANT), 0, 1, 0, 17);
	add(image, "exits", TYPE(INSTANT), 0, 1, 0, 18);
	add(image, "wide_hist", TYPE(LOG_HIST) | SECONDS, -9, 67, 0, 1);
	/* Omitted: the statistic of another VM has the same name, but another type. */
	add(image, "pages", TYPE(PEAK), 0, 1, 0, 19);
}

static void vcpu_image(struct image *image)
{
	uint64_t *wait;

	image_init(image);
	add(image, "halt_wait_ns", COUNTER | SECONDS, -9, 1, 0, UINT64_MAX);
	wait = add(image, "halt_wait_hist", TYPE(LOG_HIST) | SECONDS, -9, 32, 0, 0);
	wait[0] = 1;
	wait[11] = 20;
	wait[31] = 300;
	add(image, "full_hist", TYPE(LOG_HIST), 0, 3, 0, UINT64_MAX);
	/* Very short and long polls are rare, so fewer buckets are exposed. */
	add(image, "halt_poll_fail_hist", TYPE(LOG_HIST) | SECONDS, -9, 32, 0, 1);
}

/*
 * The statistics of a vCPU on a kernel with exit statistics, whose histograms have 32 buckets. No
 * exit was of the class hlt.
 */
static void exits_image(struct image *image)
{
	uint64_t *delays;

	image_init(image);
	add(image, "exits", COUNTER, 0, 1, 0, 40);
	add(image, "run_delay_ns", COUNTER | SECONDS, -9, 1, 0, 41);
	add(image, "run_delay_max_ns", TYPE(PEAK) | SECONDS, -9, 1, 0, 42);
	delays = add(image, "run_delay_hist", TYPE(LOG_HIST) | SECONDS, -9, 20, 0, 0);
	delays[14] = 43;
	add(image, "preemptions", COUNTER, 0, 1, 0, 44);
	add(image, "guest_ns", COUNTER | SECONDS, -9, 1, 0, 45);
	add(image, "userspace_ns", COUNTER | SECONDS, -9, 1, 0, 46);
	add(image, "halted_ns", COUNTER | SECONDS, -9, 1, 0, 47);
	add(image, "exit_hist", TYPE(LOG_HIST) | SECONDS, -9, 16, 0, 1);
	add(image, "exit_io", COUNTER, 0, 1, 0, 48);
	add(image, "exit_io_ns", COUNTER | SECONDS, -9, 1, 0, 49);
	add(image, "exit_hlt", COUNTER, 0, 1, 0, 0);
	add(image, "exit_hlt_ns", COUNTER | SECONDS, -9, 1, 0, 0);
	/* Not of a class: neither has a partner. */
	add(image, "exit_reasons", COUNTER, 0, 1, 0, 50);
	add(image, "exit_work_ns", COUNTER | SECONDS, -9, 1, 0, 51);
}

/* ---- the VMMs ---- */

static const struct stat_set *set_of(const struct image *image)
{
	struct kvmstats_schema *schema;
	const struct stat_set *set = NULL;
	int fd = image_fd(image);

	if (!kvmstats_schema_read(&schema, fd))
		set = stat_set_get(&monitor.sets, schema);
	if (!set)
		fail("the schema of an image cannot be read");
	close(fd);
	return set;
}

static struct fake_target *add_image(struct vmm *vmm, const struct image *image, int vm, int vcpu)
{
	struct fake_target *fake = add_target(vmm, set_of(image), vm, vcpu);

	set_values(fake, image->data, 1);
	return fake;
}

static void add_ordinary(void)
{
	/*
	 * The name has characters to escape, a control character, an invalid byte, two valid UTF-8
	 * sequences with a surrogate between them, and an incomplete sequence.
	 */
	static const char name[] = "a\"b\\c\nx\xff\xc3\xa9\xed\xa0\x80\xf0\x9f\x90\xa7\xc3";
	struct vmm *vmm = add_vmm(100, name, 1, 2);
	struct image vm, vcpu;

	vmm->uuid = "0a1b2c3d-0000-4000-8000-000000000100";
	vm_image(&vm);
	vcpu_image(&vcpu);
	add_image(vmm, &vm, 0, -1);
	add_image(vmm, &vcpu, 0, 0);
	vcpu.data[0] = 1;
	add_image(vmm, &vcpu, 0, 1);
}

/* Two VMs, each with a vCPU 0. Each has a series. */
static void add_several_vms(void)
{
	struct vmm *vmm = add_vmm(200, NULL, 2, 2);
	struct image odd, vm, vcpu;

	vmm->cgroup = "machine-fc-1";
	odd_image(&odd);
	image_init(&vm);
	add(&vm, "pages_4k", TYPE(INSTANT), 0, 1, 0, 4);
	image_init(&vcpu);
	add(&vcpu, "exits", COUNTER, 0, 1, 0, 20);
	add_image(vmm, &vm, 0, -1);
	add_image(vmm, &odd, 1, -1);
	add_image(vmm, &vcpu, 0, 0);
	add_image(vmm, &vcpu, 1, 0);
}

/* Without a name and a cgroup, and with what --vcpu leaves of them */
static void add_others(void)
{
	struct vmm *vcpus = add_vmm(250, "vCPUs only", 1, 2);
	struct image vcpu;

	image_init(&vcpu);
	add(&vcpu, "exits", COUNTER, 0, 1, 0, 30);
	add_image(vcpus, &vcpu, 0, 0);
	add_image(vcpus, &vcpu, 0, 1);
	add_vmm(300, "", 1, 4);
	add_vmm(500, "blocked", 1, 1);
}

/* The same guest twice, as during a migration within the machine. Only the PIDs differ. */
static void add_twins(void)
{
	struct image vcpu;
	int i;

	image_init(&vcpu);
	add(&vcpu, "exits", COUNTER, 0, 1, 0, 31);
	add(&vcpu, "deepest", TYPE(PEAK), 0, 1, 0, 32);
	for (i = 0; i < 2; i++) {
		struct vmm *vmm = add_vmm(600 + i, "twin", 1, 2);

		vmm->uuid = "0a1b2c3d-0000-4000-8000-000000000600";
		add_image(vmm, &vcpu, 0, 0);
		add_image(vmm, &vcpu, 0, 1);
	}
}

static void add_exit_statistics(void)
{
	struct vmm *vmm = add_vmm(700, "exit statistics", 1, 2);
	struct image exits;

	exits_image(&exits);
	add_image(vmm, &exits, 0, 0);
	add_image(vmm, &exits, 0, 1);
}

static struct guest_files files;

static void write_proc(int pid, const char *name, const char *text)
{
	guest_files_write(&files, 0600, text, "proc/%d/%s", pid, name);
}

/* @path: in /proc */
static void write_task(const char *path, const char *name, char state, long guest)
{
	char full[64];

	snprintf(full, sizeof(full), "proc/%s/stat", path);
	guest_files_task(&files, full, &(struct guest_task){
		.name = name, .state = state, .user = 14, .kernel = 15, .guest = guest });
}

/* The others have no state. */
static void write_processes(void)
{
	write_task("100", "a (b) S", 'R', 43);
	write_task("200", "qemu", 'R', 43);
	write_task("250", "qemu", 't', 43);
	write_task("500", "qemu", 'D', 43);
	write_task("500/task/500", "qemu", 'D', 0);
}

/* @value is that of the module parameter. */
static void set_exit_stats(const char *value)
{
	guest_files_write(&files, 0600, value, "sys/module/kvm/parameters/exit_stats");
}

static void free_vmms(void)
{
	size_t i;

	while (monitor.vmms)
		free_fake_vmm(monitor.vmm[--monitor.vmms]);
	free(monitor.vmm);
	monitor.vmm = NULL;
	for (i = 0; i < monitor.sets.sets; i++)
		kvmstats_schema_free((struct kvmstats_schema *)monitor.sets.set[i]->schema);
	stat_sets_free(&monitor.sets);
	monitor.sets = (struct stat_sets){ .filter = &filter };
}

/* ---- the tests ---- */

/* Returns the exposition with a fixed string in place of the version number. */
static char *expose(struct exposition *exposition, enum exposition_format format)
{
	static const struct process_use process = {
		2500000000, 4096, 8192, 5, 1024, 1600000000000000007,
	};
	static const struct sampling sampling = {
		.number = 3, .failed = 1, .time = 1700000000000000042, .duration = 1500000,
		.process = &process,
	};
	static const char label[] = "version=\"" KVM_STATS_VERSION "\"";
	char *text, *at, *result;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!exposition || !to || monitor_read_processes(&monitor) ||
	    exposition_update(exposition) ||
	    exposition_write(exposition, format, &sampling, to) || fclose(to))
		fail("the exposition cannot be written");
	at = strstr(text, label);
	if (!at)
		fail("the exposition has no version");
	if (asprintf(&result, "%.*sversion=\"VERSION\"%s", (int)(at - text), text,
		     at + sizeof(label) - 1) < 0)
		fail("out of memory");
	free(text);
	return result;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file || getdelim(&text, &size, '\0', file) < 0)
		fail("the expected text cannot be read");
	fclose(file);
	return text;
}

static void is_text(const char *found, const char *expected, const char *what)
{
	size_t line = 1, i;

	if (tap_ok(!strcmp(found, expected), "%s", what))
		return;
	for (i = 0; found[i] && found[i] == expected[i]; i++)
		line += found[i] == '\n';
	while (i && found[i - 1] != '\n')
		i--;
	printf("# line %zu: expected %.*s\n# found %.*s\n", line,
	       (int)strcspn(expected + i, "\n"), expected + i,
	       (int)strcspn(found + i, "\n"), found + i);
}

/* The value at the start of a line, with its labels */
static void has_sample(const char *text, const char *sample, const char *what)
{
	const char *at = text;

	while (at && strncmp(at, sample, strlen(sample))) {
		at = strchr(at, '\n');
		at += !!at;
	}
	tap_ok(at && at[strlen(sample)] == '\n', "%s", what);
}

/* Removes the lines that contain one of @words, which end with NULL. */
static void remove_lines(char *text, const char *const *words)
{
	char *to = text, *end;
	size_t i;

	for (; *text; text = end) {
		bool keep = true;
		char last;

		end = text + strcspn(text, "\n") + 1;
		last = *end;
		*end = '\0';
		for (i = 0; words[i]; i++)
			keep &= !strstr(text, words[i]);
		*end = last;
		if (keep) {
			memmove(to, text, end - text);
			to += end - text;
		}
	}
	*to = '\0';
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file))
		fail("the text cannot be written");
}

/* Also frees @found. */
static void has_expected_text(char *found, const char *path, const char *what)
{
	char *expected;

	if (getenv("UPDATE"))
		write_file(path, found);
	expected = read_file(path);
	is_text(found, expected, what);
	free(expected);
	free(found);
}

/* Checks that @found is exposition.openmetrics without the lines that contain one of @words. */
static void lacks_lines(char *found, const char *const *words, const char *what)
{
	char *expected = read_file(TEST_DATA "/exposition.openmetrics");

	remove_lines(expected, words);
	is_text(found, expected, what);
	free(expected);
}

/* exit_work_ns and exit_reasons are not exit statistics. */
static void test_exit_stats(struct exposition *exposition)
{
	static const char * const exits[] = {
		"t_exits_by_class", "u_exits_by_class", "t_exit_seconds", "u_exit_seconds",
		"_exit_hist", "_running_seconds", "_userspace", "_halted", "kvm_exit_stats_enabled",
		NULL,
	};
	static const char * const none[] = { NULL }, *const enabled[] = {
		"kvm_exit_stats_enabled", NULL,
	};
	char *text;

	set_exit_stats("Y");
	text = expose(exposition, OPENMETRICS_1_0);
	lacks_lines(text, none, "while exit statistics are on, they are there");
	free(text);
	set_exit_stats("N");
	text = expose(exposition, OPENMETRICS_1_0);
	tap_ok(strstr(text, "\nkvm_exit_stats_enabled 0\n"),
	       "while they are off, a metric says so");
	remove_lines(text, enabled);
	lacks_lines(text, exits, "and exactly they are missing");
	free(text);
}

/* Returns the value of the only sample of the metric, or -1. */
static long long value_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? atoll(at + strlen(name)) : -1;
}

/* The values of all targets of the VMM grow by @by. */
static void grow(struct vmm *vmm, uint64_t by)
{
	uint64_t values[IMAGE_MAX_DATA / sizeof(uint64_t)];
	size_t i, n;

	for (i = 0; i < vmm->targets; i++) {
		struct target *target = vmm->target[i];

		memcpy(values, stat_set_values(target->set, target->now),
		       target->set->values * sizeof(*values));
		for (n = 0; n < target->set->values; n++)
			values[n] += by;
		set_values((struct fake_target *)target, values, 2);
	}
}

/* PID 700 has two vCPUs with "exits". When it ends, the sum of the host does not shrink. */
static void test_totals(struct exposition *exposition)
{
	static const char name[] = "\nkvm_host_exits_total ", bucket[] =
		"\nkvm_host_run_delay_hist_seconds_bucket{le=\"3.2767e-05\"} ";
	char *text = expose(exposition, OPENMETRICS_1_0);
	struct vmm *ending = NULL;
	size_t i, kept = 0;

	tap_ok(!value_of(text, name), "what vCPUs have counted before is not in the host's sum");
	free(text);
	for (i = 0; i < monitor.vmms; i++) {
		if (monitor.vmm[i]->pid == 700)
			ending = monitor.vmm[i];
		else
			monitor.vmm[kept++] = monitor.vmm[i];
	}
	grow(ending, 5);
	monitor.vmm[kept] = ending;
	text = expose(exposition, OPENMETRICS_1_0);
	if (!tap_ok(value_of(text, name) == 10 && value_of(text, bucket) == 160,
		    "the sum of the host grows as the values of its vCPUs do"))
		printf("# %lld exits, %lld waits\n", value_of(text, name), value_of(text, bucket));
	free(text);
	monitor.vmms--;
	text = expose(exposition, OPENMETRICS_1_0);
	tap_ok(value_of(text, name) == 10 && !strstr(text, "guest=\"exit"),
	       "the sum of the host does not shrink when a guest ends");
	free(text);
	monitor.vmms++;
}

/* Returns the exposition for these options. */
static char *expose_with(const struct exposition_options *options)
{
	struct exposition *exposition = exposition_new(&monitor, options);
	char *text = expose(exposition, OPENMETRICS_1_0);

	exposition_free(exposition);
	return text;
}

/* Checks that the exposition has @metric, but neither @other nor a histogram of halts. */
static void has_metrics(const struct exposition_options *options, const char *metric,
			const char *other, const char *what)
{
	char *text = expose_with(options);

	tap_ok(strstr(text, metric) && !strstr(text, other) &&
	       !strstr(text, "kvm_guest_halt_wait_hist"), "%s", what);
	free(text);
}

static void test_choice(void)
{
	struct exposition_options options = { 0 };

	has_metrics(&options, "kvm_guest_running_seconds_total{", "kvm_vm_max_rmap{",
		    "by default, statistics that the dashboards do not use are missing");
	options.excludes = !regcomp(&options.excluded, "^halt_wait|exits$",
				    REG_EXTENDED | REG_NOSUB);
	has_metrics(&options, "kvm_guest_run_delay_seconds_total{", "kvm_guest_halt_wait",
		    "--exclude leaves out what matches");
	options.metrics = METRICS_MINIMAL;
	has_metrics(&options, "kvm_guest_run_delay_seconds_total{", "kvm_guest_running",
		    "--metrics=minimal has less");
	has_metrics(&options, "kvm_host_run_delay_seconds_total", "kvm_host_exits",
		    "--exclude also applies to the sums of the host");
	regfree(&options.excluded);
}

static void test_vcpus(void)
{
	static const struct exposition_options options = {
		.metrics = METRICS_ALL, .histograms = true, .per_vcpu = true,
	};
	static const char * const vcpus[] = { "kvm_vcpu_", NULL };
	char *text = expose_with(&options);

	has_sample(text, "kvm_vcpu_exits_total{guest=\"machine-fc-1\",uuid=\"\",vm=\"1\","
		   "vcpu=\"0\"} 20",
		   "--per-vcpu adds vCPUs, with the VM if their process has several");
	has_sample(text, "kvm_vcpu_exit_seconds_total{guest=\"exit statistics\",uuid=\"\","
		   "vcpu=\"1\",class=\"io\"} 0.000000049",
		   "the time of a class is that of the vCPU");
	has_sample(text, "kvm_vcpu_run_delay_max_seconds{guest=\"exit statistics\",uuid=\"\","
		   "vcpu=\"0\"} 0.000000042", "and so is a peak");
	tap_ok(!strstr(text, "kvm_vcpu_exit_hist"), "vCPUs have no histograms");
	remove_lines(text, vcpus);
	lacks_lines(text, vcpus, "everything else is the same");
	free(text);
}

/* Only the metadata differ, and OpenMetrics has the count of a histogram only with its sum. */
static void test_text_format(struct exposition *exposition, const char *path)
{
	static const char * const differing[] = { "# ", "_count", NULL };
	char *text = expose(exposition, PROMETHEUS_TEXT_0_0_4);
	char *openmetrics = expose(exposition, OPENMETRICS_1_0);

	if (path)
		write_file(path, text);
	has_sample(text, "# TYPE kvm_guest_exits_total counter", "a counter has its suffix");
	has_sample(text, "# HELP kvm_guest_info PID and name of the VMM.\n"
		   "# TYPE kvm_guest_info gauge", "an info is a gauge, and has its suffix");
	has_sample(text, "# TYPE kvm_vm_later_type untyped", "a type can be unknown");
	has_sample(text, "kvm_vm_wide_hist_seconds_count{guest=\"machine-fc-1\",uuid=\"\","
		   "vm=\"1\"} 67", "a histogram has a count");
	has_sample(text, "kvm_guest_run_delay_hist_seconds_count{guest=\"exit statistics\","
		   "uuid=\"\"} 86", "so has one with a sum");
	tap_ok(!strstr(text, "# UNIT") && !strstr(text, "# EOF"), "there are no units and no end");
	remove_lines(text, differing);
	remove_lines(openmetrics, differing);
	is_text(text, openmetrics, "the text format has the same samples");
	free(text);
	free(openmetrics);
}

static void test_all(const char *path)
{
	static const char expected[] = TEST_DATA "/exposition.openmetrics";
	struct exposition_options options = { .metrics = METRICS_ALL, .histograms = true };
	struct exposition *exposition = exposition_new(&monitor, &options);

	has_expected_text(expose(exposition, OPENMETRICS_1_0), expected,
			  "OpenMetrics has the expected text");
	has_expected_text(expose(exposition, OPENMETRICS_1_0), expected,
			  "the second exposition, with known names and labels, is equal");
	test_text_format(exposition, path);
	test_exit_stats(exposition);
	set_exit_stats("Y");
	test_vcpus();
	test_choice();
	test_totals(exposition);
	exposition_free(exposition);
}

/* ---- what KVM does not count ---- */

enum { KNOWN, STATE, RUN_DELAY, RUNTIME, USER, GUEST, VALUES };

static void thread_image(struct image *image)
{
	image_init(image);
	add(image, "thread_known", TYPE(INSTANT), 0, 1, 0, 1);
	add(image, "thread_state", TYPE(INSTANT), 0, 1, 0, 0);
	add(image, "thread_run_delay_ns", COUNTER | SECONDS, -9, 1, 0, 500000000);
	add(image, "thread_runtime_ns", COUNTER | SECONDS, -9, 1, 0, 4000000000);
	add(image, "thread_user_ns", COUNTER | SECONDS, -9, 1, 0, 3000000000);
	add(image, "thread_guest_ns", COUNTER | SECONDS, -9, 1, 0, 2500000000);
	add(image, "thread_minor_faults", COUNTER, 0, 1, 0, 6);
}

static void write_limit(const char *stat)
{
	guest_files_write(&files, 0600, "20000 100000\n", "cgroup/vms/web/cpu.max");
	guest_files_write(&files, 0600, stat, "cgroup/vms/web/cpu.stat");
}

static struct vmm *add_web(void)
{
	struct vmm *vmm = add_vmm(900, "web", 1, 1);
	struct image image;

	thread_image(&image);
	add_image(vmm, &image, 0, 0)->target.tid = 901;
	write_task("900", "qemu", 'S', 43);
	write_proc(900, "status", "Name:\tqemu\nHugetlbPages:\t      64 kB\n");
	write_proc(900, "task/901/cgroup", "0::/vms/web\n");
	write_task("900/task/902", "IO iothread1", 'S', 0);
	write_proc(900, "task/902/schedstat", "7000000 8000000 9\n");
	guest_files_write(&files, 0600, "cpu\n", "cgroup/cgroup.controllers");
	return vmm;
}

static void test_processes(void)
{
	struct exposition_options options = { .metrics = METRICS_ALL };
	struct exposition *exposition = exposition_new(&monitor, &options);
	struct vmm *vmm = add_web();
	char *text;

	write_limit("usage_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
	free(expose(exposition, OPENMETRICS_1_0));
	write_limit("usage_usec 200000\nnr_periods 10\nnr_throttled 9\nthrottled_usec 700000\n");
	monitor.time += SECOND;
	grow(vmm, 0);
	text = expose(exposition, OPENMETRICS_1_0);
	has_sample(text, "kvm_guest_state{guest=\"web\",uuid=\"\",state=\"running\"} 1",
		   "a guest has a state");
	has_sample(text, "kvm_guest_run_delay_seconds_total{guest=\"web\",uuid=\"\"} 0.500000000",
		   "without KVM's count, the scheduler's is the time that vCPUs wait");
	has_sample(text, "kvm_host_run_delay_seconds_total 0.000000000",
		   "the sum of the host does not have what was before");
	has_sample(text, "kvm_guest_throttled_seconds_total{guest=\"web\",uuid=\"\"} 0.700000000",
		   "a guest with a limit has throttled time");
	has_sample(text, "kvm_guest_cpu_limit_binds{guest=\"web\",uuid=\"\"} 1",
		   "a limit that binds is reported");
	has_sample(text, "kvm_host_limited_guests 1", "the host has the number of such guests");
	has_sample(text, "kvm_guest_major_faults_total{guest=\"web\",uuid=\"\"} 12",
		   "major faults are exposed");
	has_sample(text, "kvm_guest_memory_bytes{guest=\"web\",uuid=\"\"} 270336",
		   "the memory includes huge pages");
	has_sample(text, "kvm_guest_vcpu_cpu_seconds_total{guest=\"web\",uuid=\"\",mode=\"guest\"} "
		   "2.500000000", "vCPUs have the time in the guest");
	has_sample(text, "kvm_guest_vcpu_cpu_seconds_total{guest=\"web\",uuid=\"\",mode=\"user\"} "
		   "0.500000000", "their time in user mode does not include it");
	has_sample(text, "kvm_guest_helper_cpu_seconds_total{guest=\"web\",uuid=\"\","
		   "threads=\"iothread\"} 0.007000000", "I/O threads have CPU time");
	has_sample(text, "kvm_guest_helper_run_delay_seconds_total{guest=\"web\",uuid=\"\","
		   "threads=\"iothread\"} 0.008000000", "I/O threads wait for a CPU");
	has_sample(text, "kvm_guest_thread_minor_faults_total{guest=\"web\",uuid=\"\"} 6",
		   "events of the vCPUs' threads are statistics");
	tap_ok(!strstr(text, "thread_state") && !strstr(text, "thread_run_delay"),
	       "sums without a meaning are left out");
	free(text);
	grow(vmm, 1000000000);
	text = expose(exposition, OPENMETRICS_1_0);
	has_sample(text, "kvm_host_run_delay_seconds_total 1.000000000",
		   "the sum of the host grows as the waits of its vCPUs do");
	free(text);
	exposition_free(exposition);
	options.metrics = METRICS_MINIMAL;
	text = expose_with(&options);
	tap_ok(strstr(text, "kvm_guest_run_delay") && strstr(text, "kvm_guest_state") &&
	       strstr(text, "kvm_guest_throttled") && strstr(text, "kvm_guest_memory") &&
	       strstr(text, "kvm_guest_major_faults") && !strstr(text, "kvm_guest_helper"),
	       "--metrics=minimal has what the host knows of each guest, but not of helpers");
	free(text);
}

/* A host on which no statistics can be read */
static void test_proc_only(void)
{
	struct exposition_options options = { 0 };
	char *text;

	fake_origin = KVMSTATS_ORIGIN_PROC;
	monitor.has_values = false;
	message_set(&monitor.problem, "no BTF");
	message_object(&monitor.problem, "kvm");
	message_advice(&monitor.problem, "Use another kernel");
	add_vmm(910, "bare", 1, 0);
	write_task("910", "qemu", 'S', 43);
	write_task("910/task/911", "CPU 0/KVM", 'S', 10);
	write_proc(910, "task/911/schedstat", "7000000 8000000 9\n");
	text = expose_with(&options);
	has_sample(text, "kvm_host_statistics_readable{source=\"proc\",error=\"kvm: no BTF\"} 0",
		   "a host without statistics says why");
	has_sample(text, "kvm_guest_run_delay_seconds_total{guest=\"bare\",uuid=\"\"} 0.008000000",
		   "its guests have the times of their threads");
	tap_ok(strstr(text, "kvm_guest_memory_bytes{guest=\"bare\"") &&
	       strstr(text, "kvm_guest_cpu_seconds_total{guest=\"bare\"") &&
	       strstr(text, "kvm_guest_state{guest=\"bare\""), "and CPU time, memory and state");
	free(text);
	fake_origin = KVMSTATS_ORIGIN_FILE;
	monitor.has_values = true;
	monitor.problem = (struct message){ 0 };
}

/* ---- names that another user chose ---- */

static void test_hostile_names(void)
{
	static const char osc[] = "\x1b]0;title\x07\x1b[31mred\x7f\xc2\x9b\xe2\x80\xae";
	struct exposition_options options = { 0 };
	struct vmm *comm = add_vmm(920, osc, 1, 1);
	static char one[4097], two[4097];
	size_t longest = 0, len, bad = 0;
	char *text, *at;

	comm->comm = osc;
	memset(one, 'x', 4096);
	memset(two, 'x', 4095);
	add_vmm(921, one, 1, 1);
	add_vmm(922, two, 1, 1);
	add_vmm(923, "", 1, 1);
	add_vmm(924, "pid 923", 1, 1);
	text = expose_with(&options);
	for (at = text; *at; at++)
		bad += (unsigned char)*at < ' ' ? *at != '\n' : *at == '\x7f';
	tap_ok(!bad && !strstr(text, "\xc2\x9b") && !strstr(text, "\xe2\x80\xae"),
	       "control characters and escape sequences of names are replaced");
	for (at = text; *at; at += len + 1) {
		len = strcspn(at, "\n");
		longest = *at != '#' && len > longest ? len : longest;
	}
	tap_ok(longest < 600, "names of 4 KiB are cut");
	tap_ok(strstr(text, "xxx\",uuid=\"\",pid=\"921\"}") &&
	       strstr(text, "xxx\",uuid=\"\",pid=\"922\"}"),
	       "names that are equal after the cut have the label pid");
	has_sample(text, "kvm_guest_vcpus{guest=\"pid 923\",uuid=\"\"} 1",
		   "a guest without a name has its PID");
	has_sample(text, "kvm_guest_vcpus{guest=\"pid 923\",uuid=\"\",pid=\"924\"} 1",
		   "a name that looks like that is another one");
	free(text);
}

int main(int argc, char **argv)
{
	char proc[80], cgroups[80];

	if (guest_files_make(&files))
		fail("cannot make a directory");
	snprintf(proc, sizeof(proc), "%s/proc", files.dir);
	proc_set_root(proc);
	snprintf(cgroups, sizeof(cgroups), "%s/cgroup", files.dir);
	cgroup_set_root(cgroups);
	write_processes();
	monitor.options.filter = &filter;
	monitor.sets.filter = &filter;
	add_ordinary();
	add_several_vms();
	add_others();
	add_twins();
	add_exit_statistics();
	test_all(argc > 1 ? argv[1] : NULL);
	free_vmms();
	test_processes();
	free_vmms();
	test_proc_only();
	free_vmms();
	test_hostile_names();
	free_vmms();
	guest_files_remove(&files);
	return tap_end();
}
