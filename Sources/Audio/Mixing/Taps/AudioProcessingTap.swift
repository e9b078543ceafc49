// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import Synchronization

/// An object in the audio path of a track that reads or changes the samples before they are heard.
///
/// A subclass overrides `process`, which is called on the audio device's real-time thread, about 10
/// to 40 ms before the samples are heard. `process` pulls the source audio, and may change it in
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
/// A tap receives the samples as they are heard: in the device's format, after time stretching,
/// before volume and pan. Use `prepare` to allocate what `process` needs.
///
/// `process` has a deadline: the duration of its samples, but at least 5 ms. Each missed deadline
/// is counted. If a tap misses another deadline before a second of audio has passed, the tap is
/// bypassed, so that its source is heard unchanged. The bypass lasts for one second, then two,
/// four, and so on up to 64.
///
/// - Concurrency: `prepare` and `unprepare` are called on control threads, while a mix is being
///   set. They must not set a mix themselves, or wait for a thread that does. `process` is called
///   on the real-time thread, only between `prepare` and `unprepare`, one call at a time. `process`
///   must not lock, allocate, wait, or count references. The class is `@unchecked Sendable`: a
///   subclass with properties that are neither constant nor atomic must make them safe itself.
/// - Ownership: the mix that contains the tap retains it, and so does the player while it may call
///   the tap. A tap may be in the mixes of several items that one player plays in turn. The tap
///   then continues from one item to the next. Two players that play at the same time need two
///   taps.
/// - Corresponds to: `MTAudioProcessingTap`. It is a class, because a real-time thread can call a
///   method of a class without touching reference counts.
open class AudioProcessingTap: @unchecked Sendable {
    // Unchecked: `misses` is touched only by the thread that has set `isProcessing`. `lead` is set
    // under the lock of `uses`, while no audio is processed. Everything else is locked internally
    // or atomic.

    /// The maximum number of frames in a call of `process`.
    public static let maxFrames = 1024

    private struct Uses {
        var count = 0
        var format: AudioFormat?
    }
    private let uses = Mutex(Uses())
    /// A flag that prevents calls by two devices at the same time.
    private let isProcessing = Atomic(false)
    private let needsStart = Atomic(true)
    let counters = AudioTapCounters()
    private var misses = MissedDeadlines()
    /// The time between processing and hearing, in seconds. If a tap stores audio for queries about
    /// what is heard now, the storage must cover this time. Set before `prepare`.
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

    /// Reverts `prepare`. After this, `process` is not called until the next `prepare`.
    ///
    /// - Corresponds to: `MTAudioProcessingTapUnprepareCallback`.
    open func unprepare() {}

    /// Processes a block of samples. The default implementation passes the samples on.
    ///
    /// Samples that the method does not pull are skipped. In the output they are silent, unless the
    /// method writes them.
    ///
    /// - Corresponds to: `MTAudioProcessingTapProcessCallback`.
    open func process(_ block: inout AudioTapBlock) { block.pull() }

    /// The counts of processed frames and missed deadlines. They can be read on any thread.
    package var statistics: AudioTapStatistics { counters.statistics }

    // MARK: - Interface of the renderer

    /// Prepares the tap if it is not prepared. If the format has changed, the tap is prepared
    /// again.
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

    /// Begins a call for the next frames, and returns whether it may be made: the tap is not
    /// bypassed, and no other device calls it. `endProcessing` ends the call.
    func beginProcessing(frames: Int, _ conversion: FrameRateConversion) -> Bool {
        guard beginProcessing() else { return false }
        guard misses.isBypassing else { return true }
        misses.passed(conversion.nanoseconds(frames: Int64(frames)))
        counters.bypassed.add(Int64(frames), ordering: .relaxed)
        needsStart.store(true, ordering: .relaxed)
        endProcessing()
        return false
    }

    /// Begins the only call, unless there is another one. `endProcessing` ends the call.
    func beginProcessing() -> Bool { !isProcessing.exchange(true, ordering: .acquiring) }

    func endProcessing() { isProcessing.store(false, ordering: .releasing) }

    /// Returns whether the tap did not receive the previous audio, and resets that state.
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

/// The rule that decides when a tap that takes too long is bypassed.
private struct MissedDeadlines {
    /// The shortest deadline, in nanoseconds. It also applies to shorter blocks, because devices
    /// buffer more audio.
    private static let shortest: Int64 = 5_000_000
    private static let second: Int64 = 1_000_000_000
    private static let mostStrikes = 8

    /// The number of misses. It is reset after a second of audio without a miss.
    private var strikes = 0
    private var sinceMiss: Int64 = 0
    /// The remaining duration of audio for which the tap is bypassed.
    private var bypass: Int64 = 0

    var isBypassing: Bool { bypass > 0 }

    mutating func passed(_ nanoseconds: Int64) { bypass -= nanoseconds }

    /// Records a duration, and returns whether it was too long.
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
