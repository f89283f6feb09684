// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "top/sampler.h"

bool sampler_read(struct sampler *sampler, struct message *why)
{
	struct monitor *monitor = sampler->monitor;
	int err = monitor_sample(monitor);

	if (err == -ENOMEM)
		return message_no_memory(why);
	/* A later pass may succeed. Until then, the last sample stays. */
	if (err)
		return true;
	host_update(&sampler->host);
	sampler->exits.state = monitor_exits(monitor);
	baselines_update(monitor);
	return true;
}

bool sampler_sum_up(struct sampler *sampler, const struct top_scope *scope)
{
	if (!scope_is_same(&sampler->scope, scope))
		totals_reselect(sampler->totals);
	sampler->scope = *scope;
	return !totals_update(sampler->totals);
}

bool sampler_reset(struct sampler *sampler)
{
	sampler->counts_growth = true;
	return baselines_start(sampler->monitor);
}

bool sampler_open(struct sampler *sampler, const struct monitor_options *options,
		  struct message *why)
{
	if (monitor_open(&sampler->monitor, options, why))
		return false;
	sampler->totals = totals_open(sampler->monitor, scope_selects, &sampler->scope);
	if (!sampler->totals)
		return message_no_memory(why);
	if (!sampler_read(sampler, why))
		return false;
	if (!sampler->monitor->time)
		*why = sampler->monitor->problem;
	return sampler->monitor->time;
}

void sampler_close(struct sampler *sampler)
{
	totals_close(sampler->totals);
	monitor_close(sampler->monitor);
}
