// SPDX-License-Identifier: Apache-2.0

/// A square board of numbered tiles with one gap. A tile next to the gap can slide into it.
public struct Board: Hashable, Sendable {
    /// The number of rows, and of tiles in a row.
    public let side: Int
    /// The tiles from left to right and from top to bottom; 0 is the gap.
    public private(set) var tiles: [Int]
    /// The index of the gap in `tiles`.
    public private(set) var gap: Int

    /// Creates a board in its final order: 1, 2, 3 and so on, with the gap at the end.
    public init(side: Int) {
        precondition((2...4).contains(side), "boards of 2 to 4 tiles a side")
        self.side = side
        tiles = Array(1..<side * side) + [0]
        gap = side * side - 1
    }

    /// Creates a board from its tiles.
    ///
    /// - Precondition: each number, beginning with 0, occurs once.
    public init(side: Int, tiles: [Int]) {
        self.init(side: side)
        precondition(tiles.sorted() == Array(0..<side * side), "every number from 0 on once")
        self.tiles = tiles
        gap = tiles.firstIndex(of: 0) ?? 0
    }

    public var isSolved: Bool { self == Board(side: side) }

    /// The indices of the tiles next to the gap, which can move.
    public var movable: [Int] {
        let (row, column) = (gap / side, gap % side)
        var places: [Int] = []
        if row > 0 { places.append(gap - side) }
        if column > 0 { places.append(gap - 1) }
        if column < side - 1 { places.append(gap + 1) }
        if row < side - 1 { places.append(gap + side) }
        return places
    }

    /// Slides the tile at an index into the gap. Returns false if the tile is not next to the gap.
    @discardableResult
    public mutating func slide(_ place: Int) -> Bool {
        guard movable.contains(place) else { return false }
        tiles.swapAt(place, gap)
        gap = place
        return true
    }

    /// A Boolean value that indicates whether the board can be solved. Half of all arrangements
    /// can.
    ///
    /// A slide along a row does not change the order in which the tiles are read. A slide along a
    /// column moves a tile past `side - 1` others (W. Johnson and W. Story, "Notes on the 15
    /// puzzle", 1879).
    public var isSolvable: Bool {
        let order = tiles.filter { $0 != 0 }
        var inversions = 0
        for (index, tile) in order.enumerated() {
            inversions += order[..<index].count { $0 > tile }
        }
        let rowsBelow = side - 1 - gap / side
        return side % 2 == 1
            ? inversions % 2 == 0 : (inversions + rowsBelow) % 2 == 0
    }

    /// Returns a random board that is not solved, but can be.
    public static func shuffled(
        side: Int, using random: inout some RandomNumberGenerator
    ) -> Board {
        var board = Board(side: side)
        repeat {
            board = Board(side: side, tiles: board.tiles.shuffled(using: &random))
            if !board.isSolvable {
                // Swapping two tiles makes the board solvable.
                var tiles = board.tiles
                let places = tiles.indices.filter { tiles[$0] != 0 }
                tiles.swapAt(places[0], places[1])
                board = Board(side: side, tiles: tiles)
            }
        } while board.isSolved
        return board
    }
}
