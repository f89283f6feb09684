# SPDX-License-Identifier: GPL-2.0-only
# Check commit subjects, one in a line: "prefix: Imperative verb ...", at most 72 columns.

function finding(text)
{
	print "\"" $0 "\": " text
	bad = 1
}

length($0) > 72 { finding("longer than 72 columns") }

!/^[A-Za-z0-9_.,\/ -]+(: [a-z0-9_-]+)*: / { finding("has no prefix such as \"kvm-stats: \""); next }

{
	verb = $0
	sub(/^.*[a-z0-9A-Z_-]: /, "", verb)
	sub(/ .*/, "", verb)
	if (verb !~ /^[A-Z]/)
		finding("begins with a lower-case word after the prefix")
	else if (verb ~ /(ed|ing)$/ && verb !~ /^(Need|Feed|Embed|Bring|Ring|Ping|Seed|Exceed|Proceed|Speed)$/ ||
		 verb ~ /[^s]s$/ && verb !~ /^(Focus|Alias|Bias)$/)
		finding("\"" verb "\" is not imperative")
}

END { exit bad }
