# SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
# Replace the line @SYNOPSIS@ of a manual page by the functions that a header declares. The first
# file is the header. The names of parameters are in italics.

# Wraps a declaration at 71 columns, which a page of 78 columns has between its margins.
function declare(text,    head, n, i, parameter, parameters, name, line, width, longest)
{
	head = substr(text, 1, index(text, "("))
	n = split(substr(text, length(head) + 1), parameters, / *, */)
	for (i = 1; i <= n; i++)
		longest = length(parameters[i]) > longest ? length(parameters[i]) : longest
	if (length(head) + longest > 70 && match(head, /[a-z_]+\($/)) {
		line = substr(head, 1, RSTART - 1)
		sub(/ $/, "", line)
		synopsis = synopsis ".BI \"" line "\"\n"
		head = substr(head, RSTART)
	}
	line = head
	width = length(head)
	for (i = 1; i <= n; i++) {
		parameter = parameters[i] (i < n ? "," : "")
		if (i > 1 && width + 1 + length(parameter) > 71) {
			synopsis = synopsis ".BI \"" line "\"\n"
			line = sprintf("%*s", length(head), "")
			width = length(head)
		} else if (i > 1) {
			line = line " "
			width++
		}
		width += length(parameter)
		if (parameter != "void);" && match(parameter, /[a-z_]+(,|\);)$/)) {
			name = substr(parameter, RSTART)
			sub(/,|\);/, "", name)
			parameter = substr(parameter, 1, RSTART - 1) "\" \"" name "\" \"" \
				    (i < n ? "," : ");")
		}
		line = line parameter
	}
	synopsis = synopsis ".BI \"" line "\"\n"
}

FNR != NR {
	if ($0 == "@SYNOPSIS@")
		printf "%s", synopsis
	else
		print
	next
}
/^\/\* ---- / { synopsis = synopsis ".PP\n" }
/^\/\*/, /\*\// { next }
/^(struct|enum) .*\{$/, /^\}/ { next }
/^[a-z]/ && !/^extern/ { text = "" }
{
	sub(/^[ \t]+/, text ~ /\*$/ || text == "" ? "" : " ")
	text = text $0
}
/;$/ {
	if (text ~ /^[a-z].*\(/)
		declare(text)
	text = ""
}
