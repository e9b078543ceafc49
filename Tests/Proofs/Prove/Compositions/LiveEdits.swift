// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAudio
import PlayheadBuffers
import PlayheadEditing
import PlayheadPlayback
import PlayheadUI

/// A composition of numbered frames and samples that is edited while it plays. At every 10 ms the
/// frame is compared with a list, and at the end every sample that was heard. Half of the edits are
/// before the playhead, so that what plays there changes at once: the audio of each snapshot must
/// follow that of the former one at a single sample.
///
/// The clock is moved only once the next tenth of a second is decoded, so that the figures do not
/// depend on the speed of the machine.
final class LiveEdits {
    private static let frame = MediaTime(value: 1, timescale: 25)
    private static let step = MediaTime(value: 1, timescale: 100)
    /// The numbers of the samples are exact up to 87 s.
    private static let filmFrames = 2000
    private static let samplesPerFrame = 1920
    /// The distance of an edit from the playhead, in frames: behind it, or beyond the time at which
    /// the edit is taken over, on a slow machine too.
    private static let distances = [-100..<(-50), 100..<200]
    /// The frames that remain to be played.
    private static let minimumRest = 400
    /// The time that decoding may take, in seconds.
    private static let patience = 60.0

    private let asset: URLAsset
    private let description: AssetDescription
    private let composition = MutableComposition()
    private var random: SplitMix64
    /// The frames of the composition.
    private var numbers: [Int] = []

    /// A snapshot of the composition that has taken over.
    private struct Snapshot {
        var numbers: [Int]
        /// The samples at one of which its audio begins.
        var starts: Range<Int>

        func sample(at place: Int) -> Float {
            let (frame, offset) = place.quotientAndRemainder(
                dividingBy: LiveEdits.samplesPerFrame)
            guard numbers.indices.contains(frame) else { return 0 }
            return Float(numbers[frame] * LiveEdits.samplesPerFrame + offset) / Float(1 << 22)
        }
    }
    private var snapshots: [Snapshot] = []
    /// The item that plays until the next snapshot takes over.
    private var former: PlayerItem?

    private let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
    private let sink: CaptureAudioSink
    private let player: Player
    private let output: PlayerVideoOutput
    private var shown: Int?
    private var heard: [Float] = []
    private var firstClockTime: Int64?

    /// The number of times that the frame was compared, and of times at which there was none, or
    /// another one than in the list.
    private(set) var looks = 0
    private(set) var black = 0
    private(set) var wrong = 0
    /// The edits that were taken over.
    private(set) var editCount = 0
    private(set) var sampleCount = 0
    private(set) var wrongSamples = 0

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(frameDuration: Self.frame, count: Self.filmFrames),
            sounds: [
                SyntheticSound(.sampleNumbers, duration: Self.frame * Int32(Self.filmFrames))
            ])
        (media.width, media.height) = (256, 32)
        media.keyframeInterval = 12
        media.bidirectionalFrames = 2
        asset = URLAsset(
            try SyntheticClip(media, audioCodec: "pcm_s24le", container: "mov").url().path)
        description = try AssetReader(asset: asset).description
        sink = CaptureAudioSink(clock: clock)
        player = Player(audioSink: sink, masterClock: clock)
        output = PlayerVideoOutput(player: player)
        while numbers.count < Self.minimumRest { try insertPiece(at: numbers.count) }
    }

    /// Edits and plays.
    func run(edits: Int) throws {
        player.continueCurrentItem(with: composition)
        player.play()
        try wait { self.player.timeControlStatus == .playing }
        snapshots = [Snapshot(numbers: numbers, starts: 0..<0)]
        for index in 0..<edits {
            Progress.show("edit \(index + 1) of \(edits), while playing")
            former = player.currentItem
            try edit()
            let first = place(of: player.currentTime)
            player.continueCurrentItem(with: composition)
            let deadline = clock.time + MediaTime(value: 10, timescale: 1)
            while player.currentItem === former {
                guard clock.time < deadline else { throw CannotProve("an edit is not taken over") }
                try advance()
            }
            let last = place(of: player.currentTime)
            snapshots.append(Snapshot(numbers: numbers, starts: first..<last))
            former = nil
            editCount += 1
            for _ in 0..<Int.random(in: 0..<6, using: &random) { try advance() }
        }
        for _ in 0..<100 { try advance() }
        player.replaceCurrentItem(with: nil)
        compareSamples()
    }

    // MARK: - Editing

    private func edit() throws {
        let playhead = index(of: player.currentTime)
        let isBehind = playhead > 100 && Bool.random(using: &random)
        let place =
            playhead + Int.random(in: Self.distances[isBehind ? 0 : 1], using: &random)
        let isShort = numbers.count - playhead < Self.minimumRest
        guard !isShort, Bool.random(using: &random) else { return try insertPiece(at: place) }
        let count = Int.random(in: 1...50, using: &random)
        try composition.removeTimeRange(
            MediaTimeRange(start: Self.frame * Int32(place), duration: Self.frame * Int32(count)))
        numbers.removeSubrange(place..<(place + count))
    }

    private func insertPiece(at place: Int) throws {
        let count = Int.random(in: 1...50, using: &random)
        let first = Int.random(in: 1..<(Self.filmFrames - count), using: &random)
        try composition.insertTimeRange(
            MediaTimeRange(start: Self.frame * Int32(first), duration: Self.frame * Int32(count)),
            of: asset, describedBy: description, at: Self.frame * Int32(place))
        numbers.insert(contentsOf: first..<(first + count), at: place)
    }

    // MARK: - Playing

    private func index(of time: MediaTime) -> Int {
        Int(
            (time + VideoFrame.timeTolerance).converted(
                toTimescale: 25, method: .roundTowardNegativeInfinity
            ).value)
    }

    private func place(of time: MediaTime) -> Int {
        Int(time.converted(toTimescale: 48_000, method: .roundTowardPositiveInfinity).value)
    }

    private func advance() throws {
        try wait { self.player.isAhead }
        look()
        sink.advance(to: clock.time + Self.step)
        listen()
    }

    /// Compares the frame of this moment.
    private func look() {
        let time = output.itemTime(forHostTime: clock.time)
        if let (picture, _) = output.copyPixelBuffer(forItemTime: time) {
            shown = FrameNumberStrip.read(from: picture)
        } else if output.isAwaitingPixelBuffer(forItemTime: time) {
            black += 1
        }
        looks += 1
        let index = index(of: time)
        let isFormer = former != nil && output.item === former
        let numbers = (isFormer ? snapshots.last?.numbers : nil) ?? numbers
        if !numbers.indices.contains(index) || shown != numbers[index] { wrong += 1 }
    }

    /// Takes the samples of the first channel, at their places by the clock.
    private func listen() {
        for run in sink.takeRuns() {
            let start = firstClockTime ?? run.clockTime
            firstClockTime = start
            let place = Int((Double(run.clockTime - start) * 48_000 / 1e9).rounded())
            if place > heard.count {
                heard += [Float](repeating: 0, count: place - heard.count)
            }
            heard += stride(from: 0, to: run.samples.count, by: 2).map { run.samples[$0] }
        }
    }

    /// Compares all samples from the first one of the composition on. The audio of a snapshot begins
    /// at the first sample that the former snapshot does not have.
    private func compareSamples() {
        let start = heard.firstIndex { $0 != 0 } ?? heard.endIndex
        sampleCount = heard.count - start
        var index = 0
        for place in 0..<sampleCount {
            let sample = heard[start + place]
            if index + 1 < snapshots.count {
                let starts = snapshots[index + 1].starts
                let differs = sample != snapshots[index].sample(at: place)
                if place >= starts.upperBound || (differs && starts.contains(place)) { index += 1 }
            }
            if sample != snapshots[index].sample(at: place) { wrongSamples += 1 }
        }
    }

    private func wait(_ condition: () -> Bool) throws {
        let deadline = Date() + Self.patience
        while !condition() {
            guard Date() < deadline else { throw CannotProve("playback does not proceed") }
            usleep(100)
        }
    }
}
