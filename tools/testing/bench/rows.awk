# SPDX-License-Identifier: GPL-2.0-only
# Of the program's TAP points make rows: "NAME VALUE", VALUE "-" where there is none.

{ sub(/\r$/, ""); sub(/^[|]/, "") }

/^(not )?ok [0-9]+ - / {
	sub(/^(not )?ok [0-9]+ - /, "")
	print $1, $2 ~ /^[0-9.]+(e[+]?[0-9]+)?$/ ? $2 : "-"
}
