// SPDX-License-Identifier: Apache-2.0

/// A pacer that keeps pulled audio in step with a clock that the host advances.
///
/// Frames are counted from the clock's time at the start of the run. A block that begins later than
/// the current time of the clock is not due yet. If a mixer continues to pull while the clock
/// stands still, it receives silence for that time. A lag that lasts for a second is corrected.
///
/// - Concurrency: one thread at a time.
struct PullPacer {
    /// The largest distance of a block from the clock's time, in nanoseconds. Blocks may be ahead,
    /// because a mixer's blocks differ in length from the frames of a game and fall between its
    /// ticks. If blocks are further behind, because audio was not pulled for so long, the audio is
    /// skipped.
    private static let longestLead: Int64 = 50_000_000
    private static let longestLag: Int64 = 1_000_000_000

    private let conversion: FrameRateConversion
    /// The clock time of the run's first frame; nil until that frame is pulled.
    private var start: Int64?
    /// The smallest lag of the run behind the clock in the current observation period, measured
    /// after each block, and the number of frames in that period.
    private var least = Int64.max
    private var watchedFrames: Int64 = 0

    init(sampleRate: Int) { conversion = FrameRateConversion(sampleRate: sampleRate) }

    /// Returns the clock time of the run's first frame, for a block that begins after `taken`
    /// nanoseconds of the run while the clock reads `now`. Returns nil if the block is not due yet.
    mutating func offset(at now: Int64, taken: Int64, frameCount: Int) -> Int64? {
        let first = start ?? now
        let lag = now - first - taken
        let behind = lag - conversion.nanoseconds(frames: Int64(frameCount))
        let excess = max(0, behind - Self.longestLag, staysBehind(behind, frameCount))
        start = first + excess
        return lag >= -Self.longestLead ? first + excess : nil
    }

    /// Returns a lag that has persisted for a second; 0 if no lag has. A lag that results only from
    /// the alternation of blocks and ticks does not count: even if the clock ticks seldom, the
    /// audio catches up with it between ticks.
    private mutating func staysBehind(_ behind: Int64, _ frameCount: Int) -> Int64 {
        least = min(least, behind)
        watchedFrames += Int64(frameCount)
        guard watchedFrames >= conversion.sampleRate else { return 0 }
        defer { (least, watchedFrames) = (.max, 0) }
        return least > Self.longestLead ? least : 0
    }
}
