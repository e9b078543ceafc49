// SPDX-License-Identifier: Apache-2.0

import PlayheadUI
import SlidingPuzzle

/// The state of a game: the board, its moves, and the tiles that are sliding.
struct Game {
    /// The duration of the slide of a tile.
    static let slideDuration = MediaTime(value: 16, timescale: 100)
    /// The interval between two slides when the solution is played.
    private static let pace = MediaTime(value: 22, timescale: 100)

    private(set) var board: Board
    private(set) var count = 0
    /// A Boolean value that indicates whether a search for a solution is running.
    var isThinking = false
    /// The remaining moves of a solution, as the numbers of the tiles.
    private var solution: [Int] = []
    private var nextStep = MediaTime.zero
    private var hasWatched = false
    /// The origins of the tiles that are sliding, by number.
    private var moves: [Int: (from: Origin, begin: MediaTime)] = [:]

    private enum Origin {
        case place(Int)
        case rect(LayerRect)
    }

    init(board: Board) { self.board = board }

    var isSolving: Bool { !solution.isEmpty || isThinking }

    /// A description of the state of the game.
    var state: String {
        if isThinking { return "thinking …" }
        if !solution.isEmpty { return "\(solution.count) to go" }
        return board.isSolved ? (hasWatched ? "solved for you" : "solved!") : ""
    }

    /// A description for the window's title.
    var summary: String {
        let moves = count == 1 ? "1 move" : "\(count) moves"
        return state.isEmpty ? moves : "\(moves), \(state)"
    }

    // MARK: Slides

    /// Slides the tile on the given side of the gap into the gap.
    mutating func slide(from direction: (column: Int, row: Int), at time: MediaTime) {
        let column = board.gap % board.side + direction.column
        let row = board.gap / board.side + direction.row
        guard (0..<board.side).contains(column), (0..<board.side).contains(row) else { return }
        slide(row * board.side + column, from: nil, at: time)
    }

    /// Handles the release of a tile that was dragged to a position between its place and the gap.
    mutating func drop(_ place: Int, at rect: LayerRect, slides: Bool, time: MediaTime) {
        stopSolving()
        if slides {
            slide(place, from: rect, at: time)
        } else {
            moves[board.tiles[place]] = (.rect(rect), time)
        }
    }

    private mutating func slide(_ place: Int, from rect: LayerRect?, at time: MediaTime) {
        let tile = board.tiles[place]
        guard board.slide(place) else { return }
        count += 1
        moves[tile] = (rect.map { .rect($0) } ?? .place(place), time)
    }

    /// Returns the origin of a tile and the start time of its slide; nil if the tile is not
    /// sliding.
    func move(of tile: Int, _ table: Table) -> (from: LayerRect, begin: MediaTime)? {
        guard let move = moves[tile] else { return nil }
        switch move.from {
        case .place(let place): return (table.rect(of: place), move.begin)
        case .rect(let rect): return (rect, move.begin)
        }
    }

    // MARK: Solving

    /// Starts playing a solution, unless the board has changed since the search began.
    mutating func play(_ moves: [Int], for board: Board) {
        isThinking = false
        guard board == self.board else { return }
        solution = moves
        hasWatched = !moves.isEmpty
        nextStep = .zero
    }

    mutating func stopSolving() {
        solution = []
        isThinking = false
    }

    /// Makes the next slide of the solution if it is due, and returns whether a slide was made.
    mutating func takeStep(at time: MediaTime) -> Bool {
        guard let tile = solution.first, time >= nextStep,
            let place = board.tiles.firstIndex(of: tile)
        else { return false }
        solution.removeFirst()
        nextStep = time + Self.pace
        slide(place, from: nil, at: time)
        return true
    }
}
