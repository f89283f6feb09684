# SPDX-License-Identifier: GPL-2.0-only
# Compare the statistics of this series with mainline's:
#
#	awk -v arch=NAME -f describe.awk -f compare.awk DIFFERENCES OURS MAINLINE
#
# DIFFERENCES has the format of mainline-differences. OURS and MAINLINE are output of
# `descriptors`. Print a line for each statistic, and a summary. Print errors to stderr,
# and exit with status 1 if there is an error.

function report(what)
{
	fflush()
	print "compare: " what >"/dev/stderr"
	has_errors = 1
}

function fail(what)
{
	report(what)
	failed = 1
	exit
}

function read_difference(   id)
{
	if (NF < 5 || $2 !~ /^(vm|vcpu)$/ || $4 !~ /^(missing|extra|differs|later)$/)
		fail(FILENAME ":" FNR ": expected 'ARCH vm|vcpu NAME missing|extra|differs|later REASON'," \
		     " found: " $0)
	if ($1 != "*" && $1 != arch)
		return
	id = $2 " " $3
	if (id in kind)
		report(FILENAME ":" FNR ": " id " is listed twice for " arch)
	kind[id] = $4
	place[id] = FILENAME ":" FNR
	listed[++num_listed] = id
	$1 = $2 = $3 = $4 = ""
	sub(/^ */, "")
	reason[id] = $0
}

function read_desc(found,   id)
{
	id = $1 " " $2
	if (NF != 9)
		fail(FILENAME ":" FNR ": not a descriptor: " $0)
	if (id in found)
		report(FILENAME ":" FNR ": " id " is listed twice")
	found[id] = describe($3, $4, $5, $6, $7, $8)
	if (!(id in seen)) {
		seen[id] = 1
		order[++num] = id
	}
}

# Return the reason in DIFFERENCES for a difference of this kind. Report a missing one.
function explained(id, what)
{
	if (kind[id] == what) {
		used[id] = 1
		return what ": " reason[id]
	}
	report(arch " " id " is " (what == "differs" ? "different" : what) \
		" (ours: " shown(ours, id) ", mainline's: " shown(mainline, id) "), and no reason is given")
	return what ", without a reason"
}

function shown(found, id)
{
	return id in found ? found[id] : "-"
}

function compare_one(id)
{
	if (!(id in ours)) {
		count["missing"]++
		return explained(id, "missing")
	}
	if (!(id in mainline)) {
		count["extra"]++
		return explained(id, "extra")
	}
	if (ours[id] != mainline[id]) {
		count["differs"]++
		return explained(id, "differs")
	}
	count["equal"]++
	return "equal"
}

function print_row(id, what,   words)
{
	split(id, words, " ")
	printf "%-7s %-5s %-34s %-18s %-18s %s\n", arch, words[1], words[2],
		shown(ours, id), shown(mainline, id), what
}

# Print a statistic that only later versions of mainline have.
function check_later(id)
{
	if (kind[id] != "later" || id in seen)
		return
	used[id] = 1
	count["later"]++
	print_row(id, "later: " reason[id])
}

/^[ \t]*(#|$)/ { next }
FILENAME == ARGV[1] { read_difference(); next }
FILENAME == ARGV[2] { read_desc(ours); next }
{ read_desc(mainline) }

END {
	if (failed)
		exit 1
	if (!num)
		report("there is nothing to compare")
	for (i = 1; i <= num; i++)
		print_row(order[i], compare_one(order[i]))
	for (i = 1; i <= num_listed; i++)
		check_later(listed[i])
	for (i = 1; i <= num_listed; i++) {
		if (!(listed[i] in used))
			report(place[listed[i]] ": " listed[i] " is not '" kind[listed[i]] "' on " arch)
	}
	printf "%s: %d equal, %d different, %d missing, %d extra; later than this mainline: %d%s\n", arch,
		count["equal"], count["differs"], count["missing"], count["extra"],
		count["later"], has_errors ? "; DIFFERENCES AND REASONS DO NOT MATCH" : ""
	exit has_errors
}
