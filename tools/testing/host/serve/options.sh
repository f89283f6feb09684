# SPDX-License-Identifier: GPL-2.0-only
# Sourced by serve.t: the command line.
# shellcheck shell=bash

# serve_prints STATUS REGEX ARGUMENT...: `kvm-stats serve` exits with STATUS, and a line of its
# output matches REGEX
serve_prints()
{
	local expected=$1 regex=$2 status=0

	shift 2
	"$stats" serve "$@" >"$out/printed" 2>&1 || status=$?
	cat "$out/printed"
	[ "$status" -eq "$expected" ] && grep -Eq -e "$regex" "$out/printed"
}

# prints_only REGEX ARGUMENT...: serve fails, and prints one line
prints_only()
{
	serve_prints 1 "$@" -g "$guest" && [ "$(wc -l <"$out/printed")" = 1 ]
}

# On a kernel that opens statistics for the VMM only, the search reports this VMM.
checks_arguments_first()
{
	local status=0

	start_vmm -name "guest=$guest" || return 1
	prints_only 'cannot listen' --listen 192.0.2.77:10203 &&
	prints_only '/nonexistent: ' --web.config.file /nonexistent &&
	prints_only 'cannot write: No such file' -t "$out/nowhere/kvm.prom" || status=1
	stop_vmm
	return "$status"
}

option_tests()
{
	check "--help is not an error" serve_prints 0 '^Usage' --help
	check "an unknown option is a usage error" serve_prints 2 'serve --help' --frob
	check "an argument that is not an option is a usage error" \
		serve_prints 2 "unexpected argument 'word'" word
	check "a host name instead of an address is a usage error" \
		serve_prints 2 'such as 127.0.0.1:10203' --listen localhost:80
	check "an interval of 0 is a usage error" serve_prints 2 "not '0'" -i 0
	check "an interval that is not a number is a usage error" serve_prints 2 "not '5x'" -i 5x
	check "an interval without a file is a usage error" \
		serve_prints 2 'add --textfile' -i 5 --listen 127.0.0.1:0
	check "--once with an interval is a usage error" \
		serve_prints 2 'cannot be combined' --once -i 5
	check "--once with --listen is a usage error" \
		serve_prints 2 'cannot be combined' --once --listen 127.0.0.1:0
	check "an address that this machine does not have is an error" \
		serve_prints 1 "'ip address' lists" --listen 192.0.2.77:10203
	check "a file name that node_exporter does not read gets a warning" \
		serve_prints 0 'end in .prom' --once -g nobody -t "$out/kvm.txt"
}
