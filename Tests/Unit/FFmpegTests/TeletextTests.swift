// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Subtitles of broadcasts as teletext pages (ETSI EN 300 706, carried as in EN 300 472), generated
/// here.
@Suite(
    "Teletext subtitles",
    .enabled(
        if: avcodec_find_decoder(AV_CODEC_ID_DVB_TELETEXT) != nil, "needs an FFmpeg with libzvbi"))
struct TeletextTests {
    /// Encodes in Hamming 8/4 (EN 300 706, 8.2).
    private static func hamming(_ value: Int) -> UInt8 {
        let d = (0..<4).map { value >> $0 & 1 }
        let p1 = 1 ^ d[0] ^ d[2] ^ d[3]
        let p2 = 1 ^ d[0] ^ d[1] ^ d[3]
        let p3 = 1 ^ d[0] ^ d[1] ^ d[2]
        let p4 = 1 ^ p1 ^ d[0] ^ p2 ^ d[1] ^ p3 ^ d[2] ^ d[3]
        let bits = [p1, d[0], p2, d[1], p3, d[2], p4, d[3]]
        return bits.reversed().reduce(0) { $0 << 1 | UInt8($1) }
    }

    /// Adds odd parity (8.1).
    private static func odd(_ byte: UInt8) -> UInt8 {
        byte.nonzeroBitCount.isMultiple(of: 2) ? byte | 0x80 : byte
    }

    private static func reversed(_ byte: UInt8) -> UInt8 {
        (0..<8).reduce(0) { $0 << 1 | byte >> $1 & 1 }
    }

    /// Returns a data unit with a packet of magazine 8.
    private static func row(_ number: Int, _ bytes: [UInt8], isSubtitle: Bool) -> [UInt8] {
        let address = [hamming(number & 1 << 3), hamming(number >> 1)]
        let data = (address + bytes).map(reversed)
        return [isSubtitle ? 3 : 2, 0x2C, 0xE0 | UInt8(8 + number % 14), 0xE4] + data
    }

    private static func header(page: Int, isSubtitle: Bool) -> [UInt8] {
        // Units, tens, the sub-code with C4, C5 and C6, then C7 to C10 and C11 to C14: erased (C4),
        // a subtitle (C6) whose header is not shown (C7), of a service that sends one page at a
        // time (C11).
        let flags = isSubtitle ? (8, 1) : (0, 0)
        let control = [page & 15, page >> 4, 0, 8, 0, flags.0, flags.1, 1].map(hamming)
        let title = [UInt8](repeating: odd(0x20), count: 32)
        return row(0, control + title, isSubtitle: isSubtitle)
    }

    /// Returns a page with a line of text in a box, or without one, and its terminator.
    private static func page(_ number: Int, _ words: String?, isSubtitle: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = [0x10] + header(page: number, isSubtitle: isSubtitle)
        if let words {
            let text: [UInt8] = [0x0B, 0x0B] + Array(words.utf8) + [0x0A, 0x0A]
            let line = text + [UInt8](repeating: 0x20, count: 40 - text.count)
            bytes += row(22, line.map(odd), isSubtitle: isSubtitle)
        }
        bytes += header(page: 0xFF, isSubtitle: isSubtitle)
        // Filled up to whole packets of a transport stream, including the header.
        while (bytes.count + 45) % 184 != 0 {
            bytes += [0xFF, 0x2C] + [UInt8](repeating: 0xFF, count: 44)
        }
        return bytes
    }

    private static func packet(_ bytes: [UInt8], seconds: Int64) throws -> MediaPacket {
        let box = try #require(PacketBox())
        #expect(av_new_packet(box.pointer, Int32(bytes.count)) == 0)
        box.pointer.pointee.data.update(from: bytes, count: bytes.count)
        box.pointer.pointee.pts = seconds * 90_000
        let time = MediaTime(value: seconds, timescale: 1)
        return MediaPacket(
            trackID: 0, presentationTime: time, decodeTime: time, duration: .invalid,
            isKeyframe: true, byteCount: bytes.count, payload: box)
    }

    private static func decoder() throws -> FFmpegSubtitleDecoder {
        let track = AssetTrack(
            id: 0, mediaType: .subtitle,
            formatDescription: FormatDescription(codec: "dvb_teletext"))
        let codec = try #require(
            CodecParameters(
                subtitles: AV_CODEC_ID_DVB_TELETEXT, header: [], size: (0, 0)))
        return try FFmpegSubtitleDecoder(
            StreamParameters(
                uncontained: track, codec, timeBase: AVRational(num: 1, den: 90_000),
                subject: "film.ts"),
            fonts: [], canvas: (720, 576), limits: MediaLimits())
    }

    @Test func `a page of subtitles is shown until the next, and others are not`() throws {
        let decoder = try Self.decoder()
        var cues: [SubtitleCue] = []
        for (seconds, bytes) in [
            (1, Self.page(0x88, "Good evening")), (2, Self.page(0x00, "Index", isSubtitle: false)),
            (4, Self.page(0x88, nil)),
        ] as [(Int64, [UInt8])] {
            cues += try decoder.decode(Self.packet(bytes, seconds: seconds))
        }
        #expect(cues.map(\.timeRange.start.seconds) == [1, 4])
        #expect(cues.map(\.timeRange.end) == [.positiveInfinity, .positiveInfinity])
        guard case .bitmaps(let words) = cues[0].content else {
            Issue.record("teletext is drawn")
            return
        }
        // Row 22 of 25, of 10 pixels each; columns are 12 wide.
        let box = try #require(words.first)
        #expect((box.canvasWidth, box.canvasHeight) == (492, 250))
        #expect((box.y, box.height, box.x % 12, box.width % 12) == (220, 10, 0, 0))
        #expect(box.width >= 12 * "Good evening".count && box.x + box.width < 492)
        #expect(box.indices.contains(7), "white")
        #expect(cues[1].content == .bitmaps([]))
    }
}
