# SPDX-License-Identifier: GPL-2.0-only
# Print the C tables of exit_reasons.list, which has the exit reasons that the headers of Linux 6.1
# define. The kvm_stat of that kernel shows the same ones.
#
# A line has a set, and words NUMBER=NAME of its exit reasons, such as "vmx 12=HLT". Before them, the word
# field=NAME names the field of the tracepoint that contains the reason.
#
# usage: awk -f exit_reasons.awk exit_reasons.list

function end_set()
{
	if (set != "")
		printf "};\n\nstatic const struct exit_reasons %s = {\n" \
			"\t\"%s\", %s_reason, ARRAY_SIZE(%s_reason)\n};\n\n", set, field, set, set
}

{
	for (i = 2; i <= NF; i++) {
		split($i, word, "=")
		if (word[1] == "field") {
			end_set()
			set = $1
			field = word[2]
			print "static const struct exit_reason " set "_reason[] = {"
		} else {
			print "\t{ " word[1] ", \"" word[2] "\" },"
		}
	}
}

END { end_set() }
