// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What shells complete command lines with.
enum CompletionScript {
    /// The parser's own knows nothing of default commands: a film needs no "play" before it.
    static var bash: String {
        let commands = PlayheadCommand.configuration.subcommands.compactMap {
            $0.configuration.commandName
        }
        return PlayheadCommand.completionScript(for: .bash) + """


            # Where there is no command, what "play" takes is offered, and for the first word both.
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
