// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead documents`: prints the generated files that are installed with the program.
struct DocumentsCommand: ParsableCommand {
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case man, bash, zsh, fish
        case desktop, metainfo
    }

    static let configuration = CommandConfiguration(
        commandName: "documents",
        abstract: "Print the manual page, shell completions and desktop files.",
        shouldDisplay: false)

    @Argument(help: "The document: man, bash, zsh, fish, desktop or metainfo.")
    var kind: Kind

    func run() throws {
        switch kind {
        case .man:
            Console.print(ManualPage.text(of: try CommandManual(of: PlayheadCommand.self)))
        case .bash: Console.print(CompletionScript.bash(of: PlayheadCommand.self))
        case .zsh: Console.print(PlayheadCommand.completionScript(for: .zsh))
        case .fish: Console.print(PlayheadCommand.completionScript(for: .fish))
        case .desktop: Console.print(DesktopEntry.text)
        case .metainfo: Console.print(DesktopEntry.metainfo)
        }
    }
}
