# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completes the options of kvm_stat in bash. They are read from the help text.

_kvm_stat()
{
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}

	case ${COMP_WORDS[COMP_CWORD - 1]} in
	-L | --log-to-file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	-f | --fields | -g | --guest | -p | --pid | -s | --set-delay | =) COMPREPLY=() ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$("$program" --help |
		sed -n '/^  -/p' | grep -oE '(^  |, )--?[[:alnum:]-]+' | tr -d ' ,')" -- "$word") ;;
	esac
}

complete -F _kvm_stat kvm_stat
