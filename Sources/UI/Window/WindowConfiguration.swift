// SPDX-License-Identifier: Apache-2.0

/// What a window is to be like when it opens.
public struct WindowConfiguration: Sendable, Hashable {
    /// Whether a swap waits for the vsync.
    public enum SwapInterval: Int32, Sendable, Hashable {
        /// Swaps at once; the display link paces. The default, since many drivers do not wait
        /// anyhow, and one that does would block the render thread beside the link.
        case immediate = 0
        /// Waits for the next vsync, where the driver can: no tearing without a compositor.
        case vsync = 1
    }

    /// In its title bar, and in lists of windows.
    public var title: String
    /// In screen coordinates, or, where it is scaled, in points.
    public var size: WindowSize
    /// Whether the window opens larger by as much as the desktop scales its contents, so that it
    /// looks equally large on displays of high density. Without it, where screen coordinates are
    /// pixels, `size` is in pixels.
    public var isScaledToMonitor = true
    /// Opens over all of this monitor; nil for a window.
    public var fullscreenMonitor: DisplayMonitor?
    /// Whether its user may change its size.
    public var isResizable = true
    /// Whether the window manager frames the window.
    public var isDecorated = true
    /// Whether the window stays above others.
    public var isFloating = false
    /// Whether it is shown at once.
    public var isVisible = true
    /// What swaps wait for.
    public var swapInterval = SwapInterval.immediate
    /// Refreshes of the display a second, where the display tells wrong ones: frames then come by a
    /// timer; nil to follow the display.
    public var refreshRate: Double?
    /// Asks for a debug context, which reports errors in more detail and runs slower.
    package var isDebugContext = false
    /// How desktops recognise the window, and find its icon: `WM_CLASS`, `StartupWMClass`.
    public var applicationID = "playhead"

    public init(title: String = "Playhead", size: WindowSize = WindowSize(width: 960, height: 540))
    {
        self.title = title
        self.size = size
    }
}
