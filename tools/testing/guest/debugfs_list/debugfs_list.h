/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the test program debugfs_list. */
#ifndef DEBUGFS_LIST_H
#define DEBUGFS_LIST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/failure.h"
#include "vcpu/guest.h"

#define KVM_DIR		"/sys/kernel/debug/kvm"
#define MAX_FILES	256

struct vm {
	struct guest guest;
	unsigned int times;	/* how often the vCPU executed the action */
	char dir[PATH_MAX];
};

/* Lines "MODE NAME". The names of files in the directory of a VM begin with "vm/". */
struct listing {
	size_t count;
	char *line[MAX_FILES];
};

/* listing.c; a function that returns false has called fail() */
void list_files(struct listing *list, const struct vm *vm);
bool same_files(const struct listing *here);

/* Returns the name in a line of a listing. */
const char *name_of(const char *line);

/* Stores the path of the file of a line, which belongs to @vm or to all VMs. */
const char *path_of(const char *line, const struct vm *vm, char path[PATH_MAX]);

/* values.c */
bool read_number(const char *path, long long *value);

/* Returns the number in a file, or -1 on error. */
long long number_in(const char *dir, const char *name);

/* Returns 0, or the negative errno of the write. */
int write_text(const char *path, const char *text);

/* Prints "Bail out!" with errno and exits if @result is negative. Returns @result. */
int check_result(int result, const char *what);

#endif /* DEBUGFS_LIST_H */
