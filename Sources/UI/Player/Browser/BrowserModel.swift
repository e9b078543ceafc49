// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadTime

/// The state of the folder browser: the folder, the filter, the selection and the scroll offset,
/// and the cards to load.
///
/// - Concurrency: a value; any thread. Host times are arguments.
struct BrowserModel: Sendable {
    /// An event of the user.
    enum Event: Sendable {
        /// A key moves the selection.
        case step(BrowserLayout.Step)
        /// A character is appended to the filter.
        case type(Unicode.Scalar)
        /// The last character of the filter is removed; without a filter, the folder is left.
        case deleteBackward
        /// The selected entry is opened.
        case open
        /// The folder is left for the folder above.
        case leave
        /// The filter is cleared; without a filter, the browser is left.
        case escape
        /// The wheel is turned by a number of notches, positive upwards.
        case wheel(Double)
        case press(SIMD2<Double>, clickCount: Int)
        case move(SIMD2<Double>)
        case release
        /// The pointer has left the window.
        case leaveWindow
    }

    /// A request to the owner of the model.
    enum Action: Sendable, Hashable {
        /// Play these files, beginning with the one at an index.
        case play([String], index: Int)
        /// Show a subfolder.
        case enter(String)
        /// Show the folder above.
        case leave
        /// Leave the browser.
        case escape
        /// Say why the entry cannot be opened.
        case say(String)
    }

    /// The pointer button that is held down.
    private enum Press: Sendable {
        case none
        /// The grid was pressed, and follows the pointer once it has moved far enough.
        case grid(from: SIMD2<Double>, offset: Double, hasMoved: Bool)
        /// The thumb of the scroll bar was pressed, at a distance from its upper edge.
        case thumb(grip: Double)
        /// Something else was pressed.
        case other
    }

    /// The folder; nil until one has been read.
    private(set) var contents: FolderContents?
    /// The text that the names of visible entries contain.
    private(set) var filter = ""
    /// The entries that the filter lets through.
    private(set) var entries: [FolderEntry] = []
    /// The index of the selected entry.
    private(set) var selection: Int?
    /// The index of the entry under the pointer.
    private(set) var hovered: Int?
    /// A Boolean value that indicates whether the pointer is over the button that leaves the
    /// folder.
    private(set) var isBackHovered = false
    private(set) var layout = BrowserLayout(width: 1, height: 1, scale: 1, itemCount: 0)
    private(set) var scroll = BrowserScroll()
    private var press = Press.none
    private var pointer: SIMD2<Double>?
    private var size = (width: 1, height: 1, scale: 1.0)
    /// The reasons why entries cannot be opened, by path.
    private var problems: [ExactPath: String] = [:]

    /// The distance that a notch of a wheel scrolls, in points.
    private static let notch = 100.0
    /// The distance, in points, that the pointer moves before the grid follows it.
    private static let slack = 6.0
    /// The maximum number of characters of a filter.
    static let filterLimit = 64

    // MARK: Folder and window

    /// Shows a folder.
    ///
    /// - Parameter selected: The path of the entry that is selected. If the folder does not contain
    ///   it, or it is nil, the selected entry stays, or the first one is selected.
    mutating func show(_ contents: FolderContents, selecting selected: String?) {
        let former = selectedPath
        let isSame = self.contents.map { ExactPath($0.path) } == ExactPath(contents.path)
        self.contents = contents
        problems = [:]
        if !isSame {
            filter = ""
            scroll = BrowserScroll()
        }
        press = .none
        // The wheel may have moved the grid while the same folder was read again.
        apply(
            selecting: [selected.map(ExactPath.init), isSame ? former : nil],
            keepsScroll: isSame && selected == nil)
    }

    /// Selects an entry.
    ///
    /// - Returns: false if the folder does not contain it or the filter hides it.
    mutating func select(_ path: String) -> Bool {
        let key = ExactPath(path)
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return false }
        selection = index
        scroll.jump(to: layout.offset(revealing: index, from: scroll.target))
        return true
    }

    /// Removes the folder, for example because it cannot be read.
    mutating func clear() {
        contents = nil
        (filter, entries, selection, hovered) = ("", [], nil, nil)
        scroll = BrowserScroll()
        press = .none
        relayOut()
    }

    /// Lays out the grid in a window of a size in pixels.
    mutating func resize(width: Int, height: Int, scale: Double) {
        guard size != (width, height, scale) else { return }
        size = (width, height, scale)
        // The row at the top stays there.
        let first = layout.itemCount > 0 ? layout.indices(at: scroll.target...scroll.target) : 0..<0
        let isAtTop = scroll.target == 0
        relayOut()
        guard !isAtTop, let index = first.first, index < layout.itemCount else { return }
        scroll.jump(to: layout.clamped(layout.rect(of: index).y))
    }

    /// Notes why an entry cannot be opened; nil if it can.
    mutating func setProblem(_ problem: String?, of entry: FolderEntry) {
        problems[entry.key] = problem
    }

    /// Returns the reason why an entry cannot be opened, as a sentence.
    func problem(of entry: FolderEntry) -> String? { entry.problem ?? problems[entry.key] }

    private mutating func relayOut() {
        layout = BrowserLayout(
            width: size.width, height: size.height, scale: size.scale, itemCount: entries.count)
        scroll.jump(to: layout.clamped(scroll.target))
    }

    /// Applies the filter, and selects the first of some entries that it lets through.
    ///
    /// - Parameter keepsScroll: A Boolean value that indicates whether the grid does not move if
    ///   the last one of `paths` is selected.
    private mutating func apply(selecting paths: [ExactPath?], keepsScroll: Bool = false) {
        let all = contents?.entries ?? []
        let wanted = filter.lowercased()
        entries = wanted.isEmpty ? all : all.filter { $0.name.lowercased().contains(wanted) }
        relayOut()
        selection =
            paths.compactMap { $0 }
            .compactMap { path in entries.firstIndex { $0.key == path } }.first
            ?? (entries.isEmpty ? nil : 0)
        hovered = nil
        guard let selection, !keepsScroll || entries[selection].key != (paths.last ?? nil) else {
            return
        }
        scroll.jump(to: layout.offset(revealing: selection, from: scroll.target))
    }

    // MARK: Events

    /// Handles an event.
    mutating func handle(_ event: Event, at time: MediaTime) -> Action? {
        switch event {
        case .step(let step): take(step, at: time)
        case .type(let scalar): return type(scalar)
        case .deleteBackward:
            guard !filter.isEmpty else { return .leave }
            filter.removeLast()
            apply(selecting: [selectedPath])
        case .open: return open(selection)
        case .leave: return .leave
        case .escape:
            guard !filter.isEmpty else { return .escape }
            filter = ""
            apply(selecting: [selectedPath])
        case .wheel(let notches):
            let distance = -notches * (Self.notch * layout.scale).rounded()
            scroll.move(
                to: layout.clamped(scroll.target + distance), at: time,
                limit: layout.viewport.height)
        case .press(let point, let count): return pressed(at: point, count, at: time)
        case .move(let point): moved(to: point)
        case .release: press = .none
        case .leaveWindow:
            (pointer, hovered, isBackHovered) = (nil, nil, false)
        }
        hover(at: time)
        return nil
    }

    private var selectedPath: ExactPath? { selection.map { entries[$0].key } }

    private mutating func take(_ step: BrowserLayout.Step, at time: MediaTime) {
        selection = layout.index(after: step, from: selection)
        guard let selection else { return }
        scroll.move(
            to: layout.offset(revealing: selection, from: scroll.target), at: time,
            limit: layout.viewport.height)
    }

    private mutating func type(_ scalar: Unicode.Scalar) -> Action? {
        guard filter.count < Self.filterLimit, scalar.properties.generalCategory != .control,
            !filter.isEmpty || scalar != " "
        else { return nil }
        filter.unicodeScalars.append(scalar)
        apply(selecting: [])
        return nil
    }

    private func open(_ index: Int?) -> Action? {
        guard let index, entries.indices.contains(index) else { return nil }
        let entry = entries[index]
        if let problem = problem(of: entry) { return .say("\(entry.name)\n\(problem)") }
        guard entry.kind == .file else { return .enter(entry.path) }
        // The whole folder is the playlist, also with a filter.
        let files = (contents?.entries ?? []).filter { $0.kind == .file && problem(of: $0) == nil }
        return .play(
            files.map(\.path), index: files.firstIndex { $0.key == entry.key } ?? 0)
    }

    private mutating func pressed(
        at point: SIMD2<Double>, _ count: Int, at time: MediaTime
    ) -> Action? {
        pointer = point
        press = .other
        if layout.backButton.contains(point) { return .leave }
        let offset = scroll.offset(at: time)
        if let track = layout.barTrack, track.contains(point),
            let thumb = layout.thumb(offset: offset)
        {
            let isOnThumb = point.y >= thumb.y && point.y < thumb.y + thumb.height
            // A press beside the thumb moves its middle there.
            let grip = isOnThumb ? point.y - thumb.y : thumb.height / 2
            press = .thumb(grip: grip)
            scroll.jump(to: layout.offset(thumbAt: point.y - grip))
            return nil
        }
        guard layout.viewport.contains(point) else { return nil }
        // A press ends a movement.
        scroll.jump(to: offset)
        press = .grid(from: point, offset: offset, hasMoved: false)
        guard let index = layout.index(at: point, offset: offset) else { return nil }
        selection = index
        return count == 2 ? open(index) : nil
    }

    private mutating func moved(to point: SIMD2<Double>) {
        pointer = point
        switch press {
        case .none, .other: break
        case .thumb(let grip): scroll.jump(to: layout.offset(thumbAt: point.y - grip))
        case .grid(let from, let offset, let hasMoved):
            let distance = point.y - from.y
            guard hasMoved || distance.magnitude > Self.slack * layout.scale else { return }
            press = .grid(from: from, offset: offset, hasMoved: true)
            scroll.jump(to: layout.clamped(offset - distance))
        }
    }

    private mutating func hover(at time: MediaTime) {
        guard let pointer, case .none = press else { return }
        hovered = layout.index(at: pointer, offset: scroll.offset(at: time))
        isBackHovered = layout.backButton.contains(pointer)
    }

    // MARK: Cards

    /// Returns the indices of the cards that are visible at a time or during the rest of a
    /// movement.
    func visible(from time: MediaTime) -> Range<Int> {
        layout.indices(at: scroll.offsets(from: time))
    }

    /// Returns the indices of the cards to load, the most urgent first: those that are visible
    /// when the grid rests, from top to bottom, and then some rows ahead in the direction in which
    /// it was scrolled, and one behind.
    func wanted() -> [Int] {
        let rest = scroll.target...scroll.target
        let visible = layout.indices(at: rest)
        let isDown = scroll.direction > 0
        let near = layout.indices(
            at: rest, rowsAbove: isDown ? 1 : Self.rowsAhead, rowsBelow: isDown ? Self.rowsAhead : 1
        )
        let above = Array((near.lowerBound..<visible.lowerBound).reversed())
        let below = Array(visible.upperBound..<max(visible.upperBound, near.upperBound))
        return Array(visible) + (isDown ? below + above : above + below)
    }

    /// The number of rows that are loaded ahead.
    static let rowsAhead = 2
}
