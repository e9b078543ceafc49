// SPDX-License-Identifier: Apache-2.0

/// A cue of WebVTT without its times.
///
/// - Concurrency: a value; any thread.
struct WebVTTCue: Sendable, Hashable {
    /// The identifier, to which style sheets refer; empty if it has none.
    var identifier = ""
    /// The settings of its position, such as `line:0`.
    var settings = ""
    /// The text with its tags.
    var text = ""
}
