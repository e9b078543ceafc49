// SPDX-License-Identifier: Apache-2.0

/// The initial properties of a window.
public struct WindowConfiguration: Sendable, Hashable {
    /// The vsyncs that a swap waits for.
    public enum SwapInterval: Int32, Sendable, Hashable {
        /// A swap does not wait; the display link paces the frames. This is the default, because
        /// many drivers never wait, and a driver that waits blocks the render thread in addition to
        /// the link.
        case immediate = 0
        /// A swap waits for the next vsync, if the driver supports it. This avoids tearing without
        /// a compositor.
        case vsync = 1
    }

    /// The title, in the title bar and in lists of windows.
    public var title: String
    /// The size in points. The scale factor of the desktop multiplies it.
    public var size: WindowSize
    /// A Boolean value that indicates whether the initial size is multiplied by the desktop's scale
    /// factor. If so, the window has the same apparent size on high-density displays.
    package var isScaledToMonitor = true
    /// The monitor that the window fills; nil for a window that is not in full screen.
    public var fullscreenMonitor: DisplayMonitor?
    /// A Boolean value that indicates whether the user can change the window's size.
    public var isResizable = true
    /// A Boolean value that indicates whether the window has a title bar and a frame.
    public var isDecorated = true
    /// A Boolean value that indicates whether the window stays above others.
    public var isFloating = false
    /// A Boolean value that indicates whether the window is visible when it opens.
    public var isVisible = true
    /// The vsyncs that swaps wait for.
    public var swapInterval = SwapInterval.immediate
    /// The refresh rate, in hertz, of a timer that paces the frames. Set it for a display that
    /// reports a wrong rate; with nil, frames follow the display.
    public var refreshRate: Double?
    /// A Boolean value that indicates whether the context is a debug context, which reports errors
    /// in more detail and is slower.
    package var isDebugContext = false
    /// The identifier that desktops use to find the window's icon: `WM_CLASS`, `StartupWMClass`.
    public var applicationID = "playhead"

    /// Creates a configuration of a resizable window.
    public init(title: String = "Playhead", size: WindowSize = WindowSize(width: 960, height: 540))
    {
        self.title = title
        self.size = size
    }
}
