// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The catching up of decoding that has fallen behind the playhead, as a value: events in, actions
/// out.
///
/// Frames that the playhead has passed are withheld, and one in several is shown, so that the video
/// does not freeze. If decoding becomes later and later all the same, packets up to the next
/// keyframe are left out.
///
/// - Concurrency: a value.
struct CatchingUp {
    /// The action for a frame that the playhead has passed.
    enum PassedFrame {
        /// The frame replaces the one that was withheld before it.
        case withhold
        /// The frame is shown, and takes its place among the frames that were shown.
        case show
        /// The frame is shown on the way to a target that was requested, and is also withheld.
        case showOnTheWay
    }

    /// The lateness beyond which decoding catches up without showing frames.
    private static let latenessLimit = MediaTime(value: 1, timescale: 10)
    /// The number of frames of which one is shown if decoding does not catch up.
    private static let withheldLimit = 12

    /// A Boolean value that indicates whether decoding is behind the playhead, without a target
    /// that was requested.
    private(set) var isActive = false
    /// A Boolean value that indicates whether the packets up to the next keyframe are left out,
    /// because decoding has fallen too far behind.
    private(set) var isLeavingOut = false
    private var withheldCount = 0
    private var skipping = KeyframeSkipping()

    /// Handles the beginning of another seek. Packets that were left out are still missing.
    mutating func restart() {
        let isLeavingOut = isLeavingOut
        self = CatchingUp()
        self.isLeavingOut = isLeavingOut
    }

    /// Handles a flush, after which decoding begins at a keyframe.
    mutating func flush() { isLeavingOut = false }

    /// Handles the arrival at the playhead or at the target of a seek.
    mutating func arrive() {
        isActive = false
        withheldCount = 0
    }

    /// Handles a frame that was added to the frame queue. Returns whether decoding now catches up.
    mutating func push(lateness: MediaTime) -> Bool {
        skipping.note(lateness: lateness)
        guard lateness > Self.latenessLimit else { return false }
        isActive = true
        return true
    }

    /// Handles a frame that ended before the playhead.
    mutating func pass(lateness: MediaTime) -> PassedFrame {
        guard withheldCount >= Self.withheldLimit else {
            withheldCount += 1
            return .withhold
        }
        withheldCount = 0
        if isActive { return .show }
        skipping.note(lateness: lateness)
        return .showOnTheWay
    }

    /// Handles the lack of further packets after a frame was withheld. Returns whether that frame
    /// is shown now, because the next one may arrive late.
    mutating func runDry() -> Bool {
        guard isActive else { return false }
        withheldCount = 0
        return true
    }

    /// Handles the next packet, and returns whether it is left out. After packets that were left
    /// out, the first frame is shown at once.
    ///
    /// - Parameter hasTarget: A Boolean value that indicates whether a target is being reached.
    mutating func take(
        _ packet: MediaPacket, hasTarget: Bool
    ) -> KeyframeSkipping.Decision {
        let decision = skipping.advance(to: packet)
        switch decision {
        case .decodes, .leavesOut: break
        case .beginsToLeaveOut: isLeavingOut = true
        case .beginsAnew:
            isLeavingOut = false
            withheldCount = Self.withheldLimit
            // Playback is no longer exact, even for a declared start.
            isActive = hasTarget
        }
        return decision
    }
}
