// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
import PlayheadPlayback
import PlayheadSubtitles
import PlayheadTime

/// The frames to draw, their effects and their subtitles.
struct DrawSource {
    var output: PlayerItemVideoOutput?
    /// The same for framebuffers of several samples a pixel, where those have a renderer of their
    /// own: what the other one has taken is new to it.
    var sampledOutput: PlayerItemVideoOutput?
    /// Told of what has been looked at.
    var watch: FrameWakeup?
    /// What is drawn over the pictures, and the same for `sampledOutput`; nil where nothing is.
    var subtitles: SubtitleOverlay?
    var sampledSubtitles: SubtitleOverlay?
    /// Another of the same film, to look at pictures by, without taking them.
    var preview: PlayerItemVideoOutput?
    var effects: [EffectInstance]
    /// Grows with each change of these.
    var generation: UInt64
    var isVisible: Bool
    /// Changes with each effect that is added, taken away, switched or set, and each change of how subtitles
    /// are shown.
    var look: UInt64
    var hostTime: MediaTime
    /// Whether time goes by itself, and for this player alone, so that a picture may as well be drawn
    /// by the next call.
    var isRunning: Bool
}
