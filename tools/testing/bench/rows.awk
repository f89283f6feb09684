# SPDX-License-Identifier: GPL-2.0-only
# Convert the TAP output of the program to rows, "NAME VALUE". VALUE is "-" if there is none.

{ sub(/\r$/, ""); sub(/^[|]/, "") }

/^(not )?ok [0-9]+ - / {
	sub(/^(not )?ok [0-9]+ - /, "")
	print $1, $2 ~ /^[0-9.]+(e[+]?[0-9]+)?$/ ? $2 : "-"
}
