// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "classic/screen.h"
#include "classic/settings.h"
#include "classic/watch.h"
#include "messages/fds.h"
#include "options/filter.h"
#include "options/kvm_stat.h"
#include "top/terminal.h"

static void show_prompt_error(struct classic *classic)
{
	terminal_errors(classic->prompt.error, sizeof(classic->prompt.error));
	classic->prompt.error[strcspn(classic->prompt.error, "\n")] = '\0';
}

static int reapply_regex(struct classic *classic)
{
	screen_show_now("Updating the filter...");
	classic->short_interval = true;
	return watch_select(classic);
}

static int apply_regex(struct classic *classic)
{
	if (!filter_set_regex(&classic->options->filter, classic->prompt.text)) {
		show_prompt_error(classic);
		return 0;
	}
	prompt_end(&classic->prompt);
	return reapply_regex(classic);
}

static int apply_delay(struct classic *classic)
{
	struct kvm_stat_options options;

	kvm_stat_options_init(&options);
	if (*classic->prompt.text && !kvm_stat_parse_delay(&options, classic->prompt.text)) {
		show_prompt_error(classic);
		return 0;
	}
	classic->options->delay = options.delay;
	prompt_end(&classic->prompt);
	classic->sample_now = true;
	return 0;
}

static int watch_only(struct classic *classic, pid_t pid, const char *guest)
{
	struct filter *filter = &classic->options->filter;

	if (!filter_set_pid(filter, pid) || !filter_set_guest(filter, guest))
		return -ENOMEM;
	prompt_end(&classic->prompt);
	guests_free(&classic->guests);
	*classic->guest = '\0';
	classic->awaiting_guest = false;
	view_clear(&classic->view);
	screen_show_now("Updating the filter...");
	return watch_restart(classic);
}

static int apply_pid(struct classic *classic, const char *text)
{
	struct filter filter = { 0 };
	pid_t pid = 0;
	int err;

	if (filter_option(&filter, 'p', text))
		pid = filter.pid[0];
	filter_free(&filter);
	err = pid ? guests_check(pid) : 0;
	if (pid && err)
		explain_fds(pid, NULL, err);
	if (!pid || err) {
		show_prompt_error(classic);
		return 0;
	}
	return watch_only(classic, pid, NULL);
}

static int apply_guest(struct classic *classic)
{
	const char *text = classic->prompt.text;

	if (!*text || !strcmp(text, "0"))
		return watch_only(classic, 0, NULL);
	if (guests_have(&classic->guests, text))
		return watch_only(classic, 0, text);
	if (isdigit((unsigned char)*text) && !text[strspn(text, "0123456789")])
		return apply_pid(classic, text);
	snprintf(classic->prompt.error, sizeof(classic->prompt.error),
		 "no guest is named '%.100s'", text);
	return 0;
}

static int apply_answer(struct classic *classic)
{
	switch (classic->prompt.kind) {
	case PROMPT_REGEX:
		return apply_regex(classic);
	case PROMPT_DELAY:
		return apply_delay(classic);
	default:
		return apply_guest(classic);
	}
}

int settings_prompt_key(struct classic *classic, int key)
{
	switch (prompt_key(&classic->prompt, key)) {
	case PROMPT_DONE:
		return apply_answer(classic);
	case PROMPT_CANCELLED:
		prompt_end(&classic->prompt);
		guests_free(&classic->guests);
		break;
	default:
		break;
	}
	return 0;
}

int settings_ask_guest(struct classic *classic)
{
	prompt_begin(&classic->prompt, PROMPT_GUEST, "");
	return guests_find(&classic->guests) ? 0 : -ENOMEM;
}

int settings_clear_filters(struct classic *classic)
{
	filter_set_regex(&classic->options->filter, NULL);
	return filter_names_vmms(&classic->options->filter) ? watch_only(classic, 0, NULL) :
							  reapply_regex(classic);
}
