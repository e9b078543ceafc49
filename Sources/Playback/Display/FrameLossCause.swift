// SPDX-License-Identifier: Apache-2.0

/// The reason why frames before a recorded one were not shown, or why that one was repeated.
///
/// The raw value is the word in reports.
package enum FrameLossCause: String, Sendable, Hashable, CaseIterable {
    /// No frame was dropped or repeated.
    case none
    /// The render thread was late: vsyncs passed without a tick.
    case missedVsyncs = "missed-vsyncs"
    /// The due frame had not been decoded.
    case lateDecoding = "late-decoding"
    /// The video has more frames than the display has vsyncs.
    case surplus
}
