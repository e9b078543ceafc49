// SPDX-License-Identifier: Apache-2.0

/// When the controls of a view are seen.
///
/// - Corresponds to: `AVPlayerView.ControlsStyle.none`, mpv's `osc-visibility`.
package enum ControlsMode: String, Sendable, Hashable, CaseIterable {
    /// While they are used, and two seconds more.
    case automatic = "auto"
    case never
    case always
}
