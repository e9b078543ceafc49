// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import SlidingPuzzle
import Testing

/// The board and the solver of the demo AtlasPuzzle.
@Suite("Sliding puzzle")
struct SlidingPuzzleTests {
    /// Performs the moves of a solution, and checks that each of them is valid.
    private func replay(_ moves: [Int], on board: Board) throws -> Board {
        var board = board
        for tile in moves {
            let place = try #require(board.tiles.firstIndex(of: tile))
            let moved = board.slide(place)
            #expect(moved)
        }
        return board
    }

    @Test func `only neighbours of the gap slide, and sliding back restores the board`() {
        var board = Board(side: 4)
        #expect(board.isSolved && board.isSolvable && board.movable == [11, 14])
        var moved = board.slide(0)
        #expect(!moved && board.isSolved)
        moved = board.slide(11)
        #expect(moved && board.gap == 11 && board.tiles[15] == 12 && !board.isSolved)
        moved = board.slide(15)
        #expect(moved && board.isSolved)
    }

    @Test(arguments: 2...4)
    func `any sequence of slides is solvable, and swapping two tiles is not`(side: Int) {
        var random = SplitMix64(seed: 3)
        var board = Board(side: side)
        for _ in 0..<300 {
            board.slide(board.movable.randomElement(using: &random) ?? 0)
            #expect(board.isSolvable)
            var tiles = board.tiles
            let places = tiles.indices.filter { tiles[$0] != 0 }.prefix(2)
            tiles.swapAt(places[0], places[1])
            #expect(!Board(side: side, tiles: tiles).isSolvable)
        }
    }

    @Test(arguments: 2...4)
    func `shuffled boards are solvable, and are solved`(side: Int) throws {
        var random = SplitMix64(seed: 9)
        for _ in 0..<(side == 4 ? 1 : 20) {
            let board = Board.shuffled(side: side, using: &random)
            #expect(board.isSolvable && !board.isSolved)
            var solver = Solver(side: side)
            let found = solver.solve(board)
            let moves = try #require(found)
            #expect(try replay(moves, on: board).isSolved)
        }
    }

    @Test func `no solution of a 3 x 3 board exceeds 31 slides, the maximum`() throws {
        // The two boards with the longest solutions (A. Reinefeld, "Complete solution of the
        // eight-puzzle", 1993), for a gap at the end.
        for tiles in [[8, 6, 7, 2, 5, 4, 3, 0, 1], [6, 4, 7, 8, 5, 0, 3, 2, 1]] {
            let board = Board(side: 3, tiles: tiles)
            var solver = Solver(side: 3)
            let found = solver.solve(board)
            let moves = try #require(found)
            #expect(try replay(moves, on: board).isSolved)
            #expect(moves.count == 31)
        }
    }

    /// From R. Korf's hundred, "Depth-first iterative-deepening", 1985, with their minimum lengths:
    /// his gap belongs at the beginning.
    private static let hard: [(tiles: [Int], length: Int)] = [
        ([14, 13, 15, 7, 11, 12, 9, 5, 6, 0, 2, 1, 4, 8, 10, 3], 57)
    ]

    @Test(arguments: hard)
    func `solutions of 4 x 4 boards are nearly minimal with bounded work`(tiles: [Int], length: Int)
        throws
    {
        // Rotated by half a turn, with numbers counted from the end, the gap belongs there.
        let board = Board(side: 4, tiles: tiles.reversed().map { $0 == 0 ? 0 : 16 - $0 })
        var solver = Solver(side: 4)
        let found = solver.solve(board)
        let moves = try #require(found)
        #expect(try replay(moves, on: board).isSolved)
        #expect(moves.count >= length && moves.count <= length + length / 5, "\(moves.count)")
        #expect(solver.nodeCount < 400_000, "\(solver.nodeCount) boards")
    }

    @Test func `an unsolvable board has no solution`() {
        var solver = Solver(side: 4)
        let swapped = Board(
            side: 4, tiles: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14, 0])
        let found = solver.solve(swapped)
        #expect(found == nil)
    }
}
