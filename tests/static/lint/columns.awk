# SPDX-License-Identifier: GPL-2.0-only
# Print the lines with more than 120 columns that are not in OLD, which has the long lines of an
# earlier commit.
#
# usage: awk -f columns.awk OLD FILE...

function columns(line,    i, n)
{
	for (i = 1; i <= length(line); i++)
		n += substr(line, i, 1) == "\t" ? 8 - n % 8 : 1
	return n
}

FILENAME == ARGV[1] { old[$0] = 1; next }
columns($0) > 120 && !($0 in old) {
	print FILENAME ":" FNR ": longer than 120 columns"
	bad = 1
}
END { exit bad }
