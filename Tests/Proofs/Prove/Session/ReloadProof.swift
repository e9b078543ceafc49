// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove reload`: an effect that is saved is seen on the film in less than 100 ms, and no save, good
/// or broken, costs the film a frame.
///
/// A film of 1920 x 1080 and 30 frames a second, H.264, plays through an effect on a display of 60 Hz,
/// while its file is saved a thousand times, in place and by renaming in turns; every other save does
/// not compile. Each good state paints a colour of its own into a corner, so that the first frame of
/// it is found in the pixels; frame numbers are read from them as well, and each has to be seen.
///
/// Effects are drawn at the size at which they are seen. Software OpenGL takes 75 ms of processor for a
/// frame of 1920 x 1080 through an effect: a machine that does not show every frame of the film in a
/// window of that size when nothing is saved gets smaller windows, until it does. Which one it was is
/// told.
struct ReloadProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Saves of an effect while a film plays through it.")

    @Flag(help: "100 saves instead of 1,000.")
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
        // What is compiled here is of no use to anybody afterwards.
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

    /// The largest window in which this machine shows every frame of the video through an effect that
    /// is not saved meanwhile; the smallest if it does so in none.
    private static func largestWindow(
        _ folder: TemporaryFolder, _ report: inout Report
    ) throws -> (width: Int, height: Int) {
        report.add("film", "\(film.width) x \(film.height), 30 frames a second")
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
