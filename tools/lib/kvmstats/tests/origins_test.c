// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the origins of passes, with fake ones: which one is used, KVM_STATS_NEXT, /proc, the
 * processes of VMs and their names.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "fake_vms.h"
#include "host_image.h"
#include "tap.h"

#define TICK		(SECOND / (uint64_t)sysconf(_SC_CLK_TCK))
#define START		5000l			/* of fake processes, in ticks */

/* ---- what the tests use ---- */

/* Starts a process without a VM. */
static pid_t child_start(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static struct kvmstats_host *open_best(void)
{
	struct kvmstats_host *host;

	if (kvmstats_host_open(&host, NULL))
		exit(1);
	return host;
}

static const struct kvmstats_host_vm *vm_of_id(const struct kvmstats_host *host, uint64_t id)
{
	const struct kvmstats_host_vm *vm;
	size_t i;

	for (i = 0; (vm = kvmstats_host_vm(host, i)); i++) {
		if (kvmstats_host_vm_id(vm) == id)
			break;
	}
	return vm;
}

/* Returns value @i of a sample, or -1. */
static int64_t value_at(const struct kvmstats_host *host, enum kvmstats_kind kind,
			const struct kvmstats_sample *sample, size_t i)
{
	const struct kvmstats_stat *stat = kvmstats_schema_stat(kvmstats_host_schema(host, kind),
								i);
	uint64_t value;

	if (!sample || !stat || kvmstats_sample_value(sample, stat, 0, &value))
		return -1;
	return (int64_t)value;
}

static int64_t vm_value_at(const struct kvmstats_host *host, uint64_t id, size_t i)
{
	const struct kvmstats_host_vm *vm = vm_of_id(host, id);

	return vm ? value_at(host, KVMSTATS_KIND_VM, kvmstats_host_vm_now(vm), i) : -1;
}

static bool is_text(const char *found, const char *expected)
{
	return found && expected ? !strcmp(found, expected) : found == expected;
}

/* ---- KVM_STATS_NEXT ---- */

static void test_next(void)
{
	struct kvmstats_host *host = open_best();
	const struct kvmstats_host_vcpu *vcpu;
	const struct kvmstats_host_vm *vm;

	start_vms(1, 2, getpid());
	vm_value[2] = 77;
	tap_is(kvmstats_host_read(host), 0, "a pass over the files of all VMs is read");
	tap_is(kvmstats_host_origin(host), KVMSTATS_ORIGIN_NEXT, "it has its origin");
	tap_is(kvmstats_host_error(host, KVMSTATS_ORIGIN_FILE), -ENOENT,
	       "the host file is not published");
	tap_is(kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT), 0, "there is no other error");
	tap_ok(device >= 0 && fcntl(device, F_GETFD) < 0,
	       "/dev/kvm, which holds KVM's vendor module, is closed after the pass");
	tap_is(kvmstats_host_vms(host), 2, "both VMs are found");
	tap_ok(vm_value_at(host, 1, 0) == 1 && vm_value_at(host, 2, 1) == 77,
	       "a VM is identified by its number, and has its values");
	vm = vm_of_id(host, 2);
	tap_is(kvmstats_host_vm_vcpus(vm), VM_IMAGE_VCPUS, "all vCPUs are found");
	vcpu = kvmstats_host_vm_vcpu(vm, 2);
	tap_ok(kvmstats_host_vcpu_id(vcpu) == 20 && !kvmstats_host_vcpu_tid(vcpu),
	       "a vCPU has its ID, but no thread");
	tap_is(value_at(host, KVMSTATS_KIND_VCPU, kvmstats_host_vcpu_now(vcpu), 1), 201,
	       "a vCPU has its values");
	tap_ok(kvmstats_schema_find(kvmstats_host_schema(host, KVMSTATS_KIND_VM), "flushes") &&
	       kvmstats_schema_find(kvmstats_host_schema(host, KVMSTATS_KIND_VCPU), "exits"),
	       "the schemas are those of the files");
	tap_ok(kvmstats_host_time(host) && kvmstats_host_boottime(host), "the pass has its times");
	tap_ok(kvmstats_sample_time(kvmstats_host_vm_now(vm)) >= kvmstats_host_time(host) &&
	       kvmstats_sample_time(kvmstats_host_vcpu_now(vcpu)) >= kvmstats_host_time(host),
	       "the values have times, too");
	tap_ok(!kvmstats_host_vm_before(vm), "a VM has no values before the first pass");
	tap_is(kvmstats_host_vcpu_waiting(host, vcpu), 0, "waits are not known");

	vcpus[1] = 1;
	alive[2] = false;
	alive[3] = true;
	vcpus[3] = 2;
	creator[3] = getpid();
	vm_value[1] = 5;
	tap_is(kvmstats_host_read(host), 0, "VMs can end and start between passes");
	tap_ok(kvmstats_host_vms(host) == 2 && !vm_of_id(host, 2) && vm_of_id(host, 3),
	       "the pass has the new VM, and not the one that has ended");
	tap_is(open_files_of(2), 0, "its file is closed");
	tap_is(open_files_of(1), 1, "the others stay open");
	vm = vm_of_id(host, 1);
	tap_is(vm_value_at(host, 1, 1), 5, "values are read again");
	tap_is(value_at(host, KVMSTATS_KIND_VM, kvmstats_host_vm_before(vm), 0), 1,
	       "values before are those of the pass before");
	tap_ok(!kvmstats_host_vm_before(vm_of_id(host, 3)), "the new VM has no values before");
	vcpus[1] = VM_IMAGE_VCPUS;
	kvmstats_host_read(host);
	tap_is(kvmstats_host_vm_vcpus(vm_of_id(host, 1)), VM_IMAGE_VCPUS, "new vCPUs are found");
	kvmstats_host_close(host);
	tap_is(open_files_of(1) + open_files_of(3), 0, "all files are closed");
}

/* The numbers start at 1 again after KVM's module was loaded again. */
static void test_numbers_restart(void)
{
	struct kvmstats_host *host = open_best();

	start_vms(2, 2, getpid());
	kvmstats_host_read(host);
	alive[2] = false;
	tap_is(kvmstats_host_read(host), 0, "a pass without VMs is read");
	tap_ok(!kvmstats_host_vms(host) && !kvmstats_host_vmms(host), "it has no VM and no VMM");
	start_vms(1, 2, getpid());
	kvmstats_host_read(host);
	tap_ok(vm_of_id(host, 1) && !kvmstats_host_vm_before(vm_of_id(host, 2)),
	       "numbers can start at 1 again: the VMs are new");
	kvmstats_host_close(host);
}

static void test_missing_vms(void)
{
	struct kvmstats_host *host = open_best();

	start_vms(1, 2, getpid());
	shortage = -EMFILE;
	tap_is(kvmstats_host_read(host), 0, "a pass is read if there are not enough fds");
	tap_is(kvmstats_host_vms(host), 1, "it has the VMs whose files are open");
	tap_is(kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT), -EMFILE,
	       "the error of the origin says that others are missing");
	shortage = 0;
	kvmstats_host_read(host);
	tap_is(kvmstats_host_vms(host), 2, "the others are found when there are fds");
	tap_is(kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT), 0, "the error is gone");
	alive[3] = true;
	short_lived = 3;
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_vms(host) == 2 && !kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT),
	       "a VM that ends before it is read is no error");
	short_lived = 0;
	cut_reads = 1;
	kvmstats_host_read(host);
	tap_is(kvmstats_host_vms(host), 2, "a read that is cut is repeated");
	cut_reads = 2;
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_vms(host) == 1 &&
	       kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT) == -EPROTO,
	       "a file that is cut is not used, which the error says");
	shortage = -EPERM;
	start_vms(1, 3, getpid());
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_origin(host) == KVMSTATS_ORIGIN_PROC &&
	       kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT) == -EPERM,
	       "without the right to open files, the origin is /proc");
	tap_is(open_files_of(1), 0, "all files are closed then");
	shortage = 0;
	kvmstats_host_close(host);
}

/* Files of one instance of KVM's module have the same descriptors. */
static void test_other_descriptors(void)
{
	struct kvmstats_host *host = open_best();
	struct vm_image image;
	int i;

	vm_image_init(&image);
	image.vcpu_desc[1].name[0] = 'x';
	damaged = &image;
	damaged_size = sizeof(image);
	damaged_vm = 2;
	start_vms(1, 3, getpid());
	for (i = 0; i < 2; i++) {
		kvmstats_host_read(host);
		tap_ok(kvmstats_host_vms(host) == 2 && !vm_of_id(host, 2),
		       "a VM with other descriptors is not part of a pass");
		tap_is(kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT), -EPROTO,
		       "the error of each pass says so");
	}
	tap_is(open_files_of(2), 0, "its file is closed");
	damaged = NULL;
	damaged_vm = 0;
	kvmstats_host_close(host);
}

/* 10,000 VMs, one after the other */
static void test_many(void)
{
	struct kvmstats_host *host = open_best();
	size_t memory = 0;
	int i;

	for (i = 0; i <= 10000; i++) {
		if (i == 100)
			memory = __sanitizer_get_current_allocated_bytes();
		start_vms(1, 1, getpid());
		if (kvmstats_host_read(host) || vm_value_at(host, 1, 0) != 1)
			break;
		alive[1] = false;
		kvmstats_host_read(host);
	}
	tap_is(i, 10001, "10,000 VMs that come and go are read");
	start_vms(1, 1, getpid());
	kvmstats_host_read(host);
	alive[1] = false;
	kvmstats_host_read(host);
	tap_is(__sanitizer_get_current_allocated_bytes(), memory, "they leave no memory behind");
	kvmstats_host_close(host);
}

/* ---- damaged files ---- */

/* Returns why the file of VM 1 is not used. */
static int error_of(const struct vm_image *image, size_t size)
{
	static struct kvmstats_host *host;
	int err;

	if (!image) {
		kvmstats_host_close(host);
		return 0;
	}
	if (!host)
		host = open_best();
	damaged = image;
	damaged_size = size;
	start_vms(1, 1, 0);
	err = kvmstats_host_read(host);
	if (!err)
		err = kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT);
	if (!err && (vm_value_at(host, 1, 0) != 1000 || vm_value_at(host, 1, 1) != 1001))
		err = 1;
	alive[1] = false;
	damaged = NULL;
	kvmstats_host_read(host);
	return err;
}

#define HEADER(field)	offsetof(struct vm_image, header.field)
#define VCPUS(field)	offsetof(struct vm_image, vcpus.field)
#define FILE_SIZE	sizeof(struct vm_image)

static const struct damage {
	size_t field;		/* its position, of 32 bits */
	uint32_t value;
	int err;
	const char *what;
} damages[] = {
	{ HEADER(flags), 0, -ENODATA, "without the flag" },
	{ HEADER(name_size), 0, -EPROTO, "with names without bytes" },
	{ HEADER(name_size), UINT32_MAX, -EOVERFLOW, "with huge names" },
	{ HEADER(num_desc), UINT32_MAX, -EOVERFLOW, "with too many statistics of the VM" },
	{ HEADER(num_desc), 4, -EPROTO, "with the descriptors of the VM over those of vCPUs" },
	{ HEADER(id_offset), 0, -EPROTO, "with the ID in the header" },
	{ HEADER(id_offset), UINT32_MAX, -EPROTO, "with the ID behind the end" },
	{ HEADER(desc_offset), 72, -EPROTO, "with the descriptors of the VM over the vCPUs' part" },
	{ HEADER(desc_offset), FILE_SIZE, -EPROTO, "with descriptors of the VM behind the end" },
	{ HEADER(data_offset), 7, -EPROTO, "with unaligned values of the VM" },
	{ HEADER(data_offset), FILE_SIZE, -EPROTO, "with the values of the VM behind the records" },
	{ HEADER(data_offset), 0, -EPROTO, "with the values of the VM in the header" },
	{ VCPUS(num_desc), UINT32_MAX, -EOVERFLOW, "with too many statistics of vCPUs" },
	{ VCPUS(num_desc), 3, -EPROTO, "with descriptors of vCPUs over the values" },
	{ VCPUS(desc_offset), 0, -EPROTO, "with descriptors of vCPUs over the header" },
	{ VCPUS(desc_offset), 104, -EPROTO, "with descriptors of vCPUs over those of the VM" },
	{ VCPUS(desc_offset), UINT32_MAX, -EPROTO, "with descriptors of vCPUs behind the end" },
	{ VCPUS(records_offset), 0, -EPROTO, "with records from the start" },
	{ VCPUS(records_offset), offsetof(struct vm_image, value) + 8, -EPROTO,
	  "with records over the values of the VM" },
	{ VCPUS(records_offset), offsetof(struct vm_image, record) + 4, -EPROTO,
	  "with unaligned records" },
	{ VCPUS(records_offset), UINT32_MAX - 7, -EOVERFLOW, "with records far behind the end" },
	{ VCPUS(record_size), 0, -EPROTO, "with records without bytes" },
	{ VCPUS(record_size), 8, -EPROTO, "with records that are too short" },
	{ VCPUS(record_size), 24, -EPROTO, "with records that are shorter than the values" },
	{ VCPUS(record_size), 36, -EPROTO, "with records of an unaligned size" },
	{ VCPUS(record_size), 40, -EPROTO, "with an incomplete last record" },
	{ VCPUS(record_size), UINT32_MAX - 7, -EOVERFLOW, "with huge records" },
	{ VCPUS(data_offset), 8, -EPROTO, "with values over the IDs of vCPUs" },
	{ VCPUS(data_offset), 20, -EPROTO, "with unaligned values of vCPUs" },
	{ VCPUS(data_offset), 24, -EPROTO, "with values beyond the end of a record" },
	{ VCPUS(data_offset), UINT32_MAX - 7, -EPROTO, "with values far beyond their record" },
};

static void test_damage(const struct vm_image *image)
{
	char name[96];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(damages); i++) {
		struct vm_image damaged = *image;

		memcpy((char *)&damaged + damages[i].field, &damages[i].value, sizeof(uint32_t));
		snprintf(name, sizeof(name), "a file %s is refused", damages[i].what);
		tap_is(error_of(&damaged, sizeof(damaged)), damages[i].err, name);
	}
}

static void test_names_and_ids(const struct vm_image *image)
{
	struct vm_image damaged = *image;

	damaged.vcpu_desc[1].name[0] = '\n';
	tap_is(error_of(&damaged, sizeof(damaged)), -EPROTO,
	       "a statistic of vCPUs whose name is not text is refused");
	damaged = *image;
	damaged.vcpu_desc[1].desc.offset = 16;
	tap_is(error_of(&damaged, sizeof(damaged)), -EPROTO,
	       "a statistic behind the end of the record is refused");
	damaged = *image;
	damaged.record[1].record.vcpu_id = UINT64_C(1) << 32;
	tap_is(error_of(&damaged, sizeof(damaged)), -EPROTO,
	       "an ID of a vCPU that is no int is refused");
}

/* A file can end after any record, and nowhere else. */
static void test_truncated(const struct vm_image *image)
{
	size_t records = offsetof(struct vm_image, record);
	int wrong = 0;
	size_t size;

	for (size = 0; size <= sizeof(*image); size++) {
		bool complete = size >= records && (size - records) % image->vcpus.record_size == 0;

		wrong += error_of(image, size) != (complete ? 0 : -EPROTO);
	}
	tap_is(wrong, 0, "a file that ends within a part is refused, whatever its size is");
}

/* ---- /proc ---- */

/* A process with two threads, of which the second has this name and this time in guests. */
static void put_vmm(pid_t pid, const char *thread, long guest)
{
	put_stat(pid, 0, "qemu", 2, START, guest);
	put_stat(pid, pid, "qemu", 2, START, 0);
	put_stat(pid, pid + 1, thread, 2, START, guest);
}

static void test_proc(void)
{
	struct kvmstats_host *host;
	const struct kvmstats_host_vm *vm;

	next_error = -EOPNOTSUPP;
	put_vmm(3000, "worker (a) b", 7);
	put_vmm(2000, "CPU 3/KVM", 0);
	put_vmm(4000, "worker", 0);
	put_stat(5000, 0, "kvmtool", 1, START, 9);
	put_stat(5000, 5000, "kvmtool", 1, START, 9);
	put_vmm(6000, "kvm-nx-lpage-re", 0);
	put_stat(6000, 6002, "vcpu4", 3, START, 0);
	put_stat(6000, 6003, "vcpu4", 3, START, 0);
	state = 'Z';
	put_vmm(8000, "CPU 0/KVM", 5);
	state = 'S';
	host = open_best();
	tap_is(kvmstats_host_read(host), 0, "a pass is made from /proc");
	tap_is(kvmstats_host_origin(host), KVMSTATS_ORIGIN_PROC, "it has its origin");
	tap_ok(kvmstats_host_error(host, KVMSTATS_ORIGIN_FILE) == -ENOENT &&
	       kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT) == -EOPNOTSUPP,
	       "the errors say why it is not a better one");
	tap_is(kvmstats_host_error(host, KVMSTATS_ORIGIN_PROC), 0, "it has all processes");
	tap_is(kvmstats_host_vmms(host), 4,
	       "processes that run guests are found, and none that has ended");
	tap_is(kvmstats_vmm_pid(kvmstats_host_vmm(host, 0)), 2000,
	       "so is one that has a thread with the name of a vCPU's");
	tap_is(kvmstats_vmm_pid(kvmstats_host_vmm(host, 3)), 6000,
	       "and one that has a thread of KVM");
	vm = kvmstats_vmm_vm(kvmstats_host_vmm(host, 0), 0);
	tap_ok(kvmstats_host_vcpu_id(kvmstats_host_vm_vcpu(vm, 0)) == 3 &&
	       kvmstats_host_vcpu_tid(kvmstats_host_vm_vcpu(vm, 0)) == 2001,
	       "its name has the ID of the vCPU");
	vm = kvmstats_vmm_vm(kvmstats_host_vmm(host, 1), 0);
	tap_ok(kvmstats_host_vm_vcpus(vm) == 1 &&
	       kvmstats_host_vcpu_id(kvmstats_host_vm_vcpu(vm, 0)) == 0 &&
	       kvmstats_host_vcpu_tid(kvmstats_host_vm_vcpu(vm, 0)) == 3001,
	       "a thread without such a name is a vCPU if it runs a guest");
	tap_is(kvmstats_host_vm_start_time(vm), START * TICK, "a process has its start time");
	vm = kvmstats_vmm_vm(kvmstats_host_vmm(host, 3), 0);
	tap_ok(kvmstats_host_vm_vcpus(vm) == 2 &&
	       kvmstats_host_vcpu_tid(kvmstats_host_vm_vcpu(vm, 0)) == 6002 &&
	       kvmstats_host_vcpu_id(kvmstats_host_vm_vcpu(vm, 1)) == 1,
	       "vCPUs of several VMs with the same ID are numbered in the order of threads");
	tap_ok(!kvmstats_schema_count(kvmstats_host_schema(host, KVMSTATS_KIND_VM)) &&
	       !kvmstats_schema_count(kvmstats_host_schema(host, KVMSTATS_KIND_VCPU)),
	       "there are no statistics");
	tap_ok(kvmstats_sample_time(kvmstats_host_vm_now(vm)), "but samples, which have a time");
	kvmstats_host_close(host);
}

/* Known VMMs are read in each pass, and all processes every 5 s. */
static void test_proc_changes(void)
{
	struct kvmstats_host *host = open_best();
	const struct kvmstats_vmm *vmm;

	kvmstats_host_read(host);
	vmm = kvmstats_host_vmm(host, 1);
	put_stat(3000, 0, "qemu", 3, START, 7);
	put_stat(3000, 3002, "worker", 3, START, 1);
	put_vmm(7000, "vcpu1", 0);
	state = 'Z';
	put_vmm(2000, "CPU 3/KVM", 0);
	state = 'S';
	kvmstats_host_read(host);
	tap_is(kvmstats_host_vmms(host), 3, "a VMM that has ended is gone at once");
	tap_ok(kvmstats_host_vmm(host, 0) == vmm, "the others are the same");
	tap_is(kvmstats_vmm_vcpus(vmm), 2, "a new vCPU is found at once");
	tap_ok(kvmstats_host_vm_before(kvmstats_vmm_vm(vmm, 0)), "a VM is followed");
	advance(6 * SECOND);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_vmms(host), 4, "a new VMM is found within 5 s");
	tap_ok(kvmstats_host_vmm(host, 0) == vmm, "the others are still the same");
	put_stat(4000, 0, "qemu", 2, START, 1);
	put_stat(4000, 4001, "worker", 2, START, 1);
	put_stat(3000, 0, "other", 1, START + 1, 1);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_vmms(host), 3, "a VMM whose PID another process has is gone at once");
	advance(6 * SECOND);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_vmms(host), 5, "a process that runs its first guest is found");
	tap_ok(kvmstats_host_vmm(host, 0) != vmm,
	       "a later process with the same PID is another one");
	remove_process(1);
	advance(6 * SECOND);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_error(host, KVMSTATS_ORIGIN_PROC), -EACCES,
	       "the error says that /proc hides processes");
	put_stat(1, 0, "init", 1, 10, 0);
	kvmstats_host_close(host);
	for (pid_t pid = 2000; pid <= 8000; pid += 1000)
		remove_process(pid);
}

/* ---- the host file ---- */

static char published[] = "/tmp/publishedXXXXXX";

static void publish(const struct host_image *image)
{
	int fd = open(published, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, image->data, image->size) != (ssize_t)image->size)
		exit(1);
	close(fd);
}

/* Each pass comes from the best origin that works then. */
static void test_best(void)
{
	struct host_image image = { .session = 1, .time = 1000 }, stale = image;
	struct kvmstats_host *host;

	host_image_pass(&image, 1);
	host_image_header(&stale, 0);
	host_image_end(&stale, KVM_HOST_STALE);
	close(mkstemp(published));
	put_vmm(3000, "CPU 0/KVM", 1);
	start_vms(1, 1, getpid());
	next_error = -EACCES;
	host = open_best();
	tap_is(kvmstats_host_origin(host), KVMSTATS_ORIGIN_FILE,
	       "before the first pass, the host file is expected");
	kvmstats_host_read(host);
	tap_is(kvmstats_host_origin(host), KVMSTATS_ORIGIN_PROC, "the first pass is from /proc");
	next_error = 0;
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_origin(host) == KVMSTATS_ORIGIN_NEXT && vm_of_id(host, 1),
	       "a pass is from KVM_STATS_NEXT as soon as that works");
	publish(&image);
	kvmstats_places.file = published;
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_origin(host) == KVMSTATS_ORIGIN_FILE && vm_of_id(host, 20),
	       "a pass is from the host file after it is published");
	tap_is(open_files_of(1), 0, "the files of VMs are closed then");
	tap_ok(!kvmstats_host_vm_before(vm_of_id(host, 20)), "the VMs of another origin are new");
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_vm_before(vm_of_id(host, 20)), "they are followed there");
	publish(&stale);
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_origin(host) == KVMSTATS_ORIGIN_NEXT &&
	       kvmstats_host_error(host, KVMSTATS_ORIGIN_FILE) == -ESTALE,
	       "a stale host file is not used");
	image.size -= 8;
	publish(&image);
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_origin(host) == KVMSTATS_ORIGIN_NEXT &&
	       kvmstats_host_error(host, KVMSTATS_ORIGIN_FILE) == -EAGAIN,
	       "neither is one that is cut each time");
	kvmstats_places.file = "/nonexistent/host.pin";
	next_error = -EMFILE;
	tap_is(kvmstats_host_read(host), -EMFILE, "a shortage of fds is an error");
	tap_ok(kvmstats_host_origin(host) == KVMSTATS_ORIGIN_NEXT && vm_of_id(host, 1),
	       "then the VMs are those of the last pass");
	image.size += 8;
	publish(&image);
	kvmstats_places.file = published;
	kvmstats_host_read(host);
	tap_is(kvmstats_host_error(host, KVMSTATS_ORIGIN_NEXT), 0,
	       "an origin after the one that is used has no error");
	kvmstats_places.file = "/nonexistent/host.pin";
	next_error = -EOPNOTSUPP;
	kvmstats_places.proc = "/nonexistent";
	advance(6 * SECOND);
	tap_is(kvmstats_host_read(host), -ENOENT, "if no origin works, the error is the last one");
	kvmstats_places.proc = fake_proc.dir;
	remove_process(3000);
	kvmstats_host_close(host);
	unlink(published);
	free(image.data);
	free(stale.data);
}

/* Sends a pass that is cut to the first reader, and a whole one to the second. */
static pid_t serve(const struct host_image *image)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), i;
	pid_t pid;

	strcpy(address.sun_path, published);
	if (bind(listening, (struct sockaddr *)&address, sizeof(address)) || listen(listening, 8))
		exit(1);
	pid = fork();
	for (i = 0; !pid && i < 2; i++) {
		int fd = accept(listening, NULL, NULL);

		if (send(fd, image->data, image->size / (2 - (size_t)i), MSG_NOSIGNAL) < 0)
			_exit(1);
		close(fd);
	}
	if (!pid)
		_exit(0);
	close(listening);
	return pid;
}

static void test_cut_once(void)
{
	struct host_image image = { .session = 1, .time = 1000 };
	struct kvmstats_host *host = open_best();
	pid_t server;

	host_image_pass(&image, 1);
	server = serve(&image);
	kvmstats_places.socket = published;
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_origin(host) == KVMSTATS_ORIGIN_FILE && vm_of_id(host, 20) &&
	       !kvmstats_host_error(host, KVMSTATS_ORIGIN_FILE),
	       "a host file that is cut once is read again, here from its socket");
	waitpid(server, NULL, 0);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_error(host, KVMSTATS_ORIGIN_FILE), -ECONNREFUSED,
	       "a socket without a server is not used");
	kvmstats_places.socket = "/nonexistent/host.sock";
	unlink(published);
	kvmstats_host_close(host);
	free(image.data);
}

static int take_fd(void *arg)
{
	return *(int *)arg;
}

static void skip_time(int signal)
{
	(void)signal;
	advance(61 * SECOND);
}

/* The time advances while the library waits for the second part of three. */
static void test_slow_pass(void)
{
	const struct sigaction handler = { .sa_handler = skip_time, .sa_flags = SA_RESTART };
	struct host_image image = { .session = 1, .time = 1000 };
	struct kvmstats_host *host = open_best();
	int pair[2], i;
	pid_t parent = getpid(), server;

	host_image_pass(&image, 1);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		exit(1);
	sigaction(SIGUSR1, &handler, NULL);
	server = fork();
	for (i = 0; !server && i < 3; i++) {
		if (write(pair[1], image.data + 64 * i, i < 2 ? 64 : image.size - 128) < 0)
			_exit(1);
		usleep(100000);
		if (!i)
			kill(parent, SIGUSR1);
		usleep(100000);
	}
	if (!server)
		_exit(0);
	close(pair[1]);
	kvmstats_host_use_passes(host, take_fd, &pair[0]);
	tap_is(kvmstats_host_read(host), -ETIMEDOUT, "a pass ends after a minute");
	waitpid(server, NULL, 0);
	signal(SIGUSR1, SIG_DFL);
	kvmstats_host_use_passes(host, NULL, NULL);
	kvmstats_host_read(host);
	tap_is(kvmstats_host_origin(host), KVMSTATS_ORIGIN_PROC, "then other origins can be used");
	kvmstats_host_close(host);
	free(image.data);
}

/* ---- processes and their names ---- */

static struct host_image passes;	/* what open_passes() returns */

static int open_passes(void *arg)
{
	(void)arg;
	return passes.size ? bytes_fd(passes.data, passes.size) : -EIO;
}

static struct kvmstats_host *open_host_of_passes(void)
{
	struct kvmstats_host *host = open_best();

	kvmstats_host_use_passes(host, open_passes, NULL);
	return host;
}

static void start_pass(void)
{
	passes.size = 0;
	passes.session = 1;
	host_image_header(&passes, 0);
}

/* Adds a VM of this process, which started at @start ticks and some ns. */
static void add_vm(uint64_t id, unsigned int flags, pid_t pid, uint64_t start)
{
	size_t at = passes.size;

	host_image_vm(&passes, id, flags, 1);
	host_image_patch(&passes, at + offsetof(struct kvm_host_vm, pid), (uint64_t)pid, 4);
	host_image_patch(&passes, at + offsetof(struct kvm_host_vm, start_time),
			 start ? start * TICK + TICK / 2 : 0, 8);
	host_image_vcpu(&passes, id, 0, 1);
}

static int end_pass(struct kvmstats_host *host)
{
	host_image_end(&passes, 0);
	return kvmstats_host_read(host);
}

static void put_names(pid_t pid, const char *comm, const char *guest)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "qemu%c-name%c%s", 0, 0, guest);

	put_stat(pid, 0, comm, 1, START, 0);
	guest_files_put(&fake_proc, 0644, text, (size_t)n + 1, "%d/cmdline", (int)pid);
	guest_files_write(&fake_proc, 0644, "0::/qemu.slice/100.scope\n", "%d/cgroup", (int)pid);
}

/* Replaces the command line by a FIFO, which hangs. Stores its path. */
static void hang(pid_t pid, char *path, size_t size)
{
	snprintf(path, size, "%s/%d/cmdline", fake_proc.dir, (int)pid);
	if (unlink(path) || mkfifo(path, 0600))
		exit(1);
}

/* Writes the command line to the FIFO, and waits until the host has it. */
static void answer(struct kvmstats_host *host, const char *path)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC), tries = 1000;

	if (fd < 0 || write(fd, "qemu\0--name=late", 17) != 17)
		exit(1);
	close(fd);
	while (tries-- && kvmstats_vmm_name_error(kvmstats_host_vmm(host, 0))) {
		usleep(10000);
		kvmstats_host_read(host);
	}
}

static bool has_names(const struct kvmstats_vmm *vmm, const char *comm, const char *guest, int err)
{
	return vmm && is_text(kvmstats_vmm_comm(vmm), comm) &&
	       is_text(kvmstats_vmm_guest(vmm), guest) && kvmstats_vmm_name_error(vmm) == err;
}

static void test_vmms(pid_t child, pid_t other)
{
	const struct kvmstats_vmm *vmm, *second;
	struct kvmstats_host *host;

	put_names(child, "qemu", "web");
	put_names(other, "crosvm", "db");
	host = open_host_of_passes();
	start_pass();
	tap_is(kvmstats_host_read(host), -EAGAIN, "a pass without an end is an error");
	start_pass();
	add_vm(30, 0, other, START);
	add_vm(20, 0, child, START);
	add_vm(10, 0, child, START);
	tap_is(end_pass(host), 0, "passes are read from fds that a function returns");
	tap_is(kvmstats_host_origin(host), KVMSTATS_ORIGIN_FILE, "they are host files");
	tap_is(kvmstats_host_vmms(host), 2, "VMs are grouped by process");
	vmm = kvmstats_host_vmm(host, child > other);
	second = kvmstats_host_vmm(host, child < other);
	tap_ok(kvmstats_vmm_pid(vmm) == child && kvmstats_vmm_pid(second) == other,
	       "VMMs are in the order of PIDs");
	tap_ok(!kvmstats_host_vmm(host, 2), "an index after the last VMM returns NULL");
	tap_ok(kvmstats_vmm_vms(vmm) == 2 && kvmstats_vmm_vcpus(vmm) == 2, "a VMM has all its VMs");
	tap_ok(kvmstats_host_vm_id(kvmstats_vmm_vm(vmm, 0)) == 10 &&
	       kvmstats_host_vm_id(kvmstats_vmm_vm(vmm, 1)) == 20 && !kvmstats_vmm_vm(vmm, 2),
	       "they are in the order of their identities");
	tap_is(kvmstats_vmm_start_time(vmm), START * TICK + TICK / 2, "a VMM has its start time");
	tap_ok(has_names(vmm, "qemu", "web", 0), "a VMM has its names");
	tap_ok(!kvmstats_vmm_cgroup(vmm), "the cgroup is not needed");

	start_pass();
	add_vm(20, 0, child, START);
	add_vm(40, 0, child, START);
	remove_process(child);
	end_pass(host);
	tap_ok(kvmstats_host_vmms(host) == 1 && kvmstats_host_vmm(host, 0) == vmm,
	       "a VMM is the same as long as passes have a VM of it");
	tap_ok(kvmstats_vmm_vms(vmm) == 2 && kvmstats_host_vm_id(kvmstats_vmm_vm(vmm, 1)) == 40,
	       "it has the VMs of the last pass");
	tap_ok(has_names(vmm, "qemu", "web", 0), "names that are known are not read again");
	passes.size = 0;
	tap_is(kvmstats_host_read(host), -EIO, "the error of the function is returned");
	tap_ok(kvmstats_host_vmm(host, 0) == vmm && kvmstats_vmm_vms(vmm) == 2,
	       "after an error, the VMMs are those of the last pass");

	/* The process has ended, and a later one has its PID. */
	put_names(child, "qemu", "later");
	start_pass();
	add_vm(20, KVM_HOST_ORPHAN, child, 0);
	add_vm(50, 0, child, START);
	end_pass(host);
	tap_is(kvmstats_host_vmms(host), 2, "a VM whose process has ended has a VMM of its own");
	tap_ok(kvmstats_vmm_is_orphan(kvmstats_host_vmm(host, 0)) &&
	       has_names(kvmstats_host_vmm(host, 0), "?", NULL, -ESRCH), "it has no names");
	tap_ok(kvmstats_host_vmm(host, 1) == vmm && !kvmstats_vmm_is_orphan(vmm),
	       "the other VMM is not an orphan");
	kvmstats_host_close(host);
}

static void test_names(pid_t child, pid_t ended)
{
	struct kvmstats_host *host;
	char path[128];

	host = open_host_of_passes();
	put_names(child, "qemu", "web");
	put_names(ended, "qemu", "ended");
	start_pass();
	add_vm(10, 0, child, START - 1);
	end_pass(host);
	tap_ok(has_names(kvmstats_host_vmm(host, 0), "?", NULL, -ESRCH),
	       "a later process with the same PID does not lend its name");
	start_pass();
	add_vm(10, 0, child, 0);
	end_pass(host);
	tap_ok(has_names(kvmstats_host_vmm(host, 0), "?", NULL, -ESRCH),
	       "nor does one if the start time is not known");

	remove_process(child);
	remove_process(ended);
	start_pass();
	add_vm(10, 0, child, START);
	add_vm(20, 0, ended, START);
	end_pass(host);
	tap_ok(has_names(kvmstats_host_vmm(host, child > ended), "?", NULL, -EACCES),
	       "the error says that /proc hides the process");
	tap_ok(has_names(kvmstats_host_vmm(host, child < ended), "?", NULL, -ESRCH),
	       "or that it has ended");
	put_names(child, "qemu", "web");
	end_pass(host);
	tap_ok(has_names(kvmstats_host_vmm(host, child > ended), "qemu", "web", 0),
	       "the names are read when /proc shows it again");

	start_pass();
	end_pass(host);
	hang(child, path, sizeof(path));
	start_pass();
	add_vm(10, 0, child, START);
	tap_is(end_pass(host), 0, "a process that hangs does not hang the library");
	tap_ok(has_names(kvmstats_host_vmm(host, 0), "qemu", "100", -ETIMEDOUT),
	       "a guest whose command line is late has the name of its cgroup");
	tap_ok(is_text(kvmstats_vmm_cgroup(kvmstats_host_vmm(host, 0)), "100"),
	       "the cgroup is known");
	answer(host, path);
	tap_ok(has_names(kvmstats_host_vmm(host, 0), "qemu", "late", 0),
	       "then it has its name");
	remove_process(child);
	kvmstats_host_close(host);
}

/* Another process gets the PID while the names are read. */
static void test_reused_pid(pid_t child)
{
	struct kvmstats_host *host;
	char path[128];
	pid_t other;

	host = open_host_of_passes();
	put_names(child, "qemu", "web");
	hang(child, path, sizeof(path));
	other = fork();
	if (!other) {
		int fd = open(path, O_WRONLY | O_CLOEXEC);

		put_stat(child, 0, "other", 1, START + 1, 0);
		_exit(write(fd, "qemu\0--name=other", 18) != 18);
	}
	start_pass();
	add_vm(10, 0, child, START);
	end_pass(host);
	waitpid(other, NULL, 0);
	kvmstats_host_read(host);
	tap_ok(has_names(kvmstats_host_vmm(host, 0), "?", NULL, -ESRCH),
	       "nor does one that gets the PID while names are read");
	remove_process(child);
	kvmstats_host_close(host);
}

/* Only PIDs of this machine have names. */
static void test_foreign(pid_t child)
{
	struct kvmstats_host *host;
	int fd;

	put_names(child, "qemu", "web");
	start_pass();
	add_vm(10, 0, child, START);
	host_image_end(&passes, 0);
	fd = bytes_fd(passes.data, passes.size);
	kvmstats_host_open_fd(&host, fd);
	kvmstats_host_read(host);
	tap_ok(has_names(kvmstats_host_vmm(host, 0), "?", NULL, -EREMOTE),
	       "the processes of a copy have no names");
	kvmstats_host_close(host);
	close(fd);
	passes.size = 0;
	host_image_header(&passes, KVM_HOST_NESTED);
	add_vm(10, 0, child, START);
	host = open_host_of_passes();
	end_pass(host);
	tap_ok(has_names(kvmstats_host_vmm(host, 0), "?", NULL, -EREMOTE),
	       "nor have those of another PID namespace");
	kvmstats_host_close(host);
}

/* The files of VMs have the PID of their creator, and nothing else about it. */
static void test_creators(pid_t child, pid_t ended)
{
	struct kvmstats_host *host = open_best();
	const struct kvmstats_vmm *vmm;

	next_error = 0;
	put_names(child, "qemu", "web");
	remove_process(ended);
	start_vms(1, 3, child);
	creator[2] = ended;
	kvmstats_host_read(host);
	tap_is(kvmstats_host_vmms(host), 2, "the VMs of KVM_STATS_NEXT are grouped by process");
	vmm = kvmstats_host_vmm(host, child > ended);
	tap_ok(kvmstats_vmm_vms(vmm) == 2 && has_names(vmm, "qemu", "web", 0),
	       "a creator has its VMs and names");
	tap_is(kvmstats_vmm_start_time(vmm), START * TICK, "its start time is that in /proc");
	vmm = kvmstats_host_vmm(host, child < ended);
	tap_ok(kvmstats_vmm_is_orphan(vmm) && has_names(vmm, "?", NULL, -ESRCH),
	       "a creator that has ended leaves an orphan");
	/* It has another inode number than that of the initial PID namespace. */
	guest_files_write(&fake_proc, 0644, "", "self/ns/pid");
	kvmstats_host_read(host);
	tap_ok(kvmstats_host_is_nested(host), "in another PID namespace, the PIDs are not those");
	kvmstats_host_close(host);
	host = open_best();
	kvmstats_host_read(host);
	tap_ok(has_names(kvmstats_host_vmm(host, 0), "?", NULL, -EREMOTE), "and no names are read");
	kvmstats_host_close(host);
}

int main(void)
{
	pid_t child, other, ended;
	struct vm_image image;

	setvbuf(stdout, NULL, _IOLBF, 0);
	start_fake_proc();
	child = child_start();
	other = child_start();
	ended = child_start();
	child_end(ended);
	vm_image_init(&image);
	test_next();
	test_numbers_restart();
	test_missing_vms();
	test_other_descriptors();
	test_many();
	test_damage(&image);
	test_names_and_ids(&image);
	test_truncated(&image);
	error_of(NULL, 0);
	test_proc();
	test_proc_changes();
	test_best();
	test_cut_once();
	test_slow_pass();
	test_vmms(child, other);
	test_names(child, ended);
	test_reused_pid(child);
	test_foreign(child);
	test_creators(child, ended);
	free(passes.data);
	child_end(child);
	child_end(other);
	guest_files_remove(&fake_proc);
	return tap_end();
}
