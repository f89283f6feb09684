# SPDX-License-Identifier: GPL-2.0-only
# What `tmux capture-pane -e` gives of screens, one below the other, as a picture in SVG.
BEGIN {
	cell = 8.43; row = 18; margin = 14
	plain = "#d0d0d0"; back = "#1c1c1c"
	split("31 32 33 34 35 36 37", codes)
	split("#ef5350 #66bb6a #ffca28 #64b5f6 #ba68c8 #4dd0e1 #ffffff", colors)
	for (i in codes)
		color[codes[i]] = colors[i]
	text = ""
	y = margin + 14
}

function reset_attributes()
{
	bold = dim = reverse = 0
	front = ""
}

function take_codes(sequence,	part, n, i)
{
	n = split(sequence, part, ";")
	if (!n)
		reset_attributes()
	for (i = 1; i <= n; i++) {
		if (part[i] == "" || part[i] == 0)
			reset_attributes()
		else if (part[i] == 1)
			bold = 1
		else if (part[i] == 2)
			dim = 1
		else if (part[i] == 7)
			reverse = 1
		else if (part[i] == 27)
			reverse = 0
		else if (part[i] == 22)
			bold = dim = 0
		else if (part[i] in color)
			front = color[part[i]]
		else if (part[i] == 39)
			front = ""
	}
}

function escape(s)
{
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	gsub(/>/, "\\&gt;", s)
	return s
}

# How many characters: bytes that do not go on with one.
function characters(s)
{
	gsub(/[\200-\277]/, "", s)
	return length(s)
}

function put(s,		n, fill)
{
	n = characters(s)
	if (n) {
		fill = front == "" ? plain : front
		if (reverse)
			text = text sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
				margin + column * cell, y - 13, n * cell, row, fill)
		if (s ~ /[^ ]/)
			text = text sprintf("<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\" fill=\"%s\"%s%s>%s</text>\n",
				margin + column * cell, y, n * cell, reverse ? back : fill,
				bold ? " font-weight=\"bold\"" : "",
				dim ? " opacity=\"0.55\"" : "", escape(s))
		column += n
	}
	if (column > columns)
		columns = column
}

FNR == 1 {
	reset_attributes()
	if (NR > 1) {
		text = text sprintf("<line x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\" stroke=\"#555\"/>\n",
			y - 6, y - 6)
		y += row
	}
}

{
	column = 0
	rest = $0
	while (match(rest, /\033\[[0-9;]*m/)) {
		put(substr(rest, 1, RSTART - 1))
		take_codes(substr(rest, RSTART + 2, RLENGTH - 3))
		rest = substr(rest, RSTART + RLENGTH)
	}
	# Some terminals' sequences for another character set.
	gsub(/[\016\017]/, "", rest)
	put(rest)
	y += row
}

END {
	width = columns * cell + 2 * margin
	height = y - 14 + margin
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
		width, height, width, height
	print "<!-- SPDX-License-Identifier: GPL-2.0-only; made by tools/kvm/kvm_stats/screenshot -->"
	printf "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"%s\"/>\n", back
	print "<g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">"
	printf "%s</g>\n</svg>\n", text
}
