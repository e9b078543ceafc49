// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import Synchronization

/// Something in the path of a track's sound that looks at the samples, or changes them, while they
/// are on their way to be heard.
///
/// A subclass overrides `process`, which is called on the sound device's real-time thread, some 10 to
/// 40 ms before the samples are heard. There it pulls its source audio, which it may replace in
/// place:
///
///     final class Inverter: AudioProcessingTap, @unchecked Sendable {
///         override func process(_ block: inout AudioTapBlock) {
///             block.pull()
///             for index in block.samples.indices { block.samples[index] *= -1 }
///         }
///     }
///
///     var parameters = AudioMixInputParameters()
///     parameters.taps = [Inverter()]
///     item.audioMix = AudioMix(inputParameters: [parameters])
///
/// A tap sees what is heard: samples in the device's format, after a change of rate has stretched
/// them, and before volume and pan. Whatever is made for `process` to use is made in `prepare`.
///
/// `process` has a deadline: the time in which its samples are heard (5 ms at least). A miss is
/// counted; a tap that misses it again within a second of sound is bypassed for a second, then for
/// two, four, up to 64: its source is heard unchanged.
///
/// - Concurrency: `prepare` and `unprepare` are called on control threads; `process` on the real-time
///   thread, only between the two, and one call at a time. `process` does not lock, allocate, wait,
///   or count references. `@unchecked Sendable`: a subclass whose properties are not constant or
///   atomic keeps to that.
/// - Ownership: kept by the mix that names it, and by the player while it may be called. The same tap
///   may be in the mixes of several items that one player plays in turn, and goes on from one to
///   the next; taps of two players at a time are two objects.
/// - Corresponds to: `MTAudioProcessingTap`; as a class, because a real-time thread can call its
///   method without touching reference counts.
open class AudioProcessingTap: @unchecked Sendable {
    // Unchecked: `misses` is touched by the sink's thread only, `lead` while nothing is processed;
    // everything else locks or is atomic.

    /// Frames that `process` is given at most.
    public static let maxFrames = 1024

    private struct Uses {
        var count = 0
        var format: AudioFormat?
    }
    private let uses = Mutex(Uses())
    /// Guards against being called by two devices at once.
    private let isProcessing = Atomic(false)
    private let needsStart = Atomic(true)
    let counters = AudioTapCounters()
    private var misses = MissedDeadlines()
    /// How long before it is heard the tap sees its sound, in seconds: what is kept for asking about
    /// what is heard has to reach back as far. Set before `prepare`.
    private(set) var lead = 0.0

    public init() {}

    /// Gets ready for being called: allocates what `process` needs.
    ///
    /// - Parameters:
    ///   - maxFrames: frames that `process` is given at most.
    ///   - format: of the samples, which are interleaved.
    /// - Corresponds to: `MTAudioProcessingTapPrepareCallback`.
    open func prepare(maxFrames: Int, format: AudioFormat) {}

    /// Undoes `prepare`; `process` is not called any more.
    ///
    /// - Corresponds to: `MTAudioProcessingTapUnprepareCallback`.
    open func unprepare() {}

    /// Handles a block of samples. As it stands, it passes them on.
    ///
    /// What it does not pull is passed over, and silent unless it writes something there.
    ///
    /// - Corresponds to: `MTAudioProcessingTapProcessCallback`.
    open func process(_ block: inout AudioTapBlock) { block.pull() }

    /// What the tap has processed, and when it was too slow. Any thread.
    public var statistics: AudioTapStatistics { counters.statistics }

    // MARK: - The renderer's side

    /// Prepares the tap unless it is. In between, another format makes it be prepared anew.
    func addUse(_ format: AudioFormat, lead: Double) {
        uses.withLock { uses in
            uses.count += 1
            guard uses.format != format else { return }
            precondition(
                uses.count == 1, "a tap is not used by players whose devices differ in format")
            uses.format = format
            self.lead = lead.isFinite ? max(0, lead) : 0
            needsStart.store(true, ordering: .relaxed)
            prepare(maxFrames: Self.maxFrames, format: format)
        }
    }

    func removeUse() {
        uses.withLock { uses in
            uses.count -= 1
            guard uses.count == 0 else { return }
            uses.format = nil
            unprepare()
        }
    }

    /// Whether the tap is left out for the frames that are next.
    func isBypassed(frames: Int, _ conversion: FrameRateConversion) -> Bool {
        guard misses.isBypassing else { return false }
        misses.passed(conversion.nanoseconds(frames: Int64(frames)))
        counters.bypassed.add(Int64(frames), ordering: .relaxed)
        needsStart.store(true, ordering: .relaxed)
        return true
    }

    /// Whether the caller is the only one; ended by `endProcessing`.
    func beginProcessing() -> Bool { !isProcessing.exchange(true, ordering: .acquiring) }
    func endProcessing() { isProcessing.store(false, ordering: .releasing) }

    /// Whether the tap has not seen what came before, asked once.
    func takeStart() -> Bool {
        guard needsStart.load(ordering: .relaxed) else { return false }
        needsStart.store(false, ordering: .relaxed)
        return true
    }

    /// Takes note of how long processing has taken.
    func noteTime(_ nanoseconds: Int64, frames: Int, _ conversion: FrameRateConversion) {
        counters.processed.add(Int64(frames), ordering: .relaxed)
        let heard = conversion.nanoseconds(frames: Int64(frames))
        guard misses.note(nanoseconds, heard: heard) else { return }
        counters.missed.add(1, ordering: .relaxed)
    }
}

/// When a tap is left out for having taken too long.
private struct MissedDeadlines {
    /// Shorter blocks than this are no reason for shorter deadlines: devices keep more in store.
    private static let shortest: Int64 = 5_000_000
    private static let second: Int64 = 1_000_000_000
    private static let mostStrikes = 8

    /// Misses, until a second of sound has passed without one.
    private var strikes = 0
    private var sinceMiss: Int64 = 0
    /// Sound for which the tap is left out.
    private var bypass: Int64 = 0

    var isBypassing: Bool { bypass > 0 }

    mutating func passed(_ nanoseconds: Int64) { bypass -= nanoseconds }

    /// Says whether it was too long.
    mutating func note(_ nanoseconds: Int64, heard: Int64) -> Bool {
        guard nanoseconds > max(heard, Self.shortest) else {
            sinceMiss += heard
            if sinceMiss > Self.second { strikes = 0 }
            return false
        }
        sinceMiss = 0
        strikes = min(strikes + 1, Self.mostStrikes)
        if strikes > 1 { bypass = Self.second << Int64(strikes - 2) }
        return true
    }
}
