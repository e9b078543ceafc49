// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove reload`: a saved effect is visible in the video within 100 ms, and no save, valid or
/// broken, drops a frame of the video.
///
/// A video of 1920 x 1080 and 30 frames a second, H.264, plays through an effect on a display of 60
/// Hz, while the effect's file is saved a thousand times, alternately in place and by renaming.
/// Every other version does not compile. Each valid version paints its own colour into a corner, so
/// that its first frame is found in the pixels. Frame numbers are read from the pixels as well, and
/// each must be seen.
///
/// Effects are drawn at the size at which they are displayed. Software OpenGL needs 75 ms of
/// processor time for a frame of 1920 x 1080 through an effect. If a machine does not show every
/// frame in a window of that size without saves, the proof uses smaller windows until it does, and
/// reports the size.
struct ReloadProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Saves of an effect while a video plays through it.")

    @Flag(help: "Saves 100 times instead of 1,000.")
    var short = false

    private static let windows = [(1920, 1080), (1280, 720), (960, 540), (640, 360)]

    private static let film: SyntheticMedia = {
        let duration = MediaTime(value: 10, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration))
        (media.width, media.height) = (1920, 1080)
        media.keyframeInterval = 60
        return media
    }()

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("reload: ffmpeg is missing; apt-get install ffmpeg")
        }
        let folder = TemporaryFolder()
        // Shaders that are compiled here are of no use later.
        setenv("MESA_SHADER_CACHE_DIR", folder.appending("cache").path, 1)
        var report = Report("reload")
        report.add("machine", Machine.waitUntilQuiet(seconds: short ? 15 : 60))
        let saves = short ? 100 : 1000
        let window = try Self.largestWindow(folder, &report)
        try report.measure(attempts: short ? 1 : 2) { report in
            let before = Machine.usage
            let run = try ReloadRun(Self.film, in: window, folder: folder, saves: saves)
            try run.play()
            let others = Machine.others(since: before)
            run.add(to: &report, others: others)
            return others
        }
        try report.finish()
    }

    /// Returns the largest window in which this machine shows every frame of the video through an
    /// effect without saves; the smallest if no window does.
    private static func largestWindow(
        _ folder: TemporaryFolder, _ report: inout Report
    ) throws -> (width: Int, height: Int) {
        report.add("video", "\(film.width) x \(film.height), 30 frames a second")
        for window in windows {
            Progress.show("\(window.0) x \(window.1), without saves")
            let run = try ReloadRun(film, in: window, folder: folder, saves: 0)
            try run.play()
            report.add(
                "in \(window.0) x \(window.1), without saves",
                "\(run.frames.seen) of \(run.frames.due) frames seen")
            if run.frames.seen == run.frames.due {
                report.add("window", "\(window.0) x \(window.1)")
                return window
            }
        }
        report.require(false, "this machine shows no 1080p30 through an effect, saves or not")
        return windows[windows.count - 1]
    }
}
