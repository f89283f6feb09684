// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "messages/fds.h"
#include "options/filter.h"
#include "options/kvm_stat.h"
#include "top/screen.h"
#include "top/settings.h"
#include "top/terminal.h"
#include "top/watch.h"

static void show_prompt_error(struct top *top)
{
	terminal_errors(top->prompt.error, sizeof(top->prompt.error));
	top->prompt.error[strcspn(top->prompt.error, "\n")] = '\0';
}

static int reapply_regex(struct top *top)
{
	screen_show_now("Updating the filter...");
	top->short_interval = true;
	return watch_select(top);
}

static int apply_regex(struct top *top)
{
	if (!filter_set_regex(&top->options->filter, top->prompt.text)) {
		show_prompt_error(top);
		return 0;
	}
	prompt_end(&top->prompt);
	return reapply_regex(top);
}

static int apply_delay(struct top *top)
{
	struct kvm_stat_options options;

	kvm_stat_options_init(&options);
	if (*top->prompt.text && !kvm_stat_parse_delay(&options, top->prompt.text)) {
		show_prompt_error(top);
		return 0;
	}
	top->options->delay = options.delay;
	prompt_end(&top->prompt);
	top->sample_now = true;
	return 0;
}

static int watch_only(struct top *top, pid_t pid, const char *guest)
{
	struct filter *filter = &top->options->filter;

	if (!filter_set_pid(filter, pid) || !filter_set_guest(filter, guest))
		return -ENOMEM;
	prompt_end(&top->prompt);
	guests_free(&top->guests);
	*top->guest = '\0';
	top->awaiting_guest = false;
	view_clear(&top->view);
	screen_show_now("Updating the filter...");
	return watch_restart(top);
}

static int apply_pid(struct top *top, const char *text)
{
	struct filter filter = { 0 };
	struct kvmstats_vmm *vmm;
	pid_t pid = 0;
	int err;

	if (filter_option(&filter, 'p', text))
		pid = filter.pid[0];
	filter_free(&filter);
	err = pid ? kvmstats_vmm_open(&vmm, pid) : 0;
	if (pid && err)
		explain_fds(pid, NULL, err);
	if (!pid || err) {
		show_prompt_error(top);
		return 0;
	}
	kvmstats_vmm_close(vmm);
	return watch_only(top, pid, NULL);
}

static int apply_guest(struct top *top)
{
	const char *text = top->prompt.text;

	if (!*text || !strcmp(text, "0"))
		return watch_only(top, 0, NULL);
	if (guests_have(&top->guests, text))
		return watch_only(top, 0, text);
	if (isdigit((unsigned char)*text) && !text[strspn(text, "0123456789")])
		return apply_pid(top, text);
	snprintf(top->prompt.error, sizeof(top->prompt.error), "no guest is named '%.100s'", text);
	return 0;
}

static int apply_answer(struct top *top)
{
	switch (top->prompt.kind) {
	case PROMPT_REGEX:
		return apply_regex(top);
	case PROMPT_DELAY:
		return apply_delay(top);
	default:
		return apply_guest(top);
	}
}

int settings_prompt_key(struct top *top, int key)
{
	switch (prompt_key(&top->prompt, key)) {
	case PROMPT_DONE:
		return apply_answer(top);
	case PROMPT_CANCELLED:
		prompt_end(&top->prompt);
		guests_free(&top->guests);
		break;
	default:
		break;
	}
	return 0;
}

int settings_ask_guest(struct top *top)
{
	prompt_begin(&top->prompt, PROMPT_GUEST);
	return guests_find(&top->guests) ? 0 : -ENOMEM;
}

int settings_clear_filters(struct top *top)
{
	filter_set_regex(&top->options->filter, NULL);
	return filter_names_vmms(&top->options->filter) ? watch_only(top, 0, NULL) :
							  reapply_regex(top);
}
