/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLASSIC_MEMBERS_H
#define CLASSIC_MEMBERS_H

#include "monitor/monitor.h"
#include "top/scope.h"
#include "top/view.h"

/*
 * Makes a line for each VMM, or, if @scope is one VMM, for each of its VMs and vCPUs. Returns
 * false if there is not enough memory.
 */
bool view_members(struct view *view, const struct monitor *monitor,
		  const struct top_scope *scope, const struct view_options *options);

#endif /* CLASSIC_MEMBERS_H */
