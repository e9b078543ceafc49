// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadFFmpeg
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

/// Media in the caller's own bytes.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct DataSourceTests {
    static let clip = Result { try SyntheticClip(StreamFixture.film).url() }
    private let file: URL
    private let bytes: [UInt8]

    init() throws {
        file = try Self.clip.get()
        bytes = Array(try Data(contentsOf: file))
    }

    private static let allFrames = Array(0..<StreamFixture.frameCount)

    private func frames(_ source: any MediaDataSource) throws -> [Int?] {
        try StreamFixture.frames(FFmpegOpener(.data(source, name: "film.mp4")))
    }

    @Test func `a file in memory plays`() throws {
        #expect(try frames(MemoryDataSource(bytes)) == Self.allFrames.map { $0 })
    }

    @Test func `where a function has failed, the next read moves there again`() throws {
        let state = Mutex((place: Int64(0), failure: 0))
        let failure = MediaError(.timedOut, subject: "test", cause: "nothing comes")
        let source = CallbackDataSource(byteCount: 100) { buffer throws(MediaError) in
            let (place, fails) = state.withLock { state in
                defer { state.place += Int64(buffer.count) }
                return (state.place, state.failure == 2)
            }
            if fails { throw failure }
            for index in 0..<buffer.count { buffer[index] = UInt8(place) + UInt8(index) }
            return buffer.count
        } seek: { offset throws(MediaError) in
            // It moves, and then fails.
            let fails = state.withLock { state in
                state.place = offset
                return state.failure == 1
            }
            if fails { throw failure }
        }
        func byte(at offset: Int64) throws -> UInt8 {
            var byte: UInt8 = 0
            _ = try withUnsafeMutableBytes(of: &byte) {
                try source.read(into: $0, at: offset, isCancelled: { false })
            }
            return byte
        }
        #expect(try byte(at: 0) == 0)
        for kind in 1...2 {
            state.withLock { $0.failure = kind }
            #expect(throws: MediaError.self) { try byte(at: kind == 1 ? 50 : 1) }
            state.withLock { $0.failure = 0 }
            #expect(try byte(at: 1) == 1)
        }
    }

    @Test func `a data source that returns a negative count fails`() {
        let source = CallbackDataSource { _ throws(MediaError) in -1 }
        #expect(throws: MediaError.self) {
            var byte: UInt8 = 0
            _ = try withUnsafeMutableBytes(of: &byte) {
                try source.read(into: $0, at: 0, isCancelled: { false })
            }
        }
    }

    @Test func `borrowed memory is released with the last reader`() throws {
        let isFreed = Mutex(false)
        try bytes.withUnsafeBytes { memory in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: memory.count, alignment: 1)
            copy.copyMemory(from: memory)
            let address = UInt(bitPattern: copy.baseAddress)
            var source: MemoryDataSource? = MemoryDataSource(
                bytesNoCopy: UnsafeRawBufferPointer(copy)
            ) {
                UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
                isFreed.withLock { $0 = true }
            }
            var demuxer: (any Demuxer)? = try FFmpegOpener(.data(source!, name: "film"))
                .openDemuxer(cancellation: Cancellation())
            source = nil
            #expect(try demuxer?.readPacket() != nil)
            #expect(isFreed.withLock { !$0 })
            demuxer = nil
        }
        #expect(isFreed.withLock { $0 })
    }

    @Test func `a file descriptor plays from the beginning and stays open for the caller`() throws {
        let descriptor = open(file.path, O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        lseek(descriptor, 77, SEEK_SET)
        let source = try FileDescriptorDataSource(descriptor)
        #expect(try frames(source) == Self.allFrames)
        #expect(try frames(source) == Self.allFrames)
        #expect(lseek(descriptor, 0, SEEK_CUR) == 77)
        #expect(throws: MediaError.self) { try FileDescriptorDataSource(-1) }
    }

    @Test func `a cancellation ends the search for a packet in a long part without one`() throws {
        let part = Array(
            try Data(contentsOf: SyntheticClip(StreamFixture.film, container: "ts").url()))
        // More than is read when the file is opened.
        let bytes = (0...(16 << 20) / part.count).flatMap { _ in part }
        let state = Mutex((offset: 0, isArmed: false, readsAfter: 0))
        let cancellation = Cancellation()
        let source = CallbackDataSource(
            byteCount: Int64(bytes.count),
            read: { buffer throws(MediaError) in
                state.withLock { state in
                    if cancellation.isCancelled { state.readsAfter += 1 }
                    if state.isArmed { cancellation.cancel() }
                    let read = bytes[state.offset...].prefix(buffer.count)
                    buffer.copyBytes(from: read)
                    state.offset += read.count
                    return read.count
                }
            }, seek: { offset throws(MediaError) in state.withLock { $0.offset = Int(offset) } })
        let demuxer = try FFmpegOpener(.data(source, name: "film.ts"))
            .openDemuxer(cancellation: cancellation)
        demuxer.selectTracks([])
        state.withLock { $0.isArmed = true }
        #expect {
            try demuxer.readPacket()
        } throws: {
            ($0 as? MediaError)?.code == .cancelled
        }
        #expect(cancellation.isCancelled && state.withLock { $0.readsAfter } == 0)
    }

    @Test func `a pipe plays once`() throws {
        let part = Array(
            try Data(contentsOf: SyntheticClip(StreamFixture.film, container: "ts").url()))
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let writing = ends[1]
        let writer = WorkerThread(name: "test-pipe") {
            _ = part.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
            close(writing)
        }
        defer {
            close(ends[0])
            writer.join()
        }
        let source = try FileDescriptorDataSource(ends[0])
        let read = try StreamFixture.frames(FFmpegOpener(.data(source, name: "film.ts")))
        #expect(read == Self.allFrames)
        #expect(throws: MediaError.self) { try frames(source) }
    }

    @Test func `an MP4 from a pipe reports that its index is at the end`() throws {
        // Further back than one read.
        var bytes = bytes
        let name = try #require(bytes.firstRange(of: Array("moov".utf8)))
        let box: [UInt8] = [0, 4, 0, 0] + Array("free".utf8) + Array(repeating: 0, count: 0x3FFF8)
        bytes.insert(contentsOf: box, at: name.lowerBound - 4)
        let source = CallbackDataSource.pipe(bytes)
        let error = #expect(throws: MediaError.self) { try frames(source) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.cause.contains("its index is at the end of the file") == true)
    }

    @Test func `a pipe without a writer times out`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let options = AssetOptions(openingTimeout: MediaTime(value: 1, timescale: 5))
        let opener = FFmpegOpener(
            .data(try FileDescriptorDataSource(ends[0]), name: "pipe"), options: options)
        let error = #expect(throws: MediaError.self) {
            try opener.openDemuxer(cancellation: Cancellation())
        }
        #expect(error?.code == .timedOut)
        #expect(error?.subject == "pipe")
    }

    @Test func `a pair of read and seek functions plays`() throws {
        let position = Mutex(0)
        let bytes = bytes
        let source = CallbackDataSource(byteCount: Int64(bytes.count)) { buffer in
            position.withLock {
                let part = bytes[$0...].prefix(min(1000, buffer.count))
                buffer.copyBytes(from: part)
                $0 += part.count
                return part.count
            }
        } seek: { offset in
            position.withLock { $0 = Int(offset) }
        }
        #expect(try frames(source) == Self.allFrames)
        #expect(try frames(source) == Self.allFrames)
    }

    @Test func `an error that the caller's function throws is reported`() throws {
        let failure = MediaError(
            .cannotOpen, subject: "vault", cause: "it is locked", remedy: "unlock it")
        let source = CallbackDataSource { (_) throws(MediaError) in throw failure }
        let error = #expect(throws: MediaError.self) { try frames(source) }
        #expect(error?.cause == "it is locked")
        #expect(error?.subject == "film.mp4")
    }

    @Test(arguments: ["live", "list.txt", "list.mp4"])
    func `an HLS playlist is recognised by its first line, not by its name`(name: String) throws {
        let stream = try StreamFixture()
        try stream.write(
            String(decoding: try #require(stream.bytes("large.m3u8")), as: UTF8.self), to: name)
        let opener = FFmpegOpener(path: stream.path(name))
        let demuxer = try opener.openDemuxer(cancellation: Cancellation())
        #expect(demuxer.description.container == "hls")
        #expect(try StreamFixture.frames(opener) == Self.allFrames)
        // A text that mentions the line is no playlist.
        try stream.write("# A list begins with:\n#EXTM3U\n#EXT-X-TARGETDURATION:1\n", to: name)
        let error = #expect(throws: MediaError.self) {
            try opener.openDemuxer(cancellation: Cancellation())
        }
        #expect(error?.code == .unknownFormat)
    }

    @Test func `a playlist in memory cannot refer to files`() throws {
        let log = AccessLog()
        for part in ["/etc/hostname", "http://127.0.0.1:9/a.ts", "film.mp4"] {
            let text =
                "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(part)\n#EXT-X-ENDLIST\n"
            let source = MemoryDataSource(Array(text.utf8))
            let opener = FFmpegOpener(.data(source, name: "list"), options: log.options())
            let error = #expect(throws: MediaError.self) {
                try opener.openDemuxer(cancellation: Cancellation())
            }
            #expect(error?.code == .notAllowed)
        }
        #expect(log.children.count == 3)
        #expect(log.children.allSatisfy { $0.error != nil })
    }
}
