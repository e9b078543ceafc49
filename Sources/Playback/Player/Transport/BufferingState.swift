// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The state of the packets that arrive in a pipeline, and its consequences for the timeline.
///
/// A timeline that should run forwards has three states. *Running* is the normal one. *Holding*
/// begins at exactly the time at which the decoders ran out of data, and ends as soon as there is
/// more to play. *Stalled* follows if holding has taken longer than `grace`. It ends when enough
/// has been loaded; see `BufferLevel`. A pause, a seek or a reversal ends holding and stalling. A
/// timeline with a declared start continues, and only reports the stall.
struct BufferingState: Sendable {
    /// The time for which the timeline may be on hold before that counts as a stall, on the clock
    /// of the timeline.
    static let grace = MediaTime(value: 1, timescale: 4)
    /// The interval, on the timeline, at which the transport checks whether a decoder without data
    /// is waiting for its source.
    static let lookInterval = MediaTime(value: 1, timescale: 50)
    /// The duration of audio that a device takes at once, in addition to its latency.
    static let block = MediaTime(value: 1, timescale: 50)
    /// The time without data, on the clock of the transfer, after which playback continues with the
    /// loaded media instead of waiting for more. It is longer than the gap between two segments of
    /// most streams.
    static let patience = MediaTime(value: 5, timescale: 1)
    /// The increase of the loaded duration after which observers are notified.
    static let step = MediaTime(value: 1, timescale: 4)

    /// A state in which the decoders have run out of data.
    struct Dryness: Sendable {
        var generation: Int
        /// The item time at which the decoders ran out of data.
        var time: MediaTime
        /// The time up to which all tracks had been read when the decoders ran out of data.
        var readEnd: MediaTime
        var isStall = false
    }

    /// A state in which the decoders are about to run out of data.
    struct Dwindling: Sendable {
        var generation: Int
        /// The item times at which audio and video will end if no data arrives.
        var sound: MediaTime?
        var pictures: MediaTime?
        /// The amount of silence that the device had received, because audio was missing, before
        /// this state began.
        var silence = 0
        /// A Boolean value that indicates whether this state was detected too late to avoid
        /// silence.
        var isSilent = false

        var time: MediaTime? { [sound, pictures].compactMap { $0 }.min() }

        mutating func forget(before now: MediaTime) {
            if let time = sound, time <= now { sound = nil }
            if let time = pictures, time <= now { pictures = nil }
        }
    }

    /// The state that is reported to observers.
    struct Status: Sendable, Equatable {
        var loaded: MediaTimeRange?
        var isLikelyToKeepUp = false
        var isEmpty = true
        var isFull = false
    }

    // Requests.
    private(set) var waitsToMinimizeStalling = true
    private(set) var startsImmediately = false
    private(set) var preferredDuration = MediaTime.zero

    // Input.
    private(set) var hasTransfer = false
    private(set) var limits = MediaLimits()
    private var rate = TransferRate()
    private(set) var level = BufferLevel()
    private(set) var status = Status()

    // Consequences.
    private(set) var dwindling: Dwindling?
    private(set) var dryness: Dryness?
    /// A Boolean value that indicates whether everything that is needed to start has been decoded,
    /// but too little media has been loaded; see `BufferLevel`.
    private(set) var isBelowLevel = false
    private(set) var stallCount = 0
    /// A Boolean value that indicates whether decoding has not reached the timeline since its start
    /// was declared.
    private(set) var isCatchingUp = false
    /// A Boolean value that indicates whether the device still lacks audio because another track
    /// was selected during playback.
    private(set) var isSoundLate = false
    /// The time to which the timer at the end of the decoded media is set.
    private(set) var alarm = MediaTime.invalid

    /// A Boolean value that indicates whether the timeline is on hold, but not for long enough to
    /// count as a stall.
    var isHolding: Bool { dryness.map { !$0.isStall } ?? false }

    /// Returns the bounds that a packet queue should have for this state.
    ///
    /// - Parameter arrivalOffset: The offset of a source that is followed as it arrives, of which
    ///   nothing is loaded ahead; `invalid` for the one that suits it, and nil for other sources.
    func bounds(isSlow: Bool, arrivalOffset: MediaTime? = nil) -> PacketBounds {
        var bounds = PacketBounds()
        if let arrivalOffset {
            // What is not due yet waits, so that the source can be read on.
            bounds.duration =
                arrivalOffset.isNumeric && arrivalOffset > .zero
                ? arrivalOffset + PacketBounds.localDuration : .zero
            bounds.count = PacketBounds.arrivingCount
            bounds.byteCount = limits.queuedBytes
            return bounds
        }
        if isSlow { bounds.duration = PacketBounds.remoteDuration }
        if preferredDuration > .zero { bounds.duration = preferredDuration }
        bounds.byteCount = limits.queuedBytes
        return bounds
    }

    mutating func open(hasTransfer: Bool, limits: MediaLimits) {
        self.hasTransfer = hasTransfer
        self.limits = limits
    }

    mutating func setWaits(_ waits: Bool) { waitsToMinimizeStalling = waits }
    mutating func setStartsImmediately(_ starts: Bool) { startsImmediately = starts }
    mutating func setPreferredDuration(_ duration: MediaTime) { preferredDuration = duration }
    mutating func setBelowLevel(_ isBelow: Bool) { isBelowLevel = isBelow }
    mutating func setDwindling(_ dwindling: Dwindling?) { self.dwindling = dwindling }

    /// Records that the device has missed the audio from a time on. Audio that arrives later does
    /// not change that.
    mutating func loseSound(from time: MediaTime) {
        dwindling?.sound = time
        dwindling?.isSilent = true
    }

    mutating func forgetDwindling(before now: MediaTime) { dwindling?.forget(before: now) }

    /// Records that the decoders have run out of data.
    mutating func runDry(_ dryness: Dryness) {
        dwindling = nil
        self.dryness = dryness
    }

    mutating func forgetDryness() { dryness = nil }

    mutating func forgetAlarm() { alarm = .invalid }

    /// Records the time to which the timer should be set. Returns whether the timer has to be set.
    mutating func setAlarm(at time: MediaTime) -> Bool {
        defer { alarm = time }
        return alarm != time
    }

    /// Updates the buffer level and the reported status from the current packets, transfer and
    /// playhead.
    mutating func note(
        _ packets: PacketLevel, _ transfer: TransferReading?, playhead: MediaTime, isDry: Bool,
        end: MediaTime, reachable: MediaTime?, desiredRate: Double
    ) {
        var isSilent = false
        if let transfer {
            rate.note(waited: transfer.waited, byteCount: transfer.byteCount)
            let since = transfer.waitingSince
            isSilent = since.isNumeric && transfer.now - since >= Self.patience
        }
        let loaded =
            packets.end.isNumeric
            ? max(packets.end - playhead, .zero) : packets.end.isIndefinite ? .indefinite : .zero
        var reading = BufferLevel.Reading(
            loaded: loaded, capacity: bounds(isSlow: transfer?.isSlow ?? false).duration)
        reading.reachable = reachable
        reading.remaining = end.isNumeric ? max(end - playhead - loaded, .zero) : nil
        reading.bytesPerSecond = transfer == nil ? .infinity : rate.bytesPerSecond
        reading.byteRate = packets.byteRate
        reading.rate = desiredRate == 0 ? 1 : desiredRate
        reading.isFull = packets.isFull
        reading.isComplete = packets.hasEnded
        reading.isSilent = isSilent
        level.update(reading)

        var status = Status(
            loaded: loaded > .zero && loaded.isNumeric
                ? MediaTimeRange(start: playhead, end: packets.end) : nil,
            isLikelyToKeepUp: level.isLikelyToKeepUp,
            isEmpty: isDry || loaded == .zero, isFull: packets.isFull)
        // If only the range has changed, and only slightly, observers keep the range that was
        // reported.
        var rest = status
        rest.loaded = self.status.loaded
        if rest == self.status, let new = status.loaded, let old = rest.loaded,
            (new.end - old.end).magnitude < Self.step, !packets.hasEnded || new.end == old.end
        {
            status.loaded = old
        }
        self.status = status
    }

    mutating func noteStall() {
        dryness?.isStall = true
        stallCount += 1
        startsImmediately = false
        // The packets that decoders hold back may still exceed the low level, so the level is
        // reset.
        level = BufferLevel()
        status.isLikelyToKeepUp = false
    }

    mutating func noteCaughtUp() { isCatchingUp = false }
    mutating func setSoundLate(_ isLate: Bool) { isSoundLate = isLate }

    /// Records that the timeline is running.
    ///
    /// - Parameter isDeclared: A Boolean value that indicates whether the start was declared, so
    ///   that the timeline runs regardless of what has been decoded.
    mutating func noteStart(isDeclared: Bool) {
        isCatchingUp = isDeclared
        isSoundLate = false
        dryness = nil
        dwindling = nil
        isBelowLevel = false
        startsImmediately = false
    }
}
