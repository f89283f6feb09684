# SPDX-License-Identifier: GPL-2.0-only
# Sourced by top.t: top_monitor, which is kvm-stats top with fake VMMs.
# shellcheck shell=bash

# simulate LINE...: send lines that say what the fake VMMs do; tests/top_monitor.c describes them
simulate()
{
	printf '%s\n' "$@" >&8
}

# first_lines are lines of the simulation that the next start_top sends before it starts top.
# top_environment is the environment of top.
first_lines=()
top_environment=

# start_monitor ARGUMENT...: start top_monitor, which is kvm-stats top
start_monitor()
{
	exec 8>&- 2>/dev/null
	rm -f "$out/script"
	mkfifo "$out/script"
	exec 8<>"$out/script"
	[ ${#first_lines[@]} = 0 ] || simulate "${first_lines[@]}"
	first_lines=()
	run "clear; $top_environment top_monitor $*; echo status \$?"
}

# start_top ARGUMENT...: the screen of kvm_stat
start_top()
{
	start_monitor --classic "$@"
	sees '^kvm statistics'
}

# start_table ARGUMENT...: the table of guests, with an empty /proc
start_table()
{
	rm -rf "$out/proc"
	mkdir "$out/proc"
	top_environment="TOP_PROC=$out/proc" start_monitor "$@"
	sees '^Guests'
}

quit_top()
{
	keys q
	sees '^status 0'
}

# Give two guests three samples. The 77 pages are an instant value.
simulate_guests_quietly()
{
	simulate 'vmm 101 2 demo' 'vmm 102 1 web' 'tick 3000' 'tick 9000'
	simulate_exits_quietly
}

simulate_guests()
{
	simulate_guests_quietly
	sees ' io_exits +6000 +60\.0 +1500'
}

simulate_exits_quietly()
{
	simulate 'add 101 vcpu0 exits 3000' 'add 101 vcpu1 exits 1000' \
		'add 102 vcpu0 io_exits 6000' 'add 101 vcpu0 halt_wait_ns 1500000000' \
		'add 101 vcpu0 halt_wait_hist#11 30' 'add 101 vcpu0 halt_wait_hist#12 10' \
		'set 101 vm pages_4k 77' 'tick 4000'
}

simulate_exits()
{
	simulate_exits_quietly
	sees ' io_exits +6000 +60\.0 +1500'
}
