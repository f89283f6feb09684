# SPDX-License-Identifier: GPL-2.0-only
# Compare the statistics of this series with mainline's:
#
#	awk -v arch=NAME -v extensions="NAME..." -f compare.awk DIFFERENCES OURS MAINLINE
#
# DIFFERENCES has the format of mainline-differences. The extensions are output of `extra`. OURS and
# MAINLINE are output of `descriptors`. Print a line for each statistic, and a summary. Print errors to stderr,
# and exit with status 1 if there is an error.

function report(what)
{
	fflush()
	print "compare: " what >"/dev/stderr"
	has_errors = 1
}

function read_difference(   id)
{
	if (NF < 5 || $2 !~ /^(vm|vcpu)$/ || $4 !~ /^(missing|extra|differs|later)$/)
		report(FILENAME ":" FNR ": expected 'ARCH vm|vcpu NAME missing|extra|differs|later REASON'," \
		     " found: " $0)
	if ($1 != "*" && $1 != arch)
		return
	id = $2 " " $3
	if (id in kind)
		report(FILENAME ":" FNR ": " id " is listed twice for " arch)
	kind[id] = $4
	place[id] = FILENAME ":" FNR
	$1 = $2 = $3 = $4 = ""
	sub(/^ */, "")
	reason[id] = $0
}

function read_desc(found,   id)
{
	id = $1 " " $2
	if (id in found)
		report(FILENAME ":" FNR ": " id " is listed twice")
	if (!(id in seen))
		order[++num] = id
	seen[id] = 1
	$1 = $2 = $3 = $4 = ""
	sub(/^ */, "")
	found[id] = $0
}

# Return the line of DIFFERENCES for a statistic: by its name, or by its first letters and "*".
function line_of(id,    line)
{
	for (line in kind) {
		if (line ~ /[*]$/ && index(id, substr(line, 1, length(line) - 1)) == 1)
			return line
	}
	return id
}

# Whether one of the extensions is the name, or begins like it and ends in "*".
function is_extension(name,    list, n)
{
	for (n = split(extensions, list, " "); n; n--) {
		if (name == list[n] || (sub(/[*]$/, "", list[n]) && index(name, list[n]) == 1))
			return 1
	}
	return 0
}

# Print a row. @what is "equal", or a difference that DIFFERENCES must explain.
function print_row(id, what,    line, words, left, right)
{
	line = id in kind ? id : line_of(id)
	seen[line] = 1
	count[what]++
	left = id in ours ? ours[id] : "-"
	right = id in mainline ? mainline[id] : "-"
	split(id, words, " ")
	if (line in kind && kind[line] == what)
		what = what ": " reason[line]
	else if (line in kind)
		report(place[line] ": " id " is not '" kind[line] "' on " arch)
	else if (what == "extra" && is_extension(words[2]))
		what = "extra: an extension"
	else if (what != "equal")
		report(arch " " id ": '" what "' (ours: " left ", mainline's: " right ") has no reason")
	printf "%-7s %-5s %-34s %-18s %-18s %s\n", arch, words[1], words[2], left, right, what
}

/^[ \t]*(#|$)/ { next }
FILENAME == ARGV[1] { read_difference(); next }
FILENAME == ARGV[2] { read_desc(ours); next }
{ read_desc(mainline) }

END {
	if (!num)
		report("there is nothing to compare")
	for (i = 1; i <= num; i++) {
		id = order[i]
		if (!(id in ours))
			print_row(id, "missing")
		else if (!(id in mainline))
			print_row(id, "extra")
		else
			print_row(id, ours[id] == mainline[id] ? "equal" : "differs")
	}
	for (id in kind) {
		if (id in seen)
			continue
		if (kind[id] == "later")
			print_row(id, "later")
		else
			report(place[id] ": neither has " id)
	}
	printf "%s: %d equal, %d different, %d missing, %d extra; later than this mainline: %d%s\n", arch,
		count["equal"], count["differs"], count["missing"], count["extra"],
		count["later"], has_errors ? "; DIFFERENCES AND REASONS DO NOT MATCH" : ""
	exit has_errors
}
