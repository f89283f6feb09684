# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tools.t. A small VMM, and what kvm-stats says.

# start_vmm ARGUMENT...: false if it did not get ready
start_vmm()
{
	rm -f "$out/vmm.in" "$out/vmm.out"
	mkfifo "$out/vmm.in"
	# On "$(...)" of a fifo this shell would wait, on <> it does not.
	exec 9<>"$out/vmm.in"
	"$out/vmm" "$@" <"$out/vmm.in" >"$out/vmm.out" 2>"$out/vmm.err" 9>&- &
	vmm=$!
	wait_for '^ready$'
}

# wait_for_line REGEX FILE PID: false if the process ends, or a minute goes by
wait_for_line()
{
	local tries=600

	until grep -q "$1" "$2" 2>/dev/null; do
		kill -0 "$3" 2>/dev/null && [ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

wait_for()
{
	wait_for_line "$1" "$out/vmm.out" "$vmm"
}

# From then on its numbers stand still: they are in vmm.out.
freeze_vmm()
{
	echo stop >&9
	wait_for '^stopped '
}

stop_vmm()
{
	[ -n "$vmm" ] || return 0
	kill "$vmm" 2>/dev/null
	wait "$vmm" 2>/dev/null
	exec 9>&-
	vmm=
}

# For a moment, beside the one that is there.
start_another_vmm()
{
	"$out/vmm" -s "$@" <"$out/vmm.in" >"$out/another.out" 2>&1 9>&- &
	another=$!
	wait_for_line '^ready$' "$out/another.out" $another
}

stop_another_vmm()
{
	kill $another
	wait $another 2>/dev/null
}

# Why no VM can be run and looked at here; nothing if one can.
no_vm_because()
{
	if ! gcc -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE -pthread \
		-o "$out/vmm" "$command/tests/vmm.c" >"$out/log" 2>&1; then
		echo "the small VMM does not build: $(head -n 1 "$out/log")"
	elif ! start_vmm -s; then
		echo "$(cat "$out/vmm.err")"
	fi
	stop_vmm
}

# run_stats STATUS ARGUMENT...: its output is in found; false if its status is another
run_stats()
{
	local status=$1 left

	shift
	found=$("$stats" "$@" 2>&1 9>&-)
	left=$?
	printf '%s\n' "$found"
	[ $left -eq "$status" ] && return
	echo "expected exit status $status, found $left"
	false
}

# says STATUS REGEX ARGUMENT...
says()
{
	local status=$1 regex=$2 found

	shift 2
	run_stats "$status" "$@" && printf '%s\n' "$found" | grep -Eq -e "$regex"
}

says_not()
{
	local status=$1 regex=$2 found

	shift 2
	run_stats "$status" "$@" && ! printf '%s\n' "$found" | grep -Eq -e "$regex"
}

# completes REGEX WORD...: what bash offers for the last word behind "kvm-stats"
completes()
{
	local regex=$1

	shift
	bash -c '. "$1"
		COMP_WORDS=("${@:2}")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_kvm_stats
		echo "${COMPREPLY[*]}"' - "$command/kvm-stats.bash" "$stats" "$@" >"$out/completed"
	cat "$out/completed"
	grep -Eq -e "$regex" "$out/completed"
}
