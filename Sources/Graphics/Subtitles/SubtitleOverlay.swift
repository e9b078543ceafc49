// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadBuffers
public import PlayheadLayers
public import PlayheadPlayback
import PlayheadText
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// The subtitles of the item that a player plays, drawn over its video.
///
///     let video = PlayerVideoOutput(player: player)
///     let subtitles = SubtitleOverlay(of: video)
///     scene = Scene(layers: [Layer(.video(video)), Layer(.video(subtitles))])
///
/// It shows the track that is selected in the current item (`PlayerItem.select`). A thread of its
/// own draws ahead of time, at the size at which the video is displayed; an image that is not ready
/// in time appears at a later vsync.
///
/// - Concurrency: any thread; the source's methods as stated by `PixelBufferSource`.
/// - Ownership: holds the video's output.
/// - Corresponds to: the legible tracks of `AVPlayerLayer`.
public final class SubtitleOverlay: OverlaySource, NotifyingPixelBufferSource {
    /// The state that the render thread, the drawing thread and other threads share.
    final class Shared: Sendable {
        let state = Monitor(State())
        let legible = PlayerItemLegibleOutput()
    }

    struct State {
        weak var item: PlayerItem?
        var isVisible = true
        var fontScale = 1.0
        var elevation = 0.0
        var clearance = 0.0
        var rotation = 0.0
        /// The size at which the video is displayed, in pixels, once it is known.
        var size: (width: Int, height: Int)?
        var storage = (width: 0, height: 0)
        var filmColor: ColorAttachments?
        var overlaySize = SubtitleOverlay.usualSize
        /// The version of the drawn images, raised by each change that invalidates them.
        var version = 0
        /// The drawn images, the latest last.
        var drawn: [(entry: SubtitleComposer.Entry, version: Int)] = []
        /// The time and rate for which an image is needed.
        var wanted: (time: MediaTime, rate: Double)?
        var isClosed = false
        var hasThread = false
        /// The image that was taken last, and its position.
        var taken: (identifier: UInt64, rect: LayerRect) = (0, .unit)
        var requests: [Int: @Sendable () -> Void] = [:]
        var lastRequest = 0
    }

    /// The size that is assumed for a video of unknown size.
    private static let usualSize = (width: 1280.0, height: 720.0)
    /// The time for which an image is shown past its end if the next one is not ready.
    private static let staleDuration = MediaTime(value: 1, timescale: 5)

    private static let nothing = PixelBuffer(
        format: .rgba, width: 1, height: 1,
        attachments: PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB,
                alpha: .premultiplied))
    ) { _, plane, _ in
        for index in 0..<4 { plane[index] = 0 }
    }

    /// Returns the item whose subtitles are shown.
    private let item: @Sendable () -> PlayerItem?
    let shared = Shared()
    /// A composer that draws synchronously, in place of the thread: for rendering that is not bound
    /// to real time.
    private let composer: ExactComposer?

    /// Creates the subtitles of the item that a player plays.
    ///
    /// - Parameters:
    ///   - film: the output that shows the video. Its layer is behind the layer of the subtitles.
    ///   - waits: true if a request for an image waits until the subtitles have been read and the
    ///     image has been drawn. Use this for rendering that is not bound to real time, never in a
    ///     window.
    public convenience init(of film: PlayerVideoOutput, waits: Bool = false) {
        self.init(waits: waits) { film.item }
    }

    /// Creates the subtitles of one item.
    public convenience init(of item: PlayerItem, waits: Bool = false) {
        self.init(waits: waits) { item }
    }

    private init(waits: Bool, item: @escaping @Sendable () -> PlayerItem?) {
        self.item = item
        composer = waits ? ExactComposer() : nil
        shared.legible.onChange { [weak shared] in
            guard let shared else { return }
            Self.invalidate(shared)
        }
    }

    deinit {
        shared.legible.onChange(nil)
        let item = shared.state.change { state in
            state.isClosed = true
            return state.item
        }
        item?.remove(shared.legible)
    }

    // MARK: Appearance

    /// A Boolean value that indicates whether subtitles are visible.
    public var isVisible: Bool {
        get { shared.state.withLock { $0.isVisible } }
        set { change { $0.isVisible = newValue } }
    }

    /// The delay of subtitles relative to the media; negative for earlier.
    public var delay: MediaTime {
        get { shared.legible.delay }
        set {
            shared.legible.delay = newValue
            change { _ in }
        }
    }

    /// Returns the text at an item time, whether it is visible or not; empty between subtitles and
    /// for image subtitles. Nil if no track is selected.
    package func text(forItemTime itemTime: MediaTime) -> String? {
        shared.legible.hasSelection ? shared.legible.text(forItemTime: itemTime) : nil
    }

    /// A Boolean value that indicates whether the subtitles are plain text without positions. Such
    /// subtitles can be placed in the visible part of a video that extends beyond its window.
    package var isPlainText: Bool { shared.legible.isPlainText }

    /// The rotation of the displayed video, clockwise in degrees. Subtitles stay upright, in the
    /// area that the video then covers, so that letters keep their shape.
    package var rotation: Double {
        get { shared.state.withLock { $0.rotation } }
        set { change { $0.rotation = newValue } }
    }

    /// The scale of the letters relative to the file, from 0.1 to 10.
    public var fontScale: Double {
        get { shared.state.withLock { $0.fontScale } }
        set { change { $0.fontScale = newValue.isNaN ? 1 : min(max(newValue, 0.1), 10) } }
    }

    /// The upward offset of lines at the bottom, in percent of the frame's height.
    package var elevation: Double {
        get { shared.state.withLock { $0.elevation } }
        set { change { $0.elevation = newValue.isNaN ? 0 : min(max(newValue, 0), 100) } }
    }

    /// The height of the area at the bottom that is covered by controls, in percent of the frame's
    /// height. Lines that would be covered are drawn above this area.
    package var clearance: Double {
        get { shared.state.withLock { $0.clearance } }
        set {
            let value = newValue.isNaN ? 0 : min(max(newValue, 0), 100)
            if value != clearance { change { $0.clearance = value } }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        shared.state.withLock { body(&$0) }
        Self.invalidate(shared)
    }

    /// Invalidates the drawn images.
    private static func invalidate(_ shared: Shared) {
        let requests = shared.state.change { state -> [@Sendable () -> Void] in
            state.version += 1
            defer { state.requests = [:] }
            return Array(state.requests.values)
        }
        for request in requests { request() }
    }

    // MARK: Calls of the render thread

    package var overlaySize: (width: Double, height: Double) {
        shared.state.withLock { $0.overlaySize }
    }

    package var overlayRect: LayerRect { shared.state.withLock { $0.taken.rect } }

    package func noteDisplaySize(width: Int, height: Int) {
        guard width > 0, height > 0 else { return }
        let isOther = shared.state.withLock { state in
            guard state.size ?? (0, 0) != (width, height) else { return false }
            state.size = (width, height)
            return true
        }
        if isOther { Self.invalidate(shared) }
    }

    /// Sets the target's size before the first image is drawn. Without this call, the size is known
    /// only after a frame has been drawn. Use this for rendering that is not bound to real time.
    package func lay(in target: (width: Int, height: Int)) {
        follow()
        let film = overlaySize
        let scale = min(Double(target.width) / film.width, Double(target.height) / film.height)
        noteDisplaySize(
            width: Int((film.width * scale).rounded()),
            height: Int((film.height * scale).rounded()))
    }

    /// Returns the item's time when the host clock reads `hostTime`.
    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        follow()
        return shared.legible.itemTime(forHostTime: hostTime)
    }

    /// Returns whether the subtitles at a time differ from those that were taken last.
    public func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        let (picture, _) = picture(at: itemTime)
        return shared.state.withLock { $0.taken.identifier } != picture.identifier
    }

    /// Returns the image of the subtitles at a time, and marks it as taken.
    public func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        let (picture, rect) = picture(at: itemTime)
        shared.state.withLock { $0.taken = (picture.identifier, rect) }
        return (picture, itemTime)
    }

    /// Updates the state if the video's output shows another item, or if the size or the colours of
    /// the item have changed.
    private func follow() {
        let item = item()
        let size = item?.presentationSize ?? .zero
        let video = item?.playingTracks.video?.formatDescription.video
        let (old, isOther) = shared.state.withLock { state -> (PlayerItem?, Bool) in
            let overlaySize =
                size == .zero ? Self.usualSize : (width: size.width, height: size.height)
            var storage = video?.frameSize ?? (width: 0, height: 0)
            if video?.attachments.orientation.swapsAxes == true {
                swap(&storage.width, &storage.height)
            }
            // Unless the rotation is a multiple of a quarter turn, letters are not stretched with
            // the video's pixels.
            switch state.rotation.truncatingRemainder(dividingBy: 180).magnitude {
            case 0: break
            case 90: swap(&storage.width, &storage.height)
            default: storage = (0, 0)
            }
            let isOther =
                state.item !== item || state.overlaySize != overlaySize
                || state.storage != storage || state.filmColor != video?.shownColor
            defer {
                (state.item, state.overlaySize, state.storage) = (item, overlaySize, storage)
                state.filmColor = video?.shownColor
            }
            return (state.item, isOther)
        }
        guard isOther else { return }
        if old !== item {
            old?.remove(shared.legible)
            item?.add(shared.legible)
            shared.state.withLock { $0.drawn = [] }
        }
        Self.invalidate(shared)
    }

    /// Returns the image for a time. If it has not been drawn, requests it, and returns the last
    /// image if that ended only recently.
    private func picture(at itemTime: MediaTime) -> (PixelBuffer, LayerRect) {
        let time = itemTime - delay
        guard time.isNumeric else { return (Self.nothing, Self.noRect) }
        if let composer { return exactPicture(at: time, itemTime, composer) }
        let rate = item()?.timebase.rate ?? 0
        let (entry, size, isWanting) = shared.state.withLock {
            state -> (SubtitleComposer.Entry?, (width: Int, height: Int)?, Bool) in
            guard state.isVisible, state.size != nil, shared.legible.hasSelection else {
                return (nil, nil, false)
            }
            let right = state.drawn.last { $0.entry.range.contains(time) }
            let isRight = right?.version == state.version
            var entry = right?.entry
            if entry == nil, let last = state.drawn.last?.entry,
                last.range.start <= time + Self.staleDuration,
                time < last.range.end + Self.staleDuration
            {
                entry = last
            }
            return (entry, state.size, !isRight || !state.isPrepared(after: right?.entry, rate))
        }
        if isWanting { want(time, rate) }
        guard let drawing = entry?.drawing, let size else { return (Self.nothing, Self.noRect) }
        return (drawing.picture, Self.rect(of: drawing, in: size))
    }

    private func exactPicture(
        at time: MediaTime, _ itemTime: MediaTime, _ composer: ExactComposer
    ) -> (PixelBuffer, LayerRect) {
        let (layout, isVisible) = shared.state.withLock { ($0.layout, $0.isVisible) }
        guard isVisible, let layout, shared.legible.hasSelection else {
            return (Self.nothing, Self.noRect)
        }
        shared.legible.waitForSubtitles(at: itemTime)
        let drawing = composer.value.withLock {
            $0?.entry(at: time, of: shared.legible, layout: layout).drawing
        }
        guard let drawing else { return (Self.nothing, Self.noRect) }
        return (drawing.picture, Self.rect(of: drawing, in: (layout.width, layout.height)))
    }

    /// A composer that works on the calling thread; nil without a font.
    private final class ExactComposer: Sendable {
        let value = Mutex(try? SubtitleComposer())
    }

    /// The position while no subtitle is displayed.
    private static let noRect = LayerRect(x: 0, y: 0, width: 0, height: 0)

    private static func rect(
        of drawing: SubtitleRasterizer.Drawing, in size: (width: Int, height: Int)
    ) -> LayerRect {
        let (width, height) = (Double(size.width), Double(size.height))
        return LayerRect(
            x: Double(drawing.x) / width, y: Double(drawing.y) / height,
            width: Double(drawing.picture.width) / width,
            height: Double(drawing.picture.height) / height)
    }

    /// Waits until the subtitles at an item time have been read and drawn, at the size at which the
    /// video was last displayed. Call it before the image is requested, in rendering that is not
    /// bound to real time.
    ///
    /// - Parameter nanoseconds: the maximum time to wait.
    package func waitUntilDrawn(forItemTime itemTime: MediaTime, nanoseconds: Int64) {
        let deadline = HostClock.nanoseconds &+ nanoseconds
        func remaining() -> Int64 { max(0, deadline - HostClock.nanoseconds) }
        follow()
        let time = itemTime - delay
        guard time.isNumeric, shared.legible.hasSelection else { return }
        shared.legible.waitForSubtitles(at: itemTime, seconds: Double(remaining()) / 1e9)
        while shared.state.withLock({ $0.isVisible && $0.size != nil }), remaining() > 0 {
            let version = shared.state.withLock { $0.version }
            want(time, 0)
            let isDrawn = shared.state.wait(nanoseconds: remaining()) { state -> Bool? in
                let isDrawn = state.drawn.contains {
                    $0.version == state.version && $0.entry.range.contains(time)
                }
                // An image of another version is not drawn unless it is requested again.
                return isDrawn || state.version != version ? isDrawn : nil
            }
            if isDrawn == true { return }
        }
    }

    // MARK: Notification

    /// Requests that `handler` is called once, `interval` before the subtitles change.
    public func notifyOfMediaDataChange(
        withAdvanceInterval interval: MediaTime, on queue: ObservationQueue,
        handler: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        let gate = ObservationGate()
        let number = shared.state.withLock { state in
            state.lastRequest += 1
            state.requests[state.lastRequest] = { queue.async { gate.pass(handler) } }
            return state.lastRequest
        }
        let fulfil: @Sendable () -> Void = { [weak shared] in
            let request = shared?.state.withLock { $0.requests.removeValue(forKey: number) }
            request?()
        }
        var timer: TimebaseTimer?
        if let timebase = item()?.timebase {
            let (time, rate) = timebase.timeAndRate
            if time.isNumeric, hasNewPixelBuffer(forItemTime: time) {
                fulfil()
            } else if rate != 0, shared.legible.hasSelection,
                let next = shared.legible.nextChange(after: time, isForward: rate > 0)
            {
                timer = timebase.addTimer(at: next - interval * rate) { _ in fulfil() }
            }
        }
        return ObservationToken(gate: gate) { [weak shared, timer] in
            timer?.cancel()
            _ = shared?.state.withLock { $0.requests.removeValue(forKey: number) }
        }
    }
}
