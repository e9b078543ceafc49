// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
public import PlayheadDisplay
import PlayheadGL
import PlayheadTime

/// A window with a core context of OpenGL 3.3 or later, or, if the driver has none, with a context
/// of OpenGL ES 3.0 or later.
///
///     let window = try Window(WindowConfiguration(title: "Film"))
///     window.eventHandler = { event in
///         if event == .closeRequested { MainLoop.shared.stop() }
///     }
///     let context = window.context
///     let link = DisplayLink(source: window.makeVsyncSource()) { tick in
///         ...
///         context.swapBuffers()
///     }
///     try link.performAndWait { try context.makeCurrent() }
///     link.isPaused = false
///     MainLoop.shared.run()
///     link.perform { context.clearCurrent() }
///     link.invalidate()
///     window.close()
///
/// - Concurrency: the main thread of a program with a synchronous `main`, since GLFW must be used
///   on the first thread of the process. The render thread uses `context`.
/// - Lifetime: a window is open, and is kept alive, until `close` is called.
/// - Corresponds to: `NSWindow`, `GLFWwindow`.
@MainActor public final class Window {
    /// The OpenGL context, for the render thread.
    public let context: WindowContext
    /// The handler that receives the window's events. It is called while `MainLoop` runs.
    public var eventHandler: (@MainActor (WindowEvent) -> Void)?
    /// The title, in the title bar and in lists of windows.
    public var title: String {
        didSet { glfwSetWindowTitle(handle, title) }
    }
    /// A Boolean value that indicates whether the pointer is hidden over the window.
    public var isCursorHidden = false {
        didSet {
            let mode = isCursorHidden ? GLFW_CURSOR_HIDDEN : GLFW_CURSOR_NORMAL
            glfwSetInputMode(handle, GLFW_CURSOR, mode)
        }
    }
    /// A Boolean value that indicates whether the monitor that shows the window stays on while the
    /// user does nothing. It has an effect on Wayland; on X11, the desktop's services do this.
    package var keepsMonitorOn = false {
        didSet {
            if keepsMonitorOn != oldValue { context.idleInhibitor?.set(keepsMonitorOn) }
        }
    }

    private let configuration: WindowConfiguration
    /// GLFW's window; nil after the window was closed.
    private(set) var openHandle: OpaquePointer?
    /// The ratio of width to height that is kept when the window is resized; nil for any ratio.
    private var aspectRatio: WindowSize?
    /// The size to which the window was set for the last ratio, and the window's area before that.
    /// A wide video can make the window small, which must not affect the size for the next video.
    private var shape: (size: WindowSize, area: Double)?
    /// The frame that the window returns to when it leaves full screen; nil while the window is not
    /// in full screen.
    private var windowedFrame: (position: WindowPoint, size: WindowSize)?
    /// The source of the display link's vsyncs. It is notified of the refresh rate of a new
    /// monitor.
    private(set) weak var vsyncSource: (any MonitoredVsyncSource)?
    var clicks = ClickCounter()
    /// The position of the pointer in the last event, which may differ from the current position;
    /// nil before the pointer has entered.
    var reportedPointer: WindowPoint?
    /// The open windows, by GLFW's handle.
    private static var open: [OpaquePointer: Window] = [:]
    static var openWindows: [Window] { Array(open.values) }

    /// Opens a window.
    ///
    /// - Parameters:
    ///   - configuration: The initial properties.
    ///   - other: An open window to share textures with. A frame that both windows show is then
    ///     uploaded once.
    public init(
        _ configuration: WindowConfiguration = WindowConfiguration(), sharing other: Window? = nil
    ) throws(WindowError) {
        try WindowSystem.start()
        WindowSystem.monitorHandler = { Self.tellOfMonitors() }
        Self.setHints(configuration)
        let monitor = configuration.fullscreenMonitor
        let size = configuration.size
        let handle = try Self.makeHandle(
            width: monitor?.size.width ?? size.width, height: monitor?.size.height ?? size.height,
            title: configuration.title, monitor: monitor?.handle, sharing: other)
        do throws(GLError) {
            context = try WindowContext(
                window: handle, swapInterval: configuration.swapInterval, sharing: other?.context)
        } catch {
            throw .noOpenGL(reason: error.description)
        }
        self.configuration = configuration
        openHandle = handle
        title = configuration.title
        if let monitor, glfwGetWindowMonitor(handle) != nil {
            let isScaled = configuration.isScaledToMonitor && !WindowSystem.isWayland
            let scale = isScaled ? monitor.contentScale : 1
            let windowed = WindowSize(
                width: Int(Double(size.width) * scale), height: Int(Double(size.height) * scale))
            windowedFrame = (monitor.middle(for: windowed), windowed)
        }
        publishSizes()
        Self.open[handle] = self
        installCallbacks()
    }

    /// Closes the window. Its context must not be current on any thread.
    public func close() {
        guard let handle = openHandle else { return }
        openHandle = nil
        eventHandler = nil
        Self.open[handle] = nil
        context.close()
    }

    /// Replaces GLFW's window by one with a new context, after a loss of the old context. (GLFW
    /// cannot change a window's context.) The other properties stay the same.
    ///
    /// - Precondition: The context is not current on any thread.
    /// - Errors: If it throws, the window stays open without a context, and another call may
    ///   succeed.
    package func remake() throws(WindowError) {
        Self.setHints(configuration)
        glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE)
        glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_FALSE)
        let (position, size, monitor) = (position, size, glfwGetWindowMonitor(handle))
        let (isVisible, isFloating) = (isVisible, isFloating)
        let old = handle
        let new = try Self.makeHandle(
            width: size.width, height: size.height, title: title, monitor: monitor, sharing: nil)
        glfwHideWindow(old)
        do throws(GLError) {
            try context.replace(new)
        } catch {
            if isVisible { glfwShowWindow(old) }
            throw .noOpenGL(reason: error.description)
        }
        Self.open[old] = nil
        openHandle = new
        Self.open[new] = self
        if monitor == nil { self.position = position }
        self.isFloating = isFloating
        setAspectRatio(aspectRatio)
        if isVisible { glfwShowWindow(new) }
        if isCursorHidden { glfwSetInputMode(new, GLFW_CURSOR, GLFW_CURSOR_HIDDEN) }
        context.idleInhibitor?.set(keepsMonitorOn)
        publishSizes()
        installCallbacks()
    }

    /// A Boolean value that indicates whether the window is open.
    public var isOpen: Bool { openHandle != nil }

    var handle: OpaquePointer {
        guard let openHandle else { preconditionFailure("the window has been closed") }
        return openHandle
    }

    static func withHandle(_ handle: OpaquePointer?) -> Window? {
        handle.flatMap { open[$0] }
    }

    // MARK: - Geometry

    /// The size of the contents in screen coordinates.
    public var size: WindowSize {
        get {
            var (width, height): (Int32, Int32) = (0, 0)
            glfwGetWindowSize(handle, &width, &height)
            return WindowSize(width: Int(width), height: Int(height))
        }
        set {
            glfwSetWindowSize(
                handle, Self.clamped(newValue.width), Self.clamped(newValue.height))
        }
    }

    /// Returns a coordinate clamped to 16 bits, the size of positions in X11. NaN counts as 0.
    private static func place(_ coordinate: Double) -> Int32 {
        coordinate.isNaN ? 0 : Int32(min(max(coordinate, -32_768), 32_767))
    }

    /// Returns a length clamped to 16 bits, because X11 terminates programs that request a larger
    /// window.
    private static func clamped(_ length: Int) -> Int32 { Int32(min(max(length, 1), 32_767)) }

    /// The upper left corner of the contents on the desktop, in screen coordinates.
    public var position: WindowPoint {
        get {
            var (x, y): (Int32, Int32) = (0, 0)
            glfwGetWindowPos(handle, &x, &y)
            return WindowPoint(x: Double(x), y: Double(y))
        }
        set { glfwSetWindowPos(handle, Self.place(newValue.x), Self.place(newValue.y)) }
    }

    /// The size of the framebuffer, in pixels.
    public var framebufferSize: WindowSize {
        var (width, height): (Int32, Int32) = (0, 0)
        glfwGetFramebufferSize(handle, &width, &height)
        return WindowSize(width: Int(width), height: Int(height))
    }

    /// The number of pixels in a screen coordinate, which is the scale factor of the user
    /// interface.
    public var contentScale: Double {
        var (horizontal, vertical): (Float, Float) = (1, 1)
        glfwGetWindowContentScale(handle, &horizontal, &vertical)
        return Double(horizontal)
    }

    /// Sets the ratio of width to height that is kept when the user resizes the window; nil allows
    /// any ratio.
    ///
    /// The window is resized at once. It keeps its area, but is limited to four fifths of the
    /// monitor. (Window managers that apply the ratio themselves keep the width, and do not limit
    /// the height. Under a tiling compositor of Wayland, which decides the sizes of windows, a
    /// window stays as large as its tile.) A window in full screen is resized when it leaves full
    /// screen. A ratio that would make the window smaller than its minimum size is ignored.
    public func setAspectRatio(_ ratio: WindowSize?) {
        let ratio = ratio.flatMap { takeShape($0) ? $0 : nil }
        aspectRatio = ratio
        if TilingCompositor.isUsed { return }
        glfwSetWindowAspectRatio(
            handle, ratio.map { Int32(clamping: $0.width) } ?? GLFW_DONT_CARE,
            ratio.map { Int32(clamping: $0.height) } ?? GLFW_DONT_CARE)
    }

    /// Applies a ratio to the window's size.
    ///
    /// - Returns: A Boolean value that indicates whether the ratio can be kept.
    private func takeShape(_ ratio: WindowSize) -> Bool {
        let old = windowedFrame?.size ?? size
        if TilingCompositor.isUsed, old != shape?.size ?? configuration.size { return true }
        if shape?.size != old {
            shape = (old, Double(old.width) * Double(old.height))
        }
        guard let area = shape?.area, !attribute(GLFW_MAXIMIZED) else { return true }
        let limit = monitor.map {
            WindowSize(width: $0.size.width * 4 / 5, height: $0.size.height * 4 / 5)
        }
        let shaped = old.shaped(as: ratio, area: area, within: limit)
        let new = shaped.grown(to: .least)
        shape = (new, area)
        if windowedFrame != nil {
            windowedFrame?.size = new
        } else if new != old {
            size = new
        }
        return new == shaped
    }

    // MARK: - State

    /// A Boolean value that indicates whether the window is minimised.
    package var isIconified: Bool { attribute(GLFW_ICONIFIED) }
    /// A Boolean value that indicates whether the window has the keyboard focus.
    package var isFocused: Bool { attribute(GLFW_FOCUSED) }

    /// A Boolean value that indicates whether the window is visible.
    public var isVisible: Bool {
        get { attribute(GLFW_VISIBLE) }
        set { newValue ? glfwShowWindow(handle) : glfwHideWindow(handle) }
    }

    /// A Boolean value that indicates whether the window stays above others.
    public var isFloating: Bool {
        get { attribute(GLFW_FLOATING) }
        set { glfwSetWindowAttrib(handle, GLFW_FLOATING, newValue ? GLFW_TRUE : GLFW_FALSE) }
    }

    private func attribute(_ name: Int32) -> Bool {
        glfwGetWindowAttrib(handle, name) == GLFW_TRUE
    }

    // MARK: - Monitors

    /// The monitor that shows most of the window; nil if there is no monitor.
    public var monitor: DisplayMonitor? {
        if let monitor = glfwGetWindowMonitor(handle) { return DisplayMonitor(monitor) }
        // Wayland does not report positions of windows, but the monitor that shows them.
        if let monitor = context.presentation?.monitor { return DisplayMonitor(monitor) }
        let (position, size) = (position, size)
        func overlap(_ monitor: DisplayMonitor) -> Double {
            let width =
                min(
                    position.x + Double(size.width),
                    monitor.position.x + Double(monitor.size.width))
                - max(position.x, monitor.position.x)
            let height =
                min(
                    position.y + Double(size.height),
                    monitor.position.y + Double(monitor.size.height))
                - max(position.y, monitor.position.y)
            return max(0, width) * max(0, height)
        }
        let monitors = WindowSystem.monitors.map { DisplayMonitor($0) }
        return monitors.max { overlap($0) < overlap($1) } ?? monitors.first
    }

    /// A Boolean value that indicates whether the window is in full screen.
    public var isFullscreen: Bool { glfwGetWindowMonitor(handle) != nil }

    /// Makes the window fill a monitor, without changing the monitor's video mode.
    ///
    /// - Parameter monitor: The monitor; nil for the one that shows most of the window.
    public func enterFullscreen(on monitor: DisplayMonitor? = nil) {
        guard let target = (monitor?.handle ?? self.monitor?.handle),
            let mode = glfwGetVideoMode(target)?.pointee
        else { return }
        if !isFullscreen { windowedFrame = (position, size) }
        glfwSetWindowMonitor(handle, target, 0, 0, mode.width, mode.height, mode.refreshRate)
        publishSizes()
        eventHandler?(.fullscreenChanged(true))
        followMonitor()
    }

    /// Leaves full screen, and restores the window's earlier frame.
    public func leaveFullscreen() {
        guard isFullscreen, let frame = windowedFrame else { return }
        windowedFrame = nil
        glfwSetWindowMonitor(
            handle, nil, Int32(frame.position.x), Int32(frame.position.y),
            Int32(clamping: frame.size.width), Int32(clamping: frame.size.height), GLFW_DONT_CARE)
        publishSizes()
        eventHandler?(.fullscreenChanged(false))
        followMonitor()
    }

    /// Restores the earlier frame after the monitor that the window filled was unplugged. GLFW
    /// would leave the window at the size of the monitor.
    func restoreWindowedFrame() {
        guard let frame = windowedFrame else { return }
        windowedFrame = nil
        size = frame.size
        position = frame.position
        publishSizes()
        eventHandler?(.fullscreenChanged(false))
    }

    /// Enters full screen, or leaves it.
    public func toggleFullscreen() { isFullscreen ? leaveFullscreen() : enterFullscreen() }

    // MARK: - Vsync

    /// Creates a source of vsyncs for a `DisplayLink`.
    ///
    /// The source is the X server's Present extension, or the presentation times of a Wayland
    /// compositor. If these are missing or the configuration has a refresh rate, the source is a
    /// timer. `DisplayTick.source` reports which one is in use.
    public func makeVsyncSource() -> any VsyncSource {
        if let rate = configuration.refreshRate, rate > 0 {
            let millionths = Int32((min(rate, 1000) * 1_000_000).rounded())
            let period = MediaTime(value: 1_000_000, timescale: max(1, millionths))
            return SimulatedDisplay(schedule: VsyncSchedule(period: period))
        }
        let period = monitor?.nominalPeriod ?? MediaTime(value: 1, timescale: 60)
        let window = ph_x11_window(handle)
        if window != 0,
            let source = PresentVsyncSource(
                window: UInt32(truncatingIfNeeded: window), nominalPeriod: period)
        {
            vsyncSource = source
            return source
        }
        if let presentation = context.presentation {
            // The compositor may move the window to another monitor.
            let source = WaylandVsyncSource(presentation, nominalPeriod: period) { [weak self] in
                Task { @MainActor in
                    if let self, self.isOpen { self.followMonitor() }
                }
            }
            vsyncSource = source
            return source
        }
        return SimulatedDisplay(schedule: VsyncSchedule(period: period))
    }

    /// Publishes the window's sizes to the render thread.
    func publishSizes() {
        context.update(framebufferSize: framebufferSize)
        context.update(contentScale: contentScale)
    }

    /// Creates GLFW's window with the current hints.
    ///
    /// Contexts are requested in the order of `ContextKind`. A window that shares objects with
    /// another one has a context of the same kind.
    private static func makeHandle(
        width: Int, height: Int, title: String, monitor: OpaquePointer?, sharing other: Window?
    ) throws(WindowError) -> OpaquePointer {
        var reason: String?
        for kind in other.map({ [ContextKind(of: $0.handle)] }) ?? ContextKind.allCases {
            kind.setHints()
            for version in kind.versions {
                glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, version.major)
                glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, version.minor)
                let handle = GLDriverLock.withLock {
                    glfwCreateWindow(
                        Int32(clamping: max(1, width)), Int32(clamping: max(1, height)), title,
                        monitor, other?.handle)
                }
                // This clears the error for the next attempt.
                let problem = WindowSystem.lastError
                if let handle { return handle }
                reason = reason ?? problem
            }
        }
        throw .noOpenGL(reason: reason ?? "no context was created")
    }

    private static func setHints(_ configuration: WindowConfiguration) {
        func set(_ hint: Int32, _ isOn: Bool) {
            glfwWindowHint(hint, isOn ? GLFW_TRUE : GLFW_FALSE)
        }
        glfwDefaultWindowHints()
        set(GLFW_OPENGL_DEBUG_CONTEXT, configuration.isDebugContext || GLMessageLog.isWanted)
        // Depth and stencil buffers are not needed, and take 32 MB each at 4K.
        glfwWindowHint(GLFW_DEPTH_BITS, 0)
        glfwWindowHint(GLFW_STENCIL_BITS, 0)
        set(GLFW_RESIZABLE, configuration.isResizable)
        set(GLFW_DECORATED, configuration.isDecorated)
        set(GLFW_FLOATING, configuration.isFloating)
        set(GLFW_VISIBLE, configuration.isVisible)
        set(
            GLFW_SCALE_TO_MONITOR,
            configuration.isScaledToMonitor && configuration.fullscreenMonitor == nil)
        // A window in full screen stays in full screen when the user clicks on another monitor.
        set(GLFW_AUTO_ICONIFY, false)
        glfwWindowHintString(GLFW_X11_CLASS_NAME, configuration.applicationID)
        glfwWindowHintString(GLFW_X11_INSTANCE_NAME, configuration.applicationID)
        if WindowSystem.isWayland {
            glfwWindowHintString(PH_GLFW_WAYLAND_APP_ID, configuration.applicationID)
        }
        if let mode = configuration.fullscreenMonitor?.handle.flatMap(glfwGetVideoMode)?.pointee {
            glfwWindowHint(GLFW_REFRESH_RATE, mode.refreshRate)
        }
    }
}
