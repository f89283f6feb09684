// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read statistics files at random and compare the results with a model: the bytes of the
 * file, loaded while no vCPU ran. Offset, length, alignment and the pieces of the buffer are
 * random, and so is the position of an inaccessible page in the buffer. Most of them are
 * close to a boundary, for example the beginning of the values.
 *
 * READ_FUZZ_COUNT is the number of reads by each method and of each file. READ_FUZZ_SEED
 * reproduces a run.
 */
#define _GNU_SOURCE
#include "kvm_stats_open.h"
#include "lib/extensions.h"
#include "lib/random.h"
#include "read_fuzz/read_fuzz.h"
#include "tap.h"

#define DEFAULT_COUNT	4000

uint64_t seed;
static unsigned long count, total;

size_t random_below(size_t limit)
{
	return random_next(&seed) % limit;
}

static const char *fuzz(const struct stats_target *target, const struct method *method)
{
	struct attempt attempt;
	const char *message = NULL;
	unsigned long i;

	for (i = 0; i < count && !message; i++) {
		make_attempt(&attempt, target);
		total++;
		message = check_attempt(&attempt, method->read(&attempt));
		if (message)
			return stats_fail("read %lu: %s", i, message);
	}
	return NULL;
}

static void fuzz_target(const struct stats_target *target, const char *kind)
{
	const char *message;
	size_t i;

	for (i = 0; i < NUM_METHODS; i++) {
		if (methods[i].is_available && !methods[i].is_available()) {
			tap_report(TAP_SKIP, kind, methods[i].name, "this kernel does not have it");
			continue;
		}
		message = fuzz(target, &methods[i]);
		tap_report(message ? TAP_NOT_OK : TAP_OK, kind, methods[i].name, message);
	}
}

/*
 * The files of a VM, of one of its two vCPUs, and of the VM with both. Not all kernels have the
 * last one.
 */
enum { TARGET_VM, TARGET_VCPU, TARGET_VM_VCPUS, NUM_TARGETS };
static int num_targets = NUM_TARGETS;

static const char *const kinds[] = { "vm", "vcpu", "vm_vcpus" };

static const char *open_fds(int open_fds[NUM_TARGETS])
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (message)
		return message;
	if (ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU, 0) < 0)
		return stats_fail("KVM_CREATE_VCPU: %s", strerror(errno));
	open_fds[TARGET_VM] = fds[STATS_FD_VM_STATS];
	open_fds[TARGET_VCPU] = fds[STATS_FD_VCPU_STATS];
	return num_targets == TARGET_VM_VCPUS ? NULL :
	       stats_open(fds[STATS_FD_VM], 0, &open_fds[TARGET_VM_VCPUS]);
}

static const char *open_targets(struct stats_target targets[NUM_TARGETS])
{
	int fds[NUM_TARGETS], i;
	const char *message = open_fds(fds);
	size_t largest = 0;

	for (i = 0; i < num_targets && !message; i++) {
		targets[i] = (struct stats_target){ .fd = fds[i], .vcpu_id = -1 };
		message = stats_file_load(&targets[i].file, fds[i]);
		if (!message && targets[i].file.size > largest)
			largest = targets[i].file.size;
	}
	return message ? message : map_area(largest);
}

int main(void)
{
	struct stats_target targets[NUM_TARGETS];
	const char *message;
	int i;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	seed = random_seed("READ_FUZZ_SEED");
	count = setting("READ_FUZZ_COUNT", DEFAULT_COUNT);
	if (!kernel_has_stats_open()) {
		num_targets = TARGET_VM_VCPUS;
		printf("# vm_vcpus: skipped, " NO_STATS_OPEN "\n");
	}
	message = open_targets(targets);
	if (message) {
		printf("Bail out! %s\n", message);
		return 1;
	}
	tap_plan(num_targets * NUM_METHODS);
	printf("# READ_FUZZ_SEED=%llu READ_FUZZ_COUNT=%lu\n",
	       (unsigned long long)seed, count);
	for (i = 0; i < num_targets; i++)
		fuzz_target(&targets[i], kinds[i]);
	tap_tried(total, "random reads against a model of the file");
	return tap_end();
}
