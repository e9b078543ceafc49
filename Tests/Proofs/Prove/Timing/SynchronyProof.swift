// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// `prove avsync`: in a window, flash and tick of each second come within 20 ms of each other.
///
/// A film whose first frame of each whole second is the first to flash, and whose sound ticks on each
/// whole second, plays in a `PlayerWindow` on a private X server (Xvfb) and a private PulseAudio
/// server with a null sink. Neither time below is taken from the player's own clock.
///
/// **When a tick is heard.** A recorder takes the monitor of the null sink. A monitor gets samples
/// when the sink *renders* them, in blocks, ahead of when a loudspeaker on that sink would play them,
/// so the time at which samples arrive at a recorder says little. What PulseAudio itself says is the
/// sink's latency: at the moment of a stamp, made by the server, sample *n* had been rendered, and
/// the last sample rendered would be heard a latency later. So at that moment sample *n* less the
/// latency was being heard. As the device clock moves on, the null sink's latency shrinks at the
/// same rate until the next block is rendered, so that difference rises evenly, and readings of it,
/// some ten a second, give each recorded sample its host time (see `PulseRecorder`). The player
/// reads the same server's latency for its own stream, but of another stream and on another
/// connection: what this proves is everything from the film's sample to the sink's input and the
/// player's reading of its clock. That a real device's latency is what its driver says is beyond it.
///
/// **When a flash is seen.** The ledger's record of the frame tells the vsync from which it was seen,
/// by X Present's count and time of vsyncs. That is checked from outside: Xvfb keeps its screen in
/// memory that this process looks at a thousand times a second. It has no scan-out, so pixels change
/// as soon as the swap gets there, which has to be before the vsync that the ledger names, by less
/// than the vsyncs that a frame has to get there. Both times are judged.
///
/// The film's first second does not count: its first frame stands in the window before the film
/// moves, and so has no time of its own. What falls short while other programs use a quarter of the
/// machine or more is measured again.
///
/// What can be had: a vsync shows the frame that is due by then, so a flash comes up to one vsync,
/// 16.7 ms, after its time, depending on where the film happened to start between two vsyncs.
struct SynchronyProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "avsync", abstract: "Flash and tick come within 20 ms, in a window.")

    @Flag(help: "20 s instead of 60.")
    var short = false

    /// The limit of detectability in ITU-R BT.1359 is wider: 45 ms early to 125 ms late.
    static let limit = 20.0

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("avsync: ffmpeg is missing; apt-get install ffmpeg")
        }
        guard PulseServer.isInstalled else { throw CannotProve("avsync: \(PulseServer.absence)") }
        let seconds = short ? 20 : 60
        Progress.show("making the film")
        let film = Self.film(seconds: seconds)
        // Samples as they are: a codec would smear the tick's first one.
        let clip = SyntheticClip(film, audioCodec: "pcm_s16le", container: "mov")
        let file = try clip.url().path
        let display = try XServer()
        setenv("DISPLAY", display.display, 1)
        unsetenv("WAYLAND_DISPLAY")
        var report = Report("avsync")
        report.add("machine before", Machine.waitUntilQuiet(seconds: short ? 15 : 60))
        try report.measure(attempts: short ? 1 : 3) { report in
            // After the wait: an unused server ends.
            let sound = try PulseServer()
            let before = Machine.usage
            let run = try MainActor.assumeIsolated {
                try SynchronyRun.play(file, film: film, on: display, server: sound.address)
            }
            let others = Machine.others(since: before)
            report.add("machine during", "others used \(others)")
            run.add(to: &report, seconds: seconds)
            return others
        }
        try report.finish()
    }

    private static func film(seconds: Int) -> SyntheticMedia {
        let duration = MediaTime(value: Int64(seconds), timescale: 1)
        var film = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration))
        (film.width, film.height) = (1280, 720)
        film.keyframeInterval = 60
        film.bidirectionalFrames = 2
        return film
    }
}
