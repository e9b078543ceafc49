// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The clip that plays when no file is named: a moving subject on a green screen, with sound.
enum BuiltInClip {
    private static let name = "greenscreen.mp4"

    /// Where the clip lies: named by `PLAYHEAD_CLIP`, installed beside the program, or in the
    /// checkout that the program was built in.
    static func path() throws -> String {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let executable =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .map { URL(fileURLWithPath: $0) } ?? program
        var candidates = [ProcessInfo.processInfo.environment["PLAYHEAD_CLIP"]].compactMap { $0 }
        var folder = executable.deletingLastPathComponent()
        candidates.append(folder.appendingPathComponent("../share/playhead/\(name)").path)
        // In a checkout the program lies some folders down in the build folder.
        for _ in 0..<5 {
            candidates.append(folder.appendingPathComponent("Media/\(name)").path)
            folder.deleteLastPathComponent()
        }
        guard let path = candidates.first(where: FileManager.default.fileExists(atPath:)) else {
            throw ToolError(
                .mediaFailure,
                "the built-in clip \(name) is missing; name a film to play, or set PLAYHEAD_CLIP")
        }
        return path
    }
}
