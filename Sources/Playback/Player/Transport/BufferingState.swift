// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The state of a pipeline's incoming packets, and its consequences for the timeline.
///
/// States of a timeline that is to run forward: *running*; *holding*, which begins at exactly the
/// time at which the decoders ran dry and ends as soon as there is something to continue with;
/// *stalled*, when that has taken longer than `grace`, and from then on a level has to be reached.
/// A pause, a seek or a reversal ends both. A declared timeline continues, and only reports the
/// stall.
struct BufferingState: Sendable {
    /// The time for which the timeline holds, by its clock, before that counts as a stall.
    static let grace = MediaTime(value: 1, timescale: 4)
    /// The interval of checks whether a dry decoder waits for its source, on the timeline.
    static let lookInterval = MediaTime(value: 1, timescale: 50)
    /// The amount that an audio device takes at once, in addition to its latency.
    static let block = MediaTime(value: 1, timescale: 50)
    /// The time without data after which playback takes what there is instead of waiting for a
    /// level, by the clock of the transfer: longer than the gap between two parts of most streams.
    static let patience = MediaTime(value: 5, timescale: 1)
    /// The increase of the loaded duration that is reported to observers.
    static let step = MediaTime(value: 1, timescale: 4)

    /// A state in which the decoders have run dry.
    struct Dryness: Sendable {
        var generation: Int
        /// The item time of that state.
        var time: MediaTime
        /// The time up to which all tracks had been read by then.
        var readEnd: MediaTime
        var isStall = false
    }

    /// A state in which the decoders are about to run dry.
    struct Dwindling: Sendable {
        var generation: Int
        /// The item times at which audio and video will end if no data arrives.
        var sound: MediaTime?
        var pictures: MediaTime?
        /// The amount of silence that the device had received for lack of audio at that moment.
        var silence = 0
        /// A Boolean value that indicates whether it was detected too late to avoid silence.
        var isSilent = false

        var time: MediaTime? { [sound, pictures].compactMap { $0 }.min() }

        mutating func forget(before now: MediaTime) {
            if let time = sound, time <= now { sound = nil }
            if let time = pictures, time <= now { pictures = nil }
        }
    }

    /// The state that observers receive.
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
    /// A Boolean value that indicates whether everything needed to start is decoded, but the level
    /// is too low.
    private(set) var isBelowLevel = false
    private(set) var stallCount = 0
    /// The time of the timer at the end of the decoded media.
    private(set) var alarm = MediaTime.invalid

    /// A Boolean value that indicates whether the timeline holds, and that is not a stall yet.
    var isHolding: Bool { dryness.map { !$0.isStall } ?? false }

    /// Returns the bounds of a queue for these packets.
    func bounds(isSlow: Bool) -> PacketBounds {
        var bounds = PacketBounds()
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

    /// Records that the device has missed audio from a time on, whatever arrives by then.
    mutating func loseSound(from time: MediaTime) {
        dwindling?.sound = time
        dwindling?.isSilent = true
    }

    mutating func forgetDwindling(before now: MediaTime) { dwindling?.forget(before: now) }

    /// Records that the decoders have run dry.
    mutating func runDry(_ dryness: Dryness) {
        dwindling = nil
        self.dryness = dryness
    }

    mutating func forgetDryness() { dryness = nil }

    mutating func forgetAlarm() { alarm = .invalid }

    /// Records the time of the timer; returns whether it has to be set.
    mutating func setAlarm(at time: MediaTime) -> Bool {
        defer { alarm = time }
        return alarm != time
    }

    /// Stores the present state.
    mutating func note(
        _ packets: PacketLevel, _ transfer: TransferReading?, playhead: MediaTime, isDry: Bool,
        end: MediaTime, desiredRate: Double
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
        // If only the range has changed, and only a little, observers keep the reported one.
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
        // The part that decoders hold back may still exceed the low level.
        level = BufferLevel()
        status.isLikelyToKeepUp = false
    }

    /// Records that the timeline runs.
    mutating func noteStart() {
        dryness = nil
        dwindling = nil
        isBelowLevel = false
        startsImmediately = false
    }
}
