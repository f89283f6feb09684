# SPDX-License-Identifier: GPL-2.0-only
# Downloads sources from the Debian mirror of the build host's apt configuration, for
# example Linux 5.10, the kernel of Debian 11. apt verifies the downloads. The package
# lists and settings of the build host do not change: the lists of the sources are in the
# cache, in one directory for each release.
# shellcheck shell=bash

DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
DEBIAN_SUITE=bullseye
DEBIAN_DIR=$CACHE/apt
# A line of advice, printed if the build host has no such mirror. The callers set it.
DEBIAN_HINT=

# debian_suite NAME: use this release instead of bullseye
debian_suite() {
	DEBIAN_SUITE=$1
	DEBIAN_DIR=$CACHE/apt-$1
}

# debian_mirrors: print a line "archive URI" or "security URI" for each Debian mirror that the
# build host's apt uses. sid has no security archive. Its mirror most likely has the one of other
# releases next to it; apt ignores a URI that does not exist.
debian_mirrors() {
	local codename
	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016 # apt-get expands $(...) in its format
	apt-get indextargets --no-release-info \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v codename="$codename" '
		$3 != "main" { next }
		{ kind = sub(/-security$/, "", $2) ? "security" : "archive" }
		$2 != codename && $2 !~ /^((old)*stable|testing|unstable|sid)$/ { next }
		{ print kind, $1; seen[kind] }
		kind == "archive" && sub(/\/debian\/?$/, "/debian-security/", $1) { guess = $1 }
		END { if (!("security" in seen) && guess != "") print "security", guess }
		' | sort -u
}

# debian_sources: print a deb-src line with the suite $DEBIAN_SUITE for each mirror
debian_sources() {
	debian_mirrors | awk -v suite="$DEBIAN_SUITE" -v key="$DEBIAN_KEYRING" '
		{ print "deb-src [signed-by=" key "]", $2, suite ($1 == "security" ? "-security" : ""), "main" }'
}

# debian_release_sources RELEASE: print the deb lines of a new installation of the release
debian_release_sources() {
	debian_mirrors | awk -v release="$1" '
		function line(suite) { print "deb", $2, suite, "main" }
		release ~ /^(sid|unstable)$/ { if ($1 == "archive") line(release); next }
		$1 == "archive" { line(release); line(release "-updates") }
		$1 == "security" { line(release "-security") }'
}

debian_apt() {
	local tool=$1
	shift
	"$tool" -o Dir::Etc::SourceList="$DEBIAN_DIR/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State="$DEBIAN_DIR/state" -o Dir::Cache="$DEBIAN_DIR/cache" \
		-o Dir::State::status=/var/lib/dpkg/status \
		-o Acquire::Languages=none -o Acquire::Retries=3 \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

debian_update() {
	mkdir -p "$DEBIAN_DIR/state" "$DEBIAN_DIR/cache"
	command -v apt-get >/dev/null ||
		die "there is no apt-get, so this script cannot download sources" "$DEBIAN_HINT"
	[ -f "$DEBIAN_KEYRING" ] || die "there are no Debian archive keys at $DEBIAN_KEYRING" \
		"Install the package debian-archive-keyring." "$DEBIAN_HINT"
	debian_sources >"$DEBIAN_DIR/sources.list"
	[ -s "$DEBIAN_DIR/sources.list" ] || die \
		"apt's sources on the build host name no Debian mirror with the component main" \
		"$DEBIAN_HINT"
	say "updating the list of sources from the Debian mirror"
	# apt-get fails if one of several mirrors fails. debian_versions shows whether the
	# others are sufficient.
	debian_apt apt-get -q update >"$DEBIAN_DIR/update.log" 2>&1 || true
}

# debian_versions SOURCE [PREFIX]: print the versions on the mirror that start with PREFIX,
# the oldest one first
debian_versions() {
	{ debian_apt apt-cache showsrc --only-source "$1" 2>/dev/null || true; } |
		sed -n "s/^Version: \(${2:-}.*\)/\1/p" | sort -V -u
}

# debian_missing SOURCE: exit with an error that contains apt's messages
debian_missing() {
	die "the mirror has no source package $1" \
		"apt says (whole log: $DEBIAN_DIR/update.log):" \
		"$(grep -E '^(E|W|Err)' "$DEBIAN_DIR/update.log" | head -n 5)" "$DEBIAN_HINT"
}

# debian_newest SOURCE: print the newest version. The package lists are updated only if they
# have no version of the package.
debian_newest() {
	local version
	version=$(debian_versions "$1" | tail -n 1)
	if [ -z "$version" ]; then
		debian_update
		version=$(debian_versions "$1" | tail -n 1)
	fi
	[ -n "$version" ] || debian_missing "$1"
	echo "$version"
}

# debian_try_fetch SOURCE VERSION TARBALL SIZE: return 1 if the mirror does not have it
debian_try_fetch() {
	local source=$1 version=$2 tarball=$3 size=$4 dir
	dir=$CACHE/src/.fetch-$source
	rm -rf "$dir"
	mkdir -p "$dir"
	say "downloading ${source}_$version (about $size; apt verifies it with the signed index)"
	(cd "$dir" && debian_apt apt-get -q source --download-only --tar-only \
		--only-source "$source=$version") >"$DEBIAN_DIR/fetch.log" 2>&1 || return 1
	[ -f "$dir/${tarball##*/}" ] || die "apt did not download ${tarball##*/}" \
		"it downloaded: $(ls "$dir")"
	mv "$dir/${tarball##*/}" "$tarball"
	rm -rf "$dir"
}

# debian_fetch_errors: print the first errors and warnings of the last download
debian_fetch_errors() {
	grep -E '^(E|W|Err)' "$DEBIAN_DIR/fetch.log" | head -n 5
}

# debian_fetch SOURCE VERSION TARBALL SIZE: SIZE is printed, for example "120 MB"
debian_fetch() {
	debian_try_fetch "$@" ||
		die "cannot download $1 $2; apt says (whole log: $DEBIAN_DIR/fetch.log):" \
			"$(debian_fetch_errors)"
}

# linux_tarball VERSION: print the path of kernel.org's tarball if the cache has it, else of
# Debian's
linux_tarball() {
	local kernel_org=$CACHE/src/linux-$1.tar.xz
	if [ -f "$kernel_org" ]; then
		echo "$kernel_org"
	else
		echo "$CACHE/src/linux_$1.orig.tar.xz"
	fi
}

# linux_tarballs X.Y: print the versions of Linux X.Y that are tarballs in the cache, the oldest
# one first
linux_tarballs() {
	{ find "$CACHE/src" -maxdepth 1 -type f -name "linux[-_]$1.*.tar.xz" -printf '%f\n' 2>/dev/null || true; } |
		sed -E 's/^linux.//; s/(\.orig)?\.tar\.xz$//' | sort -V
}
