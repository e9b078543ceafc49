// SPDX-License-Identifier: Apache-2.0

/// A search for a short solution of a board.
///
/// The search has two steps. The first finds a solution quickly with A*. In its cost, the estimate
/// of the remaining slides has the weight one and a half, or two if that takes too long. The second
/// step shortens the solution: it searches for a shorter path between the ends of each piece, until
/// no piece gets shorter. Boards with three tiles per side are solved in the minimum number of
/// slides, because the weight is one.
public struct Solver {
    /// The number of boards that were visited, a measure of the cost that does not depend on the
    /// machine.
    public private(set) var nodeCount = 0

    private let side: Int
    /// The length of the longest piece that is shortened, in slides.
    private static let piece = 24
    /// The limits of the two searches, for a solution and for a shorter piece, as numbers of
    /// boards.
    private static let searchLimit = 100_000
    private static let pieceLimit = 20_000

    /// The number of tiles that must leave a line, for each possible line. The index has a digit
    /// for each place of the line: 0 for the gap and for a tile of another line, otherwise the
    /// place in the line where the tile belongs, counted from 1.
    private let obstacles: [Int]

    public init(side: Int) {
        self.side = side
        let count = (0..<side).reduce(1) { product, _ in product * (side + 1) }
        obstacles = (0..<count).map { code in
            var (digits, rest) = ([Int](), code)
            while rest > 0 {
                digits.insert(rest % (side + 1), at: 0)
                rest /= side + 1
            }
            return Self.obstacles(digits.filter { $0 > 0 })
        }
    }

    /// Returns the tiles to slide, in order; nil if no solution is found.
    public mutating func solve(_ board: Board) -> [Int]? {
        precondition(board.side == side, "a board of this size")
        guard board.isSolvable else { return nil }
        guard side > 3 else { return search(from: board, weight: 2, limit: .max) }
        guard
            var path = search(from: board, weight: 3, limit: Self.searchLimit)
                ?? search(from: board, weight: 4, limit: Self.searchLimit)
                ?? search(from: board, weight: 8, limit: .max)
        else { return nil }
        var start = 0
        while start + 4 < path.count {
            let from = replay(path[..<start], from: board)
            let piece = Array(path[start..<min(start + Self.piece, path.count)])
            if let shorter = shortened(piece, from: from) {
                path.replaceSubrange(start..<start + piece.count, with: shorter)
                // It may now be possible to shorten the preceding pieces too.
                start = max(0, start - Self.piece / 2)
            } else {
                start += 3
            }
        }
        return path
    }

    private func replay(_ moves: ArraySlice<Int>, from board: Board) -> Board {
        var board = board
        for tile in moves {
            if let place = board.tiles.firstIndex(of: tile) { board.slide(place) }
        }
        return board
    }

    // MARK: Distance

    /// Returns a lower bound for the number of slides that solve a board: the distance of each tile
    /// from its place, plus two for each tile that must make way for another one in its own row or
    /// column (O. Hansson, A. Mayer and M. Yung, "Criticizing solutions to relaxed models yields
    /// powerful admissible heuristics", 1992).
    private func distance(_ tiles: [Int]) -> Int {
        var sum = 0
        for line in 0..<side {
            var (row, column) = (0, 0)
            for index in 0..<side {
                let across = tiles[line * side + index] - 1
                if across >= 0 {
                    sum += Self.steps(
                        across + 1, from: line * side + index, to: across, side: side)
                }
                let isHome = across >= 0 && across / side == line
                row = row * (side + 1) + (isHome ? across % side + 1 : 0)
                let down = tiles[index * side + line] - 1
                column =
                    column * (side + 1) + (down >= 0 && down % side == line ? down / side + 1 : 0)
            }
            sum += 2 * (obstacles[row] + obstacles[column])
        }
        return sum
    }

    private static func steps(_ tile: Int, from place: Int, to goal: Int, side: Int) -> Int {
        abs(place / side - goal / side) + abs(place % side - goal % side)
    }

    /// Returns the number of tiles that belong in a line, are in it, and must leave it so that the
    /// others can be ordered: all except the longest ascending sequence.
    private static func obstacles(_ line: [Int]) -> Int {
        var lengths: [Int] = []
        for (index, place) in line.enumerated() {
            let before = (0..<index).filter { line[$0] < place }.map { lengths[$0] }.max() ?? 0
            lengths.append(before + 1)
        }
        return line.count - (lengths.max() ?? 0)
    }

    // MARK: First solution

    /// Searches for a first solution.
    ///
    /// - Parameters:
    ///   - weight: twice the weight of the estimate of the remaining slides.
    ///   - limit: the maximum number of boards to visit.
    private mutating func search(from board: Board, weight: Int, limit: Int) -> [Int]? {
        /// A board, the board before it, and the number of slides so far.
        struct Node {
            var board: Board
            var parent: Int
            var moved: Int
            var depth: Int
        }
        var nodes = [Node(board: board, parent: -1, moved: 0, depth: 0)]
        var known = [board: 0]
        let mostNodes = limit == .max ? .max : nodeCount + limit
        // The open nodes by rank: the number of slides so far, plus the weighted estimate of the
        // remaining ones.
        var open = [[Int]](repeating: [], count: 1024)
        var rank = weight * distance(board.tiles)
        open[rank].append(0)
        while rank < open.count {
            guard let index = open[rank].popLast() else {
                rank += 1
                continue
            }
            let node = nodes[index]
            // A shorter path to the board was found in the meantime.
            guard known[node.board] == node.depth else { continue }
            nodeCount += 1
            guard nodeCount <= mostNodes else { return nil }
            if node.board.isSolved {
                var path: [Int] = []
                var at = index
                while nodes[at].parent >= 0 {
                    path.append(nodes[at].moved)
                    at = nodes[at].parent
                }
                return path.reversed()
            }
            for place in node.board.movable {
                let tile = node.board.tiles[place]
                guard tile != node.moved else { continue }
                var next = node.board
                next.slide(place)
                let depth = node.depth + 1
                guard depth < known[next] ?? .max else { continue }
                known[next] = depth
                nodes.append(Node(board: next, parent: index, moved: tile, depth: depth))
                let nextRank = min(
                    2 * depth + weight * distance(next.tiles), open.count - 1)
                open[nextRank].append(nodes.count - 1)
                rank = min(rank, nextRank)
            }
        }
        return nil
    }

    // MARK: Shorter pieces

    /// Returns a path that is shorter than the given one and connects the same boards, or nil. The
    /// search uses iterative deepening (R. Korf, "Depth-first iterative-deepening", 1985).
    private mutating func shortened(_ piece: [Int], from board: Board) -> [Int]? {
        let end = replay(piece[...], from: board)
        var goals = [Int](repeating: 0, count: side * side)
        for (place, tile) in end.tiles.enumerated() { goals[tile] = place }
        var away = 0
        for (place, tile) in board.tiles.enumerated() where tile != 0 {
            away += Self.steps(tile, from: place, to: goals[tile], side: side)
        }
        // The lengths of all paths between two boards have the same parity.
        var bound = away + (piece.count - away) % 2
        var budget = Self.pieceLimit
        while bound < piece.count {
            var tiles = board.tiles
            var path: [Int] = []
            if deepen(&tiles, gap: board.gap, away, goals, bound, &path, &budget) { return path }
            guard budget > 0 else { return nil }
            bound += 2
        }
        return nil
    }

    private mutating func deepen(
        _ tiles: inout [Int], gap: Int, _ away: Int, _ goals: [Int], _ left: Int,
        _ path: inout [Int], _ budget: inout Int
    ) -> Bool {
        if away == 0 { return true }
        guard away <= left, budget > 0 else { return false }
        budget -= 1
        nodeCount += 1
        let (row, column) = (gap / side, gap % side)
        for direction in 0..<4 {
            let place: Int
            switch direction {
            case 0 where row > 0: place = gap - side
            case 1 where column > 0: place = gap - 1
            case 2 where column < side - 1: place = gap + 1
            case 3 where row < side - 1: place = gap + side
            default: continue
            }
            let tile = tiles[place]
            guard tile != path.last else { continue }
            let change =
                Self.steps(tile, from: gap, to: goals[tile], side: side)
                - Self.steps(tile, from: place, to: goals[tile], side: side)
            guard away + change <= left - 1 else { continue }
            tiles.swapAt(place, gap)
            path.append(tile)
            if deepen(&tiles, gap: place, away + change, goals, left - 1, &path, &budget) {
                return true
            }
            path.removeLast()
            tiles.swapAt(place, gap)
        }
        return false
    }
}
