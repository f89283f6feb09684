/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of kvm_stat share. */
#ifndef KVM_STAT_H
#define KVM_STAT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define SECOND			1000000000ull	/* in nanoseconds */
#define PROBLEM_SIZE		512

/* ---- statistics and their sources ---- */

struct statistic {
	char *name;		/* such as "exits" or "kvm_exit(HLT)" */
	int parent;		/* the index in its source of what it is a part of, or -1 */
	bool selected;		/* Only these are opened and read. */
	int64_t value;		/* since the source was opened, or the last reset; may fall */
	int64_t before;		/* the value of the previous reading */
};

struct source {
	struct statistic *stat;
	size_t count;
	/* Why an operation has failed, or what cannot be read and what to do. "" if all is well. */
	char problem[PROBLEM_SIZE];

	/*
	 * Prepares to read the selected statistics of the process @pid, or of the whole host if
	 * it is 0. Called before the first reading, and each time that the selection changes.
	 */
	bool (*select)(struct source *source, pid_t pid);
	/* Stores the value of each selected statistic. */
	bool (*read)(struct source *source);
	/* The next reading finds 0. */
	void (*reset)(struct source *source);
	void (*close)(struct source *source);
};

/* Sets source->problem. Returns false, as do all functions that fail because of it. */
bool source_fails(struct source *source, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* Appends a statistic, whose name is copied. Its index is source->count - 1. */
void source_add(struct source *source, const char *name, int parent);

/* Frees the source and what source_add() has allocated. */
void source_free(struct source *source);

/* ---- debugfs.c ---- */

/*
 * Lists the statistics of @dir (NULL: kvm/ in debugfs). Without @include_past, values count from
 * the first reading of a VM. The caller closes the source, also if it has no statistics because
 * this has failed.
 */
struct source *debugfs_open(const char *dir, bool include_past);

/*
 * The sum of all statistics of a VM that are not parts of others. Its name is PID-FD. Returns NULL
 * if there are not more than @index VMs of the selected process.
 */
const struct statistic *debugfs_vm(const struct source *source, size_t index);

/* ---- tracepoints.c ---- */

/*
 * kvm_exit and kvm_userspace_exit are also counted for each exit reason. This is the field of
 * the tracepoint that has the reason, and the names of the reasons.
 */
struct exit_reasons {
	const char *field;
	const struct exit_reason {
		unsigned int number;
		const char *name;
	} *reason;
	size_t reasons;
};

/*
 * @machine is utsname.machine of the host. @svm is for x86: the CPU has SVM and not VMX.
 * Returns NULL if the tracepoint @event has no exit reasons.
 */
const struct exit_reasons *exit_reasons_for(const char *event, const char *machine, int svm);

/*
 * Lists the tracepoints in @dir (NULL: events/kvm in tracefs), with the exit reasons that
 * @reasons_of returns (NULL: those of this machine). The caller closes the source, also if it has
 * no statistics because this has failed.
 */
struct source *tracepoints_open(const char *dir,
				const struct exit_reasons *(*reasons_of)(const char *event));

/* The filter of the perf event of a statistic, such as "exit_reason==12", or NULL; for tests. */
const char *tracepoint_filter(const struct source *source, size_t index);

/* ---- stats.c: all sources together ---- */

enum {
	USE_DEBUGFS = 1,
	USE_TRACEPOINTS = 2,
};

struct stats {
	struct source *source[2];
	size_t sources;
	struct source *debugfs;		/* one of them, or NULL */
	char *regex;			/* "": all statistics */
	pid_t pid;			/* 0: all processes */
	bool has_values;		/* of a reading since the last selection */
	uint64_t time;			/* of the last reading, by CLOCK_MONOTONIC */
	uint64_t time_before;		/* of the previous one */
	struct statistic **shown;	/* the selected statistics, sorted by name */
	size_t count;
	char notice[PROBLEM_SIZE];	/* what a source cannot read, and what to do; or "" */
	char problem[PROBLEM_SIZE];	/* why the last operation has failed; or "" */
};

/*
 * Opens the sources @uses. 0 is the tracepoints or, if the kernel lacks them, debugfs. Prints
 * a message and returns false if it fails.
 */
bool stats_open(struct stats *stats, unsigned int uses, bool include_past);

/*
 * Selects the statistics whose names match @regex, which is "" or valid, and a process. This and
 * stats_read() set stats->problem and return false if they fail.
 */
bool stats_select(struct stats *stats, const char *regex, pid_t pid);

/* Selects all statistics for their names only: they cannot be read. */
void stats_list(struct stats *stats);

bool stats_read(struct stats *stats);

/* Lets all values count from now on. */
void stats_reset(struct stats *stats);

/* The growth since the previous reading, which is negative when a VM ends. */
int64_t statistic_growth(const struct statistic *stat);

void stats_close(struct stats *stats);

/*
 * Compiles an extended regular expression of POSIX. Returns false, and the reason in @why, if it is
 * not valid.
 */
bool pattern_compile(regex_t *pattern, const char *regex, char *why, size_t size);

/* Whether the expression matches at the start of the text, as Python's match(). */
bool pattern_matches(const regex_t *pattern, const char *text);

/* ---- guest.c: QEMU's processes and their guests ---- */

struct guest {
	pid_t pid;
	char name[256];
};

/* Stores the guest's name in @name: the argument of -name, or "". Returns whether it has one. */
bool guest_name(pid_t pid, char *name, size_t size);

/* Returns an array of all guests that have a name. The caller frees it. */
struct guest *guest_list(size_t *count);

/* Returns how many processes run a guest with this name, and the last of them in @pid. */
size_t guest_find(const char *name, pid_t *pid);

bool process_exists(pid_t pid);

/* ---- output.c: without a screen. The functions return the exit status. ---- */

struct log_options {
	const char *file;		/* NULL: standard output */
	bool csv;
	bool skip_zeros;
	double delay;			/* in seconds */
};

int print_names(struct stats *stats);
int print_once(struct stats *stats);
int write_log(struct stats *stats, const struct log_options *options);

/* ---- screen.c ---- */

#define MIN_DELAY	0.1		/* in seconds */
#define MAX_DELAY	25.5
#define DEFAULT_DELAY	3.0

/* Lines that explain the keys. */
extern const char screen_keys[];

int screen_run(struct stats *stats, double delay);

/* ---- util.c ---- */

/* Prints "kvm_stat: MESSAGE" on standard error. */
void complain(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* Gives the terminal back before kvm_stat ends with a message. NULL: no screen has used it. */
extern void (*restore_terminal)(void);

/* The same as realloc() of an array, but ends kvm_stat if memory is exhausted. */
void *resize_array(void *array, size_t count, size_t size);

/* The same as strdup() and asprintf(). */
char *copy_text(const char *text);
char *make_text(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* Returns where a file system of this type is mounted, or NULL. The caller frees it. */
char *find_mount(const char *type);

/* Whether @text is a delay. Otherwise, returns false and the reason in @why. */
bool parse_delay(const char *text, double *delay, char *why, size_t size);

/* Whether @text is a number above 0, which is stored in @pid. */
bool parse_pid(const char *text, pid_t *pid);

uint64_t clock_now(void);

#endif /* KVM_STAT_H */
