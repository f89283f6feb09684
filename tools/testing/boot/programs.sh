# SPDX-License-Identifier: GPL-2.0-only
# Sourced by boot: the test programs of an architecture, compiled in this checkout
# or, if they are made of the same, taken from another one's.

suite_name()
{
	basename "$1" .c
}

# What they are made of.
program_sources()
{
	printf '%s\n' tools/testing/boot/tests tools/testing/boot/reference.awk \
		Documentation/virt/kvm/stats-reference.rst include/uapi/linux/kvm_stats.h \
		tools/testing/selftests/kvm/include tools/testing/selftests/kvm/lib \
		tools/lib/kvmstats tools/kvm/kvm_stats/tests/tiny_vmm.h
}

programs_key()
{
	{
		echo "$cc,$cc32"
		$cc --version | head -n 1
		stat -c '%s %Y' "$($cc -print-file-name=libc.a)"
		(cd "$repo" && find $(program_sources) -type f | LC_ALL=C sort | xargs -d '\n' sha256sum)
	} | sha256sum | cut -c 1-16
}

# To a checkout that has none yet. They are newer than the sources that they are copied to.
take_programs()
{
	[ -d "$1" ] && [ -z "$(ls "$programs")" ] || return 0
	cp "$1"/* "$programs"
	touch -c "$1"
}

# keep_programs DIR NAME...: those that have just been made; others may be of older
# sources. Each appears as a whole; of what is not asked for any more the oldest go.
keep_programs()
{
	local kept=$1 name file

	shift
	mkdir -p "$kept"
	for name; do
		for file in "$name" "${name//_/-}.list"; do
			[ -f "$programs/$file" ] && [ ! -e "$kept/$file" ] || continue
			cp "$programs/$file" "$kept.new"
			mv "$kept.new" "$kept/$file"
		done
	done
	ls -td "$cache/tests/$arch-"????????????????/ | tail -n +4 | xargs -r rm -rf
}

# The wanted programs of those whose source is under tests/, or all.
build_programs()
{
	local test name goals=() kept

	for test; do
		name=$(suite_name "$test")
		[ ! -f "$boot_dir/tests/${name%_32}.c" ] || goals+=("$name")
	done
	[ "$*" = all ] || [ ${#goals[@]} -gt 0 ] || return 0
	kept=$cache/tests/$arch-$(programs_key)
	mkdir -p "${kept%/*}"
	exec 8>"$cache/tests/$arch.lock"
	flock 8
	take_programs "$kept"
	run_logged "$out/tests.log" make -j"$jobs" -C "$boot_dir/tests" \
		OUT="$programs" CC="$cc" CC32="$cc32" ${goals:+TESTS="${goals[*]}"}
	keep_programs "$kept" ${goals[*]:-$(ls "$programs")}
	exec 8>&-
}
