# SPDX-License-Identifier: GPL-2.0-only
# Print the includes of the command and of the library as pairs of modules, for tsort: foo.c and foo.h
# are one module. On standard error, report the includes that docs/architecture.md forbids: a
# folder of the command may include the files next to the folders, and the folders above it in the
# table. Of those files, only main.c may include folders.
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
	if (from == to || !(from in rank) || file == command "/main.c")
		return
	if (index(to, command) == 1 && (!(to in rank) || rank[to] > rank[from]))
		fail(file ": includes " found ", which docs/architecture.md does not allow")
}

function fail(what)
{
	print what >"/dev/stderr"
	bad = 1
}

BEGIN {
	command = "tools/kvm/kvm_stats"
	rank[command] = 0
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
	print module(file), module(found)
}

END {
	if (!folders)
		fail("docs/architecture.md has no table of the folders of the command")
	exit bad
}
