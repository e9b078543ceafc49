// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Decides when to skip packets up to the next keyframe. That is necessary if decoding is too slow
/// for the rate even without non-reference frames.
///
/// Lateness alone is not a reason, because decoding catches up after a jump of the playhead. The
/// reason is lateness that grows from one shown frame to the next.
///
/// - Concurrency: the video decoding thread only.
struct KeyframeSkipping {
    enum Decision {
        case decodes, leavesOut
        /// The packet is the first one that is skipped.
        case beginsToLeaveOut
        /// The packet is the first one after skipped packets.
        case beginsAnew
    }

    /// The lateness up to which decoding always catches up by itself.
    private static let limit = MediaTime(value: 1, timescale: 2)

    private enum State {
        case decoding, due, skipping
    }

    private var state = State.decoding
    private var lastLateness = MediaTime.positiveInfinity

    /// Records the lateness of a shown frame.
    mutating func note(lateness: MediaTime) {
        if lateness > Self.limit, lateness > lastLateness { state = .due }
        lastLateness = lateness > Self.limit ? lateness : .positiveInfinity
    }

    /// Returns the decision for the next packet.
    mutating func advance(to packet: MediaPacket) -> Decision {
        if state == .decoding { return .decodes }
        guard packet.isKeyframe, packet.presentationTime.isNumeric else {
            defer { state = .skipping }
            return state == .due ? .beginsToLeaveOut : .leavesOut
        }
        state = .decoding
        lastLateness = .positiveInfinity
        return .beginsAnew
    }
}
