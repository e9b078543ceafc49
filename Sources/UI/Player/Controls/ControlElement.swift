// SPDX-License-Identifier: Apache-2.0

/// A part of the controls that can be pointed at and reached by keyboard.
package enum ControlElement: Sendable, Hashable, CaseIterable {
    case volume, volumeSlider
    case back, play, forward
    case speed, audio, subtitles, fullscreen
    case scrubber

    /// Whether it is dragged, and moved by arrow keys.
    var isSlider: Bool { self == .scrubber || self == .volumeSlider }

    /// The menu that it opens; nil where it opens none.
    var menu: ControlMenuKind? {
        switch self {
        case .speed: .speed
        case .audio: .audio
        case .subtitles: .subtitles
        default: nil
        }
    }
}

/// Which menu is open.
package enum ControlMenuKind: Sendable, Hashable, CaseIterable {
    case speed, audio, subtitles
}
