// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import Testing

@Suite("CEA-608")
struct CEA608DecoderTests {
    private typealias Line = LineTwentyOne

    private func decoder(
        _ pairs: [Line.Pair], channel: Int = 1, field: CaptionPair.Kind = .firstField
    ) -> CEA608Decoder {
        var decoder = CEA608Decoder(channel: channel)
        for pair in pairs { _ = decoder.read(CaptionPair(field, pair.0, pair.1)) }
        return decoder
    }

    private func rows(_ decoder: CEA608Decoder) -> [Int: String] {
        var rows: [Int: String] = [:]
        for row in 0..<CEA608Memory.rowCount where !decoder.displayed.text(ofRow: row).isEmpty {
            rows[row + 1] = decoder.displayed.text(ofRow: row)
        }
        return rows
    }

    private func popOn(_ body: [Line.Pair], channel: Int = 1) -> [Line.Pair] {
        Line.command(.resumeLoading, channel: channel)
            + Line.command(.eraseHidden, channel: channel)
            + body + Line.command(.endOfCaption, channel: channel)
    }

    @Test func `a pop-on caption appears at its end and disappears when it is erased`() {
        var decoder = CEA608Decoder(channel: 1)
        var effects: [CEA608Decoder.Effect] = []
        let caption = popOn(Line.preamble(15) + Line.text("Hello"))
        for pair in caption + Line.command(.eraseDisplayed) {
            effects.append(decoder.read(CaptionPair(.firstField, pair.0, pair.1)))
        }
        let changes = effects.indices.filter { effects[$0] == .replaced }
        #expect(changes == [caption.count - 2, caption.count])
        #expect(decoder.displayed.isEmpty)
    }

    @Test(arguments: 1...15) func `a preamble code sets the row, and its indent the column`(
        row: Int
    ) {
        for indent in 0..<8 {
            let decoder = decoder(
                popOn(Line.preamble(row, 0x10 | UInt8(indent) << 1) + Line.text("ab")))
            #expect(rows(decoder) == [row: "ab"])
            let cells = Array(decoder.displayed.row(row - 1))
            #expect(cells.firstIndex { $0 != nil } == indent * 4)
        }
    }

    @Test func `tab offsets move the column without erasing`() {
        let decoder = decoder(
            popOn(
                Line.preamble(3) + [Line.code(0x17, 0x23), Line.code(0x17, 0x21)] + Line.text("x")))
        #expect(Array(decoder.displayed.row(2)).firstIndex { $0 != nil } == 4)
    }

    @Test(arguments: [(Line.Command.rollUpTwo, 2), (.rollUpThree, 3), (.rollUpFour, 4)])
    func `roll-up captions keep their number of rows`(command: LineTwentyOne.Command, count: Int) {
        var pairs = Line.command(command)
        for line in ["one", "two", "three", "four", "five"] {
            pairs += Line.command(.carriageReturn) + Line.preamble(14) + Line.text(line)
        }
        let lines = ["one", "two", "three", "four", "five"].suffix(count)
        let expected = Dictionary(
            uniqueKeysWithValues: zip((15 - count)...14, lines).map { ($0, $1) })
        #expect(rows(decoder(pairs)) == expected)
    }

    @Test func `roll-up captions move with their base row`() {
        let pairs =
            Line.command(.rollUpTwo) + Line.command(.carriageReturn) + Line.text("up")
            + Line.command(.carriageReturn) + Line.text("down") + Line.preamble(5)
        #expect(rows(decoder(pairs)) == [4: "up", 5: "down"])
        // There is no room for three rows above the second one.
        #expect(
            rows(decoder(pairs + Line.command(.rollUpThree) + Line.preamble(1))) == [
                2: "up", 3: "down",
            ])
    }

    @Test func `roll-up captions erase those of other kinds`() {
        let decoder = decoder(
            popOn(Line.preamble(1) + Line.text("old")) + Line.command(.rollUpTwo)
                + Line.text("new"))
        #expect(rows(decoder) == [15: "new"])
    }

    @Test func `paint-on captions appear as they are written`() {
        var decoder = CEA608Decoder(channel: 1)
        var texts: [String] = []
        for pair in Line.command(.resumeDirect) + Line.preamble(2) + Line.text("abcd") {
            if decoder.read(CaptionPair(.firstField, pair.0, pair.1)) == .written {
                texts.append(decoder.displayed.text(ofRow: 1))
            }
        }
        #expect(texts == ["ab", "abcd"])
    }

    @Test func `characters can be taken back and deleted to the end of their row`() {
        let edited =
            Line.command(.resumeDirect) + Line.preamble(1) + Line.text("abcd")
            + Line.command(.backspace)
        #expect(rows(decoder(edited)) == [1: "abc"])
        let shortened = edited + Line.preamble(1, 0x10) + [Line.code(0x17, 0x21)]
        #expect(rows(decoder(shortened + Line.command(.deleteToEnd))) == [1: "a"])
    }

    @Test func `the last column is overwritten`() {
        let text = String(repeating: "x", count: 31)
        let decoder = decoder(popOn(Line.preamble(1) + Line.text(text + "abcd" + "e")))
        #expect(rows(decoder) == [1: text + "e"])
    }

    @Test func `a command that is repeated counts once, and three times twice`() {
        let twice = Line.code(0x11, 0x37)
        #expect(rows(decoder(popOn(Line.preamble(1) + [twice, twice]))) == [1: "♪"])
        #expect(rows(decoder(popOn(Line.preamble(1) + [twice, twice, twice]))) == [1: "♪♪"])
        // Padding does not separate the two.
        let padded = [twice, (UInt8(0x80), UInt8(0x80)), twice]
        #expect(rows(decoder(popOn(Line.preamble(1) + padded))) == [1: "♪"])
    }

    @Test func `special characters occupy a column, extended ones replace the one before`() {
        let special = (0x30...0x3F).map { Line.code(0x11, UInt8($0)) }
        let decoder = decoder(popOn(Line.preamble(1) + special))
        #expect(rows(decoder) == [1: "®°½¿™¢£♪à èâêîôû"])
        #expect(decoder.displayed[0, 9] == nil)
        let extended =
            Line.preamble(2) + (0x20...0x3F).flatMap { Line.text("A") + [Line.code(0x12, $0)] }
            + Line.preamble(3) + (0x20...0x3F).flatMap { Line.text("A") + [Line.code(0x13, $0)] }
        #expect(
            rows(self.decoder(popOn(extended))) == [
                2: "ÁÉÓÚÜü‘¡*'—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»", 3: "ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤│ÅåØø┌┐└┘",
            ])
    }

    @Test func `basic characters differ from ASCII in ten places`() {
        let decoder = decoder(popOn(Line.preamble(1) + Line.text("'*\\^_`{|}~\u{7F}")))
        #expect(rows(decoder) == [1: "’áéíóúç÷Ññ█"])
    }

    @Test func `styles apply from their code on`() throws {
        // Red and underlined by the preamble, then italic, then cyan, then a blue background.
        let decoder = decoder(
            popOn(
                Line.preamble(1, 4 << 1 | 1) + Line.text("ab") + [Line.code(0x11, 0x2E)]
                    + Line.text("cd") + [Line.code(0x11, 0x26)] + Line.text("e ")
                    + [Line.code(0x10, 0x25)] + Line.text("f") + Line.text(" ")
                    + [Line.code(0x17, 0x2D)] + Line.text("g")))
        #expect(rows(decoder) == [1: "ab cd e f g"])
        func style(_ column: Int) throws -> CaptionStyle {
            try #require(decoder.displayed[0, column]).style
        }
        let red = try style(0)
        #expect(red.foreground == .init(0xFF0000) && red.isUnderlined && !red.isItalic)
        #expect(red.background == .black)
        // The code itself occupies a column in the style before it.
        #expect(try style(2) == red)
        let italic = try style(3)
        #expect(italic.foreground == .init(0xFF0000) && italic.isItalic && !italic.isUnderlined)
        let cyan = try style(6)
        #expect(cyan.foreground == .init(0x00FFFF) && !cyan.isItalic)
        // A code of the background replaces the space before it.
        #expect(try style(7).background == .init(0x0000FF, opacity: 128))
        #expect(try style(8).background == .init(0x0000FF, opacity: 128))
        #expect(try style(10).background == .clear)
    }

    @Test func `channels are separate`() {
        let first =
            popOn(Line.preamble(15) + Line.text("one"), channel: 1)
            + popOn(Line.preamble(14, channel: 2) + Line.text("two"), channel: 2)
        let second =
            popOn(Line.preamble(13, channel: 3) + Line.text("three"), channel: 3)
            + popOn(Line.preamble(12, channel: 4) + Line.text("four"), channel: 4)
        #expect(rows(decoder(first, channel: 1)) == [15: "one"])
        #expect(rows(decoder(first, channel: 2)) == [14: "two"])
        #expect(rows(decoder(second, channel: 3, field: .secondField)) == [13: "three"])
        #expect(rows(decoder(second, channel: 4, field: .secondField)) == [12: "four"])
        #expect(rows(decoder(first, channel: 3)).isEmpty)
    }

    @Test func `programme data and text services are no captions`() {
        let caption = popOn(Line.preamble(13) + Line.text("yes"), channel: 3)
        // The current programme's name, then its checksum.
        let data: [Line.Pair] =
            [(Line.odd(0x01), Line.odd(0x03))] + Line.text("Star") + [(Line.odd(0x0F), 0x1D)]
        let decoder = decoder(
            Line.command(.resumeDirect, channel: 3) + data + caption, channel: 3,
            field: .secondField)
        #expect(rows(decoder) == [13: "yes"])
        let text = Line.command(.textRestart) + Line.text("news") + Line.preamble(3)
        #expect(rows(self.decoder(Line.command(.resumeDirect) + text)).isEmpty)
    }

    @Test func `a character with an error becomes a block, a command with one is ignored`() {
        var pairs = Line.text("abcd")
        pairs[0].1 ^= 0x80
        #expect(rows(decoder(popOn(Line.preamble(1) + pairs))) == [1: "a█cd"])
        // The second transmission of the command is taken.
        var caption = Line.command(.resumeLoading) + Line.preamble(1) + Line.text("ab")
        let index = caption.count
        caption += Line.command(.endOfCaption)
        caption[index].1 ^= 0x80
        #expect(rows(decoder(caption)) == [1: "ab"])
        caption[index + 1].0 ^= 0x80
        #expect(rows(decoder(caption)).isEmpty)
    }

    @Test func `captions that began before are not shown in parts`() {
        let caption = popOn(Line.preamble(15) + Line.text("Hello"))
        #expect(rows(decoder(Array(caption.dropFirst(6)))).isEmpty)
        let rolling = Line.text("tail") + Line.command(.carriageReturn) + Line.text("more")
        #expect(rows(decoder(rolling)).isEmpty)
    }

    @Test func `any bytes are decoded without a trap`() {
        var random = SplitMix64(seed: 608)
        var decoders = (1...4).map { CEA608Decoder(channel: $0) }
        for _ in 0..<200_000 {
            let bits = random.next()
            let first = UInt8(truncatingIfNeeded: bits)
            let second = UInt8(truncatingIfNeeded: bits >> 8)
            let isSound = bits >> 16 & 7 != 0
            let pair = CaptionPair(
                bits >> 20 & 1 == 0 ? .firstField : .secondField,
                isSound ? LineTwentyOne.odd(first & 0x1F | 0x10) : first,
                isSound ? LineTwentyOne.odd(second) : second)
            for index in decoders.indices { _ = decoders[index].read(pair) }
        }
    }
}
