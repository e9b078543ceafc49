// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadBuffers
package import PlayheadCommands
public import PlayheadEffects
import PlayheadGL
public import PlayheadLayers
public import PlayheadPlayback
package import PlayheadPresentation
package import PlayheadSubtitles
import PlayheadTime
public import PlayheadWindow

/// A window that plays videos, with controls, keys, a title, the effect panel and pages of
/// statistics.
///
///     let window = try PlayerWindow(player: player) { URLAsset($0) }
///     window.open(URLAsset("film.mp4"))
///     window.player.play()
///     MainLoop.shared.run()
///
/// The keys are those of mpv. Files that are dropped on the window are played.
///
/// - Concurrency: the main thread. The window has its own render thread.
/// - Lifetime: the window is open, and is kept alive, until `close()`. The call also ends drawing;
///   the player continues. A program that exits while a window draws may crash in the exit handlers
///   of the graphics driver.
/// - Corresponds to: `AVPlayerView` in a window.
@MainActor public final class PlayerWindow {
    /// The video and its controls.
    package let view: PlayerView
    /// The player whose video is shown.
    public let player: Player
    /// The controller that performs commands and provides properties, for keys, controls and other
    /// clients.
    package var controller: PlayerController { view.controller }
    /// The key bindings.
    package var bindings = KeyBindings.standard
    /// The keys that are being pressed by commands, to detect a cycle.
    var pressedKeys: Set<KeyChord> = []
    /// The window.
    public let window: Window
    /// The presenter that draws the window. It is replaced if the context is lost.
    package private(set) var presenter: Presenter
    /// A Boolean value that indicates whether the window is minimised.
    private var isHidden = false
    /// The effects on the video, in the order in which they are applied.
    public var effects: [EffectInstance] {
        get { view.effects }
        set {
            view.effects = newValue
            effectPanel.effects = newValue
            view.rebuild()
        }
    }
    /// The panel with the effects' inputs. Tab shows it.
    package let effectPanel: EffectPanel
    /// The view that trims the file by hand. The key `c` shows it.
    package let trimView = TrimView()
    /// The view that shows a folder, from which files are played. The key F7 shows it.
    package let browserView = BrowserView()
    /// Returns the path of the folder of the open file; nil if it is in none.
    package var browserFolder: @MainActor () -> String? = { nil }
    /// A Boolean value that indicates whether playback resumes when the folder is hidden.
    var resumesAfterBrowsing = false
    /// A Boolean value that indicates whether the speed is adjusted by up to half a percent to
    /// match the display's vsyncs. The default is false.
    package var locksToDisplay = false {
        didSet { presenter.setLocksToDisplay(locksToDisplay) }
    }
    /// A Boolean value that indicates whether the window takes the video's aspect ratio, and keeps
    /// it when the user resizes the window.
    package var keepsAspectRatio: Bool {
        didSet {
            guard keepsAspectRatio != oldValue else { return }
            shape = nil
            if keepsAspectRatio { takeShape(of: shown.item) } else { window.setAspectRatio(nil) }
        }
    }
    /// The handler that is called when the user asks to close the window. By default it closes the
    /// window and stops the main loop.
    public var closeHandler: @MainActor () -> Void = {}
    /// The handler that is called when the item, or the last item of a queue, has played to its end
    /// or cannot be played.
    public var endHandler: @MainActor () -> Void = {}
    /// The handler that receives the paths of dropped files. By default it plays the first one.
    public var dropHandler: @MainActor ([String]) -> Void = { _ in }
    /// The handler that receives a screenshot and the path to write it to. If the path is nil, the
    /// handler chooses one. An error that it throws is reported as the error of the command.
    /// Without a handler, screenshots are unavailable.
    public var screenshotHandler: (@MainActor (RGBAImage, String?) throws -> Void)?

    /// A Boolean value that indicates whether GPU times are measured even while they are not
    /// visible. The default is false.
    package var measuresGPU = false { didSet { followMeasuring() } }

    /// The overlay that draws the selected subtitles.
    package let subtitles: SubtitleOverlay

    let makeAsset: @MainActor (String) -> Asset
    let pages: WindowPages
    var keyReader = KeyReader()
    private(set) var isOpen = true
    /// The current item, and the observations of its state.
    private var shown: (item: PlayerItem?, observations: [ObservationToken]) = (nil, [])
    private var observation: ObservationToken?
    /// The window that shows the video on another monitor.
    var output: OutputWindow?
    /// The name of the monitor that showed the video until it was unplugged. When this monitor is
    /// plugged in again, it shows the video again.
    var missedMonitor: String?
    private var hasReportedEnd = false
    private var rest: Task<Void, Never>?
    /// The state of the renderer at the last request.
    var rendererState: RendererState?

    /// Opens the window.
    ///
    /// - Parameters:
    ///   - player: The player whose video is shown.
    ///   - configuration: The initial properties of the window.
    ///   - effects: The effects on the video, in the order in which they are applied.
    ///   - background: The background around the video, and behind its transparent parts.
    ///   - keepsAspectRatio: A Boolean value that indicates whether the window takes the video's
    ///     aspect ratio. If false, it keeps the size in `configuration`.
    ///   - makeAsset: Returns the asset for a path or URL that is dropped on the window.
    public init(
        player: Player, configuration: WindowConfiguration = WindowConfiguration(),
        effects: [EffectInstance] = [], background: Scene.Background = .black,
        keepsAspectRatio: Bool = true, makeAsset: @escaping @MainActor (String) -> Asset
    ) throws(WindowError) {
        self.player = player
        self.keepsAspectRatio = keepsAspectRatio
        view = PlayerView(player: player)
        view.effects = effects
        view.background = background
        subtitles = SubtitleOverlay(of: view.output)
        effectPanel = EffectPanel(effects: effects)
        self.makeAsset = makeAsset
        (window, presenter) = try Window.open(configuration)
        pages = WindowPages()
        connectEffectPanel()
        connectTrimView()
        connectBrowser()
        // This keeps the object alive until the window is closed.
        window.eventHandler = { event in self.handle(event) }
        closeHandler = { [unowned self] in
            // GLFW cannot destroy a window during an event.
            Task {
                self.close()
                MainLoop.shared.stop()
            }
        }
        dropHandler = { [weak self] paths in
            guard let self, let path = paths.first else { return }
            guard mayLeaveFile(then: { [weak self] in self?.dropHandler(paths) }) else { return }
            open(self.makeAsset(path))
            self.player.play()
        }
        provideWindow()
        provideSubtitles()
        provideOutput()
        presenter.observe(view.output)
        watchPresenter()
        presenter.isPaused = false
        view.sceneHandler = { [weak self] scene in
            if self?.presenter.scene != scene { self?.presenter.scene = scene }
        }
        observation = player.observe(\.self, on: .main) { [weak self] _ in
            MainActor.assumeIsolated { self?.setNeedsUpdate() }
        }
        follow(player.currentItem)
        update()
        Task { [weak self] in
            while let duration = self?.turn() {
                let rest = Task<Void, Never> {
                    do { try await Task.sleep(for: duration) } catch {}
                }
                self?.rest = rest
                await rest.value
            }
        }
    }

    /// Opens an asset and shows it. It plays if the player's rate is not 0.
    public func open(_ asset: Asset) {
        player.replaceCurrentItem(with: PlayerItem(asset: asset))
        follow(player.currentItem)
        update()
    }

    /// Observes another item of the player.
    private func follow(_ item: PlayerItem?) {
        let observations = [
            item?.observe(\.suppressesPlayerRendering, on: .main) { [weak self] _ in
                MainActor.assumeIsolated { self?.view.rebuild() }
            },
            item?.observe(\.self, on: .main) { [weak self] _ in
                MainActor.assumeIsolated { self?.setNeedsUpdate() }
            },
        ]
        shown = (item, observations.compactMap { $0 })
        hasReportedEnd = false
    }

    /// Ends drawing and closes the window.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        for observation in shown.observations { observation.cancel() }
        observation?.cancel()
        rest?.cancel()
        trimView.close()
        browserView.close()
        output?.close()
        output = nil
        presenter.invalidate()
        window.close()
    }

    /// Shows a message over the video for a moment.
    public func say(_ line: String) {
        view.show(.text(line))
        setNeedsUpdate()
    }

    /// Measures GPU times only while they are visible.
    func followMeasuring() {
        presenter.setMeasuresGPU(
            measuresGPU || pages.showsStatistics || effectPanel.isVisible)
    }

    /// Pauses drawing while the window is minimised. Playback continues.
    func setHidden(_ isHidden: Bool) {
        self.isHidden = isHidden
        presenter.isPaused = isHidden
    }

    // MARK: Presenter

    private func watchPresenter() {
        // Problems are collected between events. An empty task triggers an event.
        presenter.onProblems { Task { @MainActor in } }
        presenter.onContextLoss { [weak self] in
            Task { @MainActor in self?.remake() }
        }
    }

    /// Continues in a new window with a new context. Playback is not interrupted.
    private func remake() {
        guard isOpen else { return }
        presenter.invalidate()
        do {
            try window.remake()
            presenter = try Presenter(
                continuing: presenter, surface: WindowSurface(window.context),
                vsyncs: window.makeVsyncSource())
        } catch {
            // The driver may recover. Until then, the old presenter is kept and draws nothing.
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(1))
                self?.remake()
            }
            return
        }
        watchPresenter()
        followMeasuring()
        presenter.setLocksToDisplay(locksToDisplay)
        presenter.scene = view.scene
        presenter.observe(view.output)
        presenter.isPaused = isHidden
        say("Graphics driver was reset")
    }

    // MARK: Updates

    /// Requests an update soon. Several requests cause one update.
    func setNeedsUpdate() { rest?.cancel() }

    /// Updates the window, and returns the time until the next update; nil if the window is closed.
    private func turn() -> Duration? {
        guard isOpen else { return nil }
        update()
        var seconds = player.timeControlStatus == .paused ? Self.longestRest : 0.05
        for next in [view.nextUpdate, pages.nextChange, browserView.nextUpdate].compactMap({ $0 }) {
            seconds = min(seconds, (next - HostClock.shared.time).seconds)
        }
        // The times of passes and the values of pixels arrive from the render thread with the
        // frames.
        if effectPanel.isVisible { seconds = min(seconds, 0.25) }
        return .milliseconds(max(5, Int(seconds * 1000)))
    }

    /// The longest time between updates, in seconds. It can be long, because a paused player
    /// reports when it continues.
    private static let longestRest = 3600.0

    func update() {
        guard isOpen else { return }
        let size = window.framebufferSize
        if size.width > 0, size.height > 0 {
            view.resize(width: size.width, height: size.height, scale: window.contentScale)
        }
        view.isFullscreen = window.isFullscreen
        let item = player.currentItem
        let isOver = isOver(item)
        if item !== shown.item { follow(item) }
        updateTrimView()
        updateBrowser()
        let title = title(of: item)
        if window.title != title { window.title = title }
        let browserLayers = browserView.layers(
            width: size.width, height: size.height, scale: window.contentScale)
        let isBrowsing = browserView.isVisible
        let trimLayers = trimView.layers(
            width: size.width, height: size.height, scale: window.contentScale)
        let panelLayers = effectPanel.layers(
            width: size.width, height: size.height, scale: window.contentScale
        ) { [view, trimView] in trimView.top ?? view.controlsTop(rightOf: $0) }
        // A folder covers everything but pages.
        let coversPanel = coversEffectPanel || isBrowsing
        let room = coversPanel ? Double(size.width) : effectPanel.left
        let bottom = isBrowsing ? Double(size.height) : trimView.top ?? view.controlsTop
        let pageLayers =
            browserLayers + (coversPanel ? [] : panelLayers)
            + pages.layers(
                for: pageSources, notice: isBrowsing ? nil : notice(for: item),
                width: Int(room), height: size.height, above: bottom,
                scale: window.contentScale)
            + (pages.fillsWindow || isBrowsing ? [] : trimLayers)
        // The trim view takes the place of the controls.
        view.isCovered = pages.fillsWindow || trimView.isVisible || isBrowsing
        view.messageAlignment = pages.page == nil ? .left : .right
        view.messageObstacle = pages.rect
        view.contentRight = room
        if view.pageLayers != pageLayers { view.pageLayers = pageLayers }
        view.pageGround = isBrowsing ? BrowserView.ground : nil
        view.update()
        placeSubtitles()
        output?.update(view, like: subtitles)
        let isCursorHidden = view.isCursorHidden && !isBrowsing
        if window.isCursorHidden != isCursorHidden { window.isCursorHidden = isCursorHidden }
        takeShape(of: item)
        let isPlaying = player.timeControlStatus != .paused && item?.hasPlayedToEnd != true
        // Audio without video does not keep the screen on.
        window.keepsMonitorOn =
            isPlaying && item?.error == nil && item?.playingTracks.video != nil
        let isNews = isOver && !hasReportedEnd
        hasReportedEnd = isOver
        if isNews { endHandler() }
    }

    /// A Boolean value that indicates whether a page hides the effect panel: it fills the window,
    /// or leaves no space beside it.
    var coversEffectPanel: Bool {
        guard pages.page != nil, effectPanel.isVisible else { return false }
        return pages.fillsWindow || effectPanel.left < 320 * window.contentScale
    }

    /// Returns whether nothing is left to play. If the item has ended and the queue advances to
    /// another item, the result is false.
    private func isOver(_ item: PlayerItem?) -> Bool {
        guard let item else { return shown.item != nil || hasReportedEnd }
        if controller.isRepeating { return false }
        if item.error != nil { return (player as? QueuePlayer)?.items.count ?? 1 <= 1 }
        return item.hasPlayedToEnd && player.actionAtItemEnd != .advance
    }

    /// The aspect ratio that was last set on the window.
    private var shape: WindowSize?

    /// Sets the window's aspect ratio to that of the video, with the user's rotation and ratio
    /// applied.
    private func takeShape(of item: PlayerItem?) {
        guard keepsAspectRatio, let film = item?.presentationSize, film != .zero else { return }
        let settings = view.pictureSettings
        let size = settings.turned(
            width: settings.aspectRatio.map { $0 * film.height } ?? film.width, height: film.height)
        let new = WindowSize(
            width: max(1, Int(size.width.rounded())), height: max(1, Int(size.height.rounded())))
        guard new != shape else { return }
        shape = new
        window.setAspectRatio(new)
    }

    private func title(of item: PlayerItem?) -> String {
        if browserView.isVisible { return "\(browserView.title) – Playhead" }
        guard let item else { return "Playhead" }
        let time = PlayerController.clock(item.currentTime)
        let total =
            item.end.isNumeric ? " / \(PlayerController.clock(item.end))" : ""
        let state = player.timeControlStatus == .paused ? " (paused)" : ""
        return "\(item.asset.displayName) – \(time)\(total)\(state)"
    }

    /// Returns the notice that is shown instead of a video, or nil.
    private func notice(for item: PlayerItem?) -> PageNotice? {
        guard let item else { return PageNotice("Drop a video here") }
        if let error = item.error { return PageNotice(error.description) }
        if player.reasonForWaitingToPlay == .toMinimizeStalls {
            let loaded = item.loadedTimeRanges.first?.duration.seconds ?? 0
            return .buffering(loadedSeconds: loaded, at: HostClock.shared.time)
        }
        guard item.status == .readyToPlay, item.playingTracks.video == nil,
            item.assetDescription?.tracks(of: .video).contains(where: { !$0.isAttachedPicture })
                == true
        else { return nil }
        return PageNotice(
            "\(item.asset.displayName)\n\(item.reasonForNoPicture); playing its audio")
    }
}
