// SPDX-License-Identifier: Apache-2.0

import CPlayheadWayland

/// A compositor of Wayland, as it is known before GLFW connects to it.
struct WaylandCompositor {
    /// A Boolean value that indicates whether it has a seat, the group of a keyboard and a pointer.
    let hasSeat: Bool
    /// A Boolean value that indicates whether it draws title bars.
    let drawsTitleBars: Bool

    /// Connects to a compositor; nil if that is impossible.
    ///
    /// - Parameter name: The name or the path of its socket; nil for the one that the environment
    ///   names.
    init?(named name: String? = nil) {
        let offers = ph_compositor_offers(name)
        guard offers >= 0 else { return nil }
        hasSeat = offers & PH_COMPOSITOR_SEAT != 0
        drawsTitleBars = offers & PH_COMPOSITOR_DECORATIONS != 0
    }
}
