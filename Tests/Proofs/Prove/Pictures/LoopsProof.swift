// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove loops`: loops and queues are seamless.
///
/// Videos whose frames carry their number, and whose samples are their own numbers, play on a
/// manual clock that advances in steps of 10 ms, never faster than they are decoded. At each step
/// the frame that a `PlayerVideoOutput` returns is compared with the expected one by its number,
/// and every sample that the audio device receives with the expected one by its value.
///
/// The loops are a computed video, one of H.264 with B-frames and PCM audio, and one of H.264 and
/// AAC, whose audio is compared round by round with the decoded file. Then videos of four kinds,
/// which differ in size, rate, codecs and audio format, follow each other in a queue that also
/// contains a missing and a damaged file. The audio of the whole queue is recorded, and the audio
/// of each file, decoded by itself and placed one after the other, is subtracted.
///
/// The memory, threads and descriptors of the process must stay level from a tenth of the rounds
/// on.
struct LoopsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loops", abstract: "1,000 rounds of a loop, and a queue, without a seam.")

    @Flag(help: "Plays a twentieth of the rounds.")
    var short = false

    @Option(help: "The number of rounds, five times that of changes in the queue.")
    var rounds: Int?

    /// The peak level of the audio that is left after the expected audio has been subtracted.
    private static let limit = -90.0

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("loops: ffmpeg is missing; apt-get install ffmpeg")
        }
        var report = Report("loops")
        let rounds = rounds ?? (short ? 50 : 1000)
        let film = Self.film(frames: 60, framesPerSecond: 30)
        try loop(SyntheticAsset(film), "computed video", film, rounds, &report)
        for (name, codec) in [("H.264, PCM", "pcm_f32le"), ("H.264, AAC", "aac")] {
            Progress.show("making a video of \(name)")
            let clip = SyntheticClip(film, audioCodec: codec, container: "mov")
            try loop(URLAsset(url: clip.url()), name, film, rounds, &report)
        }
        try queue(changes: max(4, rounds / 5), &report)
        try report.finish()
    }

    private static func film(
        frames: Int, framesPerSecond: Int32, width: Int = 320,
        format: AudioFormat = .mono(sampleRate: 48_000)
    ) -> SyntheticMedia {
        let times = SyntheticFrameTimes(
            frameDuration: MediaTime(value: 1, timescale: framesPerSecond), count: frames)
        var film = SyntheticMedia(
            frameTimes: times,
            sounds: [SyntheticSound(.sampleNumbers, format: format, duration: times.end)])
        film.width = width
        film.height = width * 9 / 16
        film.keyframeInterval = 30
        film.bidirectionalFrames = 2
        return film
    }

    private func loop(
        _ asset: Asset, _ name: String, _ film: SyntheticMedia, _ rounds: Int,
        _ report: inout Report
    ) throws {
        let run = LoopsRun()
        let looper = PlayerLooper(player: run.player, templateItem: PlayerItem(asset: asset))
        let part = try LoopsRun.Part(asset, film)
        try run.play(Array(repeating: part, count: rounds), name: name)
        if let error = looper.error { throw error }
        run.add(to: &report, name: name, parts: rounds, rounds: looper.loopCount, Self.limit)
    }

    /// A kind of video in the queue.
    private struct Kind {
        var frames: Int
        var rate: Int32
        var width: Int
        var video: String
        var audio: String
        var container: String
        var format: AudioFormat
    }

    private static let kinds = [
        Kind(
            frames: 30, rate: 30, width: 320, video: "libx264", audio: "aac", container: "mp4",
            format: .mono(sampleRate: 48_000)),
        Kind(
            frames: 13, rate: 25, width: 480, video: "libx264", audio: "flac", container: "mkv",
            format: .stereo(sampleRate: 48_000)),
        Kind(
            frames: 24, rate: 24, width: 640, video: "mpeg4", audio: "pcm_s16le", container: "mov",
            format: .stereo(sampleRate: 44_100)),
        Kind(
            frames: 40, rate: 50, width: 256, video: "libvpx-vp9", audio: "libopus",
            container: "webm", format: .stereo(sampleRate: 48_000)),
    ]

    private func queue(changes: Int, _ report: inout Report) throws {
        let parts = try Self.kinds.map { kind in
            Progress.show("making a video of \(kind.video)")
            let film = Self.film(
                frames: kind.frames, framesPerSecond: kind.rate, width: kind.width,
                format: kind.format)
            let clip = SyntheticClip(
                film, videoCodec: kind.video, audioCodec: kind.audio, container: kind.container)
            return try LoopsRun.Part(URLAsset(url: clip.url()), film)
        }
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let damaged = folder.appending("damaged.mp4")
        try Data(repeating: 0x2A, count: 4096).write(to: damaged)
        let bad = [2: folder.appending("missing.mp4"), 4: damaged]
        let order = (0...changes).map { parts[$0 % parts.count] }
        let run = LoopsRun()
        for (number, part) in order.enumerated() {
            run.player.insert(PlayerItem(asset: part.asset), after: nil)
            guard let url = bad[number] else { continue }
            run.player.insert(PlayerItem(asset: URLAsset(url: url)), after: nil)
        }
        try run.play(order, name: "queue")
        run.add(to: &report, name: "queue", parts: order.count, rounds: nil, Self.limit)
        let skipped = run.player.skippedItems
        for item in skipped { report.add("skipped", item.error?.description ?? "no reason") }
        report.require(
            skipped.count == bad.count && skipped.allSatisfy { $0.error != nil },
            "\(skipped.count) bad items were skipped, not \(bad.count)")
    }
}
