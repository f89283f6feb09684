/* SPDX-License-Identifier: GPL-2.0-only */
/* The process of kvm-stats serve that reads the statistics: the collector. */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "filter.h"
#include "model.h"
#include "serve/http.h"
#include "util.h"
#include "why/evidence.h"

/* ---- expositions: text.c ---- */

/* Which statistics are exposed, if the user did not name them by an expression. */
enum metrics {
	METRICS_DEFAULT,	/* those that the dashboards and the rules use */
	METRICS_MINIMAL,	/* those that the rules use, and two more */
	METRICS_ALL,
};

struct exposition_options {
	enum metrics metrics;
	bool histograms;	/* of guests; the host has one in any case */
	bool per_vcpu;		/* in addition to the sums over the vCPUs of each guest */
	bool excludes;		/* statistics that match @excluded are not exposed */
	regex_t excluded;
};

/* What the process kvm-stats uses. What cannot be read is 0. */
struct process_use {
	uint64_t cpu_time;	/* in ns */
	uint64_t resident;	/* in bytes */
	uint64_t virtual;
	uint64_t open_fds;
	uint64_t max_fds;
	uint64_t start;		/* in ns since the epoch */
};

/* The statistics about the sampling itself. */
struct sampling {
	uint64_t number;	/* of samples so far */
	uint64_t failed;	/* how many of them failed */
	uint64_t time;		/* of the last sample, in ns since the epoch */
	uint64_t duration;	/* of the last sample, in ns */
	const struct process_use *process;	/* NULL: not exposed */
	const struct evidence *evidence;	/* the same, for verdicts */
};

struct exposition;

/* Returns NULL if there is not enough memory. @monitor and @options must outlive the result. */
struct exposition *exposition_new(const struct monitor *monitor,
				  const struct exposition_options *options);
void exposition_free(struct exposition *exposition);

/*
 * Lists the guests. Call it once after each monitor_sample(), because it adds to the sums of the
 * host what the values of each vCPU have grown. Returns 0 or -ENOMEM.
 */
int exposition_update(struct exposition *exposition);

/*
 * Writes the last sample of the monitor, in OpenMetrics 1.0 or in the older text format
 * 0.0.4, with the same names, labels and values. Returns 0 or -ENOMEM.
 */
int exposition_write(struct exposition *exposition, enum exposition_format format,
		     const struct sampling *sampling, FILE *to);

/* ---- the process that serves HTTP: launch.c ---- */

#define ADDRESS_DEFAULT	"127.0.0.1:10203"
#define ADDRESS_URL_SIZE	80

struct http_process {
	int fd;				/* to the process; -1: it does not run */
	pid_t pid;
	char url[ADDRESS_URL_SIZE];	/* "http://127.0.0.1:10203" */
};

/*
 * Whether @text is "127.0.0.1:10203", "[::1]:10203", or ":10203", which means all IPv6 and IPv4
 * addresses of the machine.
 */
bool address_is_valid(const char *text);

/* Starts the process. Prints a message and returns false if that fails. */
bool http_start(struct http_process *http, const char *address);

/* Returns false, after a message, if the process did not end by itself and without an error. */
bool http_end(struct http_process *http);

/* ---- the collector: collector.c ---- */

struct serve_options {
	const char *listen;	/* see address_is_valid(); NULL: no HTTP */
	const char *textfile;	/* NULL: no file */
	uint64_t interval;	/* between two writes of the file, in ns */
	bool once;
	struct exposition_options exposed;
	struct filter filter;
};

/* The command serve. Returns the exit status. */
int command_serve(int argc, char **argv);

/* Serves until a signal ends it. Returns the exit status. */
int serve_run(const struct serve_options *options);

#endif /* SERVE_SERVE_H */
