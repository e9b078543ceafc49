// SPDX-License-Identifier: Apache-2.0

/// A list on a page: of files or tracks.
struct PageList: Equatable {
    struct Row: Equatable {
        var text: String
        /// A Boolean value that indicates whether the entry is playing.
        var isCurrent = false
    }

    var title: String
    var rows: [Row]

    /// All rows as lines of text. The current rows have a mark.
    var text: String {
        rows.map { ($0.isCurrent ? "▶ " : "\u{2003} ") + $0.text }.joined(separator: "\n")
    }

    /// Returns at most `count` rows: the current ones and the rows nearest to them.
    func rows(atMost count: Int) -> [Row] {
        guard rows.count > count else { return rows }
        let current = rows.indices.filter { rows[$0].isCurrent }
        func distance(_ index: Int) -> Int { current.map { abs($0 - index) }.min() ?? index }
        let nearest = rows.indices.sorted { (distance($0), $0) < (distance($1), $1) }
        return nearest.prefix(count).sorted().map { rows[$0] }
    }
}
