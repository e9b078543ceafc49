// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The audio device of the playback model: the blocks that it has taken, and the media of each.
///
/// It takes a block some time before it is heard. Blocks that were taken, and not heard before the
/// timeline was stopped, are dropped.
struct ModelDevice {
    static let blockDuration = MediaTime(value: 10, timescale: 1000)
    static let blockLength = 480
    static let latency = MediaTime(value: 40, timescale: 1000)

    /// A block, with the timeline and the tracks at the time when it was taken.
    struct Block {
        var clock: MediaTime
        var anchorTime: MediaTime
        var anchorClock: MediaTime
        var rate: Double
        /// The end of playback in the direction of the rate.
        var end: MediaTime
        /// The tracks that are heard, with the number of samples of each that have arrived.
        var sounds: [(track: Int, sampleCount: Int)]
        /// A Boolean value that indicates whether a change is being smoothed, so that the samples
        /// are not known.
        var isDisturbed: Bool
    }

    /// An uninterrupted sequence of blocks, and the time at which it was stopped.
    struct Run {
        var blocks: [Block] = []
        var end: MediaTime?
    }

    private(set) var runs: [Run] = []
    private var startClock: MediaTime?
    private var takenCount = 0
    private var disturbedCount = 0

    mutating func resume(at clock: MediaTime) {
        if startClock == nil { (startClock, takenCount) = (clock, 0) }
    }

    mutating func pause(at clock: MediaTime) {
        if startClock != nil, takenCount > 0 { runs[runs.count - 1].end = clock }
        startClock = nil
    }

    /// Notes that the next blocks smooth a change.
    mutating func disturb(blocks count: Int) { disturbedCount = max(disturbedCount, count) }

    /// Takes the blocks that are due.
    mutating func renderDueBlocks(_ model: PlaybackModel) {
        guard let startClock, !model.tracks.sounds.isEmpty else { return }
        while true {
            let clock = startClock + Self.blockDuration * Int32(takenCount)
            guard clock - Self.latency < model.clock else { return }
            if takenCount == 0 { runs.append(Run()) }
            takenCount += 1
            let sounds = model.tracks.sounds
            runs[runs.count - 1].blocks.append(
                Block(
                    clock: clock, anchorTime: model.anchorTime, anchorClock: model.anchorClock,
                    rate: model.rate, end: model.isReverse ? model.reverseEnd : model.forwardEnd,
                    sounds: model.tracks.heard.map { track in
                        let end = sounds[track].end(before: model.arrived)
                        let count = end.converted(toTimescale: Int32(ModelSound.sampleRate)).value
                        return (track, Int(count))
                    }, isDisturbed: disturbedCount > 0))
            if disturbedCount > 0 { disturbedCount -= 1 }
        }
    }
}

extension ModelDevice.Block {
    /// The distance from a place at which something begins or ends, in samples, within which
    /// rounding decides.
    private static let seam = 2.0
    /// The magnitudes of the rates at which there is audio. Its samples are known at rate 1 and −1
    /// only.
    private static let audibleRates = 0.25...4.0
    private static let scale = Double(1 << 22)

    /// Returns whether the timeline is that of the previous block.
    func continues(_ previous: Self) -> Bool {
        anchorTime == previous.anchorTime && anchorClock == previous.anchorClock
    }

    /// Returns the weight of a track's samples in the sum.
    static func weight(ofTrack track: Int) -> Double { 1 / Double(2 << track) }

    /// Returns a description of the first sample that is wrong; nil if none is.
    ///
    /// - Parameter last: The number of the last sample; nil if the next one may be another than the
    ///   one after it, or before it in reverse.
    func difference(from samples: some Collection<Float>, last: inout Int?) -> String? {
        let rate = Double(ModelSound.sampleRate)
        let isKnown =
            self.rate.magnitude == 1
            || (self.rate < 0 && !Self.audibleRates.contains(self.rate.magnitude))
        guard isKnown, !isDisturbed else {
            last = nil
            return nil
        }
        let direction = self.rate < 0 ? -1 : 1
        let start = (anchorClock - clock).seconds * rate
        // A sample is heard up to its time in reverse, and from its time on otherwise.
        let first =
            (anchorTime.seconds * rate - start * self.rate) - (self.rate < 0 ? 1 : 0)
        let end = end.isNumeric ? end.seconds * rate : .infinity
        for (index, sample) in samples.enumerated() {
            let position = first + Double(index) * self.rate
            let edges =
                [Double(index) - start, position - end]
                + sounds.map {
                    position - Double($0.sampleCount)
                }
            if edges.contains(where: { abs($0) <= Self.seam * self.rate.magnitude }) {
                last = nil
                continue
            }
            let isOver = self.rate < 0 ? position < end : position >= end
            let isSilent = self.rate.magnitude != 1 || Double(index) < start || isOver
            let weight =
                isSilent
                ? 0
                : sounds.filter { position < Double($0.sampleCount) }
                    .reduce(0) { $0 + Self.weight(ofTrack: $1.track) }
            if weight == 0 {
                last = nil
                if sample != 0 { return "\(sample) at \(position), where nothing is heard" }
                continue
            }
            let number = Double(sample) * Self.scale / weight
            guard number == number.rounded(), abs(number - position) <= 1 else {
                return "\(number) at \(position), from \(sounds)"
            }
            if let last, Int(number) != last + direction { return "\(number) after \(last)" }
            last = Int(number)
        }
        return nil
    }
}
