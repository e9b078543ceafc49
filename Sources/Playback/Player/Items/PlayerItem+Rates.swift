// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// Rates other than 1.
extension PlayerItem {
    /// What becomes of the pitch of sound at rates other than 1: it is kept unless this is set.
    ///
    /// - Corresponds to: `AVPlayerItem.audioTimePitchAlgorithm`.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
        get { pipeline.control.withLock { $0.timePitchAlgorithm } }
        set {
            let renderer = pipeline.control.change { control in
                control.timePitchAlgorithm = newValue
                return control.renderer
            }
            renderer?.timePitchAlgorithm = newValue
        }
    }

    /// 512 MiB hold 172 pictures of 1920 x 1080 at 8 bits: a group of 250 is decoded in three parts.
    package static let defaultReverseCacheByteLimit = 512 << 20

    /// How many bytes decoded pictures may take while the item plays backwards. Counts from the next
    /// turn backwards on.
    ///
    /// Films are decoded forward only, from keyframe to keyframe, so a whole group of pictures is kept
    /// to be shown from its end, and the one before it is decoded meanwhile: each may take half. A
    /// group that does not fit is decoded several times, and shown in parts.
    public var reverseCacheByteLimit: Int {
        get { pipeline.control.withLock { $0.reverseByteLimit } }
        set { pipeline.control.change { $0.reverseByteLimit = max(1 << 20, newValue) } }
    }

    /// Whether the item can be played backwards: not before it is ready, and not if it has no
    /// beginning to come to, as live streams.
    ///
    /// - Corresponds to: `AVPlayerItem.canPlayReverse`.
    public var canPlayReverse: Bool { status == .readyToPlay && duration.isNumeric }

    /// Whether it can at rates between 0 and −1.
    public var canPlaySlowReverse: Bool { canPlayReverse }
    /// Whether it can at rates below −1.
    public var canPlayFastReverse: Bool { canPlayReverse }
    /// Whether the item can be played at rates between 0 and 1.
    public var canPlaySlowForward: Bool { status == .readyToPlay }
    /// Whether the item can be played at rates over 1: not if it comes no faster, as live streams.
    public var canPlayFastForward: Bool { status == .readyToPlay && duration.isNumeric }
    /// Whether `step(byCount:)` moves forward.
    public var canStepForward: Bool { status == .readyToPlay && playingTracks.video != nil }
    /// Whether `step(byCount:)` moves back.
    public var canStepBackward: Bool { canStepForward && duration.isNumeric }
}
