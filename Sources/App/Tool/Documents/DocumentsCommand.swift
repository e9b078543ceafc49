// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead documents`: what is installed beside the program, written by the program itself.
struct DocumentsCommand: ParsableCommand {
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case man, bash, zsh, fish
        case desktop, metainfo
    }

    static let configuration = CommandConfiguration(
        commandName: "documents",
        abstract: "Prints the manual, completions and desktop files that are installed.",
        shouldDisplay: false)

    @Argument(help: "Which: man, bash, zsh, fish, desktop or metainfo.")
    var kind: Kind

    func run() throws {
        switch kind {
        case .man:
            Console.print(ManualPage.text(of: try CommandManual.current()))
        case .bash: Console.print(CompletionScript.bash)
        case .zsh: Console.print(PlayheadCommand.completionScript(for: .zsh))
        case .fish: Console.print(PlayheadCommand.completionScript(for: .fish))
        case .desktop: Console.print(DesktopEntry.text)
        case .metainfo: Console.print(DesktopEntry.metainfo)
        }
    }
}
