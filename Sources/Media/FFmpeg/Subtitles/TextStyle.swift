// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The style of a part of a subtitle's text.
///
/// - Concurrency: a value; any thread.
struct TextStyle: Sendable, Hashable {
    /// The colour of the letters; nil for the default.
    var color: CaptionStyle.Color?
    /// The colour behind the letters; nil for letters with an outline and nothing behind them.
    var background: CaptionStyle.Color?
    var isBold = false
    var isItalic = false
    var isUnderlined = false
    var isStruckOut = false
    /// The height of the em square, as a fraction of the video's height; nil for the default.
    var size: Double?
    /// The width of letters, relative to the width that belongs to their height.
    var stretch = 1.0

    /// A Boolean value that indicates whether something is drawn behind the letters.
    var hasBackground: Bool { background.map { $0.opacity > 0 } ?? false }
}
