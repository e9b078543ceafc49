// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadWindow

@Suite struct TilingCompositorTests {
    @Test(arguments: [
        ["XDG_CURRENT_DESKTOP": "sway"], ["XDG_CURRENT_DESKTOP": "Hyprland"],
        ["XDG_CURRENT_DESKTOP": "wlroots:river"], ["SWAYSOCK": "/run/user/1000/sway-ipc.sock"],
        ["HYPRLAND_INSTANCE_SIGNATURE": "1a2b"], ["NIRI_SOCKET": "/run/user/1000/niri.sock"],
    ])
    func `compositors that decide the sizes of windows are known`(environment: [String: String]) {
        #expect(TilingCompositor.isNamed { environment[$0] })
    }

    @Test(arguments: [
        [:], ["XDG_CURRENT_DESKTOP": "GNOME"], ["XDG_CURRENT_DESKTOP": "ubuntu:GNOME"],
        ["XDG_CURRENT_DESKTOP": "KDE"], ["XDG_CURRENT_DESKTOP": "swaybird"], ["SWAYSOCK": ""],
    ])
    func `others leave the size to the window`(environment: [String: String]) {
        #expect(!TilingCompositor.isNamed { environment[$0] })
    }
}
