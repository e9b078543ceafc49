// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadLayers
import PlayheadThreads
package import PlayheadTime

/// A view that shows a folder as a grid of thumbnails, from which files are played.
///
/// The view is made of layers, as the trim view is. The owner passes events to it and performs what
/// its handlers ask for. Folders are read and cards are drawn on other threads.
///
/// - Concurrency: the main thread.
@MainActor package final class BrowserView {
    /// The state of the view.
    private(set) var model = BrowserModel()
    private var cards = BrowserCards(byteLimit: BrowserView.leastBytes)
    private var loader: CardLoader?
    /// The paths of the folders through which the user came; the last one is shown.
    private(set) var trail: [String] = []
    /// The reason why the folder cannot be read, as a sentence.
    private var failure: String?
    /// A Boolean value that indicates whether the folder is being read.
    private(set) var isReading = false
    /// The path of the entry that is selected once the folder has been read, unless the user
    /// selects another one before that.
    private var wanted: String?
    /// A number that increases with each folder that is opened.
    private var generation = 0
    /// The requests that the loader received last.
    private var requested: [BrowserCard.Request] = []

    /// A Boolean value that indicates whether the view is visible.
    package private(set) var isVisible = false
    /// A Boolean value that indicates whether the player was started to show a folder: Escape then
    /// leads from a file back to the view.
    package var isHome = false
    /// The function that reads folders; nil if the program shows none.
    package var folderReader: FolderReader?
    /// The function that returns the path of the folder that is shown if the open file is in none.
    package var defaultFolder: @MainActor () -> String = { "/" }
    /// The function that returns the asset of a file.
    package var makeAsset: (@Sendable (String) -> Asset)?
    /// The handler that plays files, beginning with the one at an index.
    package var playHandler: @MainActor ([String], _ index: Int) -> Void = { _, _ in }
    /// The handler that leaves the view.
    package var escapeHandler: @MainActor () -> Void = {}
    /// The handler that shows a message.
    package var sayHandler: @MainActor (String) -> Void = { _ in }
    /// The handler that is called after every change.
    package var changeHandler: @MainActor () -> Void = {}

    /// The colour behind the grid.
    static let ground = SIMD4(SIMD3<Float>(CardPainter.ground) / 255, 1)

    /// The memory for cards that is always allowed, in bytes.
    private static let leastBytes = 32 << 20
    /// The memory for cards as a multiple of the window's own.
    private static let windows = 3

    package init() {}

    // MARK: Folders

    /// The name of the folder, as it is shown.
    package var title: String { trail.last.map { ExactPath($0).title } ?? "" }

    /// Shows the view.
    package func show() {
        isVisible = true
        changeHandler()
    }

    /// Hides the view. The folder, the selection and the cards stay.
    package func hide() {
        isVisible = false
        // The release of a button that is held down goes elsewhere.
        _ = model.handle(.release, at: HostClock.shared.time)
        stopLoading()
        changeHandler()
    }

    /// Ends all work.
    package func close() {
        isVisible = false
        generation += 1
        loader?.end()
        loader = nil
    }

    /// Shows a folder as the first one of a trail.
    ///
    /// - Parameter selected: The path of the entry that is selected; nil for the first one.
    package func open(_ path: String, selecting selected: String? = nil) {
        read([path], selecting: selected)
    }

    /// Reads the folder again, because files may have been added or removed, and tries files again
    /// that could not be opened.
    ///
    /// - Parameter selected: The path of the entry that is selected. If the folder does not contain
    ///   it, or it is nil, the selected entry stays.
    package func reload(selecting selected: String? = nil) {
        guard !trail.isEmpty else { return }
        cards.removeFailures()
        read(trail, selecting: selected)
    }

    private func read(_ trail: [String], selecting selected: String?) {
        guard let reader = folderReader, let path = trail.last else { return }
        generation += 1
        let generation = generation
        self.trail = trail
        failure = nil
        isReading = true
        if model.contents.map({ ExactPath($0.path) }) != ExactPath(path) { model.clear() }
        wanted = selected
        if let selected, model.select(selected) { wanted = nil }
        _ = WorkerThread(name: "ph-browse") { [weak self] in
            let result: Result<FolderContents, any Error> = Result { try reader(path, trail) }
            Task { @MainActor [weak self] in
                guard let self, self.generation == generation else { return }
                take(result)
            }
        }
        changeHandler()
    }

    private func take(_ result: Result<FolderContents, any Error>) {
        isReading = false
        switch result {
        case .success(var contents):
            contents.path = trail.last ?? contents.path
            model.show(contents, selecting: wanted)
            wanted = nil
            for entry in contents.entries {
                // A file that has changed may be playable now.
                guard let card = cards[entry.key], card.request.entry == entry else { continue }
                model.setProblem(card.problem, of: entry)
            }
            if let note = contents.note { sayHandler(note) }
        case .failure(let error):
            model.clear()
            // The remedies are those of a command line.
            let problem = ((error as? MediaError)?.cause ?? "\(error)").sentence
            failure = problem + " Press Backspace to leave the folder."
        }
        changeHandler()
    }

    /// Shows the folder above.
    private func leave() {
        guard let path = trail.last else { return }
        if trail.count > 1 { return read(Array(trail.dropLast()), selecting: path) }
        guard let parent = ExactPath(path).parent else {
            return sayHandler("There is no folder above this one.")
        }
        read([parent.text], selecting: path)
    }

    // MARK: Actions

    func perform(_ event: BrowserModel.Event) {
        switch event {
        case .step, .type, .press: if model.contents != nil { wanted = nil }
        default: break
        }
        switch model.handle(event, at: HostClock.shared.time) {
        case nil: break
        case .play(let files, let index): playHandler(files, index)
        case .enter(let path): read(trail + [path], selecting: nil)
        case .leave: leave()
        case .escape: escapeHandler()
        case .say(let text): sayHandler(text)
        }
        changeHandler()
    }

    // MARK: Cards

    private func load() {
        let wanted = model.wanted().map { model.entries[$0] }
        let visible = model.visible(from: HostClock.shared.time).map { model.entries[$0].key }
        cards.use(wanted.map(\.key) + visible)
        let missing = wanted.map { ($0, cards.missing(of: $0, model.layout.card)) }
        // Names are drawn faster than frames are found, so they come first.
        let requests = [BrowserCard.Stage.name, .complete].flatMap { stage in
            missing.filter { $0.1.contains(stage) }.map { entry, _ in
                BrowserCard.Request(entry: entry, metrics: model.layout.card, stage: stage)
            }
        }
        guard requests != requested, let makeAsset else { return }
        requested = requests
        let loader =
            self.loader
            ?? CardLoader(makeAsset: makeAsset) { [weak self] in self?.take($0) }
        self.loader = loader
        loader.request(requests)
    }

    private func stopLoading() {
        requested = []
        loader?.request([])
    }

    private func take(_ card: BrowserCard) {
        // A name that arrives after the whole card adds nothing.
        if !card.isComplete, cards[card.request.entry.key]?.isComplete == true { return }
        cards.insert(card)
        model.setProblem(card.problem, of: card.request.entry)
        requested.removeAll { $0 == card.request }
        changeHandler()
    }

    /// A Boolean value that indicates whether all cards that are wanted have been drawn.
    var isSettled: Bool { !isReading && requested.isEmpty }

    /// The size of all cards, in bytes, and its limit.
    var memory: (bytes: Int, limit: Int) { (cards.byteCount, cards.byteLimit) }

    // MARK: Layers

    /// The time of the next change that happens without an event; nil if no change is due.
    package var nextUpdate: MediaTime? {
        let scroll = model.scroll
        return isVisible && scroll.isMoving(at: HostClock.shared.time) ? scroll.endTime : nil
    }

    /// Returns the layers of the view; none while it is hidden.
    package func layers(width: Int, height: Int, scale: Double) -> [Layer] {
        guard isVisible, width > 0, height > 0 else { return [] }
        model.resize(width: width, height: height, scale: scale)
        cards.byteLimit = max(Self.leastBytes, Self.windows * width * height * 4)
        load()
        return BrowserPainter(
            model: model, cards: cards, title: title, message: message,
            time: HostClock.shared.time
        ).layers()
    }

    /// The text in place of the grid; nil if there are entries.
    var message: String? {
        if let failure { return failure }
        guard let contents = model.contents else {
            return isReading ? "Reading the folder" : nil
        }
        guard model.entries.isEmpty else { return nil }
        guard model.filter.isEmpty else { return "No name contains '\(model.filter)'." }
        return contents.note ?? "No videos, audio files or folders here."
    }
}
