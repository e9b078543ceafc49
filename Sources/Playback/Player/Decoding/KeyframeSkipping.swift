// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The decision to skip packets up to the next keyframe, when decoding is too slow for the rate
/// even without the frames that no other refers to.
///
/// Being late is not a reason by itself: a jump of the playhead is caught up with. Growing lateness
/// from one shown frame to the next is.
///
/// - Concurrency: the video decoding thread only.
struct KeyframeSkipping {
    enum Decision {
        case decodes, leavesOut
        /// The first packet that is skipped.
        case beginsToLeaveOut
        /// The first packet after skipped ones.
        case beginsAnew
    }

    /// The lateness that is caught up with in any case.
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

    /// Returns the treatment of the next packet.
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
