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

static const char *open_targets(struct stats_target *vm, struct stats_target *vcpu)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (message)
		return message;
	*vm = (struct stats_target){ .fd = fds[STATS_FD_VM_STATS], .vcpu_id = -1 };
	*vcpu = (struct stats_target){ .fd = fds[STATS_FD_VCPU_STATS] };
	message = stats_file_load(&vm->file, vm->fd);
	if (!message)
		message = stats_file_load(&vcpu->file, vcpu->fd);
	if (!message)
		message = map_area(vm->file.size > vcpu->file.size ? vm->file.size :
				   vcpu->file.size);
	return message;
}

int main(void)
{
	struct stats_target vm, vcpu;
	const char *message;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	seed = random_seed("READ_FUZZ_SEED");
	count = setting("READ_FUZZ_COUNT", DEFAULT_COUNT);
	message = open_targets(&vm, &vcpu);
	if (message) {
		printf("Bail out! %s\n", message);
		return 1;
	}
	tap_plan(2 * NUM_METHODS);
	printf("# READ_FUZZ_SEED=%llu READ_FUZZ_COUNT=%lu\n",
	       (unsigned long long)seed, count);
	fuzz_target(&vm, "vm");
	fuzz_target(&vcpu, "vcpu");
	tap_tried(total, "random reads against a model of the file");
	return tap_end();
}
