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

/// A window that plays films: picture, controls, keys, title, pages of facts.
///
///     let window = try PlayerWindow(player: player) { URLAsset($0) }
///     window.open(URLAsset("film.mp4"))
///     window.player.play()
///     MainLoop.shared.run()
///
/// Its keys are those of mpv, and can be changed: `bindings`. Whatever a key does can be done by a
/// program, too: `perform`, and `controller` for the properties. Files dropped on it play.
///
/// - Concurrency: the main thread. Drawing happens on a render thread of the window's own.
/// - Lifetime: open, and kept, until `close()`, which also ends drawing; the player goes on. A program
///   that ends while a window draws may crash in the graphics driver's own clearing up.
/// - Corresponds to: `AVPlayerView` in a window.
@MainActor public final class PlayerWindow {
    /// The film and its controls.
    package let view: PlayerView
    /// What it shows.
    public let player: Player
    /// Performs commands, and knows properties: what keys, controls and others have in common.
    package var controller: PlayerController { view.controller }
    /// What keys do.
    package var bindings = KeyBindings.standard
    /// Keys that commands are pressing.
    var pressedKeys: Set<KeyChord> = []
    /// The window itself.
    public let window: Window
    /// Draws the window; another after the graphics driver has lost the window's context.
    package private(set) var presenter: Presenter
    /// Whether nobody can see it.
    private var isHidden = false
    /// Applied to the film, first to last.
    public var effects: [EffectInstance] {
        get { view.effects }
        set {
            view.effects = newValue
            effectPanel.effects = newValue
            view.rebuild()
        }
    }
    /// Shows the effects' inputs, on Tab.
    public let effectPanel: EffectPanel
    /// Whether films are made faster or slower by up to half a percent, so that their pictures stay with
    /// the display's vsyncs: see `DisplayRateLock`.
    public var locksToDisplay = false {
        didSet { presenter.setLocksToDisplay(locksToDisplay) }
    }
    /// Whether the window takes on the film's shape, and keeps it when a user resizes it.
    public var keepsAspectRatio: Bool {
        didSet {
            guard keepsAspectRatio != oldValue else { return }
            shape = nil
            if keepsAspectRatio { takeShape(of: shown.item) } else { window.setAspectRatio(nil) }
        }
    }
    /// Called when the user wants the window closed; by default closes it and ends the main loop.
    public var closeHandler: @MainActor () -> Void = {}
    /// Called when the film has played to its end or cannot be played; of a queue, the last one.
    public var endHandler: @MainActor () -> Void = {}
    /// Called with the paths of what was dropped on the window; plays the first by default.
    public var dropHandler: @MainActor ([String]) -> Void = { _ in }
    /// Called with a finished screenshot, and the path where it is to be written; nil for a place
    /// of one's choice. What it throws is what the command is answered with. Without a handler there are
    /// none.
    public var screenshotHandler: (@MainActor (RGBAImage, String?) throws -> Void)?

    /// Whether the GPU's time goes into the ledger throughout, not only while it is shown; false at first.
    package var measuresGPU = false { didSet { followMeasuring() } }

    /// Draws the subtitles that are chosen into the film.
    package let subtitles: SubtitleOverlay

    let makeAsset: @MainActor (String) -> Asset
    let pages: WindowPages
    var keyReader = KeyReader()
    private(set) var isOpen = true
    /// What is shown, and what tells of it: whether another output shows it in the window's place, and
    /// everything else that may be seen while it stands, such as what has been loaded.
    private var shown: (item: PlayerItem?, observations: [ObservationToken]) = (nil, [])
    private var observation: ObservationToken?
    /// Shows the film on another monitor besides.
    var output: OutputWindow?
    /// The name of the monitor that showed the film until it was unplugged: it does so again when it
    /// is back.
    var missedMonitor: String?
    private var hasReportedEnd = false
    private var rest: Task<Void, Never>?
    /// How the film was drawn when somebody last wanted to know.
    var rendererState: RendererState?

    /// Opens the window.
    ///
    /// - Parameters:
    ///   - background: what is seen around the film, and through it.
    ///   - keepsAspectRatio: see there; false for a window that is to have the size that was asked for.
    ///   - makeAsset: makes an asset of a path or URL that was dropped on the window.
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
        // Keeps this object until the window is closed.
        window.eventHandler = { event in self.handle(event) }
        closeHandler = { [unowned self] in
            // Not in the middle of an event, in which GLFW lets no window go.
            Task {
                self.close()
                MainLoop.shared.stop()
            }
        }
        dropHandler = { [weak self] paths in
            guard let self, let path = paths.first else { return }
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

    /// Opens an asset and shows it; plays if the player's rate says so.
    public func open(_ asset: Asset) {
        player.replaceCurrentItem(with: PlayerItem(asset: asset))
        follow(player.currentItem)
        update()
    }

    /// Takes note of another item of the player's.
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
        output?.close()
        output = nil
        presenter.invalidate()
        window.close()
    }

    /// Shows a line for a moment, over the film.
    public func say(_ line: String) {
        view.show(.text(line))
        setNeedsUpdate()
    }

    /// Has the GPU's time measured while anybody wants to know it.
    func followMeasuring() {
        presenter.setMeasuresGPU(
            measuresGPU || pages.showsStatistics || effectPanel.isVisible)
    }

    /// Notes whether anybody can see the window. A hidden film goes on; its pictures are not drawn.
    func setHidden(_ isHidden: Bool) {
        self.isHidden = isHidden
        presenter.isPaused = isHidden
    }

    // MARK: What the presenter tells

    private func watchPresenter() {
        // Whoever takes the problems does so between events; a task is one.
        presenter.onProblems { Task { @MainActor in } }
        presenter.onContextLoss { [weak self] in
            Task { @MainActor in self?.remake() }
        }
    }

    /// Goes on in a window, and a context, made anew; the film has not stopped.
    private func remake() {
        guard isOpen else { return }
        presenter.invalidate()
        do {
            try window.remake()
            presenter = try Presenter(
                continuing: presenter, surface: WindowSurface(window.context),
                vsyncs: window.makeVsyncSource())
        } catch {
            // The driver may come back: the presenter that draws nothing stays meanwhile.
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
        say("The graphics driver was reset")
    }

    // MARK: Looking

    /// Has the window look at the player before long: once, however often this is called meanwhile.
    func setNeedsUpdate() { rest?.cancel() }

    /// Looks, and says after how long to look again; nil when the window is closed.
    private func turn() -> Duration? {
        guard isOpen else { return nil }
        update()
        var seconds = player.timeControlStatus == .paused ? Self.longestRest : 0.05
        for next in [view.nextUpdate, pages.nextChange].compactMap({ $0 }) {
            seconds = min(seconds, (next - HostClock.shared.time).seconds)
        }
        // What passes take, and what a pixel is, comes from the render thread with the frames.
        if effectPanel.isVisible { seconds = min(seconds, 0.25) }
        return .milliseconds(max(5, Int(seconds * 1000)))
    }

    /// In seconds: what stands tells when it moves again.
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
        let title = title(of: item)
        if window.title != title { window.title = title }
        let panelLayers = effectPanel.layers(
            width: size.width, height: size.height, scale: window.contentScale)
        let pageLayers =
            panelLayers
            + pages.layers(
                for: pageSources, notice: notice(for: item), width: size.width,
                height: size.height, above: view.controlsTop, scale: window.contentScale)
        view.isCovered = pages.fillsWindow
        view.messageAlignment = pages.page == nil ? .left : .right
        if view.pageLayers != pageLayers { view.pageLayers = pageLayers }
        view.update()
        placeSubtitles()
        output?.update(view, like: subtitles)
        if window.isCursorHidden != view.isCursorHidden {
            window.isCursorHidden = view.isCursorHidden
        }
        takeShape(of: item)
        let isNews = isOver && !hasReportedEnd
        hasReportedEnd = isOver
        if isNews { endHandler() }
    }

    /// Whether nothing is left to play. An item of a queue that has ended is about to be followed.
    private func isOver(_ item: PlayerItem?) -> Bool {
        guard let item else { return shown.item != nil || hasReportedEnd }
        if controller.isRepeating { return false }
        if item.error != nil { return (player as? QueuePlayer)?.items.count ?? 1 <= 1 }
        return item.hasPlayedToEnd && player.actionAtItemEnd != .advance
    }

    /// The shape that the window was last given.
    private var shape: WindowSize?

    /// Has the window take on and keep the shape in which the film is seen: turned, and of another ratio, if
    /// somebody wants it so.
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
        guard let item else { return "Playhead" }
        let time = PlayerController.clock(item.currentTime)
        let total =
            item.end.isNumeric ? " / \(PlayerController.clock(item.end))" : ""
        let state = player.timeControlStatus == .paused ? " (paused)" : ""
        return "\(item.asset.displayName) – \(time)\(total)\(state)"
    }

    /// What has to be said for as long as it is so, in place of a picture.
    private func notice(for item: PlayerItem?) -> PageNotice? {
        guard let item else { return PageNotice("Drop a film here") }
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
            "\(item.asset.displayName)\n\(item.reasonForNoPicture); playing its sound")
    }
}
