// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The completion script for Bash.
enum CompletionScript {
    /// Returns the script. The argument parser's own script is not enough, because it does not
    /// complete the options of `play` when the command is omitted.
    static func bash(of root: any ParsableCommand.Type) -> String {
        let commands = root.configuration.subcommands.compactMap {
            $0.configuration.commandName
        }
        return root.completionScript(for: .bash) + """


            # Without a command, the arguments of "play" are offered, and for the first word both.
            _playhead_or_play() {
                case "${COMP_WORDS[1]}" in
                \((commands + ["help"]).joined(separator: "|"))) _playhead "${@}"; return ;;
                esac
                [[ "${COMP_CWORD}" -gt 1 ]] || _playhead "${@}"
                COMP_LINE="${COMP_LINE/"${COMP_WORDS[0]}"/"${COMP_WORDS[0]} play"}"
                ((COMP_POINT += 5, COMP_CWORD += 1))
                COMP_WORDS=("${COMP_WORDS[0]}" play "${COMP_WORDS[@]:1}")
                _playhead "${@}"
            }

            complete -o filenames -F _playhead_or_play playhead
            """
    }
}
