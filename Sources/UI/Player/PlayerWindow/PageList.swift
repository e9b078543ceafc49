// SPDX-License-Identifier: Apache-2.0

/// What there is to be played, as a page lists it: films or tracks.
struct PageList: Equatable {
    struct Row: Equatable {
        var text: String
        /// Whether it is played now.
        var isCurrent = false
    }

    var title: String
    var rows: [Row]

    /// All rows, a line each, what is played marked.
    var text: String {
        rows.map { ($0.isCurrent ? "▶ " : "\u{2003} ") + $0.text }.joined(separator: "\n")
    }

    /// No more rows than there is room for: those that are played, and what is nearest to them.
    func rows(atMost count: Int) -> [Row] {
        guard rows.count > count else { return rows }
        let current = rows.indices.filter { rows[$0].isCurrent }
        func distance(_ index: Int) -> Int { current.map { abs($0 - index) }.min() ?? index }
        let nearest = rows.indices.sorted { (distance($0), $0) < (distance($1), $1) }
        return nearest.prefix(count).sorted().map { rows[$0] }
    }
}
