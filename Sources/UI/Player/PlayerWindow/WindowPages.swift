// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadCommands
import PlayheadLayers
import PlayheadTime

/// The pages over a video: statistics, keys, lists, and notices.
///
/// - Concurrency: the main thread.
@MainActor final class WindowPages {
    enum Page: Sendable, Hashable {
        /// The pages 1 to 5, as in mpv: general, frames, cache, keys, tracks.
        case statistics(Int)
        case keys
        case playlist
        case tracks

        /// The value of the property `page`.
        var name: String {
            switch self {
            case .statistics: "statistics"
            case .keys: "keys"
            case .playlist: "playlist"
            case .tracks: "tracks"
            }
        }
    }

    /// The sources of the data that pages show.
    struct Sources {
        var statistics: (Int) -> StatisticsPage
        var graph: () -> PixelBuffer
        var bindings: KeyBindings
        var playlist: () -> PageList
        var tracks: () -> PageList
    }

    /// The time for which temporary statistics are visible, as in mpv's script.
    private static let duration = MediaTime(value: 4, timescale: 1)
    /// The time between updates of numbers and lists.
    private static let interval = MediaTime(value: 1, timescale: 4)

    private(set) var page: Page?
    private var end: MediaTime?
    private var due = MediaTime.zero
    /// The list that the page shows, as of the last update.
    private var list: PageList?
    private var painted: (key: Key, layers: [Layer])?
    /// The visible part of the list of keys.
    private(set) var scroll = ScrollState()
    /// The rectangle of the page in the upper left corner, in pixels, or nil.
    private(set) var rect: LayerRect?

    /// The values from which the layers were built.
    private struct Key: Equatable {
        var page: Page?
        var notice: PageNotice?
        var width: Int
        var height: Int
        var bottom: Double
        var scale: Double
        var due: MediaTime
        var list: PageList?
        var scroll: ScrollState
    }

    var showsStatistics: Bool {
        if case .statistics = page { true } else { false }
    }

    private var isList: Bool { page == .playlist || page == .tracks }

    /// A Boolean value that indicates whether the page fills the window.
    var fillsWindow: Bool { page == .keys || page == .statistics(4) }

    /// The time of the next change that happens without an event; nil if no change is due.
    var nextChange: MediaTime? {
        let times = [end, showsStatistics || isList ? due : nil].compactMap { $0 }
        return page == nil ? nil : times.min()
    }

    /// Shows a page, or hides it if it is visible.
    ///
    /// - Parameter stays: A Boolean value that indicates whether the page stays until it is hidden;
    ///   otherwise it disappears after some seconds.
    func toggle(_ page: Page, stays: Bool = true) {
        self.page = isAlike(page) ? nil : page
        end = stays ? nil : HostClock.shared.time + Self.duration
        due = .zero
        scroll = ScrollState()
    }

    /// Scrolls the list of keys if it is visible and longer than the window.
    ///
    /// - Returns: A Boolean value that indicates whether the list is visible and longer than the
    ///   window.
    func scroll(by distance: Double) -> Bool {
        guard fillsWindow, scroll.canScroll else { return false }
        scroll.scroll(by: distance)
        return true
    }

    /// Shows another page of statistics.
    func turn(to number: Int) {
        page = .statistics(number)
        if end != nil { end = HostClock.shared.time + Self.duration }
        due = .zero
    }

    func hide() { page = nil }

    private func isAlike(_ other: Page) -> Bool {
        if case .statistics = other { return showsStatistics }
        return page == other
    }

    /// Returns the layers of the page in a target. While something moves, the method is called
    /// every few milliseconds. It builds new layers only after a change.
    ///
    /// - Parameters:
    ///   - width: The width of the target, in pixels.
    ///   - bottom: The upper edge of the controls.
    ///   - now: The host time.
    func layers(
        for sources: Sources, notice: PageNotice?, width: Int, height: Int, above bottom: Double,
        scale: Double, at now: MediaTime = HostClock.shared.time
    ) -> [Layer] {
        if let end, end <= now { (page, self.end) = (nil, nil) }
        if !isList { list = nil }
        if showsStatistics || isList, now >= due {
            due = now + Self.interval
            // Another file or track may be playing since the page was shown.
            if isList { list = page == .tracks ? sources.tracks() : sources.playlist() }
        }
        let key = Key(
            page: page, notice: notice, width: width, height: height, bottom: bottom,
            scale: scale, due: showsStatistics ? due : .zero, list: list, scroll: scroll)
        if let painted, painted.key == key { return painted.layers }
        var painter = PagePainter(width: width, height: height, scale: max(0.5, scale))
        if let notice { painter.paintNotice(notice) }
        switch page {
        case nil: break
        case .statistics(4), .keys: painter.paintKeys(sources.bindings, scroll: &scroll)
        case .statistics(let number):
            let graph = number == 2 ? sources.graph() : nil
            let facts = sources.statistics(number)
            // If there is not enough space, the text is made smaller, as long as it stays legible.
            for share in [1, 0.85, 0.7, 0.55] {
                var attempt = PagePainter(
                    width: width, height: height, scale: max(0.5, scale * share))
                if let notice { attempt.paintNotice(notice) }
                attempt.paintStatistics(facts, graph: graph)
                painter = attempt
                guard let page = attempt.page, page.y + page.height > bottom else { break }
            }
        case .playlist, .tracks:
            if let list { painter.paintList(list, above: bottom) }
        }
        rect = painter.page
        var known = key
        known.scroll = scroll
        painted = (known, painter.layers)
        return painter.layers
    }
}
