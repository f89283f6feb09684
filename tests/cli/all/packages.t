#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Test the installation of packages, and systems without apt and dpkg. Nothing is installed.
# shellcheck source=../../lib/tap.sh
. "$(dirname "$0")/../../lib/tap.sh"
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
unset NO_INSTALL

# ---- fake apt and dpkg, which record the calls of apt-get in the file `calls` ----

# tool NAME BODY: create the command
tool()
{
	printf '#!/bin/bash\ncd %s\n%s\n' "$work" "$2" >"fake/$1"
	chmod +x "fake/$1"
}

make_fake_system()
{
	mkdir -p fake scripts/lib
	cp "$ROOT/scripts/packages" scripts/
	cp "$ROOT/scripts/lib/common.sh" scripts/lib/
	printf '%s\n' '# comment' 'one gcc make' 'two make gcc-@GCC@-multilib' \
		'three new|old' >scripts/packages.list
	# shellcheck disable=SC2016 # the fake commands expand the variables
	{
		tool dpkg-query '
		grep -qx "${*: -1}" installed || exit 1
		case $* in *Depends*) cat depends ;; *) printf installed ;; esac'
		tool apt-cache '
		case $* in
		depends*) grep Depends known ;;
		show*) grep -qx "Package: $2" known ;;
		esac'
		tool apt-get '
		echo "$*" >>calls
		case $* in *update) cp mirror known ;; esac'
	}
	tool id 'echo 0'
}

# system INSTALLED KNOWN: the names of installed packages, and what apt-cache knows of gcc
system()
{
	tr ' ' '\n' <<<"$1" >installed
	echo "$2" >known
	echo 'cpp (= 4:14.2.0-1), cpp-x86-64 (= 4:14.2.0-1), gcc-14 (>= 14.2.0-1~), gcc-x86-64' >depends
	printf '%s\n' '  Depends: gcc-15' 'Package: old' >mirror
	: >calls
}

fake_packages()
{
	PATH=$work/fake:$PATH scripts/packages "$@"
}

# called_with TEXT: a call of apt-get ends with the text
called_with()
{
	grep -qE -e "$1\$" calls || { cat calls; return 1; }
}

make_fake_system
begin
system 'gcc make' ''
check "nothing is installed if all packages are there" eval 'fake_packages one && [ ! -s calls ]'
system make ''
check "a missing package is installed" eval 'fake_packages one && called_with "install gcc"'
system 'gcc make' '  Depends: gcc-15'
check "@GCC@ is the version of the installed gcc" eval 'fake_packages two && called_with "install gcc-14-multilib"'
system '' '  Depends: gcc-12'
check "@GCC@ is the version of apt's gcc if gcc is not installed" \
	eval 'fake_packages one two && called_with "install gcc make gcc-12-multilib"'
system '' ''
check "apt's lists are updated if they have no gcc" eval 'fake_packages two && called_with "install make gcc-15-multilib"'
system '' ''
: >mirror
expect 1 "a mirror without gcc is an error" 'apt does not know which package is gcc-@GCC@' fake_packages two
expect 1 "an unknown group is an error that lists the groups" 'one three two' fake_packages four
system old 'Package: new'
check "of two names of a package, an installed one is sufficient" eval 'fake_packages three && [ ! -s calls ]'
system '' 'Package: new'
check "of two names of a package, the one in the release is installed" \
	eval 'fake_packages three && called_with "install new"'
system '' ''
check "apt's lists are updated if they have neither name" eval 'fake_packages three && called_with "install old"'
system '' ''
check "NO_INSTALL=1 installs nothing" eval 'NO_INSTALL=1 fake_packages one two && [ ! -s calls ]'

# ---- a system without apt and dpkg: all other commands of the build host ----

make_links()
{
	mkdir links
	find /bin/ /sbin/ /usr/bin/ /usr/sbin/ ! -type d ! -name 'apt*' ! -name 'dpkg*' \
		-exec ln -sf -t links {} +
}

without_apt()
{
	PATH=$work/links "$@"
}

only_messages()
{
	! grep -vE '^(packages: error:|    )' log
}

make_links
expect 1 "without apt-get, the error names the packages" '^ +gcc libc6-dev make gcc-multilib libc6-dev-i386 jq' \
	without_apt "$ROOT/scripts/packages" tools
check "the error has no messages of other commands" only_messages
expect 1 "the error names the document with the names in other distributions" 'docs/testing.md' \
	without_apt "$ROOT/scripts/packages" tools
expect 2 "make run prints that error first" '^packages: error: there is no apt-get' \
	without_apt make -C "$ROOT" run
export NO_INSTALL=1 GIT_CONFIG_GLOBAL=$work/gitconfig
git config --global safe.directory '*'
check "without apt-get, NO_INSTALL=1 builds the tools" \
	without_apt make -C "$ROOT/tools/kvm/kvm_stats" O="$work/tools"
check "without apt-get, NO_INSTALL=1 runs a test" without_apt "$ROOT/tests/static/uapi.t"
check "without apt-get, NO_INSTALL=1 prints the patches" without_apt "$ROOT/scripts/patches" 5.10-gki
expect 1 "without apt-get, the error names the kernel source to save" "Save linux-5.10.y.tar.xz of kernel.org in $work/cache/src" \
	without_apt env KVM_STATS_CACHE="$work/cache" "$ROOT/scripts/base"
expect 1 "without apt-get, the error names the source of busybox to save" "Save busybox.net's busybox" \
	without_apt env KVM_STATS_CACHE="$work/cache" "$ROOT/tests/machine/busybox"
if "$ROOT/scripts/base" --cached >/dev/null; then
	check "without apt-get, NO_INSTALL=1 builds a boot" \
		without_apt "$ROOT/tests/boots/x86_64" --build
else
	skip "without apt-get, NO_INSTALL=1 builds a boot" "the cache has no kernel source"
fi
finish
