// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the exposition of sample statistics from files in memory. The output must be equal to
 * exposition.openmetrics or exposition.prometheus.
 *
 * usage: exposition openmetrics|prometheus [default]
 *
 * The expected files have the statistics of each vCPU. With "default" these are left out. The
 * directory in the environment variable EXPOSITION_PROC replaces /proc.
 */
#include <errno.h>

#include "guest_files.h"
#include "image.h"
#include "openmetrics/exposition.h"
#include "proc/file.h"

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

static struct filter filter;
static struct monitor monitor = { .generation = 1, .denied = 3 };

static void fail(const char *what)
{
	fprintf(stderr, "exposition: %s\n", what);
	exit(1);
}

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
	/* Not omitted: the statistic of another VM has the same name, but another type. */
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

/* The statistics of a vCPU on a kernel with exit statistics. No exit was of the class hlt. */
static void exits_image(struct image *image)
{
	uint64_t *delays;

	image_init(image);
	add(image, "exits", COUNTER, 0, 1, 0, 40);
	add(image, "run_delay_ns", COUNTER | SECONDS, -9, 1, 0, 41);
	add(image, "run_delay_max_ns", TYPE(PEAK) | SECONDS, -9, 1, 0, 42);
	delays = add(image, "run_delay_hist", TYPE(LOG_HIST) | SECONDS, -9, 32, 0, 0);
	delays[14] = 43;
	add(image, "preemptions", COUNTER, 0, 1, 0, 44);
	add(image, "guest_ns", COUNTER | SECONDS, -9, 1, 0, 45);
	add(image, "userspace_ns", COUNTER | SECONDS, -9, 1, 0, 46);
	add(image, "halted_ns", COUNTER | SECONDS, -9, 1, 0, 47);
	add(image, "exit_hist", TYPE(LOG_HIST) | SECONDS, -9, 32, 0, 1);
	add(image, "exit_io", COUNTER, 0, 1, 0, 48);
	add(image, "exit_io_ns", COUNTER | SECONDS, -9, 1, 0, 49);
	add(image, "exit_hlt", COUNTER, 0, 1, 0, 0);
	add(image, "exit_hlt_ns", COUNTER | SECONDS, -9, 1, 0, 0);
	/* Not of a class: neither has a partner. */
	add(image, "exit_reasons", COUNTER, 0, 1, 0, 50);
	add(image, "exit_work_ns", COUNTER | SECONDS, -9, 1, 0, 51);
}

static void debugfs_image(struct image *image)
{
	image_init(image);
	add(image, "exits", COUNTER, 0, 1, 0, 21);
}

/* ---- the VMMs ---- */

static struct vmm *add_vmm(pid_t pid, const char *guest, size_t vms, size_t vcpus)
{
	struct vmm *vmm = calloc(1, sizeof(*vmm));
	struct vmm **more = realloc(monitor.vmm, (monitor.vmms + 1) * sizeof(*more));

	if (!vmm || !more)
		fail("out of memory");
	vmm->pid = pid;
	vmm->comm = "qemu-system-x86";
	vmm->guest = guest;
	vmm->vms = vms;
	vmm->vcpus = vcpus;
	monitor.vmm = more;
	monitor.vmm[monitor.vmms++] = vmm;
	return vmm;
}

static void detach(struct target *target)
{
	close(target->fd);
}

static const struct source image_source = { .detach = detach };
static const struct source sum_source = { .detach = detach, .has_sums = true };

static void add_target(struct vmm *vmm, const struct image *image, enum scope scope, int vm,
		       int vcpu, int vmm_fd, enum origin origin)
{
	const struct source *source = origin == ORIGIN_DEBUGFS ? &sum_source : &image_source;
	struct target_key key = { source, scope, vm, vcpu, vmm_fd, NULL, 0 };
	struct kvmstats_schema *schema;
	const struct stat_set *set;
	struct target *target;
	int fd = image_fd(image);

	if (kvmstats_schema_read(&schema, fd) ||
	    stat_sets_add(&monitor.context.sets, schema, &set))
		fail("the schema of an image cannot be read");
	target = target_add(vmm, &key, set);
	if (!target || kvmstats_sample_read(target->now, fd))
		fail("the values of an image cannot be read");
	target->fd = fd;
	target->origin = origin;
	vmm->target = vmm->list.target;
	vmm->targets = vmm->list.count;
}

static void add_ordinary(void)
{
	/*
	 * The name has characters to escape, an invalid byte, two valid UTF-8 sequences with a
	 * surrogate between them, and an incomplete sequence.
	 */
	static const char name[] = "a\"b\\c\nx\xff\xc3\xa9\xed\xa0\x80\xf0\x9f\x90\xa7\xc3";
	struct vmm *vmm = add_vmm(100, name, 1, 2);
	struct image vm, vcpu;

	vmm->uuid = "0a1b2c3d-0000-4000-8000-000000000100";
	vm_image(&vm);
	vcpu_image(&vcpu);
	add_target(vmm, &vm, SCOPE_VM, 0, -1, 9, ORIGIN_OPENED);
	add_target(vmm, &vcpu, SCOPE_VCPU, 0, 0, 10, ORIGIN_OPENED);
	vcpu.data[0] = 1;
	add_target(vmm, &vcpu, SCOPE_VCPU, 0, 1, 11, ORIGIN_TAKEN);
}

/* Two VMs, each with a vCPU 0. Only the fd numbers distinguish the two vCPUs. */
static void add_several_vms(void)
{
	struct vmm *vmm = add_vmm(200, NULL, 2, 3);
	struct image odd, vm, vcpu;

	odd_image(&odd);
	vm_image(&vm);
	image_init(&vcpu);
	add(&vcpu, "exits", COUNTER, 0, 1, 0, 20);
	add_target(vmm, &vm, SCOPE_VM, 0, -1, 9, ORIGIN_TAKEN);
	add_target(vmm, &odd, SCOPE_VM, 1, -1, 10, ORIGIN_TAKEN);
	add_target(vmm, &vcpu, SCOPE_VCPU, -1, 0, 12, ORIGIN_TAKEN);
	add_target(vmm, &vcpu, SCOPE_VCPU, -1, 0, 14, ORIGIN_TAKEN);
	vmm->missing = 1;
	vmm->missing_vcpus = 1;
	vmm->fd_error = -EIO;
}

/* QEMU 8.1 and later keeps the statistics fds of vCPUs, but not that of the VM. */
static void add_vm_without_fd(void)
{
	struct vmm *vmm = add_vmm(250, "vCPUs only", 1, 2);
	struct image vcpu;

	image_init(&vcpu);
	add(&vcpu, "exits", COUNTER, 0, 1, 0, 30);
	add_target(vmm, &vcpu, SCOPE_VCPU, 0, 0, 10, ORIGIN_TAKEN);
	add_target(vmm, &vcpu, SCOPE_VCPU, 0, 1, 11, ORIGIN_TAKEN);
	vmm->missing = 1;
	vmm->fd_error = -EIO;
}

static void add_others(void)
{
	struct vmm *unreadable = add_vmm(300, "", 1, 4);
	struct vmm *from_debugfs = add_vmm(400, "old", 1, 1);
	struct vmm *locked_down = add_vmm(500, "locked down", 1, 1);
	struct image image;

	unreadable->missing = 5;
	unreadable->fd_error = -EPERM;
	debugfs_image(&image);
	add_target(from_debugfs, &image, SCOPE_VM, 0, -1, 9, ORIGIN_DEBUGFS);
	from_debugfs->missing = 2;
	from_debugfs->fd_error = -EOPNOTSUPP;
	add_target(locked_down, &image, SCOPE_VM, 0, -1, 9, ORIGIN_DEBUGFS);
	locked_down->missing = 2;
	locked_down->fd_error = -EOPNOTSUPP;
	locked_down->debugfs_error = -EPERM;
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
		add_target(vmm, &vcpu, SCOPE_VCPU, 0, 0, 12, ORIGIN_OPENED);
		add_target(vmm, &vcpu, SCOPE_VCPU, 0, 1, 13, ORIGIN_OPENED);
	}
}

static void add_exit_statistics(void)
{
	struct vmm *one = add_vmm(700, "exit statistics", 1, 2);
	struct vmm *both = add_vmm(800, "two VMs", 2, 3);
	struct image exits;

	exits_image(&exits);
	add_target(one, &exits, SCOPE_VCPU, 0, 0, 10, ORIGIN_OPENED);
	add_target(one, &exits, SCOPE_VCPU, 0, 1, 11, ORIGIN_OPENED);
	add_target(both, &exits, SCOPE_VCPU, 0, 0, 10, ORIGIN_OPENED);
	add_target(both, &exits, SCOPE_VCPU, 1, 0, 11, ORIGIN_OPENED);
	add_target(both, &exits, SCOPE_VCPU, 0, 1, 12, ORIGIN_OPENED);
}

static void write_file_of_libvirt(const struct guest_files *files)
{
	write_libvirt(files, "old.xml", "<domstatus state='running' pid='400'>\n"
		      " <domain type='kvm' id='1'>\n  <name>old &amp; libvirt</name>\n"
		      "  <uuid>0a1b2c3d-0000-4000-8000-000000000400</uuid>\n");
}

/* The other VMM without a name, with the PID 300, has no cgroup. */
static void write_cgroup(void)
{
	static const char text[] = "1:cpu:/\n0::/machine.slice/machine-fc\\x2d1.scope/emulator\n";
	char path[PROC_PATH_SIZE];

	proc_path(path, "200");
	mkdir(path, 0755);
	proc_path(path, "200/cgroup");
	write_file(path, text, sizeof(text) - 1);
}

static void free_vmms(void)
{
	while (monitor.vmms)
		vmm_free(monitor.vmm[--monitor.vmms]);
	free(monitor.vmm);
	stat_sets_free(&monitor.context.sets);
}

/* Prints @text, with a fixed string in place of the version number. */
static void print_text(const struct text *text)
{
	static const char label[] = "version=\"";
	const char *end = text->data + text->size;
	const char *version = memmem(text->data, text->size, label, sizeof(label) - 1);
	const char *rest;

	if (!version)
		fail("the exposition has no version");
	version += sizeof(label) - 1;
	rest = memchr(version, '"', (size_t)(end - version));
	if (!rest)
		fail("the version is not terminated");
	fwrite(text->data, 1, (size_t)(version - text->data), stdout);
	printf("VERSION");
	fwrite(rest, 1, (size_t)(end - rest), stdout);
}

int main(int argc, char **argv)
{
	static const struct process_figures process = {
		2500000000, 4096, 8192, 5, 1024, 1600000000000000007,
	};
	struct sampling sampling = {
		.number = 3, .time = 1700000000000000042, .duration = 1500000,
		.process = &process,
	};
	struct openmetrics_options options;
	struct openmetrics *metrics;
	struct guest_files files;
	struct text text = { 0 };
	enum exposition_format format;
	int i;

	if (argc < 2 || argc > 3)
		fail("expected openmetrics or prometheus");
	if (guest_files_make(&files))
		fail("cannot make a directory");
	write_file_of_libvirt(&files);
	proc_set_root(getenv("EXPOSITION_PROC") ? getenv("EXPOSITION_PROC") : files.dir);
	write_cgroup();
	options = (struct openmetrics_options){ argc == 2, files.libvirt };
	format = strcmp(argv[1], "openmetrics") ? PROMETHEUS_TEXT_0_0_4 : OPENMETRICS_1_0;
	stat_sets_init(&monitor.context.sets, &filter);
	monitor.options.filter = &filter;
	add_ordinary();
	add_several_vms();
	add_vm_without_fd();
	add_others();
	add_twins();
	add_exit_statistics();
	metrics = openmetrics_open(&monitor, &options);
	/* The second exposition uses cached names and labels, and must be the same. */
	for (i = 0; i < 2; i++) {
		text.size = 0;
		if (!metrics || openmetrics_write(metrics, format, &sampling, &text))
			fail("the exposition cannot be written");
	}
	print_text(&text);
	text_free(&text);
	openmetrics_close(metrics);
	free_vmms();
	guest_files_remove(&files);
	return fflush(stdout) ? 1 : 0;
}
