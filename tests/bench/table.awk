# SPDX-License-Identifier: GPL-2.0-only
# Print a table with a column for each file: awk -F '\t' -f table.awk FILE...
#
# A file has lines "ROW<tab>VALUE". The first line has the titles of the table and of the column.

FNR == 1 { columns++ }
columns == 1 { title[++rows] = $1 }
{ value[$1, columns] = $2 }

END {
	for (row = 1; row <= rows; row++) {
		line = "| " title[row] " |"
		rule = "| --- |"
		for (i = 1; i <= columns; i++) {
			text = value[title[row], i]
			line = line " " (text ~ /^[0-9.]+(e[+]?[0-9]+)?$/ && row > 1 ? sprintf("%.0f", text) : text) " |"
			rule = rule " ---: |"
		}
		print line (row == 1 ? "\n" rule : "")
	}
}
