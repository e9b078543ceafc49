// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
package import PlayheadCommands
package import PlayheadEffects
package import PlayheadLayers
package import PlayheadPlayback
package import PlayheadTime

/// A film with controls, as a scene that any presenter can show: what `PlayerWindow` is made of.
///
///     let view = PlayerView(player: player)
///     view.sceneHandler = { presenter.scene = $0 }
///     view.resize(width: 1280, height: 720)
///
/// The controls follow the film (chapters, tracks, a stream without an end, sound alone) and the
/// size of the view; they come with the pointer, and go two seconds after it was last used. Nothing is
/// made anew while nothing changes.
///
/// Whoever has the window hands on what happens in it, `handle(_:at:)`, and sees to it that `update(at:)`
/// is called after that, when the player's state changes, and at `nextUpdate`.
///
/// - Concurrency: the main thread.
/// - Ownership: keeps its controller, and so the player.
/// - Corresponds to: `AVPlayerView`.
@MainActor package final class PlayerView {
    /// Performs what the controls are told.
    package let controller: PlayerController
    /// What it shows.
    package var player: Player { controller.player }
    /// Shows what the player plays: for whoever keeps a ledger of it.
    package let output: PlayerVideoOutput
    /// Called with a scene to be shown, whenever it is another one.
    package var sceneHandler: (@MainActor (Scene) -> Void)? {
        didSet { sceneHandler?(scene) }
    }
    /// What is shown now.
    package private(set) var scene = Scene()

    /// What is seen around the film, and through it.
    package var background = Scene.Background.black
    /// Applied to the film, first to last.
    package var effects: [EffectInstance] = []
    /// Between the film and the controls, from back to front. Corresponds to `contentOverlayView`.
    package var contentOverlay: [Layer] = []
    /// Gives the layers that show the film in place of one, such as two halves to compare.
    package var filmArrangement: (@MainActor (Layer) -> [Layer])?
    /// Words over the film that are the window's own, such as statistics.
    package var pageLayers: [Layer] = []
    /// Asked for layers that show what is to be read now, whenever the scene is put together; call
    /// `rebuild()` when that changes.
    package var subtitleProvider: SubtitleProvider?

    /// Makes layers of subtitles for a target.
    ///
    /// - Parameters:
    ///   - picture: where the film lies, in pixels of the target.
    ///   - width: of the target, in pixels.
    package typealias SubtitleProvider =
        @MainActor (_ picture: LayerRect, _ width: Int, _ height: Int) -> [Layer]

    /// When the controls are seen.
    package var controlsMode: ControlsMode {
        get { visibility.mode }
        set { visibility.mode = newValue }
    }
    /// How the film fills the view. Corresponds to `AVPlayerView.videoGravity`.
    package var videoGravity = LayerGravity.resizeAspect
    /// Shape, place and colours of the picture.
    package var pictureSettings = PictureSettings()
    /// Whether what was done is told in a corner.
    package var showsFeedback = true
    /// Whether the view fills a screen, for the icon; its owner says so.
    package var isFullscreen = false

    /// Whether there is a picture to show: false until the first one of a film, so that a view may
    /// stay out of sight till then and nothing flashes.
    ///
    /// - Corresponds to: `AVPlayerView.isReadyForDisplay`.
    package private(set) var isReadyForDisplay = false

    /// Whether a page of words takes up all of the view: the controls stay away as long.
    package var isCovered = false
    /// In which upper corner is told what was done: one in which nothing else is to be read.
    package var messageAlignment = PanelLayers.Alignment.left
    /// Where the controls begin when they are seen, in pixels from the upper edge.
    package var controlsTop: Double {
        layout.panel.height > 0 ? layout.panel.y : Double(size.height)
    }

    /// How much of the view's height is under the controls now, in pixels from its lower edge.
    package var coveredHeight: Double {
        isShown && layout.panel.height > 0 ? Double(size.height) - layout.panel.y : 0
    }

    /// When something changes by itself; nil for not before something else does.
    package private(set) var nextUpdate: MediaTime?

    /// Whether the pointer is to be hidden.
    package private(set) var isCursorHidden = false

    var visibility = ControlsVisibility()
    var state = ControlsState()
    var layout: ControlsLayout
    var model = ControlsModel()
    var isShown = false
    /// Where the pointer is, in pixels; nil where it is not over the view.
    var pointer: SIMD2<Double>?
    /// Whether the next place of the pointer is the one at which it came in.
    var hasPointerJustEntered = false
    /// Whether the film played when it was taken by the scrubber.
    var resumesAfterScrubbing = false
    private(set) var size = (width: 0, height: 0, scale: 1.0)
    private let icons = IconPictures()
    let equalizer = PictureEqualizer()
    private var toast: Toast?
    /// What is to be seen in the middle of a film without pictures.
    private let cover = SoundCover()
    var thumbnails: ThumbnailStore?
    private weak var item: PlayerItem?
    /// When the controls began to come or to go, while they do.
    private var fade: MediaTime?
    private var painted: Painted?
    private(set) var controlLayers: [Layer] = []

    /// What control layers were made of: as long as it is the same, so are they.
    private struct Painted: Equatable {
        var layout: ControlsLayout
        var model: ControlsModel
        var state: ControlsState
        var isShown: Bool
        var fade: MediaTime?
        var toast: Toast?
        var alignment: PanelLayers.Alignment
    }

    /// A view of a player, with a controller of its own.
    package convenience init(player: Player) {
        self.init(controller: PlayerController(player: player))
    }

    /// - Parameter controller: to share with others that perform commands on the same player.
    package init(controller: PlayerController) {
        self.controller = controller
        output = PlayerVideoOutput(player: controller.player)
        layout = ControlsLayout(
            width: 0, height: 0, scale: 1, model: ControlsModel(), labelWidth: 0)
        controller.feedbackHandler = { [weak self] in
            self?.show($0, at: HostClock.shared.time)
        }
        providePicture()
        cover.changeHandler = { [weak self] in self?.update() }
    }

    /// Says how large the view is.
    ///
    /// - Parameters:
    ///   - width: in pixels.
    ///   - scale: pixels for a point of the design, such as `Window.contentScale`.
    package func resize(width: Int, height: Int, scale: Double = 1) {
        guard size != (width, height, max(0.5, scale)) else { return }
        size = (width, height, max(0.5, scale))
        thumbnails = nil
    }

    // MARK: Looking

    /// Looks at the player, and makes a new scene if anything looks different.
    ///
    /// - Parameter time: of the host clock.
    package func update(at time: MediaTime = HostClock.shared.time) {
        controller.update()
        follow(player.currentItem)
        model = ControlsModelReader(controller: controller, isFullscreen: isFullscreen).model()
        cover.follow(player.currentItem, isShown: model.kind == .sound)
        if model.isPlaying { cover.look() }
        layOut(withLabels: isShown || fade != nil || visibility.isVisible(at: time))
        let isOverPanel = isShown && pointer.map { layout.covers($0) } == true
        visibility.isHeld = state.pressed != nil || state.openMenu != nil || isOverPanel
        visibility.isLasting = model.kind == .sound
        let isVisible = model.kind != .none && !isCovered && visibility.isVisible(at: time)
        if isVisible != isShown {
            isShown = isVisible
            fade = time
            if isVisible, let pointer, state.pressed == nil { move(to: pointer) }
            if !isVisible { (state.hovered, state.preview, state.focused) = (nil, nil, nil) }
        }
        if let begin = fade, time - begin >= Self.fadeDuration { fade = nil }
        if let end = toast?.end, end <= time { toast = nil }
        if let toast, toast.end == nil { self.toast?.end = time + toast.duration }
        // A step takes a moment; the words change with the picture.
        if toast?.followsFrame == true { toast?.text = frameText }
        isCursorHidden = !visibility.isCursorVisible(at: time)
        paint()
        rebuild()
        nextUpdate = nextChange(after: time)
    }

    private func nextChange(after time: MediaTime) -> MediaTime? {
        var times = [toast?.end, fade.map { $0 + Self.fadeDuration }]
        times.append(visibility.nextChange(after: time))
        if isShown && model.isPlaying || toast?.followsFrame == true {
            // Twenty times a second the scrubber moves by no more than a pixel, but for clips.
            times.append(time + MediaTime(value: 1, timescale: 20))
        }
        if model.kind == .sound, model.isPlaying, cover.isMoving {
            times.append(time + SoundSpectrum.interval)
        }
        if !isReadyForDisplay, player.currentItem != nil {
            times.append(time + MediaTime(value: 1, timescale: 20))
        }
        return times.compactMap { $0 }.min()
    }

    private func follow(_ item: PlayerItem?) {
        if item !== self.item {
            self.item = item
            isReadyForDisplay = false
            thumbnails = nil
            // What the hand held is gone: what came instead goes on as the film did.
            if state.pressed == .scrubber, resumesAfterScrubbing { player.play() }
            (state.openMenu, state.preview, state.pressed) = (nil, nil, nil)
        }
        guard !isReadyForDisplay, let item, item.status == .readyToPlay else { return }
        // The queue holds what is seen; a film without pictures has nothing to wait for.
        isReadyForDisplay = item.queueDepths.frames > 0 || item.playingTracks.video == nil
    }

    /// - Parameter withLabels: whether words have their room: to know how much that is takes fonts, which
    ///   are not looked for while nothing is written.
    private func layOut(withLabels: Bool) {
        var labelWidth = 0.0
        if withLabels, let total = model.total ?? (model.kind == .live ? 36000 : nil) {
            // All digits are as wide; a few pixels more than this time takes.
            let widest = ControlsModel.clock(-total)
            labelWidth = Double(
                PanelLayers.picture(of: widest, size: (12.5 * size.scale).rounded())?.width ?? 0)
        }
        layout = ControlsLayout(
            width: size.width, height: size.height, scale: size.scale, model: model,
            labelWidth: labelWidth)
        // What moves by less than half a pixel looks the same.
        let steps = max(1, layout.track.width * 2)
        model.progress = (model.progress * steps).rounded() / steps
        model.loaded = model.loaded.map {
            let from = ($0.lowerBound * steps).rounded(.down) / steps
            return from...max(from, ($0.upperBound * steps).rounded(.down) / steps)
        }
    }

    // MARK: Telling

    /// Tells what was done, for a moment.
    package func show(_ feedback: PlayerFeedback, at time: MediaTime = HostClock.shared.time) {
        guard showsFeedback else { return }
        switch feedback {
        case .text(let text, let duration):
            toast = Toast(text: text, duration: duration ?? Toast.duration)
        case .level(let text, let level): toast = Toast(text: text, level: level)
        case .frame: toast = Toast(text: frameText, followsFrame: true)
        case .progress:
            guard let item = player.currentItem else { return }
            let elapsed = PlayerController.clock(item.currentTime)
            let duration = item.end
            let level =
                duration.isNumeric && duration > .zero
                ? item.currentTime.seconds / duration.seconds : nil
            toast = Toast(
                text: level == nil ? elapsed : "\(elapsed) / \(PlayerController.clock(duration))",
                level: level)
        }
        nextUpdate = min(nextUpdate ?? time, time)
    }

    /// The time of the frame that is seen, and its number, counted from 0 at the film's rate.
    private var frameText: String {
        guard let item = player.currentItem else { return "" }
        var time = item.currentTime
        let rate = item.playingTracks.video?.nominalFrameRate ?? 0
        guard time.isNumeric, rate > 0 else { return time.clockDescription }
        // At the end the last frame is seen, which began before it.
        if item.end.isNumeric, time >= item.end {
            time = max(item.end - MediaTime(nanoseconds: Int64(1e9 / rate)), .zero)
        }
        // A frame's own time may be rounded down.
        return time.clockDescription + "\nframe \(Int((time.seconds * rate + 0.01).rounded(.down)))"
    }

    // MARK: Drawing

    /// Hands a scene on if it is different from the last.
    func show(_ scene: Scene) {
        guard scene != self.scene else { return }
        self.scene = scene
        sceneHandler?(scene)
    }

    private static let fadeDuration = MediaTime(value: 1, timescale: 5)

    private func paint() {
        let now = Painted(
            layout: layout, model: model, state: state, isShown: isShown, fade: fade, toast: toast,
            alignment: messageAlignment)
        guard now != painted else { return }
        painted = now
        var painter = PanelLayers(scale: size.scale, icons: icons)
        toast?.paint(&painter, maximumWidth: size.width, alignment: messageAlignment)
        controlLayers = painter.layers
        guard isShown || fade != nil else { return }
        var controls = ControlsPainter(
            layout: layout, menuLayout: menuLayout, model: model, state: state, icons: icons)
        var group = Layer(sublayers: controls.layers())
        group.name = "controls"
        group.opacity = isShown ? 1 : 0
        if let fade {
            group.animate(
                .opacity(isShown ? [0, 1] : [1, 0]), beginTime: fade, duration: Self.fadeDuration)
        }
        controlLayers.append(group)
    }

    /// Whether the item's picture is a cover, which then stands in the middle, with what it belongs to: effects
    /// want it to themselves.
    var framesCover: Bool {
        model.kind == .sound && effects.isEmpty && player.currentItem?.playingTracks.video != nil
    }

    /// What stands in the middle of a film without pictures.
    var coverLayers: [Layer] {
        guard model.kind == .sound, framesCover || player.currentItem?.playingTracks.video == nil
        else { return [] }
        return cover.layers(
            width: size.width, height: size.height, scale: size.scale, above: layout.panel.y,
            icons: icons)
    }

    /// Where the open menu stands.
    var menuLayout: MenuLayout? {
        guard let kind = state.openMenu, let menu = model.menus[kind],
            let button = layout.elements.first(where: { $0.key.menu == kind })?.value
        else { return nil }
        let widths = menu.items.map {
            PanelLayers.picture(of: $0.title, size: layout.points(13))?.width ?? 0
        }
        return MenuLayout(
            itemCount: menu.items.count, firstItem: state.firstItem,
            textWidth: Double(widths.max() ?? 0), over: button, in: layout)
    }
}
