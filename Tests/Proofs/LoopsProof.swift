// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import Playhead

/// `prove loops`: loops and queues have no seam.
///
/// Films whose pictures carry their number, and whose samples are their own numbers, play on a clock
/// that is moved by hand in steps of 10 ms, never faster than they are decoded. At each step the
/// picture that a `PlayerVideoOutput` gives is compared with the one that is due, by its number, and
/// every sample that the sound device is given with the one that is due, by its value.
///
/// Looped are a computed film, one of H.264 with B-frames and sound as it is, and one of H.264 and
/// AAC, whose sound is compared round by round with what decoding the file by itself gives. Then
/// films of four kinds follow each other in a queue: recorded is the sound of it all, and subtracted
/// what decoding each by itself gives, one laid after the other.
struct LoopsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loops", abstract: "1,000 rounds of a loop, and a queue: no seam.")

    @Flag(help: "A twentieth of the rounds.")
    var short = false

    @Option(help: "How many rounds, and a fifth as many changes of the queue.")
    var rounds: Int?

    /// What is left of the sound after what is expected has been subtracted, at its loudest.
    private static let limit = -90.0

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("loops: ffmpeg is missing; apt-get install ffmpeg")
        }
        var report = Report("loops")
        let rounds = rounds ?? (short ? 50 : 1000)
        let film = Self.film(frames: 60, framesPerSecond: 30)
        try loop(SyntheticAsset(film), "computed film", film, rounds, &report)
        for (name, codec) in [("H.264, PCM", "pcm_f32le"), ("H.264, AAC", "aac")] {
            Progress.show("making a film of \(name)")
            let clip = SyntheticClip(film, audioCodec: codec, container: "mov")
            try loop(URLAsset(url: clip.url()), name, film, rounds, &report)
        }
        try queue(changes: max(4, rounds / 5), &report)
        try report.finish()
    }

    private static func film(frames: Int, framesPerSecond: Int32) -> SyntheticMedia {
        let times = SyntheticFrameTimes(
            frameDuration: MediaTime(value: 1, timescale: framesPerSecond), count: frames)
        var film = SyntheticMedia(
            frameTimes: times,
            sounds: [
                SyntheticSound(
                    .sampleNumbers, format: .mono(sampleRate: 48_000), duration: times.end)
            ])
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

    private func queue(changes: Int, _ report: inout Report) throws {
        let kinds: [(frames: Int, rate: Int32, video: String, audio: String, container: String)] = [
            (30, 30, "libx264", "aac", "mp4"), (13, 25, "libx264", "flac", "mkv"),
            (24, 24, "mpeg4", "pcm_f32le", "mov"), (40, 50, "libvpx-vp9", "libopus", "webm"),
        ]
        let parts = try kinds.map { kind in
            Progress.show("making a film of \(kind.video)")
            let film = Self.film(frames: kind.frames, framesPerSecond: kind.rate)
            let clip = SyntheticClip(
                film, videoCodec: kind.video, audioCodec: kind.audio, container: kind.container)
            return try LoopsRun.Part(URLAsset(url: clip.url()), film)
        }
        let order = (0...changes).map { parts[$0 % parts.count] }
        let run = LoopsRun()
        for part in order { run.player.insert(PlayerItem(asset: part.asset), after: nil) }
        try run.play(order, name: "queue")
        run.add(to: &report, name: "queue", parts: order.count, rounds: nil, Self.limit)
    }
}
