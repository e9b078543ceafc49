// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadBuffers
public import PlayheadEffects
import PlayheadGL
public import PlayheadLayers
public import PlayheadPlayback
public import PlayheadPresentation
import PlayheadTime
public import PlayheadWindow

/// A window that plays films: picture, keys, title, messages.
///
///     let window = try PlayerWindow(player: player) { URLAsset($0) }
///     window.open(URLAsset("film.mp4"))
///     window.player.play()
///     MainLoop.shared.run()
///
/// Its keys are those of mpv: space, arrows, `.` and `,`, `f`, `m`, `9` and `0`, `s`, `i`, `q`, and
/// `e` for its effects. Files dropped on it play.
///
/// - Concurrency: the main thread. Drawing happens on a render thread of the window's own.
/// - Lifetime: open until `close()`, which also ends drawing; the player goes on.
/// - Corresponds to: `AVPlayerView` in a window.
@MainActor public final class PlayerWindow {
    public let player: Player
    public let window: Window
    /// Draws the window; another after the graphics driver has lost the window's context.
    public private(set) var presenter: Presenter
    /// Applied to the film, first to last.
    public let effects: [EffectInstance]
    /// Whether films are made faster or slower by up to half a percent, so that their pictures stay with
    /// the display's vsyncs: see `DisplayRateLock`.
    public var locksToDisplay = false {
        didSet { presenter.setLocksToDisplay(locksToDisplay) }
    }
    /// Called when the user wants the window closed; ends the main loop by default.
    public var closeHandler: @MainActor () -> Void = { MainLoop.shared.stop() }
    /// Called when the film has played to its end or cannot be played; of a queue, the last one.
    public var endHandler: @MainActor () -> Void = {}
    /// Called with the paths of what was dropped on the window; plays the first by default.
    public var dropHandler: @MainActor ([String]) -> Void = { _ in }
    /// Called with a finished screenshot; without a handler `s` does nothing.
    public var screenshotHandler: (@MainActor (RGBAImage) -> Void)?

    /// Draws the subtitles that are chosen into the film.
    public let subtitles: SubtitleOverlay

    let makeAsset: @MainActor (String) -> Asset
    let messages: Messages
    private let background: Scene.Background
    private let output: PlayerVideoOutput
    private(set) var isOpen = true
    /// What is shown, and what tells whether another output shows it in the window's place.
    private var shown: (item: PlayerItem?, suppression: ObservationToken?) = (nil, nil)
    private var hasReportedEnd = false
    /// How the film was drawn when somebody last wanted to know.
    var rendererState: RendererState?

    /// Opens the window.
    ///
    /// - Parameters:
    ///   - background: what is seen around the film, and through it.
    ///   - makeAsset: makes an asset of a path or URL that was dropped on the window.
    public init(
        player: Player, configuration: WindowConfiguration = WindowConfiguration(),
        effects: [EffectInstance] = [], background: Scene.Background = .black,
        makeAsset: @escaping @MainActor (String) -> Asset
    ) throws(WindowError) {
        self.player = player
        output = PlayerVideoOutput(player: player)
        subtitles = SubtitleOverlay(of: output)
        self.effects = effects
        self.background = background
        self.makeAsset = makeAsset
        window = try Window(configuration)
        do {
            presenter = try Presenter(
                surface: WindowSurface(window.context), vsyncs: window.makeVsyncSource())
        } catch {
            window.close()
            throw .noOpenGL(reason: error.description)
        }
        messages = Messages(scale: window.contentScale)
        window.eventHandler = { [weak self] event in self?.handle(event) }
        dropHandler = { [weak self] paths in
            guard let self, let path = paths.first else { return }
            open(self.makeAsset(path))
            self.player.play()
        }
        presenter.observe(output)
        watchForLoss()
        presenter.isPaused = false
        follow(player.currentItem)
        Task { [weak self] in
            while let self, self.isOpen {
                self.update()
                let rests =
                    self.player.timeControlStatus == .paused && !self.messages.isChanging
                try? await Task.sleep(for: .milliseconds(rests ? 500 : 50))
            }
        }
    }

    /// Opens an asset and shows it; plays if the player's rate says so.
    public func open(_ asset: Asset) {
        player.replaceCurrentItem(with: PlayerItem(asset: asset))
        follow(player.currentItem)
    }

    /// Takes note of another item of the player's.
    private func follow(_ item: PlayerItem?) {
        let suppression = item?.observe(\.suppressesPlayerRendering, on: .main) { [weak self] _ in
            MainActor.assumeIsolated { self?.rebuildScene() }
        }
        shown = (item, suppression)
        hasReportedEnd = false
        rebuildScene()
    }

    /// Ends drawing and closes the window.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        shown.suppression?.cancel()
        presenter.invalidate()
        window.close()
    }

    /// Shows a line for a moment, over the film.
    public func say(_ line: String) {
        messages.say(line, windowWidth: window.framebufferSize.width)
        rebuildScene()
    }

    /// Notes whether anybody can see the window. A hidden film goes on; its pictures are not drawn.
    func setHidden(_ isHidden: Bool) { presenter.isPaused = isHidden }

    // MARK: When the context is lost

    private func watchForLoss() {
        presenter.onContextLoss { [weak self] in
            Task { @MainActor in self?.remake() }
        }
    }

    /// Goes on in a window, and a context, made anew; the film has not stopped.
    private func remake() {
        guard isOpen else { return }
        let (scene, ledger) = (presenter.scene, presenter.ledger)
        let isPaused = presenter.isPaused
        presenter.invalidate()
        do {
            try window.remake()
            presenter = try Presenter(
                surface: WindowSurface(window.context), vsyncs: window.makeVsyncSource(),
                ledger: ledger)
        } catch {
            // The driver may come back: the presenter that draws nothing stays meanwhile.
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(1))
                self?.remake()
            }
            return
        }
        watchForLoss()
        presenter.setMeasuresGPU(messages.showsStatistics)
        presenter.setLocksToDisplay(locksToDisplay)
        presenter.scene = scene
        presenter.observe(output)
        presenter.isPaused = isPaused
        say("The graphics driver was reset")
    }

    // MARK: Every few milliseconds

    private func update() {
        guard isOpen else { return }
        let item = player.currentItem
        let title = title(of: item)
        if window.title != title { window.title = title }
        messages.update(
            statistics: { (self.statisticsText, self.statisticsGraph) }, notice: notice(for: item),
            windowWidth: window.framebufferSize.width)
        rebuildScene()
        let isOver = isOver(item)
        if item !== shown.item { follow(item) }
        let isNews = isOver && !hasReportedEnd
        hasReportedEnd = isOver
        if isNews { endHandler() }
    }

    /// Whether nothing is left to play. An item of a queue that has ended is about to be followed.
    private func isOver(_ item: PlayerItem?) -> Bool {
        guard let item else { return shown.item != nil || hasReportedEnd }
        if item.error != nil { return (player as? QueuePlayer)?.items.count ?? 1 <= 1 }
        return item.hasPlayedToEnd && player.actionAtItemEnd != .advance
    }

    private func rebuildScene() {
        guard isOpen else { return }
        var film = Layer(.video(output), effects: effects)
        // Whoever asked for that shows the film elsewhere, or in another way.
        film.isHidden = shown.item?.suppressesPlayerRendering == true
        var layers = [film, Layer(.video(subtitles))]
        let size = window.framebufferSize
        layers += messages.layers(width: size.width, height: size.height)
        let scene = Scene(background: background, layers: layers)
        if presenter.scene != scene { presenter.scene = scene }
    }

    private func title(of item: PlayerItem?) -> String {
        guard let item else { return "Playhead" }
        let time = Self.clock(item.currentTime)
        let total = item.duration.isNumeric ? " / \(Self.clock(item.duration))" : ""
        let state = player.timeControlStatus == .paused ? " (paused)" : ""
        return "\(item.asset.displayName) – \(time)\(total)\(state)"
    }

    /// Whole seconds, for a title that should not flicker.
    static func clock(_ time: MediaTime) -> String {
        let text = time.clockDescription
        return text.split(separator: ".").first.map(String.init) ?? text
    }

    /// What is said while playback waits for more to be loaded: how much is, and that something goes
    /// on, by dots that come and go.
    static func bufferingNotice(loadedSeconds: Double, at time: MediaTime) -> String {
        let dots = Int((time.seconds * 3).rounded(.down)) % 4
        let seconds = (loadedSeconds * 10).rounded(.down) / 10
        return "Buffering" + String(repeating: ".", count: dots) + "\n\(seconds) s"
    }

    /// What has to be said for as long as it is so, in place of a picture.
    private func notice(for item: PlayerItem?) -> String? {
        guard let item else { return "Drop a film here" }
        if let error = item.error { return error.description }
        if player.reasonForWaitingToPlay == .toMinimizeStalls {
            let loaded = item.loadedTimeRanges.first?.duration.seconds ?? 0
            return Self.bufferingNotice(loadedSeconds: loaded, at: HostClock.shared.time)
        }
        guard item.status == .readyToPlay, item.playingTracks.video == nil else { return nil }
        return "\(item.asset.displayName)\n\(item.reasonForNoPicture); playing its sound"
    }
}
