// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "util.h"

/* A host with libvirt has one cgroup for each vCPU. Few have limits, and these rarely change. */
#define CHECK_INTERVAL	(10 * SECOND)

#define MICROSECOND	UINT64_C(1000)

static const char *root = "/sys/fs/cgroup";
static const char *unified;	/* the folder of version 2 below it, or NULL: not known */

/* Trees of tsearch(3), by path and by text */
static void *cgroups;
static void *memberships;

void cgroup_set_root(const char *new_root)
{
	root = new_root;
	cgroups_begin();
}

void cgroups_begin(void)
{
	unified = NULL;
}

/* ---- files ---- */

/* Reads the beginning of a file below the root as a string. */
static bool read_below(char *buf, size_t size, const char *hierarchy, const char *path,
		       const char *name)
{
	char full[PATH_MAX];

	return snprintf(full, sizeof(full), "%s/%s%s/%s", root, hierarchy, path, name) <
	       (int)sizeof(full) && read_text(buf, size, full);
}

/* Returns the number after the word @key at the start of a line, or 0. */
static uint64_t number_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, key, len) && text[len] == ' ')
			return strtoull(text + len + 1, NULL, 10);
	}
	return 0;
}

/* ---- limits ---- */

static bool is_version1(const struct cgroup *cgroup)
{
	return !strcmp(cgroup->hierarchy, "cpu");
}

/* Sets quota and period. "max" and -1 are no limits. */
static void read_limit(const struct cgroup *cgroup, struct cgroup_cpu *cpu)
{
	char quota[64], period[64];
	uint64_t us_quota, us_period;

	if (!is_version1(cgroup)) {
		if (!read_below(quota, sizeof(quota), cgroup->hierarchy, cgroup->path, "cpu.max") ||
		    sscanf(quota, "%" SCNu64 " %" SCNu64, &us_quota, &us_period) != 2)
			return;
	} else {
		if (!read_below(quota, sizeof(quota), "cpu", cgroup->path, "cpu.cfs_quota_us") ||
		    *quota == '-' ||
		    !read_below(period, sizeof(period), "cpu", cgroup->path, "cpu.cfs_period_us"))
			return;
		us_quota = strtoull(quota, NULL, 10);
		us_period = strtoull(period, NULL, 10);
	}
	cpu->quota = us_quota * MICROSECOND;
	cpu->period = us_period * MICROSECOND;
}

static void read_cpu(const struct cgroup *cgroup, struct cgroup_cpu *cpu)
{
	char text[1024];

	read_limit(cgroup, cpu);
	if (!cpu->quota ||
	    !read_below(text, sizeof(text), cgroup->hierarchy, cgroup->path, "cpu.stat"))
		return;
	cpu->periods = number_of(text, "nr_periods");
	cpu->throttled_periods = number_of(text, "nr_throttled");
	if (is_version1(cgroup)) {
		cpu->throttled = number_of(text, "throttled_time");
		cpu->usage = UINT64_MAX;
		/* cpuacct can be another hierarchy, with other cgroups. */
		if (read_below(text, sizeof(text), "cpuacct", cgroup->path, "cpuacct.usage"))
			cpu->usage = strtoull(text, NULL, 10);
	} else {
		cpu->throttled = number_of(text, "throttled_usec") * MICROSECOND;
		cpu->usage = number_of(text, "usage_usec") * MICROSECOND;
	}
}

void cgroup_update(struct cgroup *cgroup, uint64_t time)
{
	static unsigned int cgroups_read;

	for (; cgroup; cgroup = cgroup->parent) {
		bool known = cgroup->now.time && !cgroup->now.quota;

		if (cgroup->now.time == time || (known && time - cgroup->checked < CHECK_INTERVAL))
			continue;
		/* The first interval differs, so that not all are read in the same pass. */
		cgroup->checked = time - (cgroup->now.time ? 0 : cgroups_read++ % 10 * SECOND);
		cgroup->before = cgroup->now;
		cgroup->now = (struct cgroup_cpu){ .time = time };
		read_cpu(cgroup, &cgroup->now);
	}
}

const char *cgroup_weight_name(const struct cgroup *cgroup)
{
	return is_version1(cgroup) ? "cpu.shares" : "cpu.weight";
}

uint64_t cgroup_weight(const struct cgroup *cgroup)
{
	char text[64];

	return read_below(text, sizeof(text), cgroup->hierarchy, cgroup->path,
			  cgroup_weight_name(cgroup)) ? strtoull(text, NULL, 10) : 0;
}

bool cgroup_is_limited(const struct cgroup *cgroup)
{
	return cgroup->now.quota;
}

void cgroup_limit_text(char *buf, size_t size, const struct cgroup *cgroup)
{
	snprintf(buf, size, is_version1(cgroup) ?
		 "cpu.cfs_quota_us %" PRIu64 ", cpu.cfs_period_us %" PRIu64 :
		 "cpu.max %" PRIu64 " %" PRIu64, cgroup->now.quota / 1000,
		 cgroup->now.period / 1000);
}

/* A cgroup without a limit, or with a new one, has no values before. */
static uint64_t growth(const struct cgroup *cgroup, uint64_t before, uint64_t now)
{
	return cgroup->before.quota && now > before ? now - before : 0;
}

uint64_t cgroup_throttled(const struct cgroup *cgroup)
{
	return growth(cgroup, cgroup->before.throttled, cgroup->now.throttled);
}

/* An interval can begin in one period and end in another one, so one quota more is permitted. */
bool cgroup_limit_binds(const struct cgroup *cgroup)
{
	const struct cgroup_cpu *before = &cgroup->before, *now = &cgroup->now;
	uint64_t periods = growth(cgroup, before->periods, now->periods);
	uint64_t throttled = growth(cgroup, before->throttled_periods, now->throttled_periods);
	uint64_t usage = growth(cgroup, before->usage, now->usage);
	double permitted;

	if (!periods || !now->period || throttled * 10 < periods)
		return false;
	if (now->usage == UINT64_MAX)
		return true;
	permitted = (double)now->quota * (double)(now->time - before->time) / (double)now->period;
	return (double)(usage + now->quota) >= 0.95 * permitted;
}

/* ---- cgroups ---- */

static int compare_cgroups(const void *a, const void *b)
{
	const struct cgroup *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static void cgroup_put(struct cgroup *cgroup)
{
	while (cgroup && !--cgroup->refs) {
		struct cgroup *parent = cgroup->parent;

		tdelete(cgroup, &cgroups, compare_cgroups);
		free(cgroup->path);
		free(cgroup);
		cgroup = parent;
	}
}

static struct cgroup *cgroup_get(const char *hierarchy, const char *path, size_t len);

static struct cgroup *new_cgroup(const char *hierarchy, char *path)
{
	struct cgroup *cgroup = calloc(1, sizeof(*cgroup));

	if (!cgroup)
		return NULL;
	cgroup->hierarchy = hierarchy;
	cgroup->path = path;
	if (!tsearch(cgroup, &cgroups, compare_cgroups)) {
		free(cgroup);
		return NULL;
	}
	cgroup->parent = cgroup_get(hierarchy, path, strrchr(path, '/') - path);
	return cgroup;
}

/*
 * Returns the cgroup with the first @len characters of @path, or NULL for the root, and if memory
 * is exhausted. A host has the controller cpu in one hierarchy only, so the path identifies it.
 */
static struct cgroup *cgroup_get(const char *hierarchy, const char *path, size_t len)
{
	struct cgroup key = { 0 }, **found, *cgroup;
	char *copy = len > 1 ? strndup(path, len) : NULL;

	if (!copy)
		return NULL;
	key.path = copy;
	found = tfind(&key, &cgroups, compare_cgroups);
	cgroup = found ? *found : new_cgroup(hierarchy, copy);
	if (found || !cgroup)
		free(copy);
	if (cgroup)
		cgroup->refs++;
	return cgroup;
}

/* ---- memberships ---- */

/* The hierarchy of version 2 is in a folder of its own if version 1 is also used. */
static const char *unified_hierarchy(void)
{
	char path[PATH_MAX];

	if (!unified) {
		snprintf(path, sizeof(path), "%s/cgroup.controllers", root);
		unified = has_kernel_file(path) ? "" : "unified";
	}
	return unified;
}

/*
 * Returns the path in the line of /proc/PID/cgroup that has the controller. The line of version 2
 * has the controller "". NULL: no line has it, or the path is outside of the cgroup namespace.
 */
static const char *path_of_controller(const char *text, const char *controller, size_t *len)
{
	size_t wanted = strlen(controller);

	while (text && *text) {
		const char *name = strchr(text, ':'), *path = name ? strchr(name + 1, ':') : NULL;

		if (!path)
			return NULL;
		*len = strcspn(++path, "\n");
		for (name++; name < path; name += strcspn(name, ",:") + 1) {
			if (strcspn(name, ",:") == wanted && !strncmp(name, controller, wanted))
				return strncmp(path, "/..", 3) ? path : NULL;
		}
		text = path[*len] ? path + *len + 1 : NULL;
	}
	return NULL;
}

/* Returns a copy of the path, or NULL if it is that of the root. */
static char *copy_path(const char *text, const char *controller)
{
	size_t len;
	const char *path = path_of_controller(text, controller, &len);

	return path && len > 1 ? strndup(path, len) : NULL;
}

static int compare_memberships(const void *a, const void *b)
{
	const struct membership *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* The search compares a text with the memberships in the tree. */
static int compare_text(const void *text, const void *membership)
{
	return strcmp(text, ((const struct membership *)membership)->text);
}

static void free_membership(struct membership *membership)
{
	cgroup_put(membership->cpu);
	free(membership->text);
	free(membership->unified);
	free(membership->freezer);
	free(membership);
}

static struct membership *new_membership(const char *text)
{
	struct membership *membership = calloc(1, sizeof(*membership));
	const char *hierarchy = "cpu", *path;
	size_t len;

	if (!membership)
		return NULL;
	path = path_of_controller(text, hierarchy, &len);
	if (!path) {
		hierarchy = unified_hierarchy();
		path = path_of_controller(text, "", &len);
	}
	if (path)
		membership->cpu = cgroup_get(hierarchy, path, len);
	membership->text = strdup(text);
	membership->unified = copy_path(text, "");
	membership->freezer = copy_path(text, "freezer");
	if (membership->text && tsearch(membership, &memberships, compare_memberships))
		return membership;
	free_membership(membership);
	return NULL;
}

struct membership *membership_get(const char *text)
{
	struct membership **found = tfind(text, &memberships, compare_text);
	struct membership *membership;

	membership = found ? *found : new_membership(text);
	if (membership)
		membership->refs++;
	return membership;
}

void membership_put(struct membership *membership)
{
	if (!membership || --membership->refs)
		return;
	tdelete(membership, &memberships, compare_memberships);
	free_membership(membership);
}

bool cgroup_pressure(struct pressure *pressure, const char *path, const char *file)
{
	char text[256];

	if (!*path || !read_below(text, sizeof(text), unified_hierarchy(), path, file) ||
	    sscanf(text, "some avg10=%lf avg60=%lf avg300=%lf total=%" SCNu64,
		   &pressure->average[0], &pressure->average[1], &pressure->average[2],
		   &pressure->total) != 4)
		return false;
	pressure->total *= MICROSECOND;
	return true;
}

/* Both files also report that a cgroup above is frozen. */
const char *membership_frozen_in(const struct membership *membership)
{
	const char *path = membership->unified, *freezer = membership->freezer;
	char text[256];

	if (path && read_below(text, sizeof(text), unified_hierarchy(), path, "cgroup.events") &&
	    number_of(text, "frozen"))
		return unified_hierarchy();
	return freezer &&
	       read_below(text, sizeof(text), "freezer", freezer, "freezer.state") &&
	       !strcmp(text, "FROZEN\n") ? "freezer" : NULL;
}
