// SPDX-License-Identifier: Apache-2.0

/// Why pictures before a recorded one were not shown, or why that one was shown for longer.
///
/// The raw value is the word that tables use.
package enum FrameLossCause: String, Sendable, Hashable, CaseIterable {
    /// Nothing was lost.
    case none
    /// The render thread was late: vsyncs passed without a tick.
    case missedVsyncs = "missed-vsyncs"
    /// The picture that was due had not come out of the decoder.
    case lateDecoding = "late-decoding"
    /// The film has more pictures than the display has vsyncs.
    case surplus
}
