// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// What a pipeline knows of how its packets come in, and what follows for its timeline.
///
/// States of a timeline that is to run forward: *running*; *holding*, which begins at the very time at
/// which the decoders ran dry, and is over as soon as there is something to go on with; *stalled*, when
/// that has taken longer than `grace`, and from then on a level has to be reached. Who pauses, seeks or
/// turns round ends both. A timeline that was declared runs on, and only tells that it has stalled.
struct Buffering {
    /// How long the timeline holds, by its clock, before that counts as a stall.
    static let grace = MediaTime(value: 1, timescale: 4)
    /// How often it is looked whether what is dry waits for its source, on the timeline.
    static let lookInterval = MediaTime(value: 1, timescale: 50)
    /// What a sound device takes at once, besides its latency.
    static let block = MediaTime(value: 1, timescale: 50)
    /// How long nothing has to come for whoever waits for a level to take what there is, by the clock of the
    /// transfer: longer than between two parts of most streams.
    static let patience = MediaTime(value: 5, timescale: 1)
    /// How much more has to be loaded for observers to hear of it.
    static let step = MediaTime(value: 1, timescale: 4)

    /// The decoders have run dry.
    struct Dryness {
        var generation: Int
        /// Where, in item time.
        var time: MediaTime
        /// Up to where all tracks had been read by then.
        var readEnd: MediaTime
        var isStall = false
    }

    /// The decoders are going to run dry.
    struct Dwindling {
        var generation: Int
        /// Where, in item time, if nothing comes: sound, and pictures.
        var sound: MediaTime?
        var pictures: MediaTime?
        /// How much silence the device had been given for want of sound when that was seen.
        var silence = 0
        /// Whether it was seen too late for the device not to have been given some for then.
        var isSilent = false

        var time: MediaTime? { [sound, pictures].compactMap { $0 }.min() }

        mutating func forget(before now: MediaTime) {
            if let time = sound, time <= now { sound = nil }
            if let time = pictures, time <= now { pictures = nil }
        }
    }

    /// What observers are told.
    struct Status: Sendable, Equatable {
        var loaded: MediaTimeRange?
        var isLikelyToKeepUp = false
        var isEmpty = true
        var isFull = false
    }

    // What was asked for.
    var waitsToMinimizeStalling = true
    var startsImmediately = false
    var preferredDuration = MediaTime.zero

    // What comes in.
    var transfer: TransferMonitor?
    var limits = MediaLimits()
    private var rate = TransferRate()
    private(set) var level = BufferLevel()
    private(set) var status = Status()

    // What follows.
    var dwindling: Dwindling?
    var dryness: Dryness?
    /// Whether all is decoded that is needed to start, but the level is too low.
    var isBelowLevel = false
    private(set) var stallCount = 0
    /// Fires where the decoded ends.
    var dryTimer: TimebaseTimer?
    /// Runs since the timeline holds, whatever that does.
    var watch: Timebase?
    var watchTimer: TimebaseTimer?
    /// Goes with the clock of the transfer, while a level is waited for.
    var patience: (timebase: Timebase, timer: TimebaseTimer)?

    /// Whether what is dry has to be waited for.
    var isSlow: Bool { transfer?.isSlow ?? false }

    /// What a queue for these packets may hold.
    var bounds: PacketBounds {
        var bounds = PacketBounds()
        if transfer?.isSlow == true { bounds.duration = PacketBounds.remoteDuration }
        if preferredDuration > .zero { bounds.duration = preferredDuration }
        bounds.byteCount = limits.queuedBytes
        return bounds
    }

    /// Takes over what is known now.
    mutating func note(
        _ packets: PacketLevel, playhead: MediaTime, isDry: Bool, end: MediaTime,
        desiredRate: Double
    ) {
        var isSilent = false
        if let transfer {
            let (statistics, now) = (transfer.statistics, transfer.clock.time)
            rate.note(waited: statistics.waited(by: now), byteCount: statistics.byteCount)
            let since = statistics.waitingSince
            isSilent = since.isNumeric && now - since >= Self.patience
        }
        let loaded =
            packets.end.isNumeric
            ? max(packets.end - playhead, .zero) : packets.end.isIndefinite ? .indefinite : .zero
        var reading = BufferLevel.Reading(loaded: loaded, capacity: bounds.duration)
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
        // Where only the range has changed, and that by little, the one that was told stays.
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
        // What decoders hold back may still be more than the level at which it falls.
        level = BufferLevel()
        status.isLikelyToKeepUp = false
    }

    /// The timeline runs.
    mutating func noteStart() {
        dryness = nil
        dwindling = nil
        isBelowLevel = false
        startsImmediately = false
    }
}
