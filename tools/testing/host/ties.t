#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A table of statistics that does not fit its structure does not compile.
exec "$(dirname "$0")/../boot/ties"
