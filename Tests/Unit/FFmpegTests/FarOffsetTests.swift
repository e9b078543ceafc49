// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadFFmpeg
import PlayheadTime
import Synchronization
import Testing

/// Videos that declare sample offsets beyond any file.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct FarOffsetTests {
    /// Less than a block before the last possible position, and more than the frame.
    private static let offset = Int64.max - 20_000

    /// A video of one frame of 16 KiB, which the index at its end places at `offset`.
    private static let film = Result {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: 1, timescale: 10)), sounds: [])
        (media.width, media.height) = (256, 32)
        let clip = SyntheticClip(
            media, videoCodec: "rawvideo", pixelFormat: "yuyv422", container: "mov")
        return try moved(Array(Data(contentsOf: clip.url())))
    }

    /// Converts the table of 32 bits to one of 64 bits. It comes last, so nothing that it refers to
    /// moves.
    private static func moved(_ film: [UInt8]) throws -> [UInt8] {
        func name(_ text: String, before end: Int) throws -> Int {
            let name = Array(text.utf8)
            return try #require(
                (4..<end).last { Array(film[$0..<min($0 + 4, film.count)]) == name })
        }
        func number(at place: Int) -> Int {
            film[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        let table = try name("stco", before: film.count - 4)
        let count = number(at: table + 8)
        var result = film
        for parent in ["moov", "trak", "mdia", "minf", "stbl"] {
            let place = try name(parent, before: table) - 4
            result.replaceSubrange(
                place..<place + 4, with: bytes(number(at: place) + count * 4, 4))
        }
        let offsets = (0..<count).flatMap { _ in bytes(Int(offset), 8) }
        result.replaceSubrange(
            table - 4..<table + 12 + count * 4,
            with: bytes(16 + count * 8, 4) + Array("co64".utf8) + bytes(0, 4) + bytes(count, 4)
                + offsets)
        return result
    }

    /// Reads to the end, or to an error: either passes.
    private func read(_ source: AssetSource) {
        do {
            let demuxer = try FFmpegOpener(source).openDemuxer(cancellation: Cancellation())
            while try demuxer.readPacket() != nil {}
        } catch {
            #expect(error.code != .cancelled)
        }
    }

    @Test func `a server that has bytes everywhere is read no further than positions go`() throws {
        let film = try Self.film.get()
        let server = try LoopbackServer { request in
            let first = request.range?.first ?? 0
            if first == film.count { return .status(416) }
            let head = "HTTP/1.1 206 Test\r\nContent-Range: bytes \(first)-/*\r\n\r\n"
            let zeros = [UInt8](repeating: 0, count: 200_000)
            return .raw(Array(head.utf8) + (first < film.count ? Array(film[first...]) : zeros))
        }
        read(.location(AssetLocation(server.url("/film.mov"))))
        #expect(server.requests.contains { ($0.range?.first ?? 0) >= Int(Self.offset) })
    }

    @Test func `bytes of one's own are read no further than positions go`() throws {
        let source = EndlessSource(film: try Self.film.get())
        read(.data(source, name: "film.mov"))
        let furthest = source.furthest.load(ordering: .relaxed)
        #expect(furthest >= Self.offset)
    }
}

/// A source that returns a video, and zeros at all other positions.
private final class EndlessSource: MediaDataSource {
    let byteCount: Int64? = nil
    let isSeekable = true
    let furthest = Atomic(Int64(0))
    private let film: [UInt8]

    init(film: [UInt8]) { self.film = film }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        furthest.max(offset, ordering: .relaxed)
        if offset == Int64(film.count) { return 0 }
        guard offset < Int64(film.count) else {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return buffer.count
        }
        let part = film[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}
