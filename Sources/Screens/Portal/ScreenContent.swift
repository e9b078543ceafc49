// SPDX-License-Identifier: Apache-2.0

/// The kind of content that a user selects for capture.
public enum ScreenContent: Sendable, Hashable {
    /// A whole monitor.
    case screen
    /// The window of a program.
    case window

    /// The bit of the kind in the portal's interface.
    var portalType: UInt32 {
        switch self {
        case .screen: 1
        case .window: 2
        }
    }

    var noun: String {
        switch self {
        case .screen: "screen"
        case .window: "window"
        }
    }
}
