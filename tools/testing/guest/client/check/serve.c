// SPDX-License-Identifier: GPL-2.0-only
/* Checks of kvm-stats serve. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/kernel.h"
#include "cli/output.h"
#include "client/http.h"
#include "client/scenario.h"
#include "lib/clock.h"
#include "qemu/answer.h"

#define LOOPBACK	"127.0.0.1"
#define TEXTFILE	"/tmp/kvm-stats.prom"
#define TRIES		10

/* This address is reserved for documentation, so no machine has it. */
#define OTHER_ADDRESS	"192.0.2.1"

/* ---- HTTP ---- */

/* Gets @path and checks the status. */
static bool get(const struct scenario *scenario, struct http_answer *answer, const char *path,
		const char *accept, int status)
{
	int err = http_get(answer, LOOPBACK, scenario->port, path, accept);

	if (!err && answer->status == status)
		return true;
	note("GET %s: %s, status %d expected, found %d", path,
	     err ? strerror(-err) : "an answer", status, answer->status);
	return false;
}

static enum verdict no_server(void)
{
	note("kvm-stats serve does not run");
	return FAIL;
}

/* Only the kvm-stats of the build host supports HTTP. With port 0 it chooses a free port. */
enum verdict check_serve_starts(void *ctx)
{
	long long deadline = ms_now() + SECONDS * 1000LL;
	struct scenario *scenario = ctx;
	const char *url = NULL;

	run_of_build_host(&scenario->server, "serve --per-vcpu --listen 127.0.0.1:0");
	while (!url && ms_until(deadline) && run_more(&scenario->server, ms_until(deadline)))
		url = strstr(scenario->server.text, "serving http://" LOOPBACK ":");
	if (url && sscanf(url, "serving http://" LOOPBACK ":%d/metrics", &scenario->port) == 1)
		return PASS;
	note("'serving http://...' expected, found '%s'", scenario->server.text);
	return FAIL;
}

enum verdict check_formats(void *ctx)
{
	struct http_answer plain, openmetrics;
	struct scenario *scenario = ctx;
	bool ok;

	if (!scenario->port)
		return no_server();
	ok = get(scenario, &plain, "/metrics", "*/*", 200);
	ok = ok && strstr(plain.text, "Content-Type: text/plain; version=0.0.4") &&
	     !strstr(plain.body, "\n# EOF\n");
	ok &= get(scenario, &openmetrics, "/metrics", "application/openmetrics-text", 200);
	ok = ok && strstr(openmetrics.text, "Content-Type: application/openmetrics-text") &&
	     strstr(openmetrics.body, "\n# EOF\n");
	http_free(&plain);
	http_free(&openmetrics);
	return ok ? PASS : FAIL;
}

enum verdict check_not_found(void *ctx)
{
	struct http_answer answer;
	struct scenario *scenario = ctx;
	bool ok;

	if (!scenario->port)
		return no_server();
	ok = get(scenario, &answer, "/metrics/x", "*/*", 404);
	http_free(&answer);
	return ok ? PASS : FAIL;
}

/* Adds an address to the device lo. It is a local address, but not a loopback address. */
static bool add_address(const char *address)
{
	struct ifreq request = { .ifr_name = "lo:1" };
	struct sockaddr_in *to = (struct sockaddr_in *)&request.ifr_addr;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok;

	to->sin_family = AF_INET;
	inet_pton(AF_INET, address, &to->sin_addr);
	ok = !ioctl(fd, SIOCSIFADDR, &request);
	if (!ok)
		note("cannot add the address %s: %s", address, strerror(errno));
	close(fd);
	return ok;
}

enum verdict check_loopback(void *ctx)
{
	struct http_answer answer;
	struct scenario *scenario = ctx;
	int err;

	if (!scenario->port)
		return no_server();
	if (!add_address(OTHER_ADDRESS))
		return FAIL;
	err = http_get(&answer, OTHER_ADDRESS, scenario->port, "/metrics", "*/*");
	http_free(&answer);
	if (err == -ECONNREFUSED)
		return PASS;
	note("at " OTHER_ADDRESS ": %s expected, found %s", strerror(ECONNREFUSED),
	     err ? strerror(-err) : "an answer");
	return FAIL;
}

/* ---- values ---- */

/* Returns the metrics, which the caller frees, or NULL. */
static char *scrape(const struct scenario *scenario)
{
	struct http_answer answer;
	char *text = NULL;

	if (get(scenario, &answer, "/metrics", "application/openmetrics-text", 200))
		text = strdup(answer.body);
	http_free(&answer);
	return text;
}

static char *read_textfile(const struct scenario *scenario)
{
	FILE *file = fopen(TEXTFILE, "re");
	char *text = NULL;
	size_t size = 0;

	(void)scenario;
	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

/* Returns the name of a statistic if its value differs from that in QEMU, or NULL. */
static const char *first_difference(struct scenario *scenario, int vcpu,
				    char *(*exposed)(const struct scenario *))
{
	struct exposed labels = { "stats-guest", vcpu };
	json_t *schemas = query_schemas(&scenario->qemu, vcpu < 0 ? "vm" : "vcpu", false);
	json_t *stats = query_one(&scenario->qemu, vcpu, NULL);
	char *text = exposed(scenario);
	static char name[64];

	snprintf(name, sizeof(name), "%s", text ?
		 exposition_difference(text, &labels, stats, schemas) ?: "" : "all statistics");
	free(text);
	json_decref(stats);
	json_decref(schemas);
	return *name ? name : NULL;
}

/*
 * The guest is stopped, but the memory management of the kernel may still change a few values.
 * So this tries again until the values agree.
 */
static bool agrees(struct scenario *scenario, int vcpu, char *(*exposed)(const struct scenario *))
{
	const char *name = "";
	int tries;

	for (tries = 0; name && tries < TRIES; tries++) {
		if (tries)
			ms_sleep(300);
		name = first_difference(scenario, vcpu, exposed);
	}
	if (name)
		note("%s %d: the value of %s differs from that of QEMU", vcpu < 0 ? "VM" : "vCPU",
		     vcpu, name);
	return !name;
}

/* The histograms of the guest are the sums over its vCPUs. */
static bool histograms_agree(struct scenario *scenario,
			     char *(*exposed)(const struct scenario *))
{
	static const char * const names[] = {
		"halt_poll_success_hist", "halt_poll_fail_hist", "halt_wait_hist",
	};
	uint64_t count[ARRAY_SIZE(names)] = { 0 };
	char *text = exposed(scenario);
	bool ok = text;
	size_t n;
	int i;

	for (i = 0; i < VMM_CPUS; i++) {
		json_t *stats = query_one(&scenario->qemu, i, NULL);

		for (n = 0; n < ARRAY_SIZE(names); n++)
			exposition_count_samples(stats, names[n], &count[n]);
		json_decref(stats);
	}
	for (n = 0; ok && n < ARRAY_SIZE(names); n++)
		ok = exposition_has_samples(text, "stats-guest", names[n], count[n]);
	free(text);
	if (!ok)
		note("a histogram differs from the sum over the vCPUs in QEMU");
	return ok;
}

static bool all_agree(struct scenario *scenario, char *(*exposed)(const struct scenario *))
{
	bool ok = agrees(scenario, -1, exposed);
	int i;

	for (i = 0; i < VMM_CPUS; i++)
		ok = ok && agrees(scenario, i, exposed);
	return ok && histograms_agree(scenario, exposed);
}

enum verdict check_served_values(void *ctx)
{
	struct scenario *scenario = ctx;

	if (!scenario->port)
		return no_server();
	return all_agree(scenario, scrape) ? PASS : FAIL;
}

static bool is_written(const struct scenario *scenario)
{
	char *text = read_textfile(scenario);
	bool ok = text && strstr(text, "\nkvm_stats_samples_total ") &&
		  !strstr(text, "\nkvm_stats_samples_total 1\n");

	free(text);
	return ok;
}

/* kvm-stats rewrites the file while it runs, and removes it at exit. */
enum verdict check_textfile(void *ctx)
{
	static struct run writer;
	struct scenario *scenario = ctx;
	int tries = SECONDS * 10;
	bool ok;

	run_in_background(&writer, "serve --per-vcpu -i 0.3 -t " TEXTFILE);
	while (!is_written(scenario) && tries--)
		ms_sleep(100);
	ok = all_agree(scenario, read_textfile);
	kill(writer.pid, SIGTERM);
	ok &= run_end(&writer) && writer.status == 0;
	if (!access(TEXTFILE, F_OK)) {
		note(TEXTFILE " still exists");
		ok = false;
	}
	if (!ok)
		note("kvm-stats printed: %s", writer.text);
	return ok ? PASS : FAIL;
}

/* ---- VMMs that start and end ---- */

static bool has_other(const struct scenario *scenario, const char *text)
{
	struct exposed labels = { "other", VMM_CPUS - 1 };

	(void)scenario;
	return exposition_of_vmm(text, &labels, "kvm_guest_up", "1") &&
	       *exposition_value(text, &labels, "kvm_vcpu_exits_total", "");
}

/* Scrapes until the metrics are as expected. */
static enum verdict scrape_until(struct scenario *scenario,
				 bool (*good)(const struct scenario *scenario, const char *text))
{
	long long deadline = ms_now() + SECONDS * 1000LL;
	char *text;
	bool ok;

	if (!scenario->port)
		return no_server();
	do {
		ms_sleep(100);
		text = scrape(scenario);
		ok = text && good(scenario, text);
		free(text);
	} while (!ok && ms_until(deadline));
	return ok ? PASS : FAIL;
}

enum verdict check_served_other(void *ctx)
{
	return scrape_until(ctx, has_other);
}

/* The first scrape after the end must not contain the QEMU any more. */
enum verdict check_served_no_other(void *ctx)
{
	struct scenario *scenario = ctx;
	struct exposed labels = { "stats-guest", 0 };
	char *text;
	bool ok;

	if (!scenario->port)
		return no_server();
	/* kvm-stats returns a cached answer for this time. */
	ms_sleep(500);
	text = scrape(scenario);
	ok = text && !exposition_names(text, scenario->other_pid) &&
	     *exposition_value(text, &labels, "kvm_vcpu_exits_total", "");
	free(text);
	return ok ? PASS : FAIL;
}

static bool has_debugfs_values(const struct scenario *scenario, const char *text)
{
	struct exposed labels = { "stats-guest", -1 };
	unsigned long long exits, io;

	return debugfs_value(scenario->qemu.vmm.pid, "exits", &exits) && exits &&
	       debugfs_value(scenario->qemu.vmm.pid, "io_exits", &io) && io &&
	       strtoull(exposition_value(text, &labels, "kvm_debugfs_exits_total", ""), NULL,
			10) == exits &&
	       strtoull(exposition_value(text, &labels, "kvm_debugfs_io_exits_total", ""), NULL,
			10) == io &&
	       exposition_of_vmm(text, &labels, "kvm_guest_up", "1");
}

/* The guest is stopped. */
enum verdict check_served_debugfs(void *ctx)
{
	return scrape_until(ctx, has_debugfs_values);
}

enum verdict check_serve_ends(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok;

	if (!scenario->port)
		return no_server();
	kill(scenario->server.pid, SIGTERM);
	ok = run_end(&scenario->server) && scenario->server.status == 0;
	scenario->port = 0;
	if (!ok)
		note("exit status 0 expected, found %d: %s", scenario->server.status,
		     scenario->server.text);
	return ok ? PASS : FAIL;
}
