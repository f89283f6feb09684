// SPDX-License-Identifier: GPL-2.0-only
/* Points about kvm-stats serve. */
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

#include "../cli/host.h"
#include "../cli/printed.h"
#include "../qemu/answer.h"
#include "../qemu/clock.h"
#include "http.h"
#include "scene.h"

#define LOOPBACK	"127.0.0.1"
#define TEXTFILE	"/tmp/kvm-stats.prom"
#define TRIES		10

/* For documentation, so nobody else's. */
#define OTHER_ADDRESS	"192.0.2.1"

/* ---- asking ---- */

/* What is at @path, with the status that is expected. */
static bool get(const struct scene *scene, struct http_answer *answer, const char *path,
		const char *accept, int status)
{
	int err = http_get(answer, LOOPBACK, scene->port, path, accept);

	if (!err && answer->status == status)
		return true;
	tap_note("GET %s: %s, status %d expected, found %d", path,
		 err ? strerror(-err) : "an answer", status, answer->status);
	return false;
}

static enum verdict no_server(void)
{
	tap_note("it does not serve");
	return FAIL;
}

/* The build machine's kvm-stats has HTTP; it listens where there is a free port. */
enum verdict check_serve_starts(void *ctx)
{
	long long deadline = ms_now() + SECONDS * 1000LL;
	struct scene *scene = ctx;
	const char *url = NULL;

	run_in_host(&scene->server, "serve --listen 127.0.0.1:0");
	while (!url && ms_until(deadline) && run_more(&scene->server, ms_until(deadline)))
		url = strstr(scene->server.text, "serving http://" LOOPBACK ":");
	if (url && sscanf(url, "serving http://" LOOPBACK ":%d/metrics", &scene->port) == 1)
		return PASS;
	tap_note("'serving http://...' expected, found '%s'", scene->server.text);
	return FAIL;
}

enum verdict check_formats(void *ctx)
{
	struct http_answer plain, openmetrics;
	struct scene *scene = ctx;
	bool ok;

	if (!scene->port)
		return no_server();
	ok = get(scene, &plain, "/metrics", "*/*", 200);
	ok = ok && strstr(plain.text, "Content-Type: text/plain; version=0.0.4") &&
	     !strstr(plain.body, "\n# EOF\n");
	ok &= get(scene, &openmetrics, "/metrics", "application/openmetrics-text", 200);
	ok = ok && strstr(openmetrics.text, "Content-Type: application/openmetrics-text") &&
	     strstr(openmetrics.body, "\n# EOF\n");
	http_free(&plain);
	http_free(&openmetrics);
	return ok ? PASS : FAIL;
}

enum verdict check_not_found(void *ctx)
{
	struct http_answer answer;
	struct scene *scene = ctx;
	bool ok;

	if (!scene->port)
		return no_server();
	ok = get(scene, &answer, "/metrics/x", "*/*", 404);
	http_free(&answer);
	return ok ? PASS : FAIL;
}

/* For the device lo as well: it is ours, but none of loopback's. */
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
		tap_note("%s cannot be made ours: %s", address, strerror(errno));
	close(fd);
	return ok;
}

enum verdict check_loopback(void *ctx)
{
	struct http_answer answer;
	struct scene *scene = ctx;
	int err;

	if (!scene->port)
		return no_server();
	if (!add_address(OTHER_ADDRESS))
		return FAIL;
	err = http_get(&answer, OTHER_ADDRESS, scene->port, "/metrics", "*/*");
	http_free(&answer);
	if (err == -ECONNREFUSED)
		return PASS;
	tap_note("at " OTHER_ADDRESS ": %s expected, found %s", strerror(ECONNREFUSED),
		 err ? strerror(-err) : "an answer");
	return FAIL;
}

/* ---- values ---- */

/* What is exposed, to be freed, or NULL. */
static char *scrape(const struct scene *scene)
{
	struct http_answer answer;
	char *text = NULL;

	if (get(scene, &answer, "/metrics", "application/openmetrics-text", 200))
		text = strdup(answer.body);
	http_free(&answer);
	return text;
}

static char *read_textfile(const struct scene *scene)
{
	FILE *file = fopen(TEXTFILE, "re");
	char *text = NULL;
	size_t size = 0;

	(void)scene;
	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

/* The name of a statistic that is not QEMU's now, or NULL. */
static const char *differs(struct scene *scene, int vcpu, char *(*exposed)(const struct scene *))
{
	struct exposed whose = { scene->qemu.vmm.pid, "stats-guest", vcpu };
	json_t *schemas = query_schemas(&scene->qemu, vcpu < 0 ? "vm" : "vcpu", false);
	json_t *stats = query_one(&scene->qemu, vcpu, NULL);
	char *text = exposed(scene);
	static char name[64];

	snprintf(name, sizeof(name), "%s", text ?
		 exposition_lacks(text, &whose, stats, schemas) ?: "" : "all");
	free(text);
	json_decref(stats);
	json_decref(schemas);
	return *name ? name : NULL;
}

/* The guest is stopped; what the host's memory management touches comes to rest. */
static bool agrees(struct scene *scene, int vcpu, char *(*exposed)(const struct scene *))
{
	const char *name = "";
	int tries;

	for (tries = 0; name && tries < TRIES; tries++) {
		if (tries)
			ms_sleep(300);
		name = differs(scene, vcpu, exposed);
	}
	if (name)
		tap_note("%s %d: %s is not what QEMU says", vcpu < 0 ? "VM" : "vCPU", vcpu, name);
	return !name;
}

static bool all_agree(struct scene *scene, char *(*exposed)(const struct scene *))
{
	bool ok = agrees(scene, -1, exposed);
	int i;

	for (i = 0; i < VMM_CPUS; i++)
		ok = ok && agrees(scene, i, exposed);
	return ok;
}

enum verdict check_served_values(void *ctx)
{
	struct scene *scene = ctx;

	if (!scene->port)
		return no_server();
	return all_agree(scene, scrape) ? PASS : FAIL;
}

static bool is_written(const struct scene *scene)
{
	char *text = read_textfile(scene);
	bool ok = text && strstr(text, "\nkvm_stats_samples_total ") &&
		  !strstr(text, "\nkvm_stats_samples_total 1\n");

	free(text);
	return ok;
}

/* Again and again while it runs, and gone behind it. */
enum verdict check_textfile(void *ctx)
{
	static struct run writer;
	struct scene *scene = ctx;
	int tries = SECONDS * 10;
	bool ok;

	run_in_background(&writer, "serve -i 0.3 -t " TEXTFILE);
	while (!is_written(scene) && tries--)
		ms_sleep(100);
	ok = all_agree(scene, read_textfile);
	kill(writer.pid, SIGTERM);
	ok &= run_end(&writer) && writer.status == 0;
	if (!access(TEXTFILE, F_OK)) {
		tap_note(TEXTFILE " is still there");
		ok = false;
	}
	if (!ok)
		tap_note("it wrote: %s", writer.text);
	return ok ? PASS : FAIL;
}

/* ---- VMMs that come and go ---- */

static bool has_other(const struct scene *scene, const char *text)
{
	struct exposed whose = { scene->other_pid, "other", VMM_CPUS - 1 };

	return exposition_of_vmm(text, &whose, "kvm_vmm_up", "1") &&
	       *exposition_value(text, &whose, "kvm_vcpu_exits_total", "");
}

/* A scrape within a few seconds. */
static enum verdict scrape_until(struct scene *scene,
				 bool (*good)(const struct scene *scene, const char *text))
{
	long long deadline = ms_now() + SECONDS * 1000LL;
	char *text;
	bool ok;

	if (!scene->port)
		return no_server();
	do {
		ms_sleep(100);
		text = scrape(scene);
		ok = text && good(scene, text);
		free(text);
	} while (!ok && ms_until(deadline));
	return ok ? PASS : FAIL;
}

enum verdict check_served_other(void *ctx)
{
	return scrape_until(ctx, has_other);
}

/* Not in a single one more. */
enum verdict check_served_no_other(void *ctx)
{
	struct scene *scene = ctx;
	struct exposed whose = { scene->qemu.vmm.pid, "stats-guest", 0 };
	char *text;
	bool ok;

	if (!scene->port)
		return no_server();
	/* For so long all get the same answer. */
	ms_sleep(500);
	text = scrape(scene);
	ok = text && !exposition_names(text, scene->other_pid) &&
	     *exposition_value(text, &whose, "kvm_vcpu_exits_total", "");
	free(text);
	return ok ? PASS : FAIL;
}

static bool has_debugfs_values(const struct scene *scene, const char *text)
{
	struct exposed whose = { scene->qemu.vmm.pid, "stats-guest", -1 };
	unsigned long long exits, io;

	return debugfs_value(scene->qemu.vmm.pid, "exits", &exits) && exits &&
	       debugfs_value(scene->qemu.vmm.pid, "io_exits", &io) && io &&
	       strtoull(exposition_value(text, &whose, "kvm_debugfs_exits_total", ""), NULL,
			10) == exits &&
	       strtoull(exposition_value(text, &whose, "kvm_debugfs_io_exits_total", ""), NULL,
			10) == io &&
	       exposition_of_vmm(text, &whose, "kvm_vmm_up", "1");
}

/* The guest is stopped. */
enum verdict check_served_debugfs(void *ctx)
{
	return scrape_until(ctx, has_debugfs_values);
}

enum verdict check_serve_ends(void *ctx)
{
	struct scene *scene = ctx;
	bool ok;

	if (!scene->port)
		return no_server();
	kill(scene->server.pid, SIGTERM);
	ok = run_end(&scene->server) && scene->server.status == 0;
	scene->port = 0;
	if (!ok)
		tap_note("exit status 0 expected, found %d: %s", scene->server.status,
			 scene->server.text);
	return ok ? PASS : FAIL;
}
