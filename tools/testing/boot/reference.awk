# SPDX-License-Identifier: GPL-2.0-only
# The tables of Documentation/virt/kvm/stats-reference.rst as a list for tests: a line
# per architecture, target and statistic,
#
#	SCOPE <tab> vm|vcpu|debugfs <tab> NAME <tab> DESCRIPTION <tab> DEBUGFS NAME
#
# DESCRIPTION is as in describe.awk, and a debugfs name that there is not is "--".  The target `debugfs` has files of debugfs that
# belong to no statistic.  The scopes are those of `scopes`; a vCPU of MIPS with VZ
# has those of `mips` and of `mips-vz`.
#
# A table's title says what it is of: "VM, x86".  "all" stands for all scopes that
# stand alone.  A debugfs name with scopes in parentheses is one of these alone.

BEGIN {
	num_all = split("x86 arm64 s390 book3s booke mips", all, " ")
	scope["all architectures"] = "all"
	scope["x86"] = "x86"
	scope["arm64"] = "arm64"
	scope["s390"] = "s390"
	scope["powerpc book3s"] = "book3s"
	scope["powerpc booke"] = "booke"
	scope["MIPS"] = "mips"
	scope["MIPS with VZ"] = "mips-vz"
	scope["Loongson64 with VZ"] = "mips-loongson"
	target["VM"] = "vm"
	target["vCPU"] = "vcpu"
	target["debugfs alone"] = "debugfs"
}

function fail(what)
{
	print FILENAME ":" FNR ": " what >"/dev/stderr"
	failed = 1
	exit
}

function trimmed(text)
{
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	return text
}

function start_table(title,   comma)
{
	comma = index(title, ", ")
	of = target[substr(title, 1, comma - 1)]
	where = scope[substr(title, comma + 2)]
	if (of == "" || where == "")
		fail("no such target or architecture: " title)
	in_table = 1
	tables++
}

# "log2, 32 buckets" and "ns" give "log2[32] ns".
function description(type, unit,   words)
{
	if (type ~ /^(log2|linear), [0-9]+ buckets$/) {
		split(type, words, /[ ,]+/)
		type = words[1] "[" words[2] "]"
	} else if (type !~ /^(cumulative|instant|peak)$/) {
		fail("no such type: " type)
	}
	if (unit !~ /^(ns|seconds|bytes|cycles|boolean)?$/)
		fail("no such unit: " unit)
	return unit == "" ? type : type " " unit
}

# The file on this architecture, of "name", "name (x86, booke)" or nothing.
function debugfs_on(place, cell,   at, only)
{
	at = index(cell, " (")
	if (!at)
		return cell == "" ? "--" : cell
	only = substr(cell, at + 2)
	if (only !~ /\)$/)
		fail("no closing parenthesis: " cell)
	gsub(/[),]/, " ", only)
	return index(" " only " ", " " place " ") ? substr(cell, 1, at - 1) : "--"
}

function add(place, name, what, cell,   id)
{
	id = place "\t" of "\t" name
	if (id in seen)
		fail(name " is there twice for " place)
	seen[id] = 1
	printf "%s\t%s\t%s\t%s\t%s\n", place, of, name, what, debugfs_on(place, cell)
}

function read_row(   cells, i, name, what)
{
	if (split($0, cells, "|") != 6)
		fail("a row of " split($0, cells, "|") " cells, expected 6")
	for (i = 1; i <= 6; i++)
		cells[i] = trimmed(cells[i])
	if (cells[1] == "Name")
		return
	if ((cells[5] == "") != (of == "debugfs") || cells[5] !~ /^([5-9]\.[0-9]+)?$/ || cells[6] == "")
		fail("no version of mainline, or no meaning")
	name = cells[1]
	what = of == "debugfs" ? "--" : description(cells[2], cells[3])
	if (where != "all")
		add(where, name, what, cells[4])
	for (i = 1; where == "all" && i <= num_all; i++)
		add(all[i], name, what, cells[4])
}

/^\.\. csv-table:: / {
	start_table(substr($0, 16))
	next
}

/^[^ \t]/ { in_table = 0 }

in_table && /\|/ && !/^[ \t]+:/ { read_row() }

END {
	if (!failed && !tables)
		fail("there are no tables")
	exit failed
}
