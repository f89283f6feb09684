// SPDX-License-Identifier: GPL-2.0-only
#include <time.h>

#include "base/clock.h"
#include "base/output.h"
#include "messages/notice.h"
#include "messages/require.h"
#include "serve/process.h"
#include "serve/sampler.h"

static uint64_t epoch_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * SECOND + now.tv_nsec;
}

bool sampler_open(struct sampler *sampler, const struct filter *filter,
		  const struct openmetrics_options *exposed)
{
	struct monitor_options options = { .filter = filter, .sources = SOURCES_AUTO };

	fd_reserve_fill(&sampler->reserve, sampler->clients);
	sampler->monitor = require_monitor(&options);
	fd_reserve_release(&sampler->reserve);
	if (!sampler->monitor)
		return false;
	missing_report(&sampler->missing, sampler->monitor);
	notice_exits(&sampler->exits, sampler->monitor);
	sampler->metrics = openmetrics_open(sampler->monitor, exposed);
	if (!sampler->metrics)
		complain("out of memory");
	return sampler->metrics;
}

void sampler_close(struct sampler *sampler)
{
	openmetrics_close(sampler->metrics);
	missing_free(&sampler->missing);
	monitor_close(sampler->monitor);
}

void sampler_refresh(struct sampler *sampler)
{
	char buf[128];
	int err;

	fd_reserve_fill(&sampler->reserve, sampler->clients);
	err = monitor_refresh(sampler->monitor);
	fd_reserve_release(&sampler->reserve);
	if (err && !sampler->refresh_failed)
		complain("cannot update the list of VMs: %s",
			 kvmstats_strerror(err, buf, sizeof(buf)));
	sampler->refresh_failed = err;
	missing_report(&sampler->missing, sampler->monitor);
}

static int sample(struct sampler *sampler)
{
	uint64_t start = clock_now();
	int err;

	fd_reserve_fill(&sampler->reserve, sampler->clients);
	err = monitor_sample(sampler->monitor);
	fd_reserve_release(&sampler->reserve);
	missing_report(&sampler->missing, sampler->monitor);
	notice_exits(&sampler->exits, sampler->monitor);
	sampler->sampling.number++;
	sampler->sampling.time = epoch_now();
	sampler->sampling.duration = clock_now() - start;
	return err;
}

int sampler_expose(struct sampler *sampler, enum exposition_format format, bool process,
		   struct text *text)
{
	char buf[128];
	int err = sample(sampler);

	process_read(&sampler->process);
	sampler->sampling.process = process ? &sampler->process : NULL;
	if (!err)
		err = openmetrics_write(sampler->metrics, format, &sampler->sampling, text);
	if (err)
		complain("cannot read the statistics: %s",
			 kvmstats_strerror(err, buf, sizeof(buf)));
	return err;
}
