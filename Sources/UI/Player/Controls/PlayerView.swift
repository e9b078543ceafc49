// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
package import PlayheadCommands
package import PlayheadEffects
package import PlayheadLayers
package import PlayheadPlayback
package import PlayheadTime

/// A video with controls, as a scene that any presenter can show. `PlayerWindow` uses it.
///
///     let view = PlayerView(player: player)
///     view.sceneHandler = { presenter.scene = $0 }
///     view.resize(width: 1280, height: 720)
///
/// The controls adapt to the media (chapters, tracks, live streams, audio without video) and to the
/// size of the view. They appear when the pointer moves, and disappear two seconds after their last
/// use. A new scene is made only after a change.
///
/// The owner of the window passes its events to `handle(_:at:)`. The owner calls `update(at:)`
/// after each event, when the player's state changes, and at the time `nextUpdate`.
///
/// - Concurrency: the main thread.
/// - Ownership: keeps its controller and the player.
/// - Corresponds to: `AVPlayerView`.
@MainActor package final class PlayerView {
    /// The controller that performs the commands of the controls.
    package let controller: PlayerController
    /// The player whose video is shown.
    package var player: Player { controller.player }
    /// The output that provides the frames.
    package let output: PlayerVideoOutput
    /// The handler that receives each new scene.
    package var sceneHandler: (@MainActor (Scene) -> Void)? {
        didSet { sceneHandler?(scene) }
    }
    /// The current scene.
    package private(set) var scene = Scene()

    /// The background around the video, and behind its transparent parts.
    package var background = Scene.Background.black
    /// The effects on the video, in the order in which they are applied.
    package var effects: [EffectInstance] = []
    /// The layers between the video and the controls, from back to front. Corresponds to
    /// `contentOverlayView`.
    package var contentOverlay: [Layer] = []
    /// Returns the layers that show the video, such as two halves for a comparison.
    package var filmArrangement: (@MainActor (Layer) -> [Layer])?
    /// The layers of pages over the video, such as statistics.
    package var pageLayers: [Layer] = []
    /// The background of a page that hides the video and everything over it; nil if no page does.
    package var pageGround: SIMD4<Float>?
    /// Returns the subtitle layers for a new scene. Call `rebuild()` when the subtitles change.
    package var subtitleProvider: SubtitleProvider?

    /// A function that returns the layers of subtitles for a target.
    ///
    /// - Parameters:
    ///   - picture: the rectangle of the video, in pixels of the target.
    ///   - width: the width of the target, in pixels.
    package typealias SubtitleProvider =
        @MainActor (_ picture: LayerRect, _ width: Int, _ height: Int) -> [Layer]

    /// The mode of the controls.
    package var controlsMode: ControlsMode {
        get { visibility.mode }
        set { visibility.mode = newValue }
    }
    /// The way in which the video is fitted into the view. Corresponds to
    /// `AVPlayerView.videoGravity`.
    package var videoGravity = LayerGravity.resizeAspect
    /// The user's settings for the shape, the position and the colours of the video.
    package var pictureSettings = PictureSettings()
    /// A Boolean value that indicates whether commands are confirmed by a message.
    package var showsFeedback = true
    /// A Boolean value that indicates whether the view is in full screen. The owner sets it.
    package var isFullscreen = false

    /// A Boolean value that indicates whether there is a frame to show. It is false until the first
    /// frame of an item is ready, so that a view can stay hidden until then.
    ///
    /// - Corresponds to: `AVPlayerView.isReadyForDisplay`.
    package private(set) var isReadyForDisplay = false

    /// A Boolean value that indicates whether a page fills the view. If so, the controls are
    /// hidden.
    package var isCovered = false
    /// The upper corner in which messages appear: left or right.
    package var messageAlignment = PanelLayers.Alignment.left
    /// A rectangle that messages must not cover, or nil.
    package var messageObstacle: LayerRect?
    /// The right edge of the area for messages and the title, in pixels; nil for the right edge of
    /// the view.
    package var contentRight: Double?
    /// The upper edge of the controls, in pixels. Hidden controls count too.
    package var controlsTop: Double {
        layout.panel.height > 0 ? layout.panel.y : Double(size.height)
    }

    /// The upper edge of the controls to the right of an x coordinate, in pixels; the view's height
    /// if there are none.
    package func controlsTop(rightOf x: Double) -> Double {
        layout.panel.x + layout.panel.width > x ? controlsTop : Double(size.height)
    }

    /// The height of the area at the lower edge that the controls cover now, in pixels.
    package var coveredHeight: Double {
        isShown && layout.panel.height > 0 ? Double(size.height) - layout.panel.y : 0
    }

    /// The time of the next change that happens without an event; nil if no change is due.
    package private(set) var nextUpdate: MediaTime?

    /// A Boolean value that indicates whether the pointer is hidden.
    package private(set) var isCursorHidden = false

    var visibility = ControlsVisibility()
    var state = ControlsState()
    var layout: ControlsLayout
    var model = ControlsModel()
    var isShown = false
    /// The position of the pointer, in pixels; nil if the pointer is outside of the view.
    var pointer: SIMD2<Double>?
    /// A Boolean value that indicates whether the next position of the pointer is the one at which
    /// it entered the view.
    var hasPointerJustEntered = false
    /// A Boolean value that indicates whether playback resumes when the scrubber is released.
    var resumesAfterScrubbing = false
    private(set) var size = (width: 0, height: 0, scale: 1.0)
    private let icons = IconPictures()
    let equalizer = PictureEqualizer()
    private var toast: Toast?
    /// The view that is shown for audio without video.
    private let cover = SoundCover()
    var thumbnails: ThumbnailStore?
    private weak var item: PlayerItem?
    /// The time at which the controls began to fade; nil if they are not fading.
    private var fade: MediaTime?
    private var painted: Painted?
    private(set) var controlLayers: [Layer] = []

    /// The values from which the layers of the controls were built.
    private struct Painted: Equatable {
        var layout: ControlsLayout
        var model: ControlsModel
        var state: ControlsState
        var isShown: Bool
        var fade: MediaTime?
        var toast: Toast?
        var alignment: PanelLayers.Alignment
        var obstacle: LayerRect?
        var contentRight: Double
    }

    /// Creates a view of a player, with its own controller.
    package convenience init(player: Player) {
        self.init(controller: PlayerController(player: player))
    }

    /// Creates a view with a controller. Several objects that perform commands on one player can
    /// share a controller.
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

    /// Sets the size of the view.
    ///
    /// - Parameters:
    ///   - width: the width of the view, in pixels.
    ///   - scale: the number of pixels in a point of the design, such as `Window.contentScale`.
    package func resize(width: Int, height: Int, scale: Double = 1) {
        guard size != (width, height, max(0.5, scale)) else { return }
        size = (width, height, max(0.5, scale))
        thumbnails = nil
    }

    // MARK: Updates

    /// Reads the player's state. If anything changed, makes a new scene.
    ///
    /// - Parameter time: the time on the host clock.
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
        // A frame step takes a moment, so the text is updated when the frame is shown.
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
            // Except in short clips, the scrubber moves by less than a pixel in 1/20 s.
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
            // The item was replaced while it was scrubbed. The new item plays if the old one did.
            if state.pressed == .scrubber, resumesAfterScrubbing { player.play() }
            (state.openMenu, state.preview, state.pressed) = (nil, nil, nil)
        }
        guard !isReadyForDisplay, let item, item.status == .readyToPlay else { return }
        // The queue includes the visible frame. Audio without video has no frame to wait for.
        isReadyForDisplay = item.queueDepths.frames > 0 || item.playingTracks.video == nil
    }

    /// Lays out the controls.
    ///
    /// - Parameter withLabels: A Boolean value that indicates whether there is space for labels.
    ///   Measuring them needs fonts, which are not loaded while no text is visible.
    private func layOut(withLabels: Bool) {
        var labelWidth = 0.0
        if withLabels, let total = model.total ?? (model.kind == .live ? 36000 : nil) {
            // All digits have the same width.
            let widest = ControlsModel.clock(-total)
            labelWidth = Double(
                PanelLayers.picture(of: widest, size: (12.5 * size.scale).rounded())?.width ?? 0)
        }
        layout = ControlsLayout(
            width: size.width, height: size.height, scale: size.scale, model: model,
            labelWidth: labelWidth)
        // A movement of less than half a pixel is not visible.
        let steps = max(1, layout.track.width * 2)
        model.progress = (model.progress * steps).rounded() / steps
        model.loaded = model.loaded.map {
            let from = ($0.lowerBound * steps).rounded(.down) / steps
            return from...max(from, ($0.upperBound * steps).rounded(.down) / steps)
        }
    }

    // MARK: Messages

    /// Shows a message about a command for a moment.
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
            let range = item.scrubbingRange
            let level = range.map {
                (item.currentTime - $0.start).seconds / $0.duration.seconds
            }
            let text: String
            if let behind = item.timeBehindLive {
                text = behind > .zero ? "−\(PlayerController.clock(behind))" : "Live"
            } else if let range {
                text = "\(elapsed) / \(PlayerController.clock(range.end))"
            } else {
                text = elapsed
            }
            toast = Toast(text: text, level: level)
        }
        nextUpdate = min(nextUpdate ?? time, time)
    }

    /// The time and the number of the visible frame. Frames are numbered from 0, at the video's
    /// frame rate.
    private var frameText: String {
        guard let item = player.currentItem else { return "" }
        var time = item.currentTime
        let rate = item.playingTracks.video?.nominalFrameRate ?? 0
        guard time.isNumeric, rate > 0 else { return time.clockDescription }
        // At the end, the visible frame is the last one, which began earlier.
        if item.end.isNumeric, time >= item.end {
            time = max(item.end - MediaTime(nanoseconds: Int64(1e9 / rate)), .zero)
        }
        // The time of a frame may be rounded down.
        return time.clockDescription + "\nframe \(Int((time.seconds * rate + 0.01).rounded(.down)))"
    }

    // MARK: Drawing

    /// Passes a scene to the handler if it differs from the last one.
    func show(_ scene: Scene) {
        guard scene != self.scene else { return }
        self.scene = scene
        sceneHandler?(scene)
    }

    private static let fadeDuration = MediaTime(value: 1, timescale: 5)

    private func paint() {
        let now = Painted(
            layout: layout, model: model, state: state, isShown: isShown, fade: fade, toast: toast,
            alignment: messageAlignment, obstacle: messageObstacle,
            contentRight: contentRight ?? Double(size.width))
        guard now != painted else { return }
        painted = now
        var painter = PanelLayers(scale: size.scale, icons: icons)
        toast?.paint(
            &painter, maximumWidth: Int(now.contentRight), alignment: messageAlignment,
            below: messageObstacle)
        controlLayers = painter.layers
        guard isShown || fade != nil else { return }
        var controls = ControlsPainter(
            layout: layout, menuLayout: menuLayout, model: model, state: state, icons: icons,
            contentRight: now.contentRight)
        var group = Layer(sublayers: controls.layers())
        group.name = "controls"
        group.opacity = isShown ? 1 : 0
        if let fade {
            group.animate(
                .opacity(isShown ? [0, 1] : [1, 0]), beginTime: fade, duration: Self.fadeDuration)
        }
        controlLayers.append(group)
    }

    /// A Boolean value that indicates whether the item's video is cover art, which is shown in the
    /// middle of the view with the title. With effects, cover art is shown like a video.
    var framesCover: Bool {
        model.kind == .sound && effects.isEmpty && player.currentItem?.playingTracks.video != nil
    }

    /// The layers that are shown for audio without video.
    var coverLayers: [Layer] {
        guard model.kind == .sound, framesCover || player.currentItem?.playingTracks.video == nil
        else { return [] }
        return cover.layers(
            width: size.width, height: size.height, scale: size.scale, above: layout.panel.y,
            icons: icons)
    }

    /// The layout of the open menu.
    var menuLayout: MenuLayout? {
        guard let kind = state.openMenu, let menu = model.menus[kind],
            let button = layout.elements.first(where: { $0.key.menu == kind })?.value
        else { return nil }
        let blocks = menu.items.map {
            TextBlock(
                $0.title, TextLook(size: layout.points(13)), room: MenuLayout.textRoom(in: layout))
        }
        return MenuLayout(
            itemCount: menu.items.count, firstItem: state.firstItem,
            textWidth: blocks.map(\.width).max() ?? 0, textHeight: blocks.map(\.height).max() ?? 0,
            over: button, in: layout)
    }
}
