// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove tracks`: eight video tracks and eight audio tracks of one file play together.
///
/// On a manual clock, the frames of an output for each video track are compared with the expected
/// ones by the numbers in their pixels, and every sample that the audio device receives with the
/// sum of the samples of all tracks, each decoded by itself. A second time, one video track and one
/// audio track are switched off and on a hundred times. Then the tracks are played in real time, as
/// layers of a scene on a display of 30 Hz.
struct TracksProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tracks", abstract: "Eight video tracks and eight audio tracks, together.")

    @Flag(help: "Plays 5 seconds instead of 20.")
    var short = false

    private static let switchCount = 100

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("tracks: ffmpeg is missing; apt-get install ffmpeg")
        }
        var report = Report("tracks")
        Progress.show("making the video")
        let film = try TracksFilm(seconds: short ? 5 : 20)
        for (name, switchCount) in [("all tracks", 0), ("one off and on", Self.switchCount)] {
            let run = try TracksRun(film, switchCount: switchCount, name: name)
            run.add(to: &report, name: name, film, switchCount: switchCount)
        }
        report.add("machine", Machine.waitUntilQuiet(seconds: short ? 10 : 60))
        try report.measure(attempts: short ? 2 : 3) { report in
            Progress.show("in real time")
            let before = Machine.usage
            let scene = try TracksScene(film)
            let others = Machine.others(since: before)
            scene.add(to: &report)
            report.add("  others", others)
            return others
        }
        try report.finish()
    }
}
