// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM for the tests of kvm-stats.
 *
 * usage: vmm [-s|-v] [-d] [-m VMS] [-c VCPUS] [-name GUEST] [-uuid UUID]
 *
 * -s keeps statistics fds of all VMs and vCPUs open, -v those of all vCPUs, as QEMU 8.1 and later
 * do. -d duplicates all KVM fds. -name and -uuid are ignored.
 *
 * It prints "ready" when the vCPUs run. After the first line on standard input it stops them and
 * prints "stopped" with the number of exits of each vCPU. It ends when standard input is closed.
 */
#include <stdio.h>

#include "tiny_vmm.h"

#define MAX_VMS	4

struct options {
	bool vm_stats;
	bool vcpu_stats;
	bool duplicate;
	int vms;
	int vcpus;
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

	while ((option = getopt(argc, argv, "svdm:c:n:u:")) != -1) {
		switch (option) {
		case 's':
			options->vm_stats = true;
			options->vcpu_stats = true;
			break;
		case 'v':
			options->vcpu_stats = true;
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
		case 'n':	/* -name GUEST: kvm-stats reads it from the command line */
		case 'u':	/* -uuid UUID: the same */
			break;
		default:
			exit(2);
		}
	}
}

static void prepare_fd(const struct options *options, int fd, bool stats)
{
	if (stats && ioctl(fd, KVM_GET_STATS_FD, NULL) < 0) {
		perror("vmm: KVM_GET_STATS_FD");
		exit(1);
	}
	if (options->duplicate && dup(fd) < 0) {
		perror("vmm: dup");
		exit(1);
	}
}

static void start_vm(const struct options *options, struct tiny_vm *vm)
{
	int err = tiny_create(vm, options->vcpus);
	int i;

	if (err) {
		fprintf(stderr, "vmm: cannot create a VM: %s\n", strerror(-err));
		exit(1);
	}
	prepare_fd(options, vm->fd, options->vm_stats);
	for (i = 0; i < vm->vcpus; i++)
		prepare_fd(options, vm->vcpu[i].fd, options->vcpu_stats);
	tiny_start(vm);
}

static void stop(const struct options *options, struct tiny_vm *vms)
{
	int i, j;

	for (i = 0; i < options->vms; i++) {
		if (!tiny_wait(&vms[i], 1))
			exit(1);
		tiny_stop(&vms[i]);
	}
	printf("stopped");
	for (i = 0; i < options->vms; i++) {
		for (j = 0; j < vms[i].vcpus; j++)
			printf(" %lu", atomic_load(&vms[i].vcpu[j].exits));
	}
	puts("");
}

int main(int argc, char **argv)
{
	struct options options = { .vms = 1, .vcpus = 2 };
	struct tiny_vm vms[MAX_VMS];
	char line[64];
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv, &options);
	for (i = 0; i < options.vms; i++)
		start_vm(&options, &vms[i]);
	puts("ready");
	if (fgets(line, sizeof(line), stdin))
		stop(&options, vms);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
