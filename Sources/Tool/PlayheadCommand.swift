// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The program `playhead`.
struct PlayheadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playhead", abstract: "Plays films through OpenGL, with effects.",
        discussion: """
            EXAMPLES:
              playhead                               the built-in clip
              playhead film.mp4                      a film in a window
              playhead film.mp4 --effect chroma_key  with an effect
              playhead inspect film.mp4              what a film is
              playhead doctor                        what this machine has and lacks

            EXIT STATUS: 0 done; 1 wrong usage; 2 the input cannot be opened or decoded; \
            3 no OpenGL 3.3 or no display; 4 an effect does not compile.
            """,
        version: Version.text,
        subcommands: [
            PlayCommand.self, InspectCommand.self, SnapshotCommand.self, FramesCommand.self,
            EffectCommand.self, DoctorCommand.self,
        ], defaultSubcommand: PlayCommand.self)
}

@main
struct Main {
    @MainActor
    static func main() {
        do {
            var command = try PlayheadCommand.parseAsRoot()
            try command.run()
        } catch {
            end(with: error)
        }
        exit(ExitStatus.success.rawValue)
    }

    /// Reports an error in one line and exits; help and the version, which the parser throws too,
    /// are printed as they are.
    private static func end(with error: any Error) -> Never {
        if PlayheadCommand.exitCode(for: error).isSuccess { PlayheadCommand.exit(withError: error) }
        if error is CleanExit { PlayheadCommand.exit(withError: error) }
        let isUsage = PlayheadCommand.exitCode(for: error) == .validationFailure
        if isUsage {
            Console.note("\(PlayheadCommand.message(for: error)); see 'playhead --help'")
            exit(ExitStatus.wrongUsage.rawValue)
        }
        let failure = ToolError(error)
        Console.note(failure.description)
        exit(failure.status.rawValue)
    }
}
