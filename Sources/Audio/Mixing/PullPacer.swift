// SPDX-License-Identifier: Apache-2.0

/// Keeps sound that a host takes, when it wants to, to a clock that it ticks.
///
/// Frames are counted from what the clock reads when sound begins to run; a block that begins later than
/// the clock reads is not due yet, and comes when the clock has got there. A mixer that went on while
/// nothing was ticked, and then all of it at once, has had silence for that time: what stays behind for a
/// second is brought up.
///
/// - Concurrency: one thread at a time.
struct PullPacer {
    /// How far a block may begin from what the clock reads, in nanoseconds. Ahead: a mixer's blocks are
    /// others than the frames of a game, and come between its ticks. Behind: what nobody has taken for so
    /// long is left out.
    private static let longestLead: Int64 = 50_000_000
    private static let longestLag: Int64 = 1_000_000_000

    private let conversion: FrameRateConversion
    /// Clock time of the run's first frame; nil until that has been taken.
    private var start: Int64?
    /// How far the run is behind the clock after each block, at least, and of how many frames since that
    /// has been watched.
    private var least = Int64.max
    private var watchedFrames: Int64 = 0

    init(sampleRate: Int) { conversion = FrameRateConversion(sampleRate: sampleRate) }

    /// Clock time of the run's first frame, for a block that begins after `taken` nanoseconds of the run,
    /// while the clock reads `now`; nil where the block is not due yet.
    mutating func offset(at now: Int64, taken: Int64, frameCount: Int) -> Int64? {
        let first = start ?? now
        let lag = now - first - taken
        let behind = lag - conversion.nanoseconds(frames: Int64(frameCount))
        let excess = max(0, behind - Self.longestLag, staysBehind(behind, frameCount))
        start = first + excess
        return lag >= -Self.longestLead ? first + excess : nil
    }

    /// By how much the run was behind for a second: more than blocks and ticks that come by turns are. A
    /// clock that is ticked seldom comes to its sound each time.
    private mutating func staysBehind(_ behind: Int64, _ frameCount: Int) -> Int64 {
        least = min(least, behind)
        watchedFrames += Int64(frameCount)
        guard watchedFrames >= conversion.sampleRate else { return 0 }
        defer { (least, watchedFrames) = (.max, 0) }
        return least > Self.longestLead ? least : 0
    }
}
