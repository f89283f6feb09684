// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fleet for Prometheus: fake hosts, whose expositions the code of kvm-stats serve writes. Host N
 * listens on the address 127.0.0.1 and port PORT + N. Its guests have the statistics of x86, whose
 * values grow with the time. Every 30 seconds, each host replaces one guest by another one.
 *
 * usage: fleet PORT HOSTS GUESTS VCPUS minimal|default|all
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_host.h"
#include "util.h"

#define REPLACE_INTERVAL	(30 * SECOND)
#define MAX_VALUES		1024

enum { COUNTER, COUNTER_NS, LOG2_NS, INSTANT, PEAK, PEAK_NS, BOOLEAN };

#define NS	.unit = KVMSTATS_UNIT_SECONDS, .exponent = -9

/* The kinds of the kernel's definition lists */
static const struct kvmstats_desc kinds[] = {
	[COUNTER] = { .type = KVMSTATS_TYPE_CUMULATIVE, .size = 1 },
	[COUNTER_NS] = { .type = KVMSTATS_TYPE_CUMULATIVE, .size = 1, NS },
	[LOG2_NS] = { .type = KVMSTATS_TYPE_LOG_HIST, .size = 32, NS },
	[INSTANT] = { .type = KVMSTATS_TYPE_INSTANT, .size = 1 },
	[PEAK] = { .type = KVMSTATS_TYPE_PEAK, .size = 1 },
	[PEAK_NS] = { .type = KVMSTATS_TYPE_PEAK, .size = 1, NS },
	[BOOLEAN] = { .type = KVMSTATS_TYPE_INSTANT, .size = 1, .unit = KVMSTATS_UNIT_BOOLEAN },
};

#define CONFIG_SCHED_INFO
#define KVM_STAT(name, kind)			{ #name, kind },
#define KVM_STAT_ATOMIC(name, kind)		{ #name, kind },
#define KVM_STAT_HIST(name, kind)		{ #name, kind },
#define KVM_STAT_DESC(name, field, kind)	{ #name, kind },
#define KVM_STAT_FIELD(field)

/* Those of a VM, an entry without a name, those of a vCPU, another one */
static const struct {
	const char *name;
	int kind;
} definitions[] = {
#include "../../../../arch/x86/include/asm/kvm_vm_stat_defs.h"
	{ NULL, 0 },
#include "../../../../arch/x86/include/asm/kvm_vcpu_stat_defs.h"
	{ NULL, 0 },
};

static const struct stat_set *vm_set, *vcpu_set;

/* Makes a set of the definitions from @i on, and moves it to those of the next set. */
static const struct stat_set *make_set(size_t *i)
{
	struct kvmstats_desc desc[ARRAY_SIZE(definitions)];
	struct kvmstats_schema *schema;
	const struct stat_set *set = NULL;
	size_t count = 0;

	for (; definitions[*i].name; (*i)++) {
		desc[count] = kinds[definitions[*i].kind];
		desc[count++].name = definitions[*i].name;
	}
	(*i)++;
	if (!kvmstats_schema_make(&schema, desc, count, sizeof(*desc)))
		set = stat_set_get(&monitor.sets, schema, true);
	if (!set)
		fail("the schema cannot be made");
	return set;
}

/* Each vCPU waits for a CPU during 5 % of the time. All events happen some times per second. */
static void sample(struct target *target, uint64_t interval, uint64_t now)
{
	struct kvmstats_sample *oldest = target->before;
	const uint64_t *old = stat_set_values(target->set, target->now);
	uint64_t values[MAX_VALUES];
	size_t i, n;

	for (i = 0; i < kvmstats_schema_count(target->set->schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(target->set->schema, i);
		bool is_time = kvmstats_stat_unit(stat) == KVMSTATS_UNIT_SECONDS &&
			       !kvmstats_stat_is_hist(stat);
		size_t first = kvmstats_stat_offset(stat) / sizeof(*values);

		for (n = first; n < first + kvmstats_stat_size(stat); n++)
			values[n] = (old ? old[n] : 0) + (is_time ? interval / 20 :
							  interval / MILLISECOND * (n % 7 + 1));
	}
	target->before = target->now;
	target->now = oldest;
	if (kvmstats_sample_set(target->now, values, target->set->values, now))
		fail("values cannot be set");
}

/* Adds a guest in place of the one at @at. Its name has a number that no other guest has had. */
static void start_guest(int host, size_t at, size_t vcpus)
{
	static int number;
	struct vmm *old = at < monitor.vmms ? monitor.vmm[at] : NULL, *vmm;
	char *name, *uuid;
	int i;

	if (asprintf(&name, "guest-%d-%d", host, ++number) < 0 ||
	    asprintf(&uuid, "%08x-0000-4000-8000-%012x", host, number) < 0)
		fail("out of memory");
	vmm = add_vmm(getpid(), name, 1, vcpus);
	vmm->uuid = uuid;
	vmm->number = number;
	if (old) {
		monitor.vmm[at] = monitor.vmm[--monitor.vmms];
		targets_free(old);
		free(old);
	}
	for (i = -1; i < (int)vcpus; i++)
		add_target_of(vmm, &(struct target){
			.source = &image_source, .scope = i < 0 ? SCOPE_VM : SCOPE_VCPU,
			.vcpu = i, .vmm_fd = -1, .origin = ORIGIN_NEXT,
			.set = i < 0 ? vm_set : vcpu_set,
		});
}

static int listen_on(int port)
{
	struct sockaddr_in name = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (struct sockaddr *)&name, sizeof(name)) || listen(fd, 16))
		fail("a host cannot listen");
	return fd;
}

/* Answers any request. The end of the connection ends the response. */
static void answer(int fd, struct exposition *exposition, const struct sampling *sampling)
{
	char request[4096];
	FILE *to = fdopen(fd, "w");

	if (!to)
		fail("out of memory");
	if (recv(fd, request, sizeof(request), 0) > 0) {
		fputs("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
		      "Connection: close\r\n\r\n", to);
		exposition_write(exposition, PROMETHEUS_TEXT_0_0_4, sampling, to);
	}
	fclose(to);
}

static void run_host(int host, int listener, size_t guests, size_t vcpus, enum metrics metrics)
{
	struct exposition_options options = { .metrics = metrics };
	struct exposition *exposition = exposition_new(&monitor, &options);
	struct process_use use = { .open_fds = 20, .max_fds = 1024, .resident = 1 << 23 };
	struct sampling sampling = { .duration = MILLISECOND, .process = &use };
	uint64_t last = clock_now() - SECOND, replaced = last, now;
	size_t i, j;

	for (i = 0; i < guests; i++)
		start_guest(host, i, vcpus);
	for (;;) {
		int client = accept(listener, NULL, NULL);

		now = clock_now();
		if (now - replaced >= REPLACE_INTERVAL) {
			replaced = now;
			start_guest(host, (size_t)(now / SECOND) % guests, vcpus);
		}
		for (i = 0; i < monitor.vmms; i++) {
			for (j = 0; j < monitor.vmm[i]->targets; j++)
				sample(monitor.vmm[i]->target[j], now - last, now);
		}
		sampling.number++;
		sampling.time = (uint64_t)time(NULL) * SECOND;
		last = now;
		answer(client, exposition, &sampling);
	}
}

int main(int argc, char **argv)
{
	static const char * const sets[] = { "default", "minimal", "all" };
	enum metrics metrics = METRICS_DEFAULT;
	size_t next = 0;
	int hosts, host;

	while (argc == 6 && metrics <= METRICS_ALL && strcmp(argv[5], sets[metrics]))
		metrics++;
	if (argc != 6 || metrics > METRICS_ALL) {
		fprintf(stderr, "usage: fleet PORT HOSTS GUESTS VCPUS minimal|default|all\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	hosts = atoi(argv[2]);
	monitor.denied = 0;
	vm_set = make_set(&next);
	vcpu_set = make_set(&next);
	for (host = 0; host < hosts; host++) {
		int listener = listen_on(atoi(argv[1]) + host);

		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			run_host(host, listener, atoi(argv[3]), atoi(argv[4]), metrics);
		}
		close(listener);
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
