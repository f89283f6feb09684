// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "monitor/named.h"

int named_init(struct named_processes *named, const pid_t *pid, size_t count)
{
	size_t i;

	if (!count)
		return 0;
	named->process = calloc(count, sizeof(*named->process));
	if (!named->process)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		named->process[i].pid = pid[i];
	named->count = count;
	return 0;
}

void named_free(struct named_processes *named)
{
	free(named->process);
	*named = (struct named_processes){ 0 };
}

bool named_all_ended(const struct named_processes *named)
{
	size_t i;

	for (i = 0; i < named->count; i++) {
		if (!named->process[i].ended)
			return false;
	}
	return named->count;
}
