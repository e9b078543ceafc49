// SPDX-License-Identifier: Apache-2.0

/// A detector of onsets in audio: ticks, consonants, drums.
///
/// The detector sums the energy of the signal's slope over blocks of two thirds of a millisecond.
/// An onset begins with a block that has several times the energy of every block in the previous 30
/// ms. The pulses of a voice or a bass repeat within that time and are therefore not onsets.
///
/// - Concurrency: one thread; real-time: no call locks, allocates or waits.
/// - Ownership: owns its memory.
/// - Corresponds to: the detection function of Bello et al., "A Tutorial on Onset Detection in
///   Music Signals" (2005), section III, on the energy of the first difference.
struct OnsetDetector: ~Copyable {
    /// The ratio of the energy of an onset's first block to the energy of each earlier block: 8 dB.
    private static let rise: Float = 6
    /// The mean square of the slope below which the signal counts as silent: −70 dB.
    private static let floor: Float = 1e-7
    private static let historyBlocks = 45
    /// The maximum number of onsets in 320 ms, which is four times the longest look-ahead.
    private static let capacity = 32

    /// The number of frames in a block.
    private let blockFrames: Int64
    /// The first frame that has not been examined.
    private(set) var scanned: Int64 = 0
    /// A ring of the energies of the last blocks, and the number of blocks so far.
    private let history: UnsafeMutablePointer<Float>
    private var blockCount = 0
    /// A ring of the onsets found, in order.
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

    /// Discards everything, and begins to examine a little before `frame`, so that an onset at
    /// `frame` is detected.
    mutating func restart(at frame: Int64) {
        scanned = frame - blockFrames * Int64(Self.historyBlocks)
        blockCount = 0
        onsetCount = 0
    }

    /// Returns the first known onset that is after frame `after` and not before frame `from`.
    func onset(after: Int64, from: Int64) -> Int64? {
        var index = max(0, onsetCount - Self.capacity)
        while index < onsetCount {
            let onset = onsets[index % Self.capacity]
            if onset > after, onset >= from { return onset }
            index += 1
        }
        return nil
    }

    /// Examines all new frames before `limit`, in whole blocks.
    mutating func scan(_ source: StretchSource, upTo limit: Int64) {
        if scanned + blockFrames <= source.frames.lowerBound {
            // Missing frames are silent and need not be examined.
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

    /// Returns the first frame in the block whose slope is at least half of the block's largest
    /// slope. Slopes are stored as squares, so `largest` is divided by 4.
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
