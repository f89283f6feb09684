# SPDX-License-Identifier: GPL-2.0-only
# Print the files of the command and of the library that include each other in a circle, where
# foo.c and foo.h count as one module, and the includes that docs/architecture.md forbids: a
# folder of the command may include the folders above it in the table.
#
# usage: awk -f includes.awk LIST docs/architecture.md INCLUDES
#
# LIST has one file in each line, INCLUDES has lines like 'FILE:#include "NAME"'.

function folder(path)
{
	sub(/\/[^\/]*$/, "", path)
	return path
}

function module(path)
{
	sub(/\.[ch]$/, "", path)
	return path
}

# The file that the compiler finds for #include "name" in @file, "" for one of another folder
function resolve(file, name,    i)
{
	search[1] = folder(file)
	for (i = 1; i <= 4; i++) {
		if (search[i] "/" name in exists)
			return search[i] "/" name
	}
	return ""
}

function check_order(file, found,    from, to)
{
	from = folder(file)
	to = folder(found)
	if (from == to || !(from in rank))
		return
	if (index(to, command) == 1 && (!(to in rank) || rank[to] > rank[from])) {
		print file ": includes " found ", which docs/architecture.md does not allow"
		bad = 1
	}
}

BEGIN {
	command = "tools/kvm/kvm_stats"
	search[2] = command
	search[3] = "tools/lib/kvmstats"
	search[4] = "tools/lib/kvmstats/tests"
}

FNR == 1 { part++ }
part == 1 { exists[$0] = 1; next }
part == 2 && /^## / { section = $0 }
part == 2 && section ~ /command$/ && /^\| `[a-z]+\/` / {
	split($0, column, "`")
	sub(/\/$/, "", column[2])
	rank[command "/" column[2]] = ++folders
}
part == 2 { next }
{
	file = $0
	sub(/:.*/, "", file)
	name = $0
	gsub(/^[^"]*"|".*$/, "", name)
	found = resolve(file, name)
	if (found == "")
		next
	check_order(file, found)
	if (module(file) != module(found))
		includes[module(file) " " module(found)] = 1
}

# Remove the includes of modules that include no other module, or that no other module includes,
# until only circles remain.
END {
	do {
		split("", includer)
		split("", included)
		for (edge in includes) {
			split(edge, end, " ")
			includer[end[1]] = 1
			included[end[2]] = 1
		}
		removed = 0
		for (edge in includes) {
			split(edge, end, " ")
			if (!(end[2] in includer) || !(end[1] in included)) {
				delete includes[edge]
				removed = 1
			}
		}
	} while (removed)
	for (edge in includes) {
		split(edge, end, " ")
		print end[1] " includes " end[2] ", which is part of a circle"
		bad = 1
	}
	if (!folders) {
		print "docs/architecture.md has no table of the folders of the command"
		bad = 1
	}
	exit bad
}
