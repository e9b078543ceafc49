// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadBuffers
public import PlayheadLayers
public import PlayheadPlayback
package import PlayheadTime

/// A view at the lower edge of a video that trims its file by hand: a strip of thumbnails with two
/// handles, the keyframes, and the waveform of the audio.
///
/// `PlayerWindow` has such a view. A window of your own can show one too, because the view is made
/// of layers, as the effect panel is. Add `layers(width:height:scale:)` to the scene, pass the
/// window's events to `handle(_:pixelRatio:)` before you use them yourself, and make the scene
/// again when `changeHandler` is called.
///
/// The user moves the handles with the pointer or the keys, and the item shows the first or the
/// last frame of the part. Every movement can be undone until the part is saved. The part is saved
/// exactly (Enter) or at keyframes (Shift and Enter) by `saveHandler`, while the view shows the
/// progress. Escape cancels saving, and hides the view otherwise.
///
/// Frames and audio are read on other threads.
///
/// - Concurrency: the main actor.
/// - Corresponds to: the trimming of `AVPlayerView` (`beginTrimming`).
@MainActor public final class TrimView {
    /// The file that is trimmed, and its state, or nil.
    private(set) var session: TrimSession?
    private(set) var source: TrimSource?
    private var asset: Asset?
    /// The item that shows the frames at the handles.
    weak var item: PlayerItem?
    /// A Boolean value that indicates whether the view is visible. The marks stay while it is
    /// hidden.
    public private(set) var isVisible = false
    /// The function that saves a part, reports its progress from 0 to 1, and returns the path of
    /// the new file; nil, the default, if the program does not save.
    ///
    /// The view shows the path, or the error that the function throws. If the user cancels, or
    /// opens another file, the function's task is cancelled. In this case, leave no file behind.
    public var saveHandler:
        (
            @MainActor (TrimRequest, _ progress: @escaping @MainActor @Sendable (Double) -> Void)
                async throws -> String
        )?
    /// The handler that is called when a file has replaced the source; nil if the program replaces
    /// no file.
    package var replaceHandler: (@MainActor (String) -> Void)?
    /// The handler that is called after every change of the layers.
    public var changeHandler: @MainActor () -> Void = {}

    private var scan: TrimScan?
    private(set) var waveform: TrimWaveform?
    private var thumbnails: TrimThumbnails?
    private var aspectRatio = 16.0 / 9
    private var saving: Task<Void, Never>?
    /// The function that leaves the file after the marks have been saved.
    private var leaveHandler: (@MainActor () -> Void)?
    private(set) var layout = TrimLayout(width: 1, height: 1, scale: 1)
    /// The distance of the pointer from the time that it drags, in pixels.
    var grip = 0.0
    /// A Boolean value that indicates whether the button that is held down was pressed on the view.
    var hasPress = false
    /// A number that increases whenever the waveform or the keyframes change.
    private var version = 0
    private var painted: (key: WaveKey, picture: PixelBuffer)?
    private var thumbnailHeight = 0
    /// The number of the save whose reports count. It changes when the file is left.
    private var saveNumber = 0
    /// The number of calls of `saveHandler` that have not returned, cancelled ones included.
    private var writingCount = 0

    /// The values from which the image of the waveform was made.
    private struct WaveKey: Equatable {
        var visible: MediaTimeRange
        var width: Int
        var height: Int
        var version: Int
    }

    /// Creates a view that is hidden.
    public init() {}

    deinit {
        scan?.cancel()
        saving?.cancel()
    }

    // MARK: Files

    /// Shows the view for the file of an item. If it was opened before, the marks are still there.
    ///
    /// Pause the player first, because the item shows the frames at the handles.
    ///
    /// - Throws: `MediaError` with the code `cannotOpen` if the item is not ready to play or is not
    ///   a video in a file.
    public func open(_ item: PlayerItem) throws(MediaError) {
        guard item.status == .readyToPlay else {
            throw MediaError(
                .cannotOpen, subject: item.asset.subject, cause: "the item is not ready to play",
                remedy: "call waitUntilReady first")
        }
        guard let asset = item.asset as? URLAsset,
            case .file(let path) = asset.location, let source = TrimSource(path: path),
            item.end.isNumeric, item.end > .zero, let track = item.playingTracks.video,
            !track.isAttachedPicture, item.presentationSize != .zero
        else {
            throw MediaError(
                .cannotOpen, subject: item.asset.subject,
                cause: "only videos in files can be trimmed", remedy: "save it first")
        }
        // Variable rates and unknown rates get a plausible step until the frames are known.
        let rate = track.nominalFrameRate
        let frame = MediaTime(seconds: 1 / (rate > 1 && rate < 1000 ? rate : 25))
        let nominal =
            track.frameDuration.isNumeric && track.frameDuration > .zero
            ? track.frameDuration : frame
        self.item = item
        open(
            asset, source: source, end: item.end, frameDuration: nominal,
            aspectRatio: item.presentationSize.width / max(1, item.presentationSize.height))
    }

    /// Shows the view for a file. If it was opened before, the marks are still there.
    ///
    /// - Parameters:
    ///   - end: The end of the file.
    ///   - frameDuration: The nominal duration of a frame.
    ///   - aspectRatio: The width of a frame divided by its height.
    /// - Precondition: `end` and `frameDuration` are positive.
    package func open(
        _ asset: Asset, source: TrimSource, end: MediaTime, frameDuration: MediaTime,
        aspectRatio: Double
    ) {
        if self.asset !== asset || self.source?.path != source.path {
            close()
            self.asset = asset
            self.source = source
            self.aspectRatio = min(max(aspectRatio, 0.2), 5)
            session = TrimSession(timeline: TrimTimeline(end: end, frameDuration: frameDuration))
            scan = TrimScan(asset: asset) { [weak self] report in
                guard let self, self.asset === asset else { return }
                take(report)
            }
        }
        isVisible = true
        changeHandler()
    }

    /// Hides the view and keeps the marks. A question ends without an answer.
    public func hide() {
        if session?.question != nil { _ = session?.handle(.escape) }
        isVisible = false
        changeHandler()
    }

    /// Hides the view and forgets the file.
    package func close() {
        scan?.cancel()
        saving?.cancel()
        (session, source, asset, scan, saving) = (nil, nil, nil, nil, nil)
        leaveHandler = nil
        saveNumber += 1
        (waveform, thumbnails, painted) = (nil, nil, nil)
        isVisible = false
        hasPress = false
    }

    /// Returns whether the view belongs to an asset.
    package func isOpen(for asset: Asset?) -> Bool { asset != nil && self.asset === asset }

    /// A Boolean value that indicates whether the marked part has not been saved. If it is true,
    /// ask the user before you close the window.
    public var hasUnsavedMarks: Bool { session?.hasUnsavedMarks == true }

    /// A Boolean value that indicates whether something is lost if the file is left: marks that are
    /// in no file, or a file that is being written.
    var hasUnsavedWork: Bool { session?.hasUnsavedWork == true }

    /// A Boolean value that indicates whether a part is being written, or its file is being removed
    /// after a cancellation. A program that ends waits for that.
    package var isWriting: Bool { writingCount > 0 }

    /// A Boolean value that indicates whether the file must stay open: the view is visible, or
    /// something would be lost.
    package var keepsFile: Bool { session.map { isVisible || $0.hasUnsavedWork } ?? false }

    private func take(_ report: TrimScan.Report) {
        switch report {
        case .frames(let frames): perform(.frames(frames))
        case .complete: perform(.complete)
        case .waveform(let waveform, let isComplete):
            guard isComplete || scan != nil else { return }
            self.waveform = waveform
            changeHandler()
        case .failed(let error): perform(.unreadable("\(error)"))
        }
        version += 1
    }

    // MARK: Actions

    /// Takes the time that the item shows.
    func followItem() {
        guard let time = item?.currentTime, time.isNumeric, session?.drag == nil else { return }
        _ = session?.handle(.playhead(time))
    }

    /// Asks before the file is left if a part is marked that is in no file. A second request of the
    /// same kind is not asked about.
    ///
    /// - Parameter handler: A function that leaves the file. It is called later if the user has the
    ///   part saved. The view has forgotten the file by then.
    /// - Returns: A Boolean value that indicates whether the file may be left now.
    func mayLeave(
        _ leaving: TrimSession.Leaving, then handler: @escaping @MainActor () -> Void
    ) -> Bool {
        guard session != nil else { return true }
        let actions = session?.handle(.leave(leaving)) ?? []
        let leaves = actions.contains(.leave)
        if !leaves {
            isVisible = true
            leaveHandler = handler
        }
        perform(actions.filter { $0 != .leave })
        return leaves
    }

    func perform(_ event: TrimSession.Event) {
        guard session != nil else { return }
        let actions = session?.handle(event) ?? []
        if session?.question != nil { isVisible = true }
        perform(actions)
    }

    private func perform(_ actions: [TrimSession.Action]) {
        for action in actions {
            switch action {
            case .seek(let time):
                item?.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
            case .save(let marks, let precision, let replacesSource):
                save(marks, precision, replacesSource)
            case .cancelSaving: saving?.cancel()
            case .hide: isVisible = false
            case .leave:
                let handler = leaveHandler
                close()
                handler?()
            }
        }
        changeHandler()
    }

    private func save(
        _ marks: TrimSession.Marks, _ precision: TrimSession.Precision, _ replacesSource: Bool
    ) {
        guard let source, let asset else { return }
        guard let saveHandler else {
            perform(.failed("this program does not save files; use 'playhead play'"))
            return
        }
        let request = TrimRequest(
            source: source, asset: asset,
            range: MediaTimeRange(start: marks.start, end: marks.end),
            isExact: precision == .exact, replacesSource: replacesSource)
        saveNumber += 1
        let number = saveNumber
        writingCount += 1
        saving = Task { [weak self] in
            defer { self?.writingCount -= 1 }
            let event: TrimSession.Event
            do {
                try source.check()
                let path = try await saveHandler(request) { [weak self] fraction in
                    guard let self, saveNumber == number else { return }
                    perform(.progress(fraction))
                }
                event = .saved(path: path)
            } catch {
                event = Task.isCancelled ? .cancelled : .failed("\(error)")
            }
            guard let self, saveNumber == number else { return }
            perform(event)
            // The request to leave the file may have waited for this.
            guard saveNumber == number, replacesSource, case .saved(let path) = event else {
                return
            }
            replaceHandler?(path)
        }
    }

    // MARK: Layers

    /// The upper edge of the view, in pixels; nil while it is hidden.
    package var top: Double? { isVisible ? layout.panel.y : nil }

    /// Returns the layers of the view for a window of the given size, in pixels; none while it is
    /// hidden.
    ///
    /// - Parameter scale: The number of pixels in a point of the design, such as the window's
    ///   `contentScale`.
    public func layers(width: Int, height: Int, scale: Double) -> [Layer] {
        followItem()
        guard isVisible, let session, let asset, width > 0, height > 0 else { return [] }
        layout = TrimLayout(width: width, height: height, scale: scale)
        let stripHeight = Int(layout.strip.height)
        if thumbnails == nil || thumbnailHeight != stripHeight {
            thumbnailHeight = stripHeight
            let side = max(8, stripHeight)
            let thumbnails = TrimThumbnails(
                asset: asset, size: (Int((Double(side) * aspectRatio).rounded(.up)), side))
            thumbnails.changeHandler = { [weak self] in self?.changeHandler() }
            self.thumbnails = thumbnails
        }
        let count = max(
            1, Int((layout.strip.width / (layout.strip.height * aspectRatio)).rounded()))
        let times = (0..<count).map { index in
            session.timeline.clamped(
                session.visible.start
                    + session.visible.duration * (Double(index) / Double(count)))
        }
        let pictures =
            thumbnails?.pictures(
                at: times, interval: session.visible.duration * (1 / Double(count))) ?? []
        let painter = TrimPainter(
            layout: layout, session: session, pictures: pictures,
            pictureWidth: layout.strip.width / Double(count), waveform: picture(session))
        return painter.layers()
    }

    private func picture(_ session: TrimSession) -> PixelBuffer? {
        let (width, height) = (Int(layout.wave.width), Int(layout.wave.height))
        guard width > 0, height > 8 else { return nil }
        let key = WaveKey(
            visible: session.visible, width: width, height: height, version: version)
        if let painted, painted.key == key { return painted.picture }
        let picture = TrimPainter.picture(
            of: waveform, session.timeline, session.visible, width: width, height: height)
        painted = (key, picture)
        return picture
    }
}
