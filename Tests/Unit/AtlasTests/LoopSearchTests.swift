// SPDX-License-Identifier: Apache-2.0

import PlayheadAtlas
import PlayheadBuffers
import Testing

/// Positions at which videos may be cut to loop.
@Suite("Loops")
struct LoopSearchTests {
    /// Returns a frame with a bright bar at a position from 0 to 1.
    private func frame(_ place: Double, _ shade: Double = 0) -> RGBAImage {
        let (width, height) = (64, 32)
        var bytes: [UInt8] = []
        for _ in 0..<height {
            for x in 0..<width {
                let distance = abs(Double(x) + 0.5 - place * Double(width))
                let near = min(distance, Double(width) - distance)
                let value = max(0, 1 - near / 12) * 200 + shade
                bytes += [UInt8(min(255, value)), UInt8(min(255, value / 2)), 30, 255]
            }
        }
        return RGBAImage(width: width, height: height, bytes: bytes)
    }

    private func search(_ count: Int, _ place: (Int) -> Double) -> LoopSearch {
        var search = LoopSearch()
        for index in 0..<count {
            let whole = place(index)
            search.append(frame(whole - whole.rounded(.down)))
        }
        return search
    }

    @Test func `a repeating video is cut at its period`() throws {
        let loop = try #require(search(100) { Double($0) / 40 }.best(length: 40))
        #expect(loop.length == 40)
        #expect(loop.seam < 0.01 && loop.isSeamless)
    }

    @Test func `the start with the smallest seam is found`() throws {
        // The bar accelerates; only between 20 and 60 it completes one round in 40 frames.
        let film = search(80) { index in
            let x = Double(index)
            return (x + x * x / 80) / 80
        }
        let loop = try #require(film.best(length: 40))
        #expect(abs(loop.start - 20) <= 1)
        #expect(loop.length == 40 && loop.isSeamless)
    }

    @Test func `a jump in each repetition is part of the loop, and one at the end is not`() throws {
        // A bar that moves slowly, and then jumps back to its start.
        let repeated = search(80) { Double($0 % 40) / 160 }
        #expect(try #require(repeated.whole(period: 40)).isSeamless)
        #expect(try !#require(repeated.whole(period: 80)).isSeamless)
    }

    @Test func `a pendulum is not cut where it swings the other way`() throws {
        func swing(_ index: Int) -> Double {
            let t = Double(index % 60) / 60
            return t < 0.5 ? 0.2 + t : 1.2 - t
        }
        // Half a swing later it passes the same position in reverse; 60 frames later, forwards.
        let film = search(140) { swing($0) }
        let loop = try #require(film.best(length: 60))
        #expect(loop.seam < 0.01)
        let half = try #require(film.best(length: 30))
        let same = abs(swing(half.start) - swing(half.start + half.length))
        #expect(same < 0.06)
    }

    @Test func `a video of exactly the length loops if its last step is like the others`() throws {
        let loop = try #require(search(40) { Double($0) / 40 }.best(length: 40))
        #expect(loop == LoopPoint(start: 0, length: 40, seam: loop.seam, step: loop.step))
        #expect(loop.isSeamless)
        let jump = try #require(search(40) { Double($0) / 80 }.best(length: 40))
        #expect(!jump.isSeamless)
    }

    @Test func `shorter videos repeat by an integral part of the length`() throws {
        let loop = try #require(search(50) { Double($0) / 20 }.best(length: 120))
        #expect(120 % loop.length == 0 && loop.length <= 50)
        #expect(loop.isSeamless)
        #expect(search(1) { _ in 0 }.best(length: 10) == nil)
    }

    @Test func `a length without a long fitting part does not give a still`() throws {
        let film = search(98) { Double($0) / 20 }
        #expect(film.best(length: 101) == nil && film.best(length: 101, dissolve: 10) == nil)
        // The video contains 2 x 29 of 4 x 29, and not 2 of 202.
        #expect(film.best(length: 116)?.length == 58)
        #expect(film.best(length: 202) == nil)
    }

    @Test
    func `if no seam is invisible, the end is dissolved into the frames before the beginning`()
        throws
    {
        let film = search(100) { 0.3 + 0.005 * Double($0) }
        let loop = try #require(film.best(length: 60, dissolve: 10))
        #expect(loop.dissolve == 10 && loop.length == 60 && loop.isSeamless)
        #expect(loop.start >= 10 && loop.start + 60 <= 100)
        let before = loop.source(of: 49)
        #expect(before == (loop.start + 49, loop.start + 49, 0))
        let last = loop.source(of: 59)
        #expect(last.frame == loop.start + 59 && last.other == loop.start - 1)
        #expect(last.share == 10.0 / 11)
        #expect(loop.source(of: 60).frame == loop.start)
    }

    @Test func `a dissolve mixes in proportion to its share`() {
        let black = RGBAImage(width: 2, height: 1, bytes: [0, 0, 0, 255, 10, 0, 0, 255])
        let white = RGBAImage(width: 2, height: 1, bytes: [255, 255, 255, 255, 10, 0, 0, 255])
        #expect(black.dissolved(into: white, by: 0) == black)
        #expect(black.dissolved(into: white, by: 1) == white)
        #expect(black.dissolved(into: white, by: 0.5)[0, 0] == [128, 128, 128, 255])
    }
}
