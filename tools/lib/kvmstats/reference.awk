# SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
# Print the statistics in Documentation/virt/kvm/stats-reference.rst as a list, one
# line for each architecture, target and statistic:
#
#	SCOPE <tab> vm|vcpu|debugfs <tab> NAME <tab> DESCRIPTION <tab> DEBUGFS NAME
#
# With -v texts=1 each line has two more columns, the first sentence of the text and
# the rest of the text.
#
# DESCRIPTION has the format of tests/compare/descriptors. DEBUGFS NAME is "--" if debugfs does not
# have the statistic. The target `debugfs` is for debugfs files that are not statistics.
# SCOPE is a value of the array `scope` below. A vCPU of MIPS with VZ has the statistics
# of `mips` and of `mips-vz`.
#
# The page has a section for each target and architecture, for example "VM statistics,
# x86". Each section is a definition list:
#
#	NAME : TYPE[, N buckets][, UNIT] [: debugfs [DEBUGFS NAME] [(SCOPE, ...)]]
#	    TEXT
#
# "all architectures" means all scopes in the array `all`. "CONFIG_SCHED_INFO" means the same
# scopes with the suffix -sched: all architectures, if the kernel has the option. A debugfs name
# with scopes in parentheses exists in these scopes only. A section of exit statistics leaves out
# the times, each of which follows its count.

BEGIN {
	num_all = split("x86 arm64 s390 book3s booke mips", all, " ")
	scope["all architectures"] = "all"
	scope["CONFIG_SCHED_INFO"] = "all-sched"
	scope["x86"] = "x86"
	scope["x86 with exit statistics"] = "x86-exits"
	scope["arm64"] = "arm64"
	scope["arm64 with exit statistics"] = "arm64-exits"
	scope["s390"] = "s390"
	scope["powerpc book3s"] = "book3s"
	scope["powerpc booke"] = "booke"
	scope["MIPS"] = "mips"
	scope["MIPS with VZ"] = "mips-vz"
	scope["Loongson64 with VZ"] = "mips-loongson"
	target["VM statistics"] = "vm"
	target["vCPU statistics"] = "vcpu"
	target["debugfs files without a statistic"] = "debugfs"
	max_first = 120
}

function fail(what, line)
{
	print FILENAME ":" (line ? line : FNR) ": " what >"/dev/stderr"
	failed = 1
	exit 1
}

function start_section(title,   comma)
{
	comma = index(title, ", ")
	of = comma ? target[substr(title, 1, comma - 1)] : ""
	if (of == "")
		return
	where = scope[substr(title, comma + 2)]
	if (where == "")
		fail("unknown architecture: " title, FNR - 1)
	sections++
}

# "log2 histogram, 32 buckets, ns" gives "log2[32] ns".
function description(cell,   part, n, i, type)
{
	n = split(cell, part, ", ")
	type = part[1]
	i = 2
	if (type ~ /^(log2|linear) histogram$/ && part[2] ~ /^[0-9]+ buckets$/) {
		sub(/ .*/, "", type)
		type = type "[" (part[2] + 0) "]"
		i = 3
	} else if (type !~ /^(cumulative|instant|peak)$/) {
		fail("unknown type: " cell, place)
	}
	if (n < i)
		return type
	if (n > i || part[i] !~ /^(ns|seconds|bytes|cycles|boolean)$/)
		fail("unknown unit: " cell, place)
	return type " " part[i]
}

# Return the name of the file in this scope, from "debugfs", "debugfs NAME" or
# "debugfs NAME (x86, booke)".
function debugfs_on(scope, cell, name,   at, only)
{
	at = index(cell, " (")
	if (at) {
		only = substr(cell, at + 2)
		cell = substr(cell, 1, at - 1)
		if (only !~ /\)$/)
			fail("no closing parenthesis: " only, place)
		gsub(/[),]/, " ", only)
		if (!index(" " only " ", " " scope " "))
			return "--"
	}
	return cell == "debugfs" ? name : substr(cell, 9)
}

function add(scope, name, what, debugfs,   id)
{
	id = scope "\t" of "\t" name
	if (id in seen)
		fail(name " occurs twice for " scope, place)
	seen[id] = 1
	printf "%s\t%s\t%s\t%s\t%s", scope, of, name, what,
		debugfs == "" ? "--" : debugfs_on(scope, debugfs, name)
	if (texts)
		printf "\t%s\t%s", first, rest
	printf "\n"
}

function split_text(name,   at)
{
	at = index(text, ". ")
	first = at ? substr(text, 1, at) : text
	rest = at ? substr(text, at + 2) : ""
	if (text !~ /\.$/)
		fail("the text of " name " is not whole sentences", place)
	if (length(first) > max_first)
		fail("the first sentence of " name " has " length(first) \
			" characters, more than " max_first, place)
}

# Print the time of the exits that the statistic @count counts.
function add_time(count)
{
	first = "Time that KVM spent on the exits in " count "."
	rest = "The growth divided by that of " count " is the average time of such an exit."
	add(where, count "_ns", "cumulative ns")
}

# Print the statistic that was read last.
function end_statistic(   cell, n, i, what)
{
	if (term == "")
		return
	n = split(term, cell, " : ")
	if (n < 2 || n > 3 || n == 3 && cell[3] !~ /^debugfs( |$)/)
		fail("expected 'NAME : TYPE' or 'NAME : TYPE : debugfs', found '" term "'", place)
	split_text(cell[1])
	what = of == "debugfs" ? "--" : description(cell[2])
	if (where !~ /^all/)
		add(where, cell[1], what, cell[3])
	if (where ~ /-exits$/ && what == "cumulative")
		add_time(cell[1])
	for (i = 1; where ~ /^all/ && i <= num_all; i++)
		add(all[i] substr(where, 4), cell[1], what, cell[3])
	term = ""
}

# If the previous line is not indented, it is the first line of a statistic.
function read_text(line)
{
	if (previous != "" && previous !~ /^[ \t]/) {
		term = previous
		place = FNR - 1
		text = ""
	}
	sub(/^[ \t]+/, "", line)
	gsub(/  +/, " ", line)
	if (term != "")
		text = text (text == "" ? "" : " ") line
}

/^(=+|-+)$/ && previous != "" { start_section(previous) }

/^[^ \t]/ { end_statistic() }

of != "" && /^[ \t]+[^ \t]/ { read_text($0) }

{ previous = $0 }

END {
	if (!failed)
		end_statistic()
	if (!failed && !sections)
		fail("there are no sections of statistics")
	exit failed
}
