#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test `make check-release` without a chroot: mmdebstrap and the commands in the chroot are fake.
# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NO_INSTALL=1 KVM_STATS_CACHE=$work/cache
page=build/testing/check-release-trixie.md
out=build/release-check/trixie

# fake NAME BODY: create the executable NAME
fake()
{
	printf '#!/bin/bash\n%s\n' "$2" >"$1"
	chmod +x "$1"
}

# A repository that has only what check-release needs, and commands that it calls
make_repo()
{
	mkdir -p "$work"/repo/{scripts/lib,tests/{lib,release}} "$work/fake"
	cd "$work/repo" || exit
	cp "$ROOT"/scripts/lib/{common,debian}.sh scripts/lib/
	cp "$ROOT/tests/lib/debian_root.sh" tests/lib/
	cp "$ROOT/tests/release/check-release" tests/release/
	echo build/ >.gitignore
	git init -q && git add -A && git -c user.name=a -c user.email=a@localhost commit -q -m start
	fake "$work/fake/id" 'echo 0'
	fake "$work/fake/chown" :
	fake "$work/fake/apt-config" :
	fake "$work/fake/apt-get" "echo http://mirror.example/debian stable main"
	# shellcheck disable=SC2016 # the fake command expands the variables
	fake "$work/fake/mmdebstrap" '
	[[ $* != *" nothing "* ]] || { echo "E: The repository does not have a Release file."; exit 1; }
	mkdir -p "${*: -2:1}"/{etc,root}'
	# shellcheck disable=SC2016 # the fake command expands the variables
	fake "$work/fake/chroot" '
	shift
	case $1 in
	cat) echo 13.7 ;;
	gcc) echo 14.2.0 ;;
	qemu*) echo "QEMU emulator version 10.0.13 (Debian 1:10.0.13)" ;;
	esac'
}

# commands RUN CHECK: the shell commands that are `make run` and `make check` in the chroot
commands()
{
	# shellcheck disable=SC2016 # the fake command expands the variables
	fake tests/release/enter 'case $3 in run) '"$1"' ;; check) '"$2"' ;; esac'
}

check_release()
{
	PATH=$work/fake:$PATH tests/release/check-release "$@"
}

# recorded RUN CHECK: the only row of the table has the release, these results, and the times of both
recorded()
{
	local time='[0-9]+ min [0-9]+ s'

	cat "$page"
	[ "$(wc -l <"$page")" = 3 ] && grep -qE "^\| trixie \(13.7\) \| [0-9-]{10} \| [0-9a-f]{12} \| [0-9]+ \| 14.2.0 \
\| 10.0.13 \| $1, $time \| $2, $time \|\$" "$page"
}

ends_when_killed()
{
	commands 'exec sleep 1000' :
	check_release trixie >"$work/killed.log" 2>&1 &
	for _ in {1..100}; do
		[ ! -e "$out"/run.log ] || break
		sleep 0.1
	done
	kill -TERM $!
	wait $!
	[ ! -e "$out"/root ]
}

make_repo
commands 'echo runs' 'echo "5 passed, 0 failed, 1 skipped"'
begin
expect 1 "a release must be named" 'make check-release RELEASE=trixie' check_release
expect 1 "an unknown release is an error" "the mirror has no release 'nothing'" check_release nothing
check "a release that passes is successful" check_release trixie
check "its result is recorded" recorded OK '5 passed, 0 failed, 1 skipped'
check "the output of both commands is kept" grep -q runs "$out"/run.log
check "the chroot is removed" test ! -e "$out"/root
check "the chroot has the sources of the release" \
	grep -qx 'deb http://mirror.example/debian-security/ trixie-security main' "$out"/sources.list
commands 'exit 1' 'echo "5 passed, 2 failed, 0 skipped"; echo make: Error; exit 1'
expect 1 "a release that fails is an error" 'make check: exit status 1' check_release trixie
check "its result replaces the earlier one" recorded failed '5 passed, 2 failed, 0 skipped'
commands : 'exit 1'
expect 1 "a release whose tests do not end is an error" 'make check: exit status 1' check_release trixie
check "its result has no number of test cases" recorded OK failed
commands 'exit 3' :
expect 3 "with --run, make run decides" 'make run: exit status 3' check_release --run trixie
commands : 'exit 1'
expect 0 "with --run, make check does not run" 'make run: exit status 0' check_release --run trixie
check "the chroot is removed if check-release is killed" ends_when_killed
finish
