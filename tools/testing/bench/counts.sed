# SPDX-License-Identifier: GPL-2.0-only
# Convert what the test machine sent to lines "NAME VALUE": sed -nEf counts.sed FILE
s/^[|]ok [0-9]+ - ([a-z0-9_]+ [0-9.]+(e[+]?[0-9]+)?)\r?$/\1/p
