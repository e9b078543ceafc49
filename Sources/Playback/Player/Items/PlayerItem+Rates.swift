// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// Playback at rates other than 1.
extension PlayerItem {
    /// The treatment of pitch at rates other than 1; by default the pitch is kept.
    ///
    /// - Corresponds to: `AVPlayerItem.audioTimePitchAlgorithm`.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
        get { pipeline.control.withLock { $0.timePitchAlgorithm } }
        set {
            let renderers = pipeline.control.change { control in
                control.timePitchAlgorithm = newValue
                return control.renderers
            }
            for renderer in renderers { renderer.timePitchAlgorithm = newValue }
        }
    }

    package static let defaultReverseCacheByteLimit = SeekState.defaultReverseByteLimit

    /// The maximum size of decoded frames for playing backwards, in bytes. It applies from the next
    /// turn backwards on.
    ///
    /// Video can be decoded only forwards, from keyframe to keyframe, so a whole group of pictures
    /// is kept to be shown from its end, while the previous one is decoded: each may use half. A
    /// group that does not fit is decoded several times and shown in parts.
    public var reverseCacheByteLimit: Int {
        get { pipeline.control.withLock { $0.reverseByteLimit } }
        set { pipeline.post(.setReverseByteLimit(max(1 << 20, newValue))) }
    }

    /// A Boolean value that indicates whether the item can be played backwards: false before it is
    /// ready, and for live streams, which have no beginning.
    ///
    /// - Corresponds to: `AVPlayerItem.canPlayReverse`.
    public var canPlayReverse: Bool { status == .readyToPlay && duration.isNumeric }

    /// A Boolean value that indicates whether the item can be played at rates between 0 and −1.
    public var canPlaySlowReverse: Bool { canPlayReverse }
    /// A Boolean value that indicates whether the item can be played at rates below −1.
    public var canPlayFastReverse: Bool { canPlayReverse }
    /// A Boolean value that indicates whether the item can be played at rates between 0 and 1.
    public var canPlaySlowForward: Bool { status == .readyToPlay }
    /// A Boolean value that indicates whether the item can be played at rates over 1: false for
    /// live streams.
    public var canPlayFastForward: Bool { status == .readyToPlay && duration.isNumeric }
    /// A Boolean value that indicates whether `step(byCount:)` can move forward.
    public var canStepForward: Bool { status == .readyToPlay && playingTracks.video != nil }
    /// A Boolean value that indicates whether `step(byCount:)` can move back.
    public var canStepBackward: Bool { canStepForward && duration.isNumeric }
}
