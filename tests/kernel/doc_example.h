/* SPDX-License-Identifier: GPL-2.0-only */
/* Run an example program of Documentation/virt/kvm/stats.rst in this process. */
#ifndef DOC_EXAMPLE_H
#define DOC_EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns what it prints, and stores its exit status. */
static inline const char *output_of(int (*example)(void), int *status)
{
	static char text[1 << 18];
	int out = dup(STDOUT_FILENO);
	FILE *file = tmpfile();

	fflush(stdout);
	if (!file || dup2(fileno(file), STDOUT_FILENO) < 0)
		abort();
	*status = example();
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	if (pread(fileno(file), text, sizeof(text) - 1, 0) < 0)
		abort();
	fclose(file);
	return text;
}

#endif /* DOC_EXAMPLE_H */
