// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "classic/draw_help.h"
#include "top/draw.h"

static const char * const lines[] = {
	"b         switch between statistics and guests (or VMs and vCPUs)",
	"c         clear the filters",
	"f         filter by regular expression, matched from the start of names",
	"g, p      show one guest, by name or PID",
	"h         show this help",
	"i         switch between totals since VM creation and since the start",
	"o         switch between sorting by CurAvg/s and by Total",
	"q         quit",
	"r         reset: count totals from now on",
	"s         set the seconds between readings",
	"x         show or hide the exit reasons of tracepoints",
	"",
	"Up, Down  move the cursor, as do PgUp, PgDn, Home and End",
	"Enter     open the line: a guest shows its VMs and vCPUs, a VM or",
	"          vCPU its statistics, a histogram its bars, another",
	"          statistic its value for each guest, then VM or vCPU",
	"Left      go back, as does Esc",
	"",
	"Any other key reads the statistics now.",
};

void draw_help(struct area area)
{
	draw_text_lines(area, lines, ARRAY_SIZE(lines));
}
