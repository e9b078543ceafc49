// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
import PlayheadPlayback
import PlayheadSubtitles
import PlayheadTime

/// The frames to draw, with their effects and subtitles.
struct DrawSource {
    var output: (any NotifyingPixelBufferSource)?
    /// The output for multisampled framebuffers. They have their own renderer, which needs a
    /// separate record of the frames that were drawn.
    var sampledOutput: (any NotifyingPixelBufferSource)?
    /// The object that wakes the host for new frames.
    var watch: FrameWakeup?
    /// The subtitles for `output` and for `sampledOutput`, or nil.
    var subtitles: SubtitleOverlay?
    var sampledSubtitles: SubtitleOverlay?
    /// An output of the same media. Reading a frame from it does not mark the frame as drawn.
    var preview: (any NotifyingPixelBufferSource)?
    /// An output of the media; nil for a camera. It knows whether the decoder is late.
    var playing: PlayerItemVideoOutput?
    var effects: [EffectInstance]
    /// A number that increases with each change of the properties above.
    var generation: UInt64
    var isVisible: Bool
    /// A number that changes whenever an effect, the list of effects or the style of subtitles
    /// changes.
    var look: UInt64
    var hostTime: MediaTime
    /// A Boolean value that indicates whether the player's own clock is running. If so, a frame
    /// that is not ready may be drawn by a later call.
    var isRunning: Bool
}
