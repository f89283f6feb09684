/* SPDX-License-Identifier: GPL-2.0-only */
/* A real QEMU, another one that comes and goes, and kvm-stats beside them; and the points. */
#ifndef CLIENT_SCENE_H
#define CLIENT_SCENE_H

#include <stdbool.h>

#include "../cli/command.h"
#include "../qemu/session.h"
#include "exposition.h"
#include "terminal.h"

#define SECONDS	120	/* for anything to happen, on a machine that has other things to do */

struct scene {
	struct session qemu;	/* the first member: points of a session take a scene, too */
	struct session other;	/* of another user */
	pid_t other_pid;	/* also after its end; 0: it has not been started */
	struct run run;
	struct run server;
	int port;		/* of the server; 0: there is none */
	struct terminal top;
};

/* ---- what several points take ---- */

/* Runs kvm-stats as that user; notes what it printed unless it left with @status. */
bool scene_runs(struct scene *scene, uid_t uid, int status, const char *arguments);

/* What was printed has a line like this extended regular expression; else it is noted. */
bool scene_printed(const struct scene *scene, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* ---- points ---- */

/* check_commands.c */
enum verdict check_list(void *ctx);
enum verdict check_schema(void *ctx);
enum verdict check_read(void *ctx);
enum verdict check_log(void *ctx);
enum verdict check_read_debugfs(void *ctx);

/* check_serve.c */
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

/* check_top.c */
enum verdict check_top_starts(void *ctx);
enum verdict check_top_guests(void *ctx);
enum verdict check_top_leads_down(void *ctx);
enum verdict check_top_resizes(void *ctx);
enum verdict check_top_filter(void *ctx);
enum verdict check_top_values(void *ctx);
enum verdict check_top_other(void *ctx);
enum verdict check_top_no_other(void *ctx);
enum verdict check_top_debugfs(void *ctx);
enum verdict check_top_ends(void *ctx);

/* check_other.c */
enum verdict check_other_starts(void *ctx);
enum verdict check_user_list(void *ctx);
enum verdict check_user_commands(void *ctx);
enum verdict check_user_values(void *ctx);
enum verdict check_user_top(void *ctx);
enum verdict check_user_refused(void *ctx);
enum verdict check_other_ends(void *ctx);
enum verdict check_let_go(void *ctx);

#endif /* CLIENT_SCENE_H */
