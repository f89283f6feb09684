# SPDX-License-Identifier: GPL-2.0-only
# Evaluate the goals: awk -f goals.awk goals KERNEL=FILE... where FILE has the rows of
# KERNEL. Prints a line for each goal: GOAL ROW QUOTIENT RELATION LIMIT met|missed|unknown,
# or GOAL ROW DIFFERENCE states - stated|unknown.

BEGIN {
	OFMT = "%.8g"
	list = ARGV[1]
	for (i = 2; i < ARGC; i++) {
		eq = index(ARGV[i], "=")
		read_rows(substr(ARGV[i], 1, eq - 1), substr(ARGV[i], eq + 1))
		ARGV[i] = ""
	}
}

function read_rows(kernel, file,    line, field) {
	while ((getline line <file) > 0) {
		split(line, field, " ")
		if (field[2] != "-")
			value[kernel "." field[1]] = field[2]
	}
	close(file)
}

function fail(why) {
	print list ":" FNR ": " why >"/dev/stderr"
	failed = 1
	exit 1
}

# Return a number or the value of KERNEL.ROW. Set unknown if that has no value.
function operand(text) {
	if (text ~ /^[0-9.]+$/)
		return text + 0
	if (text in value)
		return value[text]
	if (text !~ /^[a-z]+\.[a-z0-9_]+$/)
		fail("expected KERNEL.ROW or a number, found '" text "'")
	unknown = 1
	return 0
}

function product(text,    result, operator, size, other) {
	result = 1
	operator = "*"
	while (text != "") {
		size = match(text, /[*\/]/) ? RSTART - 1 : length(text)
		other = operand(substr(text, 1, size))
		if (operator == "/" && !other)
			unknown = 1
		else
			result = operator == "*" ? result * other : result / other
		operator = substr(text, size + 1, 1)
		text = substr(text, size + 2)
	}
	return result
}

# Return the value of an expression, "" if it is unknown.
function evaluate(text,    part, n, i, sum) {
	unknown = 0
	n = split(text, part, "+")
	for (i = 1; i <= n; i++)
		sum += product(part[i])
	return unknown ? "" : sum
}

function is_met(quotient, relation, limit) {
	if (relation == "at-most")
		return quotient <= limit
	if (relation == "at-least")
		return quotient >= limit
	if (relation == "within")
		return quotient >= 1 - limit && quotient <= 1 + limit
	fail("expected at-most, at-least, within or states, found '" relation "'")
}

/^#/ || !NF { next }

NF != 6 { fail("expected GOAL ROW VALUE TO RELATION LIMIT") }

{
	a = evaluate($3)
	b = evaluate($4)
	if (a == "" || b == "" || b + 0 == 0)
		print $1, $2, "-", $5, $6, "unknown"
	else if ($5 == "states")
		print $1, $2, a - b, $5, $6, "stated"
	else
		print $1, $2, a / b, $5, $6, is_met(a / b, $5, $6 + 0) ? "met" : "missed"
}

END { if (failed) exit 1 }
