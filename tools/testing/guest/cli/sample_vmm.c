// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "cli/sample_vmm.h"
#include "tiny_vmm.h"

#define TIME_LIMIT	90	/* seconds */
#define MIN_EXITS	100	/* of each vCPU, before it is stopped */

/* ---- read statistics without the library ---- */

struct file_header {
	uint32_t flags, name_size, num_desc, id_offset, desc_offset, data_offset;
};

struct file_desc {
	uint32_t flags;
	int16_t exponent;
	uint16_t size;
	uint32_t offset, bucket_size;
	char name[48];
};

static int read_value(int stats, const char *name, uint64_t *value)
{
	struct file_header header;
	struct file_desc desc;
	uint32_t i;

	if (pread(stats, &header, sizeof(header), 0) != sizeof(header))
		return -EIO;
	for (i = 0; i < header.num_desc; i++) {
		off_t at = header.desc_offset + i * sizeof(desc);

		if (pread(stats, &desc, sizeof(desc), at) != sizeof(desc))
			return -EIO;
		if (strcmp(desc.name, name))
			continue;
		at = header.data_offset + desc.offset;
		return pread(stats, value, sizeof(*value), at) == sizeof(*value) ? 0 : -EIO;
	}
	return -ENOENT;
}

/* ---- the VMM process ---- */

static int read_vcpu(int vcpu, uint64_t *exits, uint64_t *io_exits)
{
	int stats = ioctl(vcpu, KVM_GET_STATS_FD, NULL);
	int err;

	if (stats < 0)
		return -errno;
	err = read_value(stats, "exits", exits);
	if (!err)
		err = read_value(stats, "io_exits", io_exits);
	close(stats);
	return err;
}

static struct vcpu_values read_vm(const struct tiny_vm *vm)
{
	struct vcpu_values values = { 0 };
	int i;

	for (i = 0; !values.err && i < VCPUS; i++)
		values.err = read_vcpu(vm->vcpu[i].fd, &values.exits[i], &values.io_exits[i]);
	return values;
}

/* Opens the statistics fds of all vCPUs, and leaves them open. */
static int open_vcpu_stats(const struct tiny_vm *vm)
{
	int i;

	for (i = 0; i < VCPUS; i++) {
		if (ioctl(vm->vcpu[i].fd, KVM_GET_STATS_FD, NULL) < 0)
			return -errno;
	}
	return 0;
}

static void vmm_main(int command, int answer, bool with_fds)
{
	struct vcpu_values values = { 0 };
	struct tiny_vm vm;
	char request;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	values.err = tiny_create(&vm, VCPUS);
	if (!values.err && with_fds)
		values.err = open_vcpu_stats(&vm);
	if (write(answer, &values, sizeof(values)) < 0 || values.err)
		_exit(1);
	tiny_start(&vm);
	while (read(command, &request, 1) == 1) {
		if (request == 'r') {
			tiny_start(&vm);
			continue;
		}
		if (!tiny_wait(&vm, MIN_EXITS)) {
			values.err = -ETIMEDOUT;
			if (write(answer, &values, sizeof(values)) < 0)
				break;
			continue;
		}
		tiny_stop(&vm);
		values = read_vm(&vm);
		if (write(answer, &values, sizeof(values)) < 0)
			break;
	}
	_exit(0);
}

/* ---- its parent ---- */

static int receive_values(const struct sample_vmm *vmm, struct vcpu_values *values)
{
	struct pollfd poll_fd = { .fd = vmm->answer, .events = POLLIN };

	if (poll(&poll_fd, 1, TIME_LIMIT * 1000) != 1)
		return -ETIMEDOUT;
	if (read(vmm->answer, values, sizeof(*values)) != sizeof(*values))
		return -EPIPE;
	return values->err;
}

static int start(struct sample_vmm *vmm, bool with_fds)
{
	int command[2], answer[2];
	struct vcpu_values values;

	if (pipe2(command, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return -errno;
	vmm->pid = fork();
	if (!vmm->pid) {
		close(command[1]);
		vmm_main(command[0], answer[1], with_fds);
	}
	close(command[0]);
	close(answer[1]);
	vmm->command = command[1];
	vmm->answer = answer[0];
	return vmm->pid < 0 ? -errno : receive_values(vmm, &values);
}

int sample_vmm_start(struct sample_vmm *vmm)
{
	return start(vmm, false);
}

int sample_vmm_start_with_fds(struct sample_vmm *vmm)
{
	return start(vmm, true);
}

int sample_vmm_stop_vcpus(const struct sample_vmm *vmm, struct vcpu_values *values)
{
	int err = write(vmm->command, "s", 1) == 1 ? receive_values(vmm, values) : -errno;

	if (err)
		printf("# the VMM did not stop its vCPUs and send their values: %s\n",
		       strerror(-err));
	return err;
}

void sample_vmm_resume(const struct sample_vmm *vmm)
{
	if (write(vmm->command, "r", 1) != 1)
		perror("# write");
}

void sample_vmm_kill(const struct sample_vmm *vmm)
{
	kill(vmm->pid, SIGKILL);
	waitpid(vmm->pid, NULL, 0);
	close(vmm->command);
	close(vmm->answer);
}
