/* SPDX-License-Identifier: GPL-2.0-only */
/* A QEMU, a second QEMU that starts and ends, instances of kvm-stats, and the checks. */
#ifndef CLIENT_SCENARIO_H
#define CLIENT_SCENARIO_H

#include <stdbool.h>

#include "cli/command.h"
#include "client/exposition.h"
#include "client/terminal.h"
#include "qemu/session.h"

#define QMP_SOCKET	"/tmp/stats-guest.qmp"
#define SECONDS	120	/* time limit for anything to happen, enough for a loaded machine */

struct scenario {
	struct session qemu;	/* the first member, because checks of a session get a scenario */
	struct session other;	/* of an unprivileged user */
	pid_t other_pid;	/* remains valid after its end; 0: not started yet */
	struct run run;		/* the last command */
	struct run server;	/* kvm-stats serve */
	int port;		/* of the server; 0: it does not run */
	struct terminal top;	/* kvm-stats top */
};

/* ---- helpers of the checks ---- */

/*
 * Runs kvm-stats as the user @uid, or as root if that is 0. Prints its output as a note unless its
 * exit status is @status.
 */
bool kvm_stats_runs(struct scenario *scenario, uid_t uid, int status, const char *arguments);

/*
 * Does a line of the output match this extended regular expression? Prints the output as a note if
 * not.
 */
bool output_matches(const struct scenario *scenario, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* ---- checks ---- */

/* check/commands.c */
enum verdict check_list(void *ctx);
enum verdict check_schema(void *ctx);
enum verdict check_read(void *ctx);
enum verdict check_log(void *ctx);
enum verdict check_read_debugfs(void *ctx);

/* check/qmp.c */
enum verdict check_offers_qmp(void *ctx);
enum verdict check_list_qmp(void *ctx);
enum verdict check_read_qmp(void *ctx);
enum verdict check_no_qmp_values(void *ctx);

/* check/serve.c */
enum verdict check_serve_starts(void *ctx);
enum verdict check_formats(void *ctx);
enum verdict check_not_found(void *ctx);
enum verdict check_loopback(void *ctx);
enum verdict check_served_values(void *ctx);
enum verdict check_textfile(void *ctx);
enum verdict check_served_other(void *ctx);
enum verdict check_served_no_other(void *ctx);
enum verdict check_served_debugfs(void *ctx);
enum verdict check_serve_ends(void *ctx);

/* check/top.c */
enum verdict check_top_starts(void *ctx);
enum verdict check_top_guests(void *ctx);
enum verdict check_top_navigation(void *ctx);
enum verdict check_top_resizes(void *ctx);
enum verdict check_top_filter(void *ctx);
enum verdict check_top_values(void *ctx);
enum verdict check_top_other(void *ctx);
enum verdict check_top_no_other(void *ctx);
enum verdict check_top_debugfs(void *ctx);
enum verdict check_top_ends(void *ctx);

/* check/exits.c */
enum verdict check_exits_off(void *ctx);
enum verdict check_exits_on(void *ctx);
enum verdict check_few_series(void *ctx);
enum verdict check_exits_off_again(void *ctx);

/* check/other.c */
enum verdict check_other_starts(void *ctx);
enum verdict check_user_list(void *ctx);
enum verdict check_user_commands(void *ctx);
enum verdict check_perfmon(void *ctx);
enum verdict check_user_values(void *ctx);
enum verdict check_user_top(void *ctx);
enum verdict check_user_refused(void *ctx);
enum verdict check_other_ends(void *ctx);
enum verdict check_fds_closed(void *ctx);

#endif /* CLIENT_SCENARIO_H */
