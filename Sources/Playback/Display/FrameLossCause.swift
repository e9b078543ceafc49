// SPDX-License-Identifier: Apache-2.0

/// The reason why the frames before a recorded frame were not shown, or why the recorded frame was
/// repeated.
///
/// The raw value is used in reports.
package enum FrameLossCause: String, Sendable, Hashable, CaseIterable {
    /// No frame was dropped or repeated.
    case none
    /// The render thread was late, so vsyncs passed without a tick.
    case missedVsyncs = "missed-vsyncs"
    /// The frame that was due had not been decoded.
    case lateDecoding = "late-decoding"
    /// The frame rate of the video is higher than the refresh rate of the display.
    case surplus
}
