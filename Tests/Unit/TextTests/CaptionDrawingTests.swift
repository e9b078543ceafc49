// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadText
import PlayheadTime
import Testing

@Suite("Drawing of closed captions")
struct CaptionDrawingTests {
    private typealias Line = LineTwentyOne
    private typealias Layout = SubtitleRasterizer.Layout

    private final class Drawer {
        let rasterizer: SubtitleRasterizer

        init(_ service: CaptionService, isWide: Bool, _ pairs: [CaptionPair]) throws {
            let decoder = CaptionDecoder(service, end: .invalid, isWide: isWide)
            rasterizer = try SubtitleRasterizer()
            var script = decoder.script
            script.header = CaptionFont.naming(script.header)
            rasterizer.begin(script)
            let packet = MediaPacket(
                trackID: 0, presentationTime: .zero, decodeTime: .zero, duration: .invalid,
                isKeyframe: true, byteCount: 0, payload: CaptionPayload(pairs))
            let cues = try decoder.decode(packet) + decoder.finish()
            rasterizer.append(
                cues.map { cue in
                    var cue = cue
                    if case .line(let line) = cue.content {
                        cue.content = .line(CaptionFont.naming(line))
                    }
                    return cue
                })
        }

        /// Draws the captions over a grey image.
        func image(_ layout: Layout) -> TestImage {
            rasterizer.image(layout, at: MediaTime(value: 1, timescale: 1))
        }
    }

    private func line21(_ pairs: [Line.Pair]) throws -> Drawer {
        try Drawer(
            .line21(1), isWide: true, pairs.map { CaptionPair(.firstField, $0.0, $0.1) })
    }

    /// Draws blocks of service 1.
    private func digital(_ blocks: [[UInt8]], isWide: Bool = true) throws -> Drawer {
        var pairs: [CaptionPair] = []
        for block in blocks {
            var packet = [0, 1 << 5 | UInt8(block.count)] + block
            if packet.count % 2 == 1 { packet.append(0) }
            packet[0] = UInt8(packet.count / 2)
            for index in stride(from: 0, to: packet.count, by: 2) {
                pairs.append(
                    CaptionPair(
                        index == 0 ? .packetStart : .packetData, packet[index], packet[index + 1]))
            }
        }
        return try Drawer(.digital(1), isWide: isWide, pairs)
    }

    /// The rectangle of the pixels that are not grey, in pixels.
    private func bounds(_ image: TestImage) -> (left: Int, top: Int, right: Int, bottom: Int) {
        let background = SIMD4<UInt8>(90, 110, 130, 255)
        var result = (left: image.width, top: image.height, right: 0, bottom: 0)
        for y in 0..<image.height {
            for x in 0..<image.width where image[x, y] != background {
                result = (
                    min(result.left, x), min(result.top, y), max(result.right, x + 1),
                    max(result.bottom, y + 1)
                )
            }
        }
        return result
    }

    private func popOn(_ body: [Line.Pair]) -> [Line.Pair] {
        Line.command(.resumeLoading) + body + Line.command(.endOfCaption)
    }

    @Test(arguments: [(640, 480, 0), (1280, 720, 160), (1280, 536, 283), (360, 480, 0)])
    func `rows and columns of CEA-608 are in the safe area of the middle`(
        width: Int, height: Int, left: Int
    ) throws {
        for (row, indent) in [(1, 0), (15, 0), (8, 16), (15, 28)] {
            let drawer = try line21(
                popOn(Line.preamble(row, 0x10 | UInt8(indent / 4) << 1) + Line.text("abcd")))
            let found = bounds(drawer.image(Layout(width: width, height: height)))
            let area = Double(width - 2 * left)
            // A tenth of the area is outside of the safe area; a column precedes and follows.
            let cell = (area * 0.8 / 32, Double(height) * 0.8 / 15)
            let x = Double(left) + area * 0.1 + Double(indent - 1) * cell.0
            let y = Double(height) * 0.1 + Double(row - 1) * cell.1
            #expect(abs(Double(found.left) - x) <= 2, "row \(row), \(indent): \(found) \(x)")
            #expect(abs(Double(found.right) - x - 6 * cell.0) <= 2, "row \(row), \(indent)")
            #expect(abs(Double(found.top) - y) <= 2, "row \(row), \(indent)")
            #expect(abs(Double(found.bottom) - y - cell.1) <= 2, "row \(row), \(indent)")
        }
    }

    @Test func `letters of any monospaced font keep to the columns`() throws {
        // A narrow letter in the second and in the last column, without a background.
        let drawer = try line21(
            popOn(
                Line.preamble(5) + Line.text(" ") + [Line.code(0x17, 0x2D)]
                    + Line.text("!" + String(repeating: " ", count: 29) + "!")))
        let found = bounds(drawer.image(Layout(width: 800, height: 600)))
        // The centres of columns 1 and 31 are 600 units apart.
        let distance = Double(found.right - found.left)
        #expect(abs(distance - 600) < 14, "\(found)")
        #expect(abs(Double(found.left + found.right) / 2 - (80 + 16.5 * 20)) < 8)
    }

    @Test func `windows of CEA-708 are at their anchors`() throws {
        // For each point of the anchor: ten columns, two rows, in the middle of the grid.
        for point in 0..<9 as Range<UInt8> {
            for isWide in [true, false] {
                let drawer = try digital(
                    [
                        [0x98, 0x20, 37, isWide ? 105 : 80, point << 4 | 1, 9, 1 << 3 | 1]
                            + Array("x".utf8)
                    ], isWide: isWide)
                let width = isWide ? 1067 : 800
                let found = bounds(drawer.image(Layout(width: width, height: 600)))
                let x = Double(width) / 2 - Double(point % 3) * 100
                let y = 60 + 37.0 / 75 * 480 - Double(point / 3) * 32
                #expect(abs(Double(found.left) - x) <= 2, "\(point): \(found)")
                #expect(abs(Double(found.top) - y) <= 2, "\(point): \(found)")
                #expect(abs(Double(found.right) - x - 200) <= 2, "\(point): \(found)")
                #expect(abs(Double(found.bottom) - y - 64) <= 2, "\(point): \(found)")
            }
        }
    }

    @Test func `a window that extends beyond the safe area is moved into it`() throws {
        let drawer = try digital([
            [0x98, 0x20, 75, 209, 0 << 4 | 1, 9, 1 << 3 | 1] + Array("x".utf8)
        ])
        let found = bounds(drawer.image(Layout(width: 1067, height: 600)))
        #expect(abs(found.bottom - 540) <= 2 && abs(found.right - 953) <= 2)
    }

    // MARK: - Golden images

    private static let layout = Layout(width: 640, height: 360)

    @Test(.enabled(if: CaptionFont.isThere, "\(CaptionFont.absence)"))
    func `captions of CEA-608 look as they should`() throws {
        let popOn = popOn(
            Line.preamble(13, 0x14) + Line.text("[ door slams ]") + Line.preamble(14, 0x12)
                + [Line.code(0x11, 0x2E)] + Line.text("Who is there?") + Line.preamble(15, 0x12)
                + Line.text("No one ") + [Line.code(0x11, 0x37), Line.code(0x11, 0x37)])
        try GoldenImage("captions-pop-on").compare(line21(popOn).image(Self.layout))
        var rolling = Line.command(.rollUpThree)
        for line in [">> First line of news", "second line {of} it", "and the \\third"] {
            rolling += Line.command(.carriageReturn) + Line.preamble(15) + Line.text(line)
        }
        try GoldenImage("captions-roll-up").compare(line21(rolling).image(Self.layout))
        var painted = Line.command(.resumeDirect)
        for value in 0..<7 as Range<UInt8> {
            let background = Line.code(0x10, 0x20 | (value + 3) % 7 << 1)
            painted += Line.preamble(Int(value) * 2 + 1, value << 1 | (value & 1))
            painted += Line.text("colour  ") + [background] + Line.text("behind ")
            painted += [Line.code(0x11, 0x2E)] + Line.text("italic ") + [Line.code(0x17, 0x2D)]
            painted += Line.text("none")
        }
        try GoldenImage("captions-paint-on").compare(line21(painted).image(Self.layout))
    }

    @Test(.enabled(if: CaptionFont.isThere, "\(CaptionFont.absence)"))
    func `captions of CEA-708 look as they should`() throws {
        let drawer = try digital([
            // Centred at the bottom, two rows, solid fill.
            [0x98, 0x20, 75, 105, 7 << 4 | 1, 31, 3 << 3 | 1] + Array("Centred at the".utf8)
                + [0x0D],
            Array("bottom, \u{7F} two rows".utf8),
            // At the top left, without a fill, white letters with an edge.
            [0x99, 0x20, 0, 0, 0 << 4 | 0, 24, 2 << 3 | 7] + Array("Edges, sans".utf8),
            // In the middle at the right, bordered, right-justified, coloured.
            [0x9A, 0x20, 37, 209, 5 << 4 | 2, 15, 1 << 3 | 1],
            [0x97, 0x80 | 0x02, 0x40 | 0x3C, 0x01, 0x00, 0x91, 0x3C, 0xC0, 0],
            Array("Right".utf8) + [0x0D, 0x90, 0x05, 0xC0] + Array("in yellow".utf8),
            [0x0D, 0x90, 0x04, 0x00] + Array("small".utf8),
        ])
        try GoldenImage("captions-windows").compare(drawer.image(Self.layout))
    }
}
