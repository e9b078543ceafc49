// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The clip that is played if no file is named: a moving subject on a green screen, with audio.
enum BuiltInClip {
    private static let name = "greenscreen.mp4"

    /// Returns the path of the clip: the one in `PLAYHEAD_CLIP`, the one installed with the
    /// program, or the one in the checkout in which the program was built.
    static func path() throws -> String {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let executable =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .map { URL(fileURLWithPath: $0) } ?? program
        var candidates = [ProcessInfo.processInfo.environment["PLAYHEAD_CLIP"]].compactMap { $0 }
        var folder = executable.deletingLastPathComponent()
        candidates.append(folder.appendingPathComponent("../share/playhead/\(name)").path)
        // In a checkout, the program is some levels down in the build directory.
        for _ in 0..<5 {
            candidates.append(folder.appendingPathComponent("Media/\(name)").path)
            folder.deleteLastPathComponent()
        }
        guard let path = candidates.first(where: FileManager.default.fileExists(atPath:)) else {
            throw ToolError(
                .mediaFailure,
                "the built-in clip \(name) is missing; name a file to play, or set PLAYHEAD_CLIP")
        }
        return path
    }
}
