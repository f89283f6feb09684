# SPDX-License-Identifier: GPL-2.0-only
# Print the counts of the kernels as a table:
#
#	awk -f report.awk -f goals.awk rows.list KERNEL=FILE...
#
# KERNEL is patched, unpatched or mainline. FILE has its counts, "NAME VALUE". goals.awk
# defines the function set_goals().

BEGIN {
	for (i = 2; i < ARGC; i++)
		read_counts(ARGV[i])
	ARGC = 2
	set_goals()
	line("", "patched", "unpatched", "mainline", "to mainline", "to unpatched", "goal")
}

function read_counts(argument,    at, kernel, file, text, field)
{
	at = index(argument, "=")
	kernel = substr(argument, 1, at - 1)
	file = substr(argument, at + 1)
	while ((getline text <file) > 0) {
		split(text, field, " ")
		count[kernel "." field[1]] = field[2]
		used[field[1]] = kernel " has"
	}
	close(file)
}

# Functions for set_goals(). If it uses a value that was not counted, the result of the
# goal is "unknown".

# Return the value of "KERNEL.ROW".
function value(name,    part)
{
	split(name, part, ".")
	used[part[2]] = "a goal uses"
	if (name in count)
		return count[name]
	unknown = 1
	return 0
}

function divide(a, b)
{
	if (b != 0)
		return a / b
	unknown = 1
	return 0
}

function ratio(a, b)
{
	return divide(value(a), value(b))
}

function set_goal(number, row, text)
{
	used[row] = "a goal names"
	goal[row] = number ": " (unknown ? "unknown" : text)
	unknown = 0
}

# Show more digits if the rounded value equals the limit.
function judged(measured, limit, text, met,    digits)
{
	digits = sprintf("%.4g", measured)
	if (digits + 0 == limit)
		digits = sprintf("%.7g", measured)
	return digits " " text ", " (met ? "met" : "MISSED")
}

function at_most(number, row, measured, limit)
{
	set_goal(number, row, judged(measured, limit, "at most " limit, measured <= limit))
}

function at_least(number, row, measured, limit)
{
	set_goal(number, row, judged(measured, limit, "at least " limit, measured >= limit))
}

# The measured value differs from 1 by at most the limit.
function within(number, row, measured, limit)
{
	set_goal(number, row, judged(measured, 1 + limit, "within " limit * 100 "%",
				     measured >= 1 - limit && measured <= 1 + limit))
}

# A goal without a limit: show what the series adds.
function costs(number, row, added)
{
	set_goal(number, row, sprintf("costs %+.10g", added))
}

# Functions for the table.

function line(title, patched, unpatched, mainline, to_mainline, to_unpatched, goal,    text)
{
	text = sprintf("%-54s %9s %9s %9s %12s %12s  %s", title, patched, unpatched, mainline,
		       to_mainline, to_unpatched, goal)
	sub(/ +$/, "", text)
	print text
}

function show(kernel)
{
	if (!((kernel "." $1) in count))
		return "-"
	return sprintf("%.10g", int(count[kernel "." $1] * 10 + 0.5) / 10)
}

# Return the ratio of patched to the other kernel, or for sizes and numbers the difference.
function relate(kernel,    ours, theirs)
{
	if (!(("patched." $1) in count) || !((kernel "." $1) in count))
		return "-"
	ours = count["patched." $1]
	theirs = count[kernel "." $1]
	if ($2 == "bytes" || $2 == "number")
		return ours == theirs ? "same" : sprintf("%+.10g", ours - theirs)
	return sprintf("%.4f", ours / theirs)
}

/^#/ || !NF { next }

{
	title = $0
	sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]+/, "", title)
	if ($1 == "-") {
		print title
		next
	}
	known[$1] = 1
	line("  " title, show("patched"), show("unpatched"), show("mainline"), relate("mainline"),
	     relate("unpatched"), goal[$1])
}

END {
	for (row in used) {
		if (!(row in known)) {
			print used[row] " the row '" row "', which is not in rows.list" >"/dev/stderr"
			failed = 1
		}
	}
	exit failed
}
