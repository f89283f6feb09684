// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the CPU time of one pass over all VMs of this host, in different ways, with VMs that
 * this program creates. It prints a table in Markdown. Run it as root: tests/bench/host-file.
 *
 * usage: host_file KVM-STATS RELAY MAX-VMS [FILE]...
 *
 * Rows with more than MAX-VMS VMs are left out. The ways take turns. FILE is another file with a
 * pass, such as one that another program pinned.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/kvm.h>

#include "host_file/loader.h"
#include "kvmstats.h"

#define ROUNDS		40
#define BUDGET		3.0	/* seconds of CPU time for one way in one row */
#define MAX_WAYS	8
#define FDS		90000
#define FDS_OF_PROCESS	15000
#define PROCESSES	2000

static struct loader nothing, host_file;
static char work[] = "/tmp/host-file-XXXXXX", pinned[64], listening[64], debugfs[64];
static pid_t relay;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- the load ---- */

static pid_t group;	/* of all processes of a row */

/* Starts a process that runs the function, and waits until it has called ready(). */
static int ready_fd;

static void ready(void)
{
	if (write(ready_fd, "", 1) != 1)
		_exit(1);
	while (true)
		pause();
}

static void start(void (*run)(int), int arg)
{
	int ends[2];
	pid_t pid;
	char c;

	if (pipe(ends))
		fail("pipe");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		setpgid(0, group);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		ready_fd = ends[1];
		run(arg);
		_exit(1);
	}
	if (!group)
		group = pid;
	setpgid(pid, group);
	close(ends[1]);
	if (read(ends[0], &c, 1) != 1)
		fail("a process of the load has ended");
	close(ends[0]);
}

struct vcpu {
	int fd;
	size_t size;		/* of struct kvm_run */
	pthread_barrier_t *begun;
};

/* The vCPU's thread enters KVM once, so that KVM knows the thread. The guest executes nothing. */
static void *run_vcpu(void *arg)
{
	const struct vcpu *vcpu = arg;
	struct kvm_run *run = mmap(NULL, vcpu->size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu->fd,
				   0);

	if (run == MAP_FAILED)
		_exit(1);
	run->immediate_exit = 1;
	ioctl(vcpu->fd, KVM_RUN, 0);
	pthread_barrier_wait(vcpu->begun);
	pause();
	return NULL;
}

static void hold_vm(int vcpus)
{
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0), i;
	struct vcpu *vcpu = calloc(vcpus, sizeof(*vcpu));
	pthread_barrier_t begun;
	pthread_attr_t small;
	pthread_t thread;

	pthread_barrier_init(&begun, NULL, vcpus + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 16);
	for (i = 0; i < vcpus; i++) {
		vcpu[i].begun = &begun;
		vcpu[i].size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
		vcpu[i].fd = ioctl(vm, KVM_CREATE_VCPU, i);
		if (vcpu[i].fd < 0 || pthread_create(&thread, &small, run_vcpu, &vcpu[i]))
			_exit(1);
	}
	pthread_barrier_wait(&begun);
	close(kvm);
	ready();
}

static void hold_fds(int count)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	while (count--) {
		if (dup(ready_fd) < 0)
			_exit(1);
	}
	ready();
}

static void hold_nothing(int unused)
{
	(void)unused;
	ready();
}

struct row {
	int vcpus, vm_size, fds, processes;
};

static void start_load(const struct row *row)
{
	int i;

	group = 0;
	for (i = 0; i < row->vcpus; i += row->vm_size)
		start(hold_vm, row->vm_size);
	for (i = 0; i < row->processes; i++)
		start(hold_nothing, 0);
	for (i = 0; i < row->fds; i += FDS_OF_PROCESS)
		start(hold_fds, FDS_OF_PROCESS);
}

/* KVM destroys many VMs slowly, and the next row must not compete with that. */
static void end_load(void)
{
	if (!group)
		return;
	kill(-group, SIGKILL);
	while (waitpid(-group, NULL, 0) > 0)
		;
}

/* ---- the ways to read ---- */

/* A sink as large as the buffers of the library */
static char buffer[65536];

static double seconds_of(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		fail("clock_gettime");
	return time.tv_sec + time.tv_nsec / 1e9;
}

static double own_seconds(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

/* Reads to the end. Returns the number of bytes. */
static size_t drain(int fd)
{
	size_t sum = 0;
	ssize_t n;

	if (fd < 0)
		fail("a pass cannot be opened");
	while ((n = read(fd, buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EAGAIN))
		sum += n > 0 ? n : 0;
	if (n < 0)
		fail("a pass cannot be read");
	close(fd);
	return sum;
}

/* Each returns the CPU time of one pass in seconds. */
static double read_nothing(const char *unused)
{
	double start = own_seconds();

	(void)unused;
	drain(loader_pass(&nothing));
	return own_seconds() - start;
}

static double read_file(const char *path)
{
	double start = own_seconds();

	drain(open(path, O_RDONLY));
	return own_seconds() - start;
}

/* After a pause, so that no other reader shares the pass. Both processes count. */
static double read_relay(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	double start, sum;
	clockid_t clock;
	int fd;

	usleep(250000);
	if (clock_getcpuclockid(relay, &clock))
		fail("the relay has ended");
	start = own_seconds() + seconds_of(clock);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(address.sun_path, path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		fail(path);
	drain(fd);
	sum = own_seconds() + seconds_of(clock) - start;
	return sum;
}

/* As kvm_stat does: each file is opened, read and closed. */
static double read_debugfs(const char *path)
{
	char *paths[] = { (char *)path, NULL };
	double start = own_seconds();
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	while (tree && (entry = fts_read(tree))) {
		int fd = entry->fts_info == FTS_D || entry->fts_info == FTS_DP ? -1 :
			 open(entry->fts_path, O_RDONLY);

		if (fd < 0)
			continue;
		if (read(fd, buffer, sizeof(buffer)) < 0 && errno == EFAULT)
			fail(entry->fts_path);
		close(fd);
	}
	fts_close(tree);
	return own_seconds() - start;
}

static double run_command(const char *path)
{
	struct rusage usage;
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		dup2(null, 2);
		execl(path, path, "read", "--json", "--from", pinned, NULL);
		_exit(127);
	}
	if (wait4(pid, NULL, 0, &usage) != pid)
		fail("wait4");
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static struct way {
	const char *name;
	double (*read)(const char *path);
	const char *path;
	/* of one row */
	double best, sum;
	int rounds;
} way[MAX_WAYS];
static int ways;

static void add_way(const char *name, double (*read)(const char *path), const char *path)
{
	if (ways < MAX_WAYS)
		way[ways++] = (struct way){ .name = name, .read = read, .path = path };
}

/* ---- the table ---- */

static void measure(struct way *one)
{
	double seconds = one->read(one->path);

	if (!one->rounds || seconds < one->best)
		one->best = seconds;
	one->sum += seconds;
	one->rounds++;
}

static void measure_all(void)
{
	int round, i;

	for (i = 0; i < ways; i++) {
		way[i].read(way[i].path);
		way[i].sum = 0;
		way[i].rounds = 0;
	}
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < ways; i++) {
			if (round < 3 || way[i].sum < BUDGET)
				measure(&way[i]);
		}
	}
}

static void print_head(void)
{
	int i;

	printf("| load |");
	for (i = 0; i < ways; i++)
		printf(" %s |", way[i].name);
	printf(" per vCPU |\n| --- |");
	for (i = 0; i <= ways; i++)
		printf(" ---: |");
	putchar('\n');
}

/* The last column is what the second way costs more than the first, the empty iterator. */
static void print_row(const struct row *row)
{
	int i;

	if (row->vcpus)
		printf("| %d vCPUs in VMs of %d", row->vcpus, row->vm_size);
	else
		printf("| no VM");
	if (row->fds)
		printf(", %d other fds", row->fds);
	if (row->processes)
		printf(", %d other processes", row->processes);
	for (i = 0; i < ways; i++)
		printf(" | %.0f / %.0f", way[i].best * 1e6, way[i].sum / way[i].rounds * 1e6);
	if (row->vcpus)
		printf(" | %.2f |\n", (way[1].best - way[0].best) * 1e6 / row->vcpus);
	else
		printf(" | |\n");
	fflush(stdout);
}

/* ---- preparation ---- */

/* In a mount namespace of its own, which ends with this program */
static void prepare_directory(void)
{
	char bpffs[64];

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    !mkdtemp(work))
		fail("a mount namespace");
	snprintf(bpffs, sizeof(bpffs), "%s/bpf", work);
	snprintf(pinned, sizeof(pinned), "%s/bpf/host", work);
	snprintf(listening, sizeof(listening), "%s/socket", work);
	snprintf(debugfs, sizeof(debugfs), "%s/debug", work);
	if (mkdir(bpffs, 0700) || mkdir(debugfs, 0700) || mount("bpf", bpffs, "bpf", 0, NULL) ||
	    mount("debugfs", debugfs, "debugfs", 0, NULL))
		fail("mount");
	strcat(debugfs, "/kvm");
}

static void load(struct loader *loader, const char *program)
{
	if (loader_open_program(loader, program)) {
		fprintf(stderr, "host_file: %s\n", loader->error);
		exit(1);
	}
}

/* The loaders' own VMs would be in each pass. */
static void close_vm(struct loader *loader)
{
	close(loader->vcpu_stats);
	close(loader->vm_stats);
	close(loader->vcpu);
	close(loader->vm);
	close(loader->kvm);
}

static void start_relay(const char *program)
{
	relay = fork();
	if (!relay) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(program, program, "--listen", listening, pinned, NULL);
		_exit(127);
	}
	while (access(listening, F_OK)) {
		if (waitpid(relay, NULL, WNOHANG) == relay)
			exit(1);
		usleep(10000);
	}
}

/* Descendants first: the mount namespace keeps the file systems. */
static void remove_directory(void)
{
	char path[80];

	kill(relay, SIGTERM);
	waitpid(relay, NULL, 0);
	snprintf(path, sizeof(path), "%s/bpf", work);
	umount2(path, MNT_DETACH);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/debug", work);
	umount2(path, MNT_DETACH);
	rmdir(path);
	rmdir(work);
}

static const struct row rows[] = {
	{ 0 },
	{ .fds = FDS },
	{ .processes = PROCESSES },
	{ 800, 1 }, { 800, 8 }, { 800, 80 },
	{ 800, 8, .fds = FDS, .processes = PROCESSES },
	{ 8000, 1 }, { 8000, 8 }, { 8000, 80 },
};

int main(int argc, char **argv)
{
	size_t i;
	int arg;

	if (argc < 4)
		return fputs("usage: host_file KVM-STATS RELAY MAX-VMS [FILE]...\n", stderr), 2;
	prepare_directory();
	load(&nothing, "nothing");
	load(&host_file, "host_file");
	if (bpf_obj_pin(bpf_link__fd(host_file.link), pinned))
		fail(pinned);
	close_vm(&nothing);
	close_vm(&host_file);
	start_relay(argv[2]);
	add_way("empty iterator", read_nothing, NULL);
	add_way("host file", read_file, pinned);
	add_way("with the relay", read_relay, listening);
	for (arg = 4; arg < argc; arg++)
		add_way(argv[arg], read_file, argv[arg]);
	add_way("all files of debugfs", read_debugfs, debugfs);
	add_way("kvm-stats read", run_command, argv[1]);
	print_head();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].vcpus && rows[i].vcpus / rows[i].vm_size > atoi(argv[3]))
			continue;
		start_load(&rows[i]);
		measure_all();
		print_row(&rows[i]);
		end_load();
	}
	remove_directory();
	return 0;
}
