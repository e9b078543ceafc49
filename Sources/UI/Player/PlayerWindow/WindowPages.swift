// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadCommands
import PlayheadLayers
import PlayheadTime

/// The pages of words over a film: statistics, keys, lists; and why there is no picture.
///
/// - Concurrency: the main thread.
@MainActor final class WindowPages {
    enum Page: Sendable, Hashable {
        /// 1 to 5, as in mpv: general, frames, cache, keys, tracks.
        case statistics(Int)
        case keys
        case playlist
        case tracks

        /// What the property `page` says.
        var name: String {
            switch self {
            case .statistics: "statistics"
            case .keys: "keys"
            case .playlist: "playlist"
            case .tracks: "tracks"
            }
        }
    }

    /// Where pages have what they tell from.
    struct Sources {
        var statistics: (Int) -> StatisticsPage
        var graph: () -> PixelBuffer
        var bindings: KeyBindings
        var playlist: () -> PageList
        var tracks: () -> PageList
    }

    /// How long statistics that do not stay are seen: as mpv's script has it.
    private static let duration = MediaTime(value: 4, timescale: 1)
    /// How often numbers change, and lists are looked at.
    private static let interval = MediaTime(value: 1, timescale: 4)

    private(set) var page: Page?
    private var end: MediaTime?
    private var due = MediaTime.zero
    /// What the page lists, as it was looked at last.
    private var list: PageList?
    private var painted: (key: Key, layers: [Layer])?

    /// What layers were made of.
    private struct Key: Equatable {
        var page: Page?
        var notice: PageNotice?
        var width: Int
        var height: Int
        var bottom: Double
        var scale: Double
        var due: MediaTime
        var list: PageList?
    }

    var showsStatistics: Bool {
        if case .statistics = page { true } else { false }
    }

    private var isList: Bool { page == .playlist || page == .tracks }

    /// Whether it takes up all of the window.
    var fillsWindow: Bool { page == .keys || page == .statistics(4) }

    /// When something of it goes away or changes by itself; nil for never.
    var nextChange: MediaTime? {
        let times = [end, showsStatistics || isList ? due : nil].compactMap { $0 }
        return page == nil ? nil : times.min()
    }

    /// Shows a page, or takes it away if it is there.
    ///
    /// - Parameter stays: whether it is seen until the next time; else for some seconds.
    func toggle(_ page: Page, stays: Bool = true) {
        self.page = isAlike(page) ? nil : page
        end = stays ? nil : HostClock.shared.time + Self.duration
        due = .zero
    }

    /// Shows another page of the statistics that are seen.
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

    /// The words as layers of a target of a size in pixels. Called every few milliseconds, but while
    /// nothing moves; makes anew what has changed.
    ///
    /// - Parameters:
    ///   - bottom: where the controls begin.
    ///   - now: host time.
    func layers(
        for sources: Sources, notice: PageNotice?, width: Int, height: Int, above bottom: Double,
        scale: Double, at now: MediaTime = HostClock.shared.time
    ) -> [Layer] {
        if let end, end <= now { (page, self.end) = (nil, nil) }
        if !isList { list = nil }
        if showsStatistics || isList, now >= due {
            due = now + Self.interval
            // Another film may play, or another track, since the page came.
            if isList { list = page == .tracks ? sources.tracks() : sources.playlist() }
        }
        let key = Key(
            page: page, notice: notice, width: width, height: height, bottom: bottom,
            scale: scale, due: showsStatistics ? due : .zero, list: list)
        if let painted, painted.key == key { return painted.layers }
        var painter = PagePainter(width: width, height: height, scale: max(0.5, scale))
        if let notice { painter.paintNotice(notice) }
        switch page {
        case nil: break
        case .statistics(4), .keys: painter.paintKeys(sources.bindings)
        case .statistics(let number):
            painter.paintStatistics(
                sources.statistics(number), graph: number == 2 ? sources.graph() : nil)
        case .playlist, .tracks:
            if let list { painter.paintList(list, above: bottom) }
        }
        painted = (key, painter.layers)
        return painter.layers
    }
}
