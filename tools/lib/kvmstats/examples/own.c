/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * A VMM reads the statistics of its own VM and vCPU.
 *
 * Compile with: cc own.c $(pkg-config --cflags --libs libkvmstats)
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/kvm.h>

#include <kvmstats.h>

static int report_error(const char *what, int err)
{
	char buf[128];

	fprintf(stderr, "%s: %s\n", what, kvmstats_strerror(err, buf, sizeof(buf)));
	return 1;
}

/* Prints all statistics except histograms, which have several values. */
static void print(const struct kvmstats_schema *schema, const struct kvmstats_sample *sample)
{
	const struct kvmstats_stat *stat;
	uint64_t value;
	size_t i;

	for (i = 0; (stat = kvmstats_schema_stat(schema, i)); i++) {
		if (kvmstats_stat_is_hist(stat))
			continue;
		if (!kvmstats_sample_value(sample, stat, 0, &value))
			printf("  %s %" PRIu64 "\n", kvmstats_stat_name(stat), value);
	}
}

static int show(const char *what, int kvm_fd)
{
	struct kvmstats_schema *schema = NULL;
	struct kvmstats_sample *sample = NULL;
	int fd = kvmstats_fd_open(kvm_fd);
	int err = fd < 0 ? fd : kvmstats_schema_read(&schema, fd);

	if (!err)
		err = kvmstats_sample_new(&sample, schema);
	/* A VMM repeats this call for each sample. It needs one system call. */
	if (!err)
		err = kvmstats_sample_read(sample, fd);
	if (!err) {
		printf("%s:\n", what);
		print(schema, sample);
	}
	kvmstats_sample_free(sample);
	kvmstats_schema_free(schema);
	if (fd >= 0)
		close(fd);
	return err ? report_error(what, err) : 0;
}

int main(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = kvm < 0 ? -1 : ioctl(kvm, KVM_CREATE_VM, 0UL);
	int vcpu = vm < 0 ? -1 : ioctl(vm, KVM_CREATE_VCPU, 0UL);

	if (vcpu < 0)
		return report_error("cannot create a VM with a vCPU", errno);
	return show("VM", vm) || show("vCPU 0", vcpu);
}
