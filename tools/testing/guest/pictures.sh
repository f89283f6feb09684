#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Run the script of the pictures of `kvm-stats top` below the root directory of the build host, and
# print each screen, encoded, in a comment. tools/kvm/kvm_stats/pictures/screenshot decodes them.
#
# shellcheck shell=dash

screens=/tmp/screens

mkdir -p "$BOOT_HOST$screens"
if chroot "$BOOT_HOST" bash /tmp/boot/screenshot --screens /tmp/boot $screens; then
	for file in "$BOOT_HOST$screens"/*; do
		name=${file##*/}
		echo "# screen $name $(chroot "$BOOT_HOST" base64 -w 0 "$screens/$name")"
	done
	echo "ok 1 - the screens of top are taken"
else
	echo "not ok 1 - the screens of top are taken"
fi
echo "1..1"
