// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Files that a writer, played by the test, has not finished yet.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct GrowingFileTests {
    /// A kind of file that can be read while it is being written.
    enum Kind: String, CaseIterable {
        case matroska, openMatroska, transport, movie

        var container: String {
            switch self {
            case .matroska, .openMatroska: "mkv"
            case .transport: "ts"
            case .movie: "mp4"
            }
        }

        var options: [String] {
            switch self {
            case .matroska: ["-cluster_time_limit", "1000"]
            case .openMatroska: ["-live", "1", "-cluster_time_limit", "1000"]
            case .transport: []
            case .movie: ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]
            }
        }

        /// Kinds of which the end of the written part is known without reading it.
        var isIndexed: Bool { self != .transport }
    }

    /// A file of ten seconds with 10 frames and a keyframe a second, as far as the test has written
    /// it.
    private final class Recording {
        let bytes: [UInt8]
        let url: URL
        private let folder = TemporaryFolder()
        private var writer: FileHandle?
        private(set) var count = 0

        init(_ kind: Kind) throws {
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 10, duration: MediaTime(value: 10, timescale: 1)))
            media.height = 240
            media.keyframeInterval = 10
            media.bidirectionalFrames = 2
            let clip = SyntheticClip(media, container: kind.container, options: kind.options)
            bytes = [UInt8](try Data(contentsOf: clip.url()))
            url = folder.appending("recording.\(kind.container)")
            try Data().write(to: url)
            writer = try FileHandle(forWritingTo: url)
        }

        func write(share: Double) throws {
            let end = Int(Double(bytes.count) * share)
            try writer?.write(contentsOf: bytes[count..<end])
            count = end
        }

        func close() throws {
            try writer?.close()
            writer = nil
        }

        /// Returns the times of the keyframes in the part that has been written.
        func keyframes(of track: AssetTrack) throws -> [MediaTime] {
            let demuxer = try FFmpegOpener(path: url.path)
                .openDemuxer(cancellation: Cancellation())
            demuxer.selectTracks([track.id])
            var times: [MediaTime] = []
            while let packet = try demuxer.readPacket() {
                if packet.isKeyframe { times.append(packet.presentationTime) }
            }
            return times
        }

        func open() throws -> any Demuxer {
            let demuxer = try FFmpegOpener(path: url.path)
                .openDemuxer(cancellation: Cancellation())
            demuxer.followGrowth()
            return demuxer
        }
    }

    /// The properties of a packet, without its data.
    private struct Packet: Hashable {
        var track: Int
        var time: MediaTime
        var byteCount: Int
    }

    /// A thread that reads all packets of a demuxer.
    private final class Reader {
        struct State {
            var packets: [Packet] = []
            var hasEnded = false
            var error: MediaError?
        }
        let state = Monitor(State())
        private let thread: WorkerThread

        init(_ demuxer: any Demuxer) {
            thread = WorkerThread(name: "test-read") { [state] in
                do throws(MediaError) {
                    while let packet = try demuxer.readPacket() {
                        let known = Packet(
                            track: packet.trackID, time: packet.presentationTime,
                            byteCount: packet.byteCount)
                        state.change { $0.packets.append(known) }
                    }
                } catch {
                    state.change { $0.error = error }
                }
                state.change { $0.hasEnded = true }
            }
        }

        func waitForPackets(_ count: Int) {
            state.wait { $0.packets.count >= count || $0.hasEnded ? true : nil }
        }

        func finish() throws -> [Packet] {
            thread.join()
            let state = state.withLock { $0 }
            if let error = state.error { throw error }
            return state.packets
        }
    }

    private static func packets(of url: URL) throws -> [Packet] {
        let demuxer = try FFmpegOpener(path: url.path).openDemuxer(cancellation: Cancellation())
        return try Reader(demuxer).finish()
    }

    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1000).rounded()), timescale: 1000)
    }

    @Test(arguments: Kind.allCases)
    func `reading waits at the end, and every packet comes`(kind: Kind) throws {
        let recording = try Recording(kind)
        try recording.write(share: 0.3)
        let demuxer = try recording.open()
        let live = try #require(demuxer.liveMonitor)
        let first = try #require(live.window)
        #expect(first.isFile && !first.hasEnded)
        #expect(first.range.duration < Self.seconds(5))
        let reader = Reader(demuxer)
        for share in [0.45, 0.6, 0.601, 0.8, 1.0] {
            let count = reader.state.withLock { $0.packets.count }
            try recording.write(share: share)
            if share != 0.601 { reader.waitForPackets(count + 1) }
            #expect(!reader.state.withLock { $0.hasEnded })
        }
        try recording.close()
        let packets = try reader.finish()
        #expect(Set(packets) == Set(try Self.packets(of: recording.url)))
        #expect(packets.count == Set(packets).count)
        let last = try #require(live.window)
        #expect(last.hasEnded)
        // Without an edit list, frames that are reordered begin later.
        #expect(abs(last.range.end.seconds - 10) < 0.25, "\(last.range.end.seconds)")
    }

    @Test(arguments: Kind.allCases)
    func `the range grows while nothing is read, and its end becomes final`(kind: Kind) throws {
        let recording = try Recording(kind)
        try recording.write(share: 0.4)
        let demuxer = try recording.open()
        let live = try #require(demuxer.liveMonitor)
        let first = try #require(live.window?.range.end.seconds)
        #expect(first > 2 && first < 5, "\(first)")
        try recording.write(share: 0.9)
        if kind.isIndexed {
            demuxer.reloadPlaylist()
            let second = try #require(live.window?.range.end.seconds)
            #expect(second > 7 && second < 9.6, "\(second)")
        }
        try recording.write(share: 1)
        try recording.close()
        // A process that another test is starting has the file open, too, until it is executed.
        try eventually("the end of the file") {
            demuxer.reloadPlaylist()
            return live.window?.hasEnded == true
        }
        let window = try #require(live.window)
        #expect(live.reloadDelay == nil)
        #expect(abs(window.range.end.seconds - 10) < 0.25, "\(window.range.end.seconds)")
    }

    @Test(arguments: Kind.allCases)
    func `seeks land in every part that has been written`(kind: Kind) throws {
        let recording = try Recording(kind)
        try recording.write(share: 0.85)
        let demuxer = try recording.open()
        let video = try #require(demuxer.description.preferredTrack(of: .video))
        let keyframes = try recording.keyframes(of: video)
        for target in [6.5, 1.2, 0, 7.0, 3.9] {
            try demuxer.seek(to: Self.seconds(target))
            var first: MediaPacket?
            while first?.trackID != video.id { first = try demuxer.readPacket() }
            let time = try #require(first?.presentationTime)
            #expect(first?.isKeyframe == true)
            let expected = keyframes.last { $0 <= Self.seconds(target) } ?? keyframes.first
            #expect(time == expected, "\(target): \(time.seconds)")
        }
        // A seek that waits for more data waits until the file counts as finished.
        demuxer.reloadPlaylist()
        #expect(demuxer.liveMonitor?.window?.hasEnded == false)
        // Reading continues from there to the end of what will be written.
        let reader = Reader(demuxer)
        try recording.write(share: 1)
        try recording.close()
        let times = try reader.finish().filter { $0.track == video.id }.map(\.time)
        let start = try #require(keyframes.last { $0 <= Self.seconds(3.9) })
        let expected = try Self.packets(of: recording.url).filter { $0.track == video.id }
            .map(\.time).filter { $0 > start }
        let missing = Set(expected).subtracting(times)
        #expect(missing.isEmpty, "\(missing.map(\.seconds).sorted())")
    }

    @Test(arguments: Kind.allCases)
    func `a seek ends a wait at the end`(kind: Kind) throws {
        let recording = try Recording(kind)
        try recording.write(share: 0.5)
        let demuxer = try recording.open()
        let reader = Reader(demuxer)
        // The reader waits once a measurement of the file shows nothing that it has not read.
        reader.waitForPackets(20)
        demuxer.liveMonitor?.interruptReading()
        #expect(throws: MediaError.self) { _ = try reader.finish().count }
        demuxer.liveMonitor?.resumeReading()
        try demuxer.seek(to: Self.seconds(1))
        #expect(try demuxer.readPacket() != nil)
        try recording.close()
    }

    @Test func `a file that has no writer is an ordinary file`() throws {
        let recording = try Recording(.transport)
        try recording.write(share: 0.5)
        try recording.close()
        let demuxer = try recording.open()
        #expect(demuxer.liveMonitor == nil)
        #expect(demuxer.description.duration.isNumeric)
        #expect(try Reader(demuxer).finish().count > 20)
    }

    @Test func `readers that do not follow a file end at its current end`() throws {
        let recording = try Recording(.matroska)
        try recording.write(share: 0.5)
        #expect(try Self.packets(of: recording.url).count > 20)
        try recording.close()
    }

    @Test func `headers of parts that are damaged end the search for parts`() throws {
        let folder = TemporaryFolder()
        let moof: [UInt8] = [0, 0, 0, 8] + Array("moof".utf8)
        let moov: [UInt8] = [0, 0, 0, 8] + Array("moov".utf8)
        let files: [[UInt8]] = [
            [], moov, moov + moof, moov + [0, 0, 0, 0], moov + [0, 0, 0, 1] + Array("mdat".utf8),
            moov + [0, 0, 0, 1] + Array("moof".utf8) + [UInt8](repeating: 255, count: 8),
            [0x1A, 0x45, 0xDF, 0xA3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x01]
                + [UInt8](
                    repeating: 255, count: 7) + [0x1F, 0x43, 0xB6, 0x75, 0xFF, 0xE7, 0x81, 0xFF],
            [0x18, 0x53, 0x80, 0x67, 0xFF, 0x1F, 0x43, 0xB6, 0x75, 0x01]
                + [UInt8](
                    repeating: 255, count: 16),
        ]
        for (number, bytes) in files.enumerated() {
            let url = folder.appending("\(number)")
            try Data(bytes).write(to: url)
            let descriptor = open(url.path, O_RDONLY)
            let file = FileDescriptorDataSource(owning: descriptor, subject: url.path)
            var movie = MovieFragments(timescales: [1: 1000])
            movie.update(from: file)
            #expect(movie.headerEnd == nil && movie.end == nil)
            var matroska = MatroskaClusters()
            matroska.update(from: file)
            matroska.update(from: file)
            #expect(matroska.offset(at: .zero) == nil || number == 6)
        }
    }
}
