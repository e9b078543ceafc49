// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Compositors of Wayland that divide the screen between windows and decide the sizes of windows.
///
/// A window that is smaller than its tile, because it keeps a ratio or sets its own size, leaves a
/// part of the tile empty: the protocol has the states `tiled_left` to `tiled_bottom`, but GLFW
/// does not report them. Therefore a window under such a compositor fills the size that it gets,
/// and the video in it is letterboxed.
enum TilingCompositor {
    /// The names in `XDG_CURRENT_DESKTOP`, in lower case.
    private static let names: Set = [
        "dwl", "hyprland", "mango", "niri", "qtile", "river", "sway", "swayfx",
    ]
    /// The variables that compositors set for their clients.
    private static let variables = ["SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE", "NIRI_SOCKET"]

    /// A Boolean value that indicates whether the process's windows belong to such a compositor.
    @MainActor static var isUsed: Bool {
        WindowSystem.isWayland && isNamed { name in getenv(name).map { String(cString: $0) } }
    }

    /// Returns whether an environment is that of a session of such a compositor.
    static func isNamed(by environment: (String) -> String?) -> Bool {
        let desktops = (environment("XDG_CURRENT_DESKTOP") ?? "").lowercased()
        return variables.contains { environment($0)?.isEmpty == false }
            || desktops.split(separator: ":").contains { names.contains(String($0)) }
    }
}
