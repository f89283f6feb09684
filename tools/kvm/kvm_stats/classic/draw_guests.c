// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "classic/draw_guests.h"

static void put_guest(char *line, size_t size, const struct guest *guest)
{
	char name[GUEST_NAME_SIZE], pid[16] = "-";

	sanitize(guest->name, name, sizeof(name));
	if (guest->pid)
		snprintf(pid, sizeof(pid), "%d", (int)guest->pid);
	snprintf(line, size, "%7s %s%s%s", pid, guest->named ? "" : "(", name,
		 guest->named ? "" : ")");
}

void draw_guests(const struct classic *classic, struct area area)
{
	char line[GUEST_NAME_SIZE + 32];
	int y = area.y + 1, end = area.y + area.rows;
	bool more = false;
	size_t i;

	draw_text(area.y, 1, area.columns - 1, A_UNDERLINE, "    PID Guest Name");
	for (i = 0; i < classic->guests.guests; i++) {
		put_guest(line, sizeof(line), &classic->guests.guest[i]);
		if (!strstr(line, classic->prompt.text))
			continue;
		if (y < end)
			draw_text(y++, 1, area.columns - 1, 0, line);
		else
			more = true;
	}
	if (more)
		draw_text(end - 1, 1, area.columns - 1, 0,
			  "    ... and others. Type part of a name to narrow the list.");
	if (!classic->guests.guests)
		draw_text(y, 1, area.columns - 1, 0,
			  "No VM is running, or kvm-stats has no permission to inspect it.");
}
