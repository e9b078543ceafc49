// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadSubtitles
import PlayheadWindow

/// A window that shows the video alone on a monitor, while the controls stay in the player's
/// window.
///
/// The window has its own output, context and render thread, which follows the vsyncs of its
/// monitor. A failure in it does not affect the window with the controls.
///
/// - Concurrency: the main thread.
/// - Lifetime: open until `close()`.
/// - Corresponds to: `AVPlayer.usesExternalPlaybackWhileExternalScreenIsActive`.
@MainActor final class OutputWindow {
    let monitor: DisplayMonitor
    private let window: Window
    private let presenter: Presenter
    private let film: PlayerVideoOutput
    private let subtitles: SubtitleOverlay

    /// Opens a window.
    ///
    /// - Parameters:
    ///   - onEvent: Called with each event of the window.
    ///   - onLoss: Called after a loss of the context.
    init(
        of player: Player, on monitor: DisplayMonitor,
        onEvent: @escaping @MainActor (WindowEvent) -> Void,
        onLoss: @escaping @MainActor () -> Void
    ) throws(WindowError) {
        self.monitor = monitor
        film = PlayerVideoOutput(player: player)
        subtitles = SubtitleOverlay(of: film)
        var configuration = WindowConfiguration(title: "Playhead: video", size: monitor.size)
        configuration.fullscreenMonitor = monitor
        (window, presenter) = try Window.open(configuration)
        window.isCursorHidden = true
        window.eventHandler = { [weak self] event in
            if case .refreshNeeded = event { self?.presenter.setNeedsDisplay() }
            if case .framebufferResized = event { self?.presenter.surfaceDidResize() }
            onEvent(event)
        }
        presenter.onContextLoss { Task { @MainActor in onLoss() } }
        presenter.isPaused = false
    }

    /// A Boolean value that indicates whether the monitor is connected.
    var isThere: Bool { monitor.isPluggedIn }

    /// Shows the video of a view, with the subtitle settings of `other`.
    func update(_ view: PlayerView, like other: SubtitleOverlay) {
        if subtitles.isVisible != other.isVisible { subtitles.isVisible = other.isVisible }
        if subtitles.delay != other.delay { subtitles.delay = other.delay }
        if subtitles.fontScale != other.fontScale { subtitles.fontScale = other.fontScale }
        if subtitles.rotation != other.rotation { subtitles.rotation = other.rotation }
        if subtitles.elevation != other.elevation { subtitles.elevation = other.elevation }
        let size = window.framebufferSize
        guard size.width > 0, size.height > 0 else { return }
        let scene = view.plainScene(
            of: film, texts: subtitles.layers, width: size.width, height: size.height)
        if presenter.scene != scene { presenter.scene = scene }
    }

    /// Draws the next frame even if nothing has changed.
    func setNeedsDisplay() { presenter.setNeedsDisplay() }

    func close() {
        presenter.invalidate()
        window.close()
    }
}
