# SPDX-License-Identifier: GPL-2.0-only
# Downloads sources from the Debian mirror of the build host's apt configuration. apt verifies
# them. The lists of sources are in the cache; those of the build host do not change. Messages
# name the log files instead of quoting apt, whose words name hosts.
# shellcheck shell=bash

DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
# A line of advice, printed if a source cannot be downloaded. The callers set it.
DEBIAN_HINT=

# debian_suite NAME [deb [ARCH]]: use the sources of this release, or its packages for ARCH
debian_suite() {
	DEBIAN_SUITE=$1 DEBIAN_TYPE=${2:-deb-src} DEBIAN_ARCH=${3:-}
	DEBIAN_DIR=$CACHE/apt-$1${2:+-$2}${3:+-$3}
}
debian_suite bullseye

# debian_mirrors: print a line "archive URI" or "security URI" for each Debian mirror that the
# build host's apt uses. sid has no security archive; that of other releases is next to its mirror.
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

# debian_release_sources RELEASE [TYPE]: print the lines of apt's sources for a release
debian_release_sources() {
	debian_mirrors | awk -v release="$1" -v type="${2:-deb}" '
		function line(suite) { print type, $2, suite, "main" }
		release ~ /^(sid|unstable)$/ { if ($1 == "archive") line(release); next }
		$1 == "archive" { line(release); line(release "-updates") }
		$1 == "security" { line(release "-security") }'
}

debian_apt() {
	"$1" -o Dir::Etc::SourceList="$DEBIAN_DIR/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State="$DEBIAN_DIR/state" -o Dir::Cache="$DEBIAN_DIR/cache" \
		-o Dir::State::status=/var/lib/dpkg/status \
		${DEBIAN_ARCH:+-o "APT::Architecture=$DEBIAN_ARCH" -o "APT::Architectures=$DEBIAN_ARCH"} \
		-o Acquire::Languages=none -o Acquire::Retries=3 \
		-o APT::Sandbox::User="$(id -un)" "${@:2}"
}

debian_update() {
	mkdir -p "$DEBIAN_DIR/state" "$DEBIAN_DIR/cache"
	command -v apt-get >/dev/null ||
		die "there is no apt-get, so this script cannot download sources" "$DEBIAN_HINT"
	[ -f "$DEBIAN_KEYRING" ] ||
		die "there is no $DEBIAN_KEYRING" "Install the package debian-archive-keyring." "$DEBIAN_HINT"
	debian_release_sources "$DEBIAN_SUITE" "$DEBIAN_TYPE [signed-by=$DEBIAN_KEYRING]" \
		>"$DEBIAN_DIR/sources.list"
	[ -s "$DEBIAN_DIR/sources.list" ] ||
		die "apt's sources on the build host name no Debian mirror with the component main" "$DEBIAN_HINT"
	say "updating the index ($DEBIAN_TYPE) of Debian $DEBIAN_SUITE"
	debian_apt apt-get -q update >"$DEBIAN_DIR/update.log" 2>&1 || true	# one of several may fail
}

# debian_versions SOURCE [POOL]: print the versions in the downloaded index, the oldest one first.
# The index also names versions that the release no longer has; they are "Extra-Source-Only".
debian_versions() {
	{ debian_apt apt-cache showsrc --only-source "$1" 2>/dev/null || true; } | awk -v pool="${2:-pool}" '
		function finish() { if (version) print version; version = "" }
		/^Version: / { finish(); version = $2 }
		/^Extra-Source-Only: yes/ || /^Directory: / && index($2, pool) != 1 { version = "" }
		END { finish() }' | sort -V -u
}

# debian_newest SOURCE: print the newest version. An index that has one is not updated.
debian_newest() {
	[ -n "$(debian_versions "$1")" ] || debian_update
	debian_versions "$1" | tail -n 1 | grep . || die \
		"the index of Debian $DEBIAN_SUITE has no source package $1" \
		"The log of the download is $DEBIAN_DIR/update.log" "$DEBIAN_HINT"
}

# debian_download SOURCE VERSION TARBALL: return 1 if the mirror does not have it.
debian_download() {
	local dir
	dir=$(mktemp -d -p "$CACHE/src")
	say "downloading ${1}_$2 from Debian $DEBIAN_SUITE (apt verifies it with the signed index)"
	(cd "$dir" && debian_apt apt-get -q source --download-only --tar-only \
		--only-source "$1=$2") >"$DEBIAN_DIR/fetch.log" 2>&1 || true
	mv "$dir/${3##*/}" "$3" 2>/dev/null || true
	rm -rf "$dir"
	[ -f "$3" ]
}

# debian_fetch SOURCE VERSION TARBALL
debian_fetch() {
	debian_download "$@" || die \
		"the index of Debian $DEBIAN_SUITE names $1 $2, but it cannot be downloaded" \
		"The log is $DEBIAN_DIR/fetch.log" "$DEBIAN_HINT"
}
