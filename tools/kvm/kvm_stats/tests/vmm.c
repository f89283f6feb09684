// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM for the tests of kvm-stats.
 *
 * usage: vmm [-s] [-d] [-m VMS] [-c VCPUS] [-r RATE] [-k KIND] [-name GUEST] [-uuid UUID]
 *
 * -s keeps statistics fds of all VMs and vCPUs open. -d duplicates all KVM fds. -r, for x86 only,
 * lets vCPU 0 of one VM halt before each exit; RATE times per second an NMI wakes it, at intervals
 * that vary from an 18th of the mean to 3.5 times as much. -k, for x86 only: vCPUs `loop` or `halt`
 * for ever. -name and -uuid are ignored.
 *
 * When the vCPUs run, it prints "ready", the value of KVM_CAP_STATS_BINARY_FD, and the name of a
 * statistic that counts exactly what the vCPUs do. It executes the commands that it reads from
 * standard input, one in each line, and ends when standard input is closed:
 *
 *	stop	stop the vCPUs, and print "stopped" with the number of exits of each
 *	start	let them run again
 *	values	print "VM vCPU NAME VALUE" for each statistic, the vCPU -1 for the VM itself, and
 *		the sum of all buckets for a histogram; then print "values"
 *	vcpu	add a vCPU to the first VM; all vCPUs must be stopped
 *	vm	add a VM with one vCPU; all vCPUs must be stopped
 *	close	close the first VM; all vCPUs must be stopped
 *	file F	map the file F, and print "mapped" with the number of the page in the address space
 *	fork	start a process that inherits all fds, and ends with the VMM; print "forked"
 *	map	map another page, which changes the address space
 *	pause P	what vCPU threads do after every 8 exits: `none`; `short`, the default: sleep
 *		for 1 ms; `sleep` for 300 ms; `hold`: sleep until the next such command; `fork`:
 *		uninterruptible sleep for 300 ms; `touch` 8 MiB of new memory; `swap`:
 *		touch 8 MiB that it has touched before; `emulate`: use 30 ms of CPU time, as for
 *		an expensive device; or wait for an I/O thread that needs 30 ms of CPU time
 *		(`work`), or sleeps as with `fork` (`disk`)
 */
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "tiny_vmm.h"

#define MAX_VMS	64

struct vms {
	int count;
	struct tiny_vm vm[MAX_VMS];
};

struct options {
	bool stats;
	bool duplicate;
	int vms;
	int vcpus;
	int wakes;	/* per second; 0: vCPUs do not halt */
	const char *kind;
};

static int small_number(const char *text, int max)
{
	int n = atoi(text);

	if (n >= 1 && n <= max)
		return n;
	fprintf(stderr, "vmm: expected a number from 1 to %d, found '%s'\n", max, text);
	exit(2);
}

static void parse(int argc, char **argv, struct options *options)
{
	int option;

	while ((option = getopt(argc, argv, "sdm:c:r:k:n:u:")) != -1) {
		switch (option) {
		case 's':
			options->stats = true;
			break;
		case 'd':
			options->duplicate = true;
			break;
		case 'm':
			options->vms = small_number(optarg, MAX_VMS);
			break;
		case 'c':
			options->vcpus = small_number(optarg, TINY_MAX_VCPUS);
			break;
		case 'r':
			options->wakes = small_number(optarg, 100000);
			break;
		case 'k':
			options->kind = optarg;
			break;
		case 'n':	/* -name GUEST: kvm-stats reads it from the command line */
		case 'u':	/* -uuid UUID: the same */
			break;
		default:
			exit(2);
		}
	}
}

static void prepare_fd(const struct options *options, int fd)
{
	if (options->stats && ioctl(fd, KVM_GET_STATS_FD, NULL) < 0) {
		perror("vmm: KVM_GET_STATS_FD");
		exit(1);
	}
	if (options->duplicate && dup(fd) < 0) {
		perror("vmm: dup");
		exit(1);
	}
}

static void fail(const char *what, int err)
{
	fprintf(stderr, "vmm: %s: %s\n", what, strerror(err));
	exit(1);
}

static void add_vm(const struct options *options, struct vms *vms, int vcpus)
{
	bool halts = options->kind && !strcmp(options->kind, "halt");
	struct tiny_vm *vm = &vms->vm[vms->count];
	int err, i;

	if (vms->count == MAX_VMS)
		fail("cannot create a VM", ENOSPC);
	err = tiny_create(vm, vcpus, options->wakes || halts);
	for (i = 0; !err && options->kind && i < vcpus; i++)
		err = tiny_set_up_loop(vm->vcpu[i].fd, vm->memory, halts);
	if (err)
		fail("cannot create a VM", -err);
	vms->count++;
	prepare_fd(options, vm->fd);
	for (i = 0; i < vm->vcpus; i++)
		prepare_fd(options, vm->vcpu[i].fd);
}

/* ---- what vCPU threads do between bursts of exits ---- */

static void no_pause(void)
{
}

static void sleep_long(void)
{
	usleep(300000);
}

static void hold(void)
{
	pause();
}

/* The parent of vfork() waits until the child ends. */
static void wait_for_child(void)
{
	pid_t pid = vfork();

	if (!pid) {
		struct timespec pause = { 0, 300000000 };

		nanosleep(&pause, NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

#define TOUCHED	(8 << 20)

static void touch_memory(void)
{
	char *memory = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory != MAP_FAILED)
		munmap(memory, TOUCHED);
}

static void touch_again(void)
{
	static volatile char memory[TOUCHED];
	size_t i;

	for (i = 0; i < sizeof(memory); i += 4096)
		memory[i]++;
}

static void work(void)
{
	struct timespec used;
	long start;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	start = used.tv_nsec / 1000000 + used.tv_sec * 1000;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (used.tv_nsec / 1000000 + used.tv_sec * 1000 < start + 30);
}

static struct {
	sem_t request, answer;

	void (*_Atomic serve)(void);
} io;

static void *serve_io(void *arg)
{
	for (;;) {
		sem_wait(&io.request);
		atomic_load(&io.serve)();
		sem_post(&io.answer);
	}
	return arg;
}

static void wait_for_io(void)
{
	sem_post(&io.request);
	sem_wait(&io.answer);
}

static void set_pause(struct vms *vms, const char *name)
{
	static const struct {
		const char *name;
		void (*pause)(void);
		void (*serve)(void);
	} kinds[] = {
		{ "none", no_pause, NULL }, { "short", tiny_sleep, NULL },
		{ "sleep", sleep_long, NULL }, { "hold", hold, NULL }, { "emulate", work, NULL },
		{ "fork", wait_for_child, NULL }, { "touch", touch_memory, NULL },
		{ "swap", touch_again, NULL },
		{ "work", wait_for_io, work }, { "disk", wait_for_io, wait_for_child },
	};
	bool held = atomic_load(&tiny_pause) == hold;
	pthread_t thread;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name))
			continue;
		if (kinds[i].serve && !atomic_load(&io.serve)) {
			atomic_store(&io.serve, kinds[i].serve);
			pthread_create(&thread, NULL, serve_io, NULL);
			pthread_setname_np(thread, "IO disk");
		}
		if (kinds[i].serve)
			atomic_store(&io.serve, kinds[i].serve);
		atomic_store(&tiny_pause, kinds[i].pause);
		if (held)
			pthread_kill(vms->vm[0].vcpu[0].thread, SIGUSR1);
		return;
	}
	fail(name, EINVAL);
}

static const struct options *waker;

/* The longest of 7 intervals is 64 times as long as the shortest one, the mean 18.1 times. */
static void *wake_first(void *arg)
{
	const struct vms *vms = arg;
	long shortest = 1000000000l / waker->wakes / 18;

	for (;;) {
		long ns = shortest << random() % 7;
		struct timespec pause = { ns / 1000000000l, ns % 1000000000l };

		nanosleep(&pause, NULL);
		tiny_wake(vms->vm[0].fd);
	}
	return NULL;
}

static void start_waker(const struct options *options, struct vms *vms)
{
	pthread_t thread;

	waker = options;
	if (options->wakes)
		pthread_create(&thread, NULL, wake_first, vms);
}

static void start(struct vms *vms)
{
	int i;

	for (i = 0; i < vms->count; i++)
		tiny_start(&vms->vm[i]);
}

static void stop(struct vms *vms)
{
	int i, j;

	for (i = 0; i < vms->count; i++) {
		if (!tiny_wait(&vms->vm[i], 1))
			exit(1);
		tiny_stop(&vms->vm[i]);
	}
	printf("stopped");
	for (i = 0; i < vms->count; i++) {
		for (j = 0; j < vms->vm[i].vcpus; j++)
			printf(" %lu", atomic_load(&vms->vm[i].vcpu[j].exits));
	}
	puts("");
}

/* Independent of the library, whose values the tests compare with these. */
static void print_values(int vm, int vcpu, int fd)
{
	static uint64_t buf[8192];
	const char *file = (const char *)buf;
	const struct kvm_stats_header *header = (const void *)buf;
	int stats = ioctl(fd, KVM_GET_STATS_FD, NULL);
	uint32_t i, j;

	if (stats < 0 || pread(stats, buf, sizeof(buf), 0) < (ssize_t)sizeof(*header))
		fail("cannot read the statistics", errno);
	close(stats);
	for (i = 0; i < header->num_desc; i++) {
		size_t at = header->desc_offset + i * (sizeof(struct kvm_stats_desc) +
						       header->name_size);
		const struct kvm_stats_desc *desc = (const void *)(file + at);
		const uint64_t *value = (const void *)(file + header->data_offset + desc->offset);
		uint64_t sum = 0;

		for (j = 0; j < desc->size; j++)
			sum += value[j];
		printf("%d %d %s %ju\n", vm, vcpu, desc->name, (uintmax_t)sum);
	}
}

static void print_all_values(const struct vms *vms)
{
	int i, j;

	for (i = 0; i < vms->count; i++) {
		print_values(i, -1, vms->vm[i].fd);
		for (j = 0; j < vms->vm[i].vcpus; j++)
			print_values(i, j, vms->vm[i].vcpu[j].fd);
	}
	puts("values");
}

static void add_vcpu(struct tiny_vm *vm)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int err = tiny_add_vcpu(vm, kvm);

	close(kvm);
	if (err)
		fail("cannot add a vCPU", -err);
}

static void close_first(struct vms *vms)
{
	tiny_close(&vms->vm[0]);
	vms->count--;
	memmove(&vms->vm[0], &vms->vm[1], vms->count * sizeof(vms->vm[0]));
}

/* Maps the file, or nothing if it is NULL. Returns the address. */
static uintptr_t map_page(const char *name)
{
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	void *page;

	if (name && fd < 0)
		fail(name, errno);
	page = mmap(NULL, 4096, PROT_READ, name ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (page == MAP_FAILED)
		fail("cannot map a page", errno);
	return (uintptr_t)page;
}

/* As crosvm does for each of its devices. */
static void start_device(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	printf("forked %d\n", (int)pid);
}

static void execute(const struct options *options, struct vms *vms, char *command)
{
	if (!strcmp(command, "stop\n"))
		stop(vms);
	else if (!strcmp(command, "start\n"))
		start(vms);
	else if (!strcmp(command, "values\n"))
		print_all_values(vms);
	else if (!strcmp(command, "vcpu\n"))
		add_vcpu(&vms->vm[0]);
	else if (!strcmp(command, "vm\n"))
		add_vm(options, vms, 1);
	else if (!strcmp(command, "close\n"))
		close_first(vms);
	else if (!strncmp(command, "file ", 5))
		printf("mapped %ju\n", (uintmax_t)map_page(strtok(command + 5, "\n")) / 4096);
	else if (!strcmp(command, "fork\n"))
		start_device();
	else if (!strcmp(command, "map\n"))
		map_page(NULL);
	else if (!strncmp(command, "pause ", 6))
		set_pause(vms, strtok(command + 6, "\n"));
	else
		fail("unknown command", EINVAL);
}

static int capability(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int value = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);

	close(kvm);
	return value;
}

int main(int argc, char **argv)
{
	struct options options = { .vms = 1, .vcpus = 2 };
	struct vms vms = { 0 };
	char line[4096];

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv, &options);
	while (vms.count < options.vms)
		add_vm(&options, &vms, options.vcpus);
	start(&vms);
	start_waker(&options, &vms);
	printf("ready %d " TINY_STATISTIC "\n", capability());
	while (fgets(line, sizeof(line), stdin))
		execute(&options, &vms, line);
	return 0;
}
