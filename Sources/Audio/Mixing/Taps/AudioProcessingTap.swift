// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import Synchronization

/// An object in the audio path of a track that reads the samples, or changes them, before they are
/// heard.
///
/// A subclass overrides `process`, which is called on the audio device's real-time thread, some 10
/// to 40 ms before the samples are heard. It pulls the source audio, which it may change in place:
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
/// A tap receives what is heard: samples in the device's format, after time stretching, before
/// volume and pan. Allocate what `process` needs in `prepare`.
///
/// `process` has a deadline: the duration of its samples (5 ms at least). A miss is counted; a tap
/// that misses it again within a second of audio is bypassed for a second, then for two, four, up
/// to 64: its source is heard unchanged.
///
/// - Concurrency: `prepare` and `unprepare` are called on control threads; `process` on the
///   real-time thread, only between the two, and one call at a time. `process` does not lock,
///   allocate, wait, or count references. `@unchecked Sendable`: a subclass whose properties are
///   not constant or atomic must ensure this itself.
/// - Ownership: kept by the mix that contains it, and by the player while it may be called. A tap
///   may be in the mixes of several items that one player plays in turn, and continues from one to
///   the next; two players at a time need two taps.
/// - Corresponds to: `MTAudioProcessingTap`; as a class, because a real-time thread can call its
///   method without touching reference counts.
open class AudioProcessingTap: @unchecked Sendable {
    // Unchecked: `misses` is touched only by the sink's thread, `lead` only while no audio is
    // processed; everything else is locked internally or atomic.

    /// The maximum number of frames in a call of `process`.
    public static let maxFrames = 1024

    private struct Uses {
        var count = 0
        var format: AudioFormat?
    }
    private let uses = Mutex(Uses())
    /// Guards against calls by two devices at once.
    private let isProcessing = Atomic(false)
    private let needsStart = Atomic(true)
    let counters = AudioTapCounters()
    private var misses = MissedDeadlines()
    /// The time between processing and hearing, in seconds; storage for queries about what is heard
    /// must reach back as far. Set before `prepare`.
    private(set) var lead = 0.0

    /// Creates a tap.
    public init() {}

    /// Prepares for processing: allocates what `process` needs.
    ///
    /// - Parameters:
    ///   - maxFrames: The maximum number of frames in a call of `process`.
    ///   - format: The format of the samples, which are interleaved.
    /// - Corresponds to: `MTAudioProcessingTapPrepareCallback`.
    open func prepare(maxFrames: Int, format: AudioFormat) {}

    /// Reverts `prepare`; `process` is not called until the next `prepare`.
    ///
    /// - Corresponds to: `MTAudioProcessingTapUnprepareCallback`.
    open func unprepare() {}

    /// Processes a block of samples. The default implementation passes them on.
    ///
    /// Samples that it does not pull are skipped, and are silent unless it writes them.
    ///
    /// - Corresponds to: `MTAudioProcessingTapProcessCallback`.
    open func process(_ block: inout AudioTapBlock) { block.pull() }

    /// The counts of processed frames and missed deadlines. Any thread.
    public var statistics: AudioTapStatistics { counters.statistics }

    // MARK: - Interface of the renderer

    /// Prepares the tap if it is not prepared. Another format in the meantime prepares it again.
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

    /// Returns whether the tap is bypassed for the next frames.
    func isBypassed(frames: Int, _ conversion: FrameRateConversion) -> Bool {
        guard misses.isBypassing else { return false }
        misses.passed(conversion.nanoseconds(frames: Int64(frames)))
        counters.bypassed.add(Int64(frames), ordering: .relaxed)
        needsStart.store(true, ordering: .relaxed)
        return true
    }

    /// Begins a call; returns whether it is the only one. `endProcessing` ends it.
    func beginProcessing() -> Bool { !isProcessing.exchange(true, ordering: .acquiring) }
    func endProcessing() { isProcessing.store(false, ordering: .releasing) }

    /// Returns whether the tap has not received the previous audio, and resets this.
    func takeStart() -> Bool {
        guard needsStart.load(ordering: .relaxed) else { return false }
        needsStart.store(false, ordering: .relaxed)
        return true
    }

    /// Records the duration of a call.
    func noteTime(_ nanoseconds: Int64, frames: Int, _ conversion: FrameRateConversion) {
        counters.processed.add(Int64(frames), ordering: .relaxed)
        let heard = conversion.nanoseconds(frames: Int64(frames))
        guard misses.note(nanoseconds, heard: heard) else { return }
        counters.missed.add(1, ordering: .relaxed)
    }
}

/// The rule for bypassing a tap that takes too long.
private struct MissedDeadlines {
    /// The shortest deadline, in nanoseconds, also for shorter blocks: devices buffer more.
    private static let shortest: Int64 = 5_000_000
    private static let second: Int64 = 1_000_000_000
    private static let mostStrikes = 8

    /// The number of misses, until a second of audio has passed without one.
    private var strikes = 0
    private var sinceMiss: Int64 = 0
    /// The remaining audio for which the tap is bypassed.
    private var bypass: Int64 = 0

    var isBypassing: Bool { bypass > 0 }

    mutating func passed(_ nanoseconds: Int64) { bypass -= nanoseconds }

    /// Records a duration; returns whether it was too long.
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
