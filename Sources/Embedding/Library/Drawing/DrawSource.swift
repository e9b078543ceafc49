// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
import PlayheadPlayback
import PlayheadSubtitles
import PlayheadTime

/// The frames to draw, their effects and their subtitles.
struct DrawSource {
    var output: PlayerItemVideoOutput?
    /// The output for multisampled framebuffers, which have a renderer of their own, and therefore
    /// a record of their own of the frames that were drawn.
    var sampledOutput: PlayerItemVideoOutput?
    /// The object that requests wakeups for new frames.
    var watch: FrameWakeup?
    /// The subtitles for `output` and for `sampledOutput`, or nil.
    var subtitles: SubtitleOverlay?
    var sampledSubtitles: SubtitleOverlay?
    /// An output of the same media that is read without marking frames as drawn.
    var preview: PlayerItemVideoOutput?
    var effects: [EffectInstance]
    /// Increases with each change of the properties above.
    var generation: UInt64
    var isVisible: Bool
    /// Changes with each change of an effect, of the list of effects, or of the subtitles' style.
    var look: UInt64
    var hostTime: MediaTime
    /// A Boolean value that indicates whether the player's own clock runs, so that a later call may
    /// draw the frame.
    var isRunning: Bool
}
