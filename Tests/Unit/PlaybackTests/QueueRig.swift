// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

@testable import PlayheadPlayback

/// A queue on a manual clock and audio device, with the frames seen and the samples played.
final class QueueRig {
    let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
    let sink: CaptureAudioSink
    let player: QueuePlayer
    let output: PlayerVideoOutput
    /// The visible frames in order, each with its item.
    private(set) var seen: [Sighting] = []

    struct Sighting: Equatable {
        var item: ObjectIdentifier
        var frame: Int
    }

    init(_ items: [PlayerItem] = [], hasSound: Bool = true) {
        sink = CaptureAudioSink(clock: clock)
        player = QueuePlayer(
            items: items, audioSink: hasSound ? sink : nil, masterClock: clock)
        output = PlayerVideoOutput(player: player)
    }

    /// Plays, and waits until the current item does.
    func play() {
        player.play()
        wait { self.player.timeControlStatus == .playing }
    }

    /// Polls until a condition holds, at the pace of the machine.
    @discardableResult
    func wait(_ condition: () -> Bool) -> Bool {
        let pause = Monitor(())
        let deadline = HostClock.nanoseconds + 60_000_000_000
        while !condition() {
            if HostClock.nanoseconds > deadline { return false }
            _ = pause.wait(nanoseconds: 300_000) { _ -> Bool? in nil }
        }
        return true
    }

    /// Advances the clock in steps that decoding keeps up with, and looks at every one.
    func advance(milliseconds: Int64) {
        for _ in 0..<(milliseconds / 10) {
            wait { self.player.isAhead }
            look()
            sink.advance(to: clock.time + MediaTime(value: 10, timescale: 1000))
        }
        wait { self.player.isAhead }
        look()
    }

    /// Takes the frame that is visible now.
    func look() {
        let time = output.itemTime(forHostTime: clock.time)
        guard let item = output.item, let (picture, _) = output.copyPixelBuffer(forItemTime: time),
            let frame = FrameNumberStrip.read(from: picture)
        else { return }
        let sighting = Sighting(item: ObjectIdentifier(item), frame: frame)
        if seen.last != sighting { seen.append(sighting) }
    }

    /// The samples of the left channel since audio started, each at its position by the device's
    /// clock.
    var heard: [Float] {
        var samples: [Float] = []
        let start = sink.runs.first?.clockTime ?? 0
        for run in sink.runs {
            let place = Int((Double(run.clockTime - start) * 48_000 / 1e9).rounded())
            samples += Array(repeating: 0, count: max(0, place - samples.count))
            samples += stride(from: 0, to: run.samples.count, by: 2).map { run.samples[$0] }
        }
        return Array(samples.drop { $0 == 0 })
    }
}

extension SyntheticMedia {
    /// Returns a video whose samples are their own numbers; the audio may differ in length from the
    /// frames.
    static func numbered(
        frames: Int = 30, framesPerSecond: Int32 = 30, soundSeconds: Double? = nil
    ) -> SyntheticMedia {
        let times = SyntheticFrameTimes(
            frameDuration: MediaTime(value: 1, timescale: framesPerSecond), count: frames)
        let sound =
            soundSeconds.map { MediaTime(value: Int64($0 * 48_000), timescale: 48_000) }
            ?? times.end
        var media = SyntheticMedia(
            frameTimes: times, sounds: [SyntheticSound(.sampleNumbers, duration: sound)])
        media.keyframeInterval = 10
        media.bidirectionalFrames = 2
        return media
    }

    /// A video that cannot be opened.
    static let bad: SyntheticMedia = {
        var media = SyntheticMedia()
        media.faults.willOpen = { _ throws(MediaError) in throw badReason }
        return media
    }()

    static let badReason = MediaError(.damaged, subject: "film", cause: "its index is missing")
}

extension PlayerItem {
    convenience init(_ media: SyntheticMedia) { self.init(asset: SyntheticAsset(media)) }
}
