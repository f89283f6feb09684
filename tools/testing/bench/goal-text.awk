# SPDX-License-Identifier: GPL-2.0-only
# Functions that describe evaluated goals, for the awk programs that print tables.

# read_goals(FILE): set goal[ROW] to the text of the goal's column
function read_goals(file,    text, field, judgement) {
	while ((getline text <file) > 0) {
		split(text, field, " ")
		if (field[4] == "states")
			judgement = stated(field[3])
		else
			judgement = judged(field[3], field[4], field[5], field[6])
		goal[field[2]] = "  " field[1] ": " judgement
	}
	close(file)
}

function stated(difference) {
	return difference == "-" ? "unknown" : sprintf("costs %+.10g", difference)
}

# More digits if the quotient looks like the limit and is not.
function shown(quotient, limit,    text) {
	if (quotient == "-")
		return "-"
	text = sprintf("%.4g", quotient)
	return text + 0 == limit + 0 ? sprintf("%.7g", quotient) : text
}

function judged(quotient, relation, limit, result) {
	sub(/-/, " ", relation)
	return sprintf("%s %s %s, %s", shown(quotient, limit), relation,
		       relation == "within" ? limit * 100 "%" : limit,
		       result == "missed" ? "MISSED" : result)
}
