// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadBuffers
public import PlayheadLayers
public import PlayheadPlayback
import PlayheadText
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// The subtitles of whatever a player plays, drawn into the film's picture.
///
///     let film = PlayerVideoOutput(player: player)
///     let subtitles = SubtitleOverlay(of: film)
///     scene = Scene(layers: [Layer(.video(film)), Layer(.video(subtitles))])
///
/// What is shown is what the current item has selected (`PlayerItem.select`). It is drawn ahead of
/// time by a thread of its own, at the size at which the film is seen; what is not ready in time
/// comes with a later vsync.
///
/// - Concurrency: any thread; the source's methods as `PixelBufferSource` says.
/// - Ownership: keeps the film's output.
/// - Corresponds to: what `AVPlayerLayer` does with legible tracks.
public final class SubtitleOverlay: OverlaySource, NotifyingPixelBufferSource {
    /// What the render thread, the drawing thread and the others share.
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
        /// How large the film is seen, once that is known.
        var size: (width: Int, height: Int)?
        var storage = (width: 0, height: 0)
        var filmColor: ColorAttachments?
        var overlaySize = SubtitleOverlay.usualSize
        /// Raised by whatever makes what has been drawn wrong.
        var version = 0
        /// What has been drawn, the latest last.
        var drawn: [(entry: SubtitleComposer.Entry, version: Int)] = []
        /// What is to be drawn.
        var wanted: (time: MediaTime, rate: Double)?
        var isClosed = false
        var hasThread = false
        /// What was taken last.
        var taken: (identifier: UInt64, rect: LayerRect) = (0, .unit)
        var requests: [Int: @Sendable () -> Void] = [:]
        var lastRequest = 0
    }

    /// Of a film whose size is not known.
    private static let usualSize = (width: 1280.0, height: 720.0)
    /// How long what should be over is still seen, where what follows is not ready.
    private static let patience = MediaTime(value: 1, timescale: 5)

    private static let nothing = PixelBuffer(
        format: .rgba, width: 1, height: 1,
        attachments: PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB,
                alpha: .premultiplied))
    ) { _, plane, _ in
        for index in 0..<4 { plane[index] = 0 }
    }

    /// Gives the item that is shown.
    private let item: @Sendable () -> PlayerItem?
    let shared = Shared()
    /// Draws when it is asked, in place of the thread: for rendering that is not bound to real time.
    private let composer: ExactComposer?

    /// - Parameters:
    ///   - film: the output by which the film is shown, in a layer before this one's.
    ///   - waits: whether asking for a picture waits until it has been read and drawn: for rendering
    ///     that is not bound to real time. Never in a window.
    public convenience init(of film: PlayerVideoOutput, waits: Bool = false) {
        self.init(waits: waits) { film.item }
    }

    /// The same of one item.
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

    // MARK: How they are shown

    /// Whether they are seen.
    public var isVisible: Bool {
        get { shared.state.withLock { $0.isVisible } }
        set { change { $0.isVisible = newValue } }
    }

    /// By how much later than the film says they come; negative for earlier.
    public var delay: MediaTime {
        get { shared.legible.delay }
        set {
            shared.legible.delay = newValue
            change { _ in }
        }
    }

    /// The words that belong to a time of the item, whether they are seen or not; empty between subtitles, and where
    /// these are pictures. Nil where none are selected.
    package func text(forItemTime itemTime: MediaTime) -> String? {
        shared.legible.hasSelection ? shared.legible.text(forItemTime: itemTime) : nil
    }

    /// Whether they are words alone, which no place in the picture belongs to: of a film that reaches beyond its
    /// window they are best laid into what is seen.
    package var isPlainText: Bool { shared.legible.isPlainText }

    /// By how much the film is turned where it is shown, clockwise in degrees. Subtitles stay upright, in what it
    /// covers then: letters keep their shape.
    package var rotation: Double {
        get { shared.state.withLock { $0.rotation } }
        set { change { $0.rotation = newValue } }
    }

    /// By how much larger letters are than the file says: from 0.1 to 10.
    public var fontScale: Double {
        get { shared.state.withLock { $0.fontScale } }
        set { change { $0.fontScale = newValue.isNaN ? 1 : min(max(newValue, 0.1), 10) } }
    }

    /// How much further up than the file says lines at the bottom stand, in hundredths of the
    /// picture's height.
    package var elevation: Double {
        get { shared.state.withLock { $0.elevation } }
        set { change { $0.elevation = newValue.isNaN ? 0 : min(max(newValue, 0), 100) } }
    }

    /// How much of the picture's height, at the bottom, is under something else for now, in
    /// hundredths: lines there stand above it, unless they are higher up anyway.
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

    /// What has been drawn may be wrong.
    private static func invalidate(_ shared: Shared) {
        let requests = shared.state.change { state -> [@Sendable () -> Void] in
            state.version += 1
            defer { state.requests = [:] }
            return Array(state.requests.values)
        }
        for request in requests { request() }
    }

    // MARK: Asked by the render thread

    package var overlaySize: (width: Double, height: Double) {
        shared.state.withLock { $0.overlaySize }
    }

    package var overlayRect: LayerRect { shared.state.withLock { $0.taken.rect } }

    package func overlayIsSeen(width: Int, height: Int) {
        guard width > 0, height > 0 else { return }
        let isOther = shared.state.withLock { state in
            guard state.size ?? (0, 0) != (width, height) else { return false }
            state.size = (width, height)
            return true
        }
        if isOther { Self.invalidate(shared) }
    }

    /// Has them drawn for a target of a size from the first on, which they otherwise learn by being
    /// drawn: for rendering that is not bound to real time.
    package func lay(in target: (width: Int, height: Int)) {
        follow()
        let film = overlaySize
        let scale = min(Double(target.width) / film.width, Double(target.height) / film.height)
        overlayIsSeen(
            width: Int((film.width * scale).rounded()),
            height: Int((film.height * scale).rounded()))
    }

    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        follow()
        return shared.legible.itemTime(forHostTime: hostTime)
    }

    public func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool {
        let (picture, _) = picture(at: itemTime)
        return shared.state.withLock { $0.taken.identifier } != picture.identifier
    }

    public func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? {
        let (picture, rect) = picture(at: itemTime)
        shared.state.withLock { $0.taken = (picture.identifier, rect) }
        return (picture, itemTime)
    }

    /// Takes note of what the film's output shows by now.
    private func follow() {
        let item = item()
        let size = item?.presentationSize ?? .zero
        let video = item?.playingTracks.video?.formatDescription.video
        let (old, isOther) = shared.state.withLock { state -> (PlayerItem?, Bool) in
            let overlaySize =
                size == .zero ? Self.usualSize : (width: size.width, height: size.height)
            var storage = (width: video?.width ?? 0, height: video?.height ?? 0)
            if video?.attachments.orientation.swapsAxes == true {
                swap(&storage.width, &storage.height)
            }
            // Between quarters it is no pixel of the film's that letters are made for.
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

    /// What is to be seen at a time, as far as it has been drawn; has drawn what has not.
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
                last.range.start <= time + Self.patience, time < last.range.end + Self.patience
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
        let drawing = composer.turn.withLock {
            $0?.entry(at: time, of: shared.legible, layout: layout).drawing
        }
        guard let drawing else { return (Self.nothing, Self.noRect) }
        return (drawing.picture, Self.rect(of: drawing, in: (layout.width, layout.height)))
    }

    /// A composer that works on the asking thread; none where there is no font.
    private final class ExactComposer: Sendable {
        let turn = Mutex(try? SubtitleComposer())
    }

    /// Where nothing is seen.
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

    /// Waits until what is to be seen at an item time has been read and drawn, as large as it was seen last: for
    /// rendering that is not bound to real time, before the picture is asked for.
    ///
    /// - Parameter nanoseconds: how long at most.
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
                // Of another version it is not going to be drawn unless it is asked for again.
                return isDrawn || state.version != version ? isDrawn : nil
            }
            if isDrawn == true { return }
        }
    }

    // MARK: Telling of what comes

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
