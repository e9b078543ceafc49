// SPDX-License-Identifier: Apache-2.0

/// A rule for the visibility of a view's controls.
///
/// - Corresponds to: `AVPlayerView.ControlsStyle.none`, mpv's `osc-visibility`.
package enum ControlsMode: String, Sendable, Hashable, CaseIterable {
    /// The controls are visible while they are used, and for two seconds afterwards.
    case automatic = "auto"
    case never
    case always
}
