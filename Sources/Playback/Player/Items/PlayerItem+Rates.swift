// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
public import PlayheadStretching
import PlayheadThreads
import PlayheadTime

/// Playback at rates other than 1.
extension PlayerItem {
    /// The treatment of pitch at rates other than 1. By default, the pitch is kept.
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

    /// The maximum size of decoded frames for reverse playback, in bytes. A change takes effect
    /// when playback next turns to reverse.
    ///
    /// Video can be decoded only forwards from a keyframe, so a whole group of pictures is kept in
    /// order to be shown from its end, while the previous group is decoded. Each of the two may use
    /// half of the size. A group that does not fit is decoded several times and shown in parts.
    package var reverseCacheByteLimit: Int {
        get { pipeline.control.withLock { $0.reverseByteLimit } }
        set { pipeline.post(.setReverseByteLimit(max(1 << 20, newValue))) }
    }

    /// A Boolean value that indicates whether the item can be played in reverse, video and audio.
    /// It is false before the item is ready, and for live streams, which have no beginning.
    ///
    /// - Corresponds to: `AVPlayerItem.canPlayReverse`.
    public var canPlayReverse: Bool { status == .readyToPlay && duration.isNumeric }

    /// A Boolean value that indicates whether the item can be played at rates between 0 and −1.
    package var canPlaySlowReverse: Bool { canPlayReverse }
    /// A Boolean value that indicates whether the item can be played at rates below −1.
    package var canPlayFastReverse: Bool { canPlayReverse }
    /// A Boolean value that indicates whether the item can be played at rates between 0 and 1.
    package var canPlaySlowForward: Bool { status == .readyToPlay }
    /// A Boolean value that indicates whether the item can be played at rates over 1. It is false
    /// for live streams.
    package var canPlayFastForward: Bool { status == .readyToPlay && duration.isNumeric }
    /// A Boolean value that indicates whether `step(byCount:)` can move forward.
    public var canStepForward: Bool { status == .readyToPlay && playingTracks.video != nil }
    /// A Boolean value that indicates whether `step(byCount:)` can move backwards.
    public var canStepBackward: Bool { canStepForward && duration.isNumeric }
}
