// SPDX-License-Identifier: Apache-2.0

/// A part of the controls that the pointer and the keyboard can use.
package enum ControlElement: Sendable, Hashable, CaseIterable {
    case volume, volumeSlider
    case back, play, forward
    case speed, audio, subtitles, fullscreen
    case scrubber
    /// The mark of a live stream, which seeks to the newest part.
    case live

    /// A Boolean value that indicates whether the element can be dragged with the pointer and moved
    /// with the arrow keys.
    var isSlider: Bool { self == .scrubber || self == .volumeSlider }

    /// The menu that the element opens; nil if it opens none.
    var menu: ControlMenuKind? {
        switch self {
        case .speed: .speed
        case .audio: .audio
        case .subtitles: .subtitles
        default: nil
        }
    }
}

/// The menus of the controls.
package enum ControlMenuKind: Sendable, Hashable, CaseIterable {
    case speed, audio, subtitles
}
