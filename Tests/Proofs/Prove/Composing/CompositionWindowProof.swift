// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove composition-window`: four videos of 720p as the quarters of a window miss no frame. It is
/// part of `Scripts/prove/video-composition`; a window needs the first thread of a process.
struct CompositionWindowProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "composition-window",
        abstract: "A composition of four videos in a window misses no frame.")

    @Flag(help: "Measures once, even if others disturb it.")
    var short = false

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("composition-window: ffmpeg makes the videos, and is missing")
        }
        let server = try XServer()
        setenv("DISPLAY", server.display, 1)
        var report = Report("composition-window")
        try report.measure(attempts: short ? 1 : 3) { report in
            Progress.show(Machine.waitUntilQuiet(seconds: short ? 5 : 60))
            let usage = Machine.usage
            try MainActor.assumeIsolated { try LiveComposition().play(&report) }
            return Machine.others(since: usage)
        }
        withExtendedLifetime(server) {}
        try report.finish()
    }
}
