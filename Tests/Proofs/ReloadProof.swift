// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import Playhead

/// `prove reload`: an effect that is saved is seen on the film in less than 100 ms, and no save, good
/// or broken, costs the film a frame.
///
/// A film of 1920 x 1080 and 30 frames a second, H.264, plays through an effect on a display of 60 Hz,
/// while its file is saved a thousand times, in place and by renaming in turns; every other save does
/// not compile. Each good state paints a colour of its own into a corner, so that the first frame of
/// it is found in the pixels; frame numbers are read from them as well, and each has to be seen.
struct ReloadProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Saves of an effect while a film plays through it.")

    @Flag(help: "100 saves instead of 1,000.")
    var short = false

    static let film: SyntheticMedia = {
        let duration = MediaTime(value: 20, timescale: 1)
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
        Progress.show("making the film")
        let file = try SyntheticClip(Self.film).url().path
        let folder = TemporaryFolder()
        // What is compiled here is of no use to anybody afterwards.
        setenv("MESA_SHADER_CACHE_DIR", folder.appending("cache").path, 1)
        var report = Report("reload")
        report.add("machine", Machine.waitUntilQuiet(seconds: short ? 15 : 60))
        let saves = short ? 100 : 1000
        try report.measure(attempts: short ? 1 : 2) { report in
            let before = Machine.usage
            let run = try ReloadRun(file, folder: folder, saves: saves)
            try run.play()
            let others = Machine.shareOfOthers(since: before)
            run.add(to: &report, others: others)
            return others
        }
        try report.finish()
    }
}
