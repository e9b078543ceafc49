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

    /// A Boolean value that indicates whether something is drawn behind the letters.
    var hasBackground: Bool { background.map { $0.opacity > 0 } ?? false }
}
