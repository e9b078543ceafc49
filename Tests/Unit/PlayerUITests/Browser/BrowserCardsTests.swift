// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
import PlayheadText
import Testing

@testable import PlayheadPlayerUI

/// The cache of cards, and the text on them.
@Suite("Browser cards")
struct BrowserCardsTests {
    private func card(
        _ name: String, side: Int, isComplete: Bool = true, hasFailed: Bool = false
    ) -> BrowserCard {
        let entry = FolderEntry(path: name, name: name, kind: .file)
        return BrowserCard(
            request: BrowserCard.Request(
                entry: entry, metrics: CardMetrics(width: side, scale: 1), stage: .complete),
            picture: CardCanvas(width: side, height: side, color: .zero).picture, problem: nil,
            isComplete: isComplete, hasFailed: hasFailed)
    }

    @Test(arguments: 1...10)
    func `memory is bounded, and cards in use stay`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let limit = 200_000
        var cards = BrowserCards(byteLimit: limit)
        var used: Set<String> = []
        for _ in 0..<2000 {
            if Int.random(in: 0..<4, using: &random) == 0 {
                used = Set((0..<8).map { _ in "\(Int.random(in: 0..<200, using: &random))" })
                cards.use(used.map(ExactPath.init))
            } else {
                let name = used.randomElement(using: &random) ?? "0"
                cards.insert(card(name, side: Int.random(in: 16...64, using: &random)))
                // A card that is no longer wanted may still arrive.
                let late = "\(Int.random(in: 0..<200, using: &random))"
                cards.insert(card(late, side: 32))
                if !used.isEmpty { #expect(cards[ExactPath(name)] != nil) }
            }
            let sum = (0..<200).reduce(0) {
                $0 + (cards[ExactPath("\($1)")]?.picture.byteCount ?? 0)
            }
            #expect(cards.byteCount == sum)
            #expect(cards.byteCount <= limit)
        }
        #expect(cards.count > 8)
    }

    @Test func `what is missing of a card is its name, then its picture`() {
        var cards = BrowserCards(byteLimit: 1 << 20)
        let small = CardMetrics(width: 32, scale: 1)
        let entry = FolderEntry(path: "a", name: "a", kind: .file)
        #expect(cards.missing(of: entry, small) == [.name, .complete])
        cards.insert(card("a", side: 32, isComplete: false))
        #expect(cards.missing(of: entry, small) == [.complete])
        cards.insert(card("a", side: 32))
        #expect(cards.missing(of: entry, small) == [])
        // A card of another size, or of a file that has changed.
        #expect(cards.missing(of: entry, CardMetrics(width: 48, scale: 1)) == [.complete])
        var changed = entry
        changed.stamp = 1
        #expect(cards.missing(of: changed, small) == [.name, .complete])
    }

    @Test func `names that differ only in the encoding of an accent have cards of their own`() {
        let names = ["\u{E9}.mp4", "e\u{301}.mp4"]
        var cards = BrowserCards(byteLimit: 1 << 20)
        for name in names { cards.insert(card(name, side: 32)) }
        #expect(cards.count == 2)
        for name in names {
            let entry = FolderEntry(path: name, name: name, kind: .file)
            #expect(cards.missing(of: entry, CardMetrics(width: 32, scale: 1)) == [])
        }
        #expect(Set(names.map { FolderEntry(path: $0, name: "", kind: .file) }).count == 2)
    }

    @Test func `cards without a frame are removed, and no others`() {
        var cards = BrowserCards(byteLimit: 1 << 20)
        cards.insert(card("a", side: 32))
        cards.insert(card("b", side: 32, hasFailed: true))
        cards.removeFailures()
        #expect(cards.count == 1 && cards[ExactPath("a")] != nil)
        #expect(cards.byteCount == cards[ExactPath("a")]?.picture.byteCount)
    }

    @Test(arguments: [
        "film.mp4", "a very long name with several words of a holiday in 2019.mkv",
        "Some.Series.S01E04.The.Long.Title.1080p.mkv", String(repeating: "x", count: 200), "…",
    ])
    func `lines fit, and the end of a long name stays`(name: String) {
        for room in [4.0, 10, 17, 40] {
            let lines = CardText.lines(
                of: name, limit: 2, room: room, shortening: .middle
            ) { Double($0.count) }
            #expect(lines.count <= 2)
            #expect(lines.allSatisfy { Double($0.count) <= room && !$0.isEmpty })
            #expect(name.hasPrefix(lines.first?.filter { $0 != "…" } ?? ""))
            #expect(name.hasSuffix(lines.last?.filter { $0 != "…" } ?? ""))
            if name.count <= Int(room) { #expect(lines == [name]) }
        }
    }

    @Test func `lines are broken between words, and sentences are cut off at the end`() {
        let text = "one two three four five six"
        func lines(_ limit: Int, _ shortening: CardText.Shortening) -> [String] {
            CardText.lines(of: text, limit: limit, room: 10, shortening: shortening) {
                Double($0.count)
            }
        }
        #expect(lines(9, .end) == ["one two", "three four", "five six"])
        #expect(lines(2, .end) == ["one two", "three fou…"])
        #expect(lines(2, .middle) == ["one two", "…five six"])
    }

    @Test func `letters that are wider than a line stand alone`() {
        // Any number of emojis that are joined is one letter.
        let letter = Array(repeating: "👩", count: 30).joined(separator: "\u{200D}")
        for text in [letter, letter + letter, "a" + letter + "b"] {
            let lines = CardText.lines(of: text, limit: 4, room: 10, shortening: .middle) {
                Double($0.unicodeScalars.count)
            }
            #expect(lines.joined() == text)
        }
    }

    @Test func `a card is opaque, and shows the picture, its duration and the name`() {
        let image = RGBAImage(
            width: 160, height: 90,
            bytes: (0..<160 * 90).flatMap { _ in [200, 40, 40, 255] as [UInt8] })
        let painter = CardPainter(
            metrics: CardMetrics(width: 160, scale: 1), texts: .init())
        let card = painter.picture(name: "name", .still(image), duration: "1:02")
        #expect(!card.format.hasAlpha)
        #expect(card.width == 160 && card.height == painter.metrics.height)
        let pixels = UnsafeRawBufferPointer(
            start: card.planes[0].baseAddress, count: card.planes[0].bytesPerRow * card.height)
        func pixel(_ x: Int, _ y: Int) -> SIMD4<UInt8> {
            pixels.loadUnaligned(
                fromByteOffset: y * card.planes[0].bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
        }
        #expect(pixel(80, 45) == [200, 40, 40, 255])
        // The corner is round.
        #expect(pixel(0, 0) == [18, 19, 22, 255])
        func lightCount(_ rows: Range<Int>, _ columns: Range<Int>) -> Int {
            rows.reduce(0) { sum, y in sum + columns.count { pixel($0, y).y > 180 } }
        }
        // Without fonts there is no text.
        guard (try? painter.texts.picture(of: "x")) != nil else { return }
        #expect(lightCount(66..<88, 110..<158) > 10)
        #expect(lightCount(96..<card.height, 0..<160) > 20)
    }
}
