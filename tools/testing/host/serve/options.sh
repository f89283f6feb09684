# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t. The command line.

# says STATUS REGEX ARGUMENT...
says()
{
	local status=$1 regex=$2 left=0

	shift 2
	"$stats" serve "$@" >"$out/said" 2>&1 || left=$?
	cat "$out/said"
	[ $left -eq "$status" ] && grep -Eq -e "$regex" "$out/said"
}

option_tests()
{
	check "help is no error" says 0 '^Usage' --help
	check "an unknown option is one" says 2 'serve --help' --frob
	check "words beside options are one" says 2 "unexpected argument 'word'" word
	check "a name is no address" says 2 'such as 127.0.0.1:10203' --listen localhost:80
	check "an interval of no time is an error" says 2 "not '0'" -i 0
	check "an interval that is no number is one" says 2 "not '5x'" -i 5x
	check "once and for ever is one" says 2 'cannot be combined' --once --listen 127.0.0.1:0
	check "an address that is not there is told" \
		says 1 "'ip address' lists" --listen 192.0.2.77:10203
	check "a name that node_exporter does not read is told" \
		says 0 'end in .prom' --once -g nobody -t "$out/kvm.txt"
}
