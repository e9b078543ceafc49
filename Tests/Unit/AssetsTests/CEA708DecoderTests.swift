// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@Suite("CEA-708")
struct CEA708DecoderTests {
    /// DefineWindow: a window with two rows of 32 columns, its lower middle at the bottom.
    private static func define(
        _ number: UInt8 = 0, visible: Bool = false, rows: UInt8 = 2, columns: UInt8 = 32,
        style: UInt8 = 1, pen: UInt8 = 1, priority: UInt8 = 0
    ) -> [UInt8] {
        [
            0x98 + number, (visible ? 0x20 : 0) | priority, 75, 105, 7 << 4 | (rows - 1),
            columns - 1, style << 3 | pen,
        ]
    }

    private func decoder(_ bytes: [UInt8]) -> CEA708Decoder {
        var decoder = CEA708Decoder()
        _ = decoder.read(bytes, at: .zero)
        return decoder
    }

    private func texts(_ decoder: CEA708Decoder) -> [[String]] {
        decoder.displayed.map { window in
            window.cells.map { row in
                var text = String.UnicodeScalarView()
                for cell in row { text.append(cell?.character ?? " ") }
                return String(String(text).reversed().drop { $0 == " " }.reversed())
            }
        }
    }

    @Test func `a window appears when it is displayed and disappears when it is hidden`() {
        let text = Self.define() + Array("Hello".utf8) + [0x0D] + Array("world".utf8)
        #expect(texts(decoder(text)).isEmpty)
        #expect(texts(decoder(text + [0x89, 0x01])) == [["Hello", "world"]])
        #expect(texts(decoder(text + [0x8B, 0x01])) == [["Hello", "world"]])
        #expect(texts(decoder(text + [0x89, 0x01, 0x8A, 0x01])).isEmpty)
        #expect(texts(decoder(text + [0x89, 0x01, 0x8C, 0xFF])).isEmpty)
        #expect(texts(decoder(text + [0x89, 0x01, 0x88, 0x01])).isEmpty)
        #expect(texts(decoder(text + [0x89, 0x01, 0x8F])).isEmpty)
        // Another window's commands do not concern it.
        #expect(texts(decoder(text + [0x89, 0x01, 0x8C, 0xFE])) == [["Hello", "world"]])
    }

    @Test func `changes are reported with the windows before them`() {
        var decoder = CEA708Decoder()
        let changes = decoder.read(
            Self.define(visible: true) + Array("ab".utf8) + [0x8A, 0x01], at: .zero)
        #expect(changes.map(\.effect) == [.written, .written, .replaced])
        #expect(changes[2].before.count == 1 && changes[0].before.isEmpty)
    }

    @Test func `windows are displayed by their priorities`() {
        let bytes =
            Self.define(0, visible: true, priority: 1) + Array("behind".utf8)
            + Self.define(1, visible: true, priority: 0) + Array("front".utf8)
            + [0x80] + Array("!".utf8)
        #expect(texts(decoder(bytes)) == [["behind!", ""], ["front", ""]])
    }

    @Test func `the last row scrolls up`() {
        let lines: [UInt8] = ["one", "two", "three"].flatMap { Array($0.utf8) + [0x0D] }
        #expect(texts(decoder(Self.define(visible: true) + lines)) == [["three", ""]])
        #expect(
            texts(decoder(Self.define(visible: true) + lines.dropLast())) == [["two", "three"]])
    }

    @Test func `the pen moves, goes back and clears rows`() {
        let window = Self.define(visible: true)
        #expect(texts(decoder(window + [0x92, 1, 4] + Array("x".utf8))) == [["", "    x"]])
        #expect(texts(decoder(window + Array("abc".utf8) + [0x08])) == [["ab", ""]])
        #expect(
            texts(decoder(window + Array("abc".utf8) + [0x0E] + Array("d".utf8))) == [["d", ""]])
        #expect(
            texts(decoder(window + Array("abc".utf8) + [0x0C] + Array("e".utf8))) == [["e", ""]])
        // Beyond the last row and column.
        #expect(texts(decoder(window + [0x92, 15, 63] + Array("x".utf8))).isEmpty)
    }

    @Test func `text beyond the last column is lost, or wraps`() {
        let text = Array("abcdef".utf8)
        #expect(
            texts(decoder(Self.define(visible: true, columns: 4) + text)) == [["abcd", ""]])
        #expect(
            texts(decoder(Self.define(visible: true, columns: 4, style: 4) + text))
                == [["abcd", "ef"]])
    }

    @Test func `characters of every set are decoded`() {
        let bytes =
            Self.define(visible: true)
            + [0x7F, 0xE9, 0xFF, 0x10, 0x25, 0x10, 0x2A, 0x10, 0x76, 0x10, 0x7F, 0x10, 0x39]
            + [0x18, 0x20, 0xAC, 0x10, 0x40, 0x10, 0x30]
        #expect(texts(decoder(bytes)) == [["♪éÿ…Š⅛┌™€_█", ""]])
    }

    @Test func `unknown codes are skipped with their parameters`() {
        let bytes =
            Self.define(visible: true)
            + [0x11, 0x41, 0x19, 0x41, 0x42, 0x10, 0x08, 0x41, 0x10, 0x18, 0x41, 0x42, 0x43]
            + [0x10, 0x80, 0x41, 0x42, 0x43, 0x44, 0x10, 0x90, 0x02, 0x41, 0x42, 0x93]
            + Array("ok".utf8)
        #expect(texts(decoder(bytes)) == [["ok", ""]])
    }

    @Test func `pens have colours, styles and edges`() throws {
        let bytes =
            Self.define(visible: true) + Array("a".utf8)
            // SetPenColor: solid yellow, translucent blue, green edges.
            + [0x91, 0x3C, 0x80 | 0x03, 0x0C]
            // SetPenAttributes: large; italic, underlined, uniform edge, proportional sans.
            + [0x90, 0x06, 0xC0 | 3 << 3 | 4] + Array("b".utf8)
        let cells = try #require(decoder(bytes).displayed.first).cells[0]
        let plain = try #require(cells[0]).style
        #expect(plain.foreground == .white && plain.background == .black && plain.edge == .none)
        let style = try #require(cells[1]).style
        #expect(style.foreground == .init(0xFFFF00))
        #expect(style.background == .init(0x0000FF, opacity: 128))
        #expect(style.edgeColor == .init(0x00FF00) && style.edge == .uniform)
        #expect(style.isItalic && style.isUnderlined && style.face == .sansSerif)
        #expect(style.scale > 1)
    }

    @Test func `windows have places, fills, borders and justification`() throws {
        let bytes =
            [0x9A, 0x20 | 3, 0x80 | 50, 40, 4 << 4 | 1, 19, 2 << 3 | 6] as [UInt8]
            // SetWindowAttributes: translucent red; a raised border, white; centred.
            + [0x97, 0x80 | 0x30, 0x40 | 0x3F, 0x02, 0x00] + Array("x".utf8)
        let window = try #require(decoder(bytes).displayed.first)
        #expect(window.priority == 3)
        #expect(window.anchor.isRelative && window.anchor.point == 4)
        #expect((window.anchor.vertical, window.anchor.horizontal) == (50, 40))
        #expect((window.rowCount, window.columnCount) == (2, 20))
        #expect(window.fill == .init(0xFF0000, opacity: 128) && window.border == .white)
        #expect(window.justification == .center && !window.wraps)
        #expect(window.style.background == .clear && window.style.edge == .uniform)
    }

    @Test func `a window that is defined again keeps its text`() {
        let bytes = Self.define() + Array("text".utf8) + Self.define(visible: true, rows: 3)
        #expect(texts(decoder(bytes)) == [["text", "", ""]])
    }

    @Test func `a delay holds what follows back until it ends or is cancelled`() {
        let second = MediaTime(value: 1, timescale: 1)
        let head = Self.define(visible: true) + Array("a".utf8) + [0x8D, 10]
        var decoder = decoder(head + Array("b".utf8))
        #expect(texts(decoder) == [["a", ""]])
        var early = decoder
        #expect(early.resume(at: second * 0.5).isEmpty)
        let changes = early.resume(at: second * 2.0)
        #expect(changes.map(\.time) == [second])
        #expect(texts(early) == [["ab", ""]])
        _ = decoder.read([0x8E], at: second * 0.5)
        #expect(texts(decoder) == [["ab", ""]])
    }

    @Test func `packets are assembled from pairs, and blocks belong to their services`() {
        var packets = CEA708Packets()
        func read(_ kind: CaptionPair.Kind, _ first: UInt8, _ second: UInt8) -> [CEA708Packets
            .Block]
        {
            packets.read(CaptionPair(kind, first, second))
        }
        // Eight bytes: service 1 with two, service 9 with one by an extended header, a null block.
        #expect(read(.packetStart, 0x04, 0x22).isEmpty)
        #expect(read(.packetData, 0x41, 0x42).isEmpty)
        #expect(read(.packetData, 0xE1, 0x09).isEmpty)
        #expect(
            read(.packetData, 0x43, 0x00) == [
                .init(service: 1, bytes: [0x41, 0x42]), .init(service: 9, bytes: [0x43]),
            ])
        // Data without a beginning, and a block that is longer than its packet.
        #expect(read(.packetData, 0x22, 0x41).isEmpty)
        #expect(read(.packetStart, 0x01, 0x3F).isEmpty)
    }

    @Test func `any bytes are decoded without a trap`() {
        var random = SplitMix64(seed: 708)
        for _ in 0..<3000 {
            var decoder = CEA708Decoder()
            for step in 0..<20 {
                let bytes = (0..<random.next() % 31).map { _ -> UInt8 in
                    let bits = random.next()
                    // Commands of windows often enough.
                    return bits >> 32 & 1 == 0
                        ? 0x80 | UInt8(bits & 0x1F) : UInt8(truncatingIfNeeded: bits)
                }
                _ = decoder.read(bytes, at: MediaTime(value: Int64(step), timescale: 10))
                _ = decoder.displayed
            }
        }
    }
}
