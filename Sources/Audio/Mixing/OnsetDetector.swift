// SPDX-License-Identifier: Apache-2.0

/// Finds where in a stretch of sound something sets in: ticks, consonants, drums.
///
/// The energy of the sound's slope is summed over blocks of two thirds of a millisecond. A block
/// that has several times the energy of every one in the 30 ms before begins an onset; so the pulses
/// of a voice or a bass, which come again within that time, are none.
///
/// - Concurrency: one thread; real-time: no call locks, allocates or waits.
/// - Ownership: owns its memory.
/// - Corresponds to: the detection function of Bello et al., "A Tutorial on Onset Detection in Music
///   Signals" (2005), section III, on the energy of the first difference.
struct OnsetDetector: ~Copyable {
    /// How many times the energy of any block before it the first of an onset has: 8 dB.
    private static let rise: Float = 6
    /// Mean square of the slope below which there is silence: −70 dB.
    private static let floor: Float = 1e-7
    private static let historyBlocks = 45
    /// As many as 320 ms can hold: four times the farthest look ahead.
    private static let capacity = 32

    /// Frames in a block.
    private let blockFrames: Int64
    /// The first frame that has not been looked at.
    private(set) var scanned: Int64 = 0
    /// Energies of the last blocks, in a ring, and how many blocks there have been.
    private let history: UnsafeMutablePointer<Float>
    private var blockCount = 0
    /// Onsets found, in order, in a ring.
    private let onsets: UnsafeMutablePointer<Int64>
    private var onsetCount = 0

    init(sampleRate: Int) {
        blockFrames = Int64(max(8, sampleRate / 1500))
        history = .allocate(capacity: Self.historyBlocks)
        history.initialize(repeating: 0, count: Self.historyBlocks)
        onsets = .allocate(capacity: Self.capacity)
        onsets.initialize(repeating: 0, count: Self.capacity)
    }

    deinit {
        history.deallocate()
        onsets.deallocate()
    }

    /// Forgets everything, and begins to look a little before `frame`, so as to know it when it comes.
    mutating func restart(at frame: Int64) {
        scanned = frame - blockFrames * Int64(Self.historyBlocks)
        blockCount = 0
        onsetCount = 0
    }

    /// The first onset known that begins after frame `after`, and at or after frame `from`.
    func onset(after: Int64, from: Int64) -> Int64? {
        var index = max(0, onsetCount - Self.capacity)
        while index < onsetCount {
            let onset = onsets[index % Self.capacity]
            if onset > after, onset >= from { return onset }
            index += 1
        }
        return nil
    }

    /// Looks at all frames before `limit` that have not been looked at yet, in whole blocks.
    mutating func scan(_ source: StretchSource, upTo limit: Int64) {
        if scanned + blockFrames <= source.frames.lowerBound {
            // What is not there is silence, and need not be looked at.
            scanned = max(scanned, source.frames.lowerBound - blockFrames)
        }
        let limit = min(limit, source.frames.upperBound)
        while scanned + blockFrames <= limit { scanBlock(source) }
    }

    private mutating func scanBlock(_ source: StretchSource) {
        var energy: Float = 0
        var largest: Float = 0
        var before = source.features(of: scanned - 1)
        for index in 0..<Int(blockFrames) {
            let (slope, next) = Self.slope(source, scanned + Int64(index), before)
            before = next
            energy += slope
            largest = max(largest, slope)
        }
        var loudest: Float = 0
        for index in 0..<min(blockCount, Self.historyBlocks) {
            loudest = max(loudest, history[index])
        }
        if energy > Self.rise * loudest, energy > Self.floor * Float(blockFrames) {
            note(begin(source, largest: largest))
        }
        history[blockCount % Self.historyBlocks] = energy
        blockCount += 1
        scanned += blockFrames
    }

    private static func slope(
        _ source: StretchSource, _ frame: Int64, _ before: (sum: Float, difference: Float)
    ) -> (slope: Float, (sum: Float, difference: Float)) {
        let features = source.features(of: frame)
        let sum = features.sum - before.sum
        let difference = features.difference - before.difference
        return (sum * sum + difference * difference, features)
    }

    /// The frame of the block at which the slope has half its height: a quarter of its energy.
    private func begin(_ source: StretchSource, largest: Float) -> Int64 {
        var before = source.features(of: scanned - 1)
        for index in 0..<Int(blockFrames) {
            let (slope, next) = Self.slope(source, scanned + Int64(index), before)
            before = next
            if slope >= largest / 4 { return scanned + Int64(index) }
        }
        return scanned
    }

    private mutating func note(_ onset: Int64) {
        onsets[onsetCount % Self.capacity] = onset
        onsetCount += 1
    }
}
