// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// `prove avsync`: in a window, the flash and the tick of each second are within 20 ms of each
/// other.
///
/// A video in which the first frame of each whole second begins a flash, and whose audio ticks on
/// each whole second, plays in a `PlayerWindow` on a private X server (Xvfb) and a private
/// PulseAudio server with a null sink. Neither time below is taken from the player's own clock.
///
/// **The time of a tick.** A recorder captures the monitor of the null sink. A monitor gets samples
/// in blocks when the sink *renders* them, before a loudspeaker on that sink would play them, so
/// the time at which samples arrive at a recorder is not their time of playback. PulseAudio reports
/// the latency of the sink: at the moment of a timestamp made by the server, sample *n* had been
/// rendered, and the last rendered sample would be played one latency later. So at that moment
/// sample *n* minus the latency was playing. As the device clock advances, the latency of the null
/// sink falls at the same rate until the next block is rendered, so that difference rises evenly.
/// Some ten readings of it a second give each recorded sample its host time (see `PulseRecorder`).
/// The player reads the latency of its own stream from the same server, but for another stream and
/// on another connection: this proof covers everything from the sample in the file to the sink's
/// input and the player's reading of its clock. It does not cover the latency that the driver of a
/// real device reports.
///
/// **The time of a flash.** The ledger's record of the frame contains the vsync from which on it
/// was visible, by X Present's count and time of vsyncs. That is verified from outside: Xvfb keeps
/// its screen in memory that this process polls a thousand times a second. It has no scan-out, so
/// pixels change as soon as the swap arrives. That must be before the vsync in the ledger. Both
/// times are judged.
///
/// The first second of the video does not count: its first frame is in the window before playback
/// starts, and so has no time of its own. A result that falls short while other programs use a
/// quarter of the machine or more is measured again.
///
/// The achievable minimum: a vsync shows the frame that is due by then, so a flash comes up to one
/// vsync, 16.7 ms, after its time, depending on where playback happened to start between two
/// vsyncs.
struct SynchronyProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "avsync", abstract: "Flash and tick are within 20 ms, in a window.")

    @Flag(help: "Runs for 20 s instead of 60.")
    var short = false

    /// The limit of detectability in ITU-R BT.1359 is wider: 45 ms early to 125 ms late.
    static let limit = 20.0

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("avsync: ffmpeg is missing; apt-get install ffmpeg")
        }
        guard PulseServer.isInstalled else { throw CannotProve("avsync: \(PulseServer.absence)") }
        let seconds = short ? 20 : 60
        Progress.show("making the video")
        let film = Self.film(seconds: seconds)
        // PCM samples: a codec would smear the first sample of the tick.
        let clip = SyntheticClip(film, audioCodec: "pcm_s16le", container: "mov")
        let file = try clip.url().path
        let display = try XServer()
        setenv("DISPLAY", display.display, 1)
        unsetenv("WAYLAND_DISPLAY")
        var report = Report("avsync")
        report.add("machine before", Machine.waitUntilQuiet(seconds: short ? 15 : 60))
        try report.measure(attempts: short ? 1 : 3) { report in
            // Started after the wait, since an unused server ends.
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
