// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import MediaTestSupport
import PlayheadUI

/// `prove first-picture`: the time from the start of the program until the first frame of a local
/// video of 1920 x 1080 is on the screen, compared with mpv in the same run, alternately.
///
/// Both play the same video, H.264 with B-frames, without audio, in a window of 1280 x 720 at the
/// origin of a display of their own. The first frame is there when the number of a frame can be
/// read from the display's pixels, which are polled 2,000 times a second. Figures are medians.
struct FirstPictureProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "first-picture", abstract: "From the program's start to its first frame.")

    @Flag(help: "Runs 5 rounds instead of 20.")
    var short = false

    private static let patience: Int64 = 30_000_000_000

    private static let film: SyntheticMedia = {
        let duration = MediaTime(value: 4, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration), sounds: [])
        (media.width, media.height) = (1920, 1080)
        media.keyframeInterval = 60
        media.bidirectionalFrames = 2
        return media
    }()

    private static let folder = TemporaryFolder()

    private struct Contender {
        var name: String
        var command: [String]
        var times: [Double] = []
    }

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("first-picture: ffmpeg is missing; apt-get install ffmpeg")
        }
        guard ProcessRunner.has("mpv") else {
            throw CannotProve("first-picture: mpv is missing; apt-get install mpv")
        }
        Progress.show("making the video")
        let file = try SyntheticClip(Self.film).url().path
        let display = try XServer(isLasting: true)
        var contenders = [
            Contender(
                name: "playhead",
                command: [
                    try Tool.path(), "play", file, "--no-config", "--mute", "--size", "1280x720",
                ])
        ]
        for output in ["gpu", "x11"] {
            contenders.append(
                Contender(
                    name: "mpv, --vo=\(output)",
                    command: [
                        "mpv", "--no-config", "--really-quiet", "--no-audio", "--hwdec=no",
                        "--no-border", "--geometry=1280x720+0+0", "--vo=\(output)",
                        "--gpu-context=x11egl", file,
                    ]))
        }
        let before = Machine.usage
        // The first run of each, which reads programs from the disk and fills caches, does not
        // count.
        for round in 0...(short ? 5 : 20) {
            let order = contenders.indices.map { round % 2 == 0 ? $0 : contenders.count - 1 - $0 }
            for index in order {
                Progress.show("round \(round), \(contenders[index].name)")
                let time = try start(contenders[index].command, on: display)
                if round > 0 { contenders[index].times.append(time) }
            }
        }
        var report = Report("first-picture")
        report.add("others", Machine.others(since: before))
        for contender in contenders { report.add(contender.name, Self.text(contender.times)) }
        let ratio = Self.median(contenders[0].times) / Self.median(contenders[1].times)
        report.add("of mpv's time", Machine.hundredths(ratio))
        report.require(ratio <= 1, "later than mpv: \(Machine.hundredths(ratio)) of its time")
        try report.finish()
    }

    private static func median(_ times: [Double]) -> Double {
        Sample(times).magnitude(ofShare: 0.5)
    }

    private static func text(_ times: [Double]) -> String {
        let sorted = times.sorted()
        return "\(Int(median(times))) ms (\(Int(sorted.first ?? 0)) to "
            + "\(Int(sorted.last ?? 0)))"
    }

    /// Starts a program; returns the milliseconds until a frame of the video is on the screen.
    private func start(_ command: [String], on display: XServer) throws -> Double {
        func isSeen() -> Bool {
            FrameNumberStrip.read(
                fromRGBA: display.pixels, width: XServer.width, height: XServer.height,
                bytesPerRow: display.bytesPerRow,
                picture: FrameNumberStrip.Area(width: 1280, height: 720), sourceWidth: 1920,
                sourceHeight: 1080) != nil
        }
        let begin = HostClock.nanoseconds
        while isSeen(), HostClock.nanoseconds - begin < Self.patience { usleep(10_000) }
        let start = HostClock.nanoseconds
        let program = try ChildProcess(
            command,
            environment: [
                "DISPLAY": display.display, "WAYLAND_DISPLAY": nil,
                "PULSE_SERVER": "unix:/nonexistent", "XDG_RUNTIME_DIR": Self.folder.url.path,
            ])
        while !isSeen() {
            guard !program.hasEnded, HostClock.nanoseconds - start < Self.patience else {
                throw CannotProve("\(command[0]) shows nothing: \(program.standardError)")
            }
            usleep(500)
        }
        let time = Double(HostClock.nanoseconds - start) / 1e6
        program.signal()
        guard program.wait(.seconds(30)) != nil else {
            throw CannotProve("\(command[0]) does not end")
        }
        return time
    }
}
