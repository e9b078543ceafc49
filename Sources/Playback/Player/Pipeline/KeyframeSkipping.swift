// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Decides when decoding is so slow for the rate that it is of no use to decode every frame, or even
/// every frame that others refer to: then packets are left out up to the next keyframe.
///
/// Being late is no reason by itself: a jump of the playhead is caught up with. Getting later and
/// later is, from one frame that is shown on the way to the next.
///
/// - Concurrency: the video decoding thread only.
struct KeyframeSkipping {
    enum Decision {
        case decodes, leavesOut
        /// The first that is left out.
        case beginsToLeaveOut
        /// The first packet after some that were left out.
        case beginsAnew
    }

    /// Less than this is caught up with in any case.
    private static let limit = MediaTime(value: 1, timescale: 2)

    private enum State {
        case decoding, due, skipping
    }

    private var state = State.decoding
    private var lastLateness = MediaTime.positiveInfinity

    /// Notes how late a frame was shown.
    mutating func note(lateness: MediaTime) {
        if lateness > Self.limit, lateness > lastLateness { state = .due }
        lastLateness = lateness > Self.limit ? lateness : .positiveInfinity
    }

    /// What is done with the next packet.
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
