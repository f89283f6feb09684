// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/output.h"
#include "messages/access.h"
#include "messages/search.h"

void explain_denied(size_t count)
{
	const char *missing = missing_capabilities();

	if (!count)
		return;
	complain("%zu process%s could not be examined: permission denied", count,
		 count == 1 ? "" : "es");
	if (missing)
		suggest_root(missing);
	else
		complain("A user namespace or a security module denies access.");
}

void explain_search_error(const struct monitor *monitor)
{
	char buf[128];

	if (!monitor->search_error)
		return;
	complain("cannot search for new VMMs: %s",
		 kvmstats_strerror(monitor->search_error, buf, sizeof(buf)));
	if (monitor->search_error == -EMFILE)
		complain("Raise the limit (ulimit -n), or select fewer VMMs with -p or -g.");
}
