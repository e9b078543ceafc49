// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Live streams, read from a server whose playlist moves by hand.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct LiveStreamTests {
    /// The forms of a stream: HLS with MPEG transport streams, HLS with MP4, and DASH.
    enum Form: CaseIterable {
        case transportStream, fragments, presentation

        fileprivate func server(seconds: Int64) throws -> LiveServer {
            try LiveServer(
                [LiveStreamTests.clip(seconds: seconds)], isMP4: self != .transportStream)
        }

        fileprivate func url(_ server: LiveServer) -> String {
            self == .presentation ? server.presentationURL : server.url
        }
    }

    /// Returns a video of 10 frames a second with a keyframe every second, and audio.
    private static func clip(seconds: Int64, bidirectionalFrames: Int = 2) -> SyntheticClip {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 10, duration: MediaTime(value: seconds, timescale: 1)))
        media.height = 240
        media.keyframeInterval = 10
        media.bidirectionalFrames = bidirectionalFrames
        return SyntheticClip(media, container: "ts")
    }

    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1000).rounded()), timescale: 1000)
    }

    private struct Frame {
        /// The number in the pixels.
        var number: Int?
        var time: MediaTime

        init(_ frame: VideoFrame) {
            number = FrameNumberStrip.read(from: frame.pixelBuffer)
            time = frame.presentationTime
        }
    }

    /// A demuxer with a video decoder.
    private struct Reader {
        let demuxer: any Demuxer
        let decoder: any VideoDecoder

        init(_ opener: FFmpegOpener) throws {
            demuxer = try opener.openDemuxer(cancellation: Cancellation())
            let track = try #require(demuxer.description.preferredTrack(of: .video))
            demuxer.selectTracks([track.id])
            decoder = try demuxer.makeVideoDecoder(for: track)
        }

        init(_ server: LiveServer, _ form: Form = .transportStream) throws {
            try self.init(FFmpegOpener(AssetLocation(form.url(server))))
        }

        var window: LiveWindow { get throws { try #require(demuxer.liveMonitor?.window) } }

        /// Returns the next frames, but none after the end of the stream.
        func frames(_ count: Int) throws -> [Frame] {
            var frames: [Frame] = []
            while frames.count < count {
                if let frame = try decoder.receive() {
                    frames.append(Frame(frame))
                } else if let packet = try demuxer.readPacket() {
                    try decoder.send(packet)
                } else {
                    try decoder.send(nil)
                    while let frame = try decoder.receive() { frames.append(Frame(frame)) }
                    break
                }
            }
            return frames
        }

        func seek(to time: MediaTime) throws {
            decoder.flush()
            try demuxer.seek(to: time)
        }
    }

    private static func numbers(_ ranges: Range<Int>...) -> [Int?] {
        ranges.flatMap { $0.map { Optional($0) } }
    }

    private static func isAt(_ time: MediaTime, _ seconds: Double) -> Bool {
        abs(time.seconds - seconds) < 0.001
    }

    @Test(arguments: Form.allCases)
    func `a stream begins before the live edge, and its timeline with the oldest segment`(
        form: Form
    ) throws {
        let server = try form.server(seconds: 20)
        server.list(2..<10)
        let reader = try Reader(server, form)
        let window = try reader.window
        #expect(Self.isAt(window.range.start, 0) && Self.isAt(window.range.end, 8))
        #expect(Self.isAt(window.recommendedOffset, 3) && !window.hasEnded)
        #expect(!reader.demuxer.description.duration.isNumeric)
        #expect(Self.isAt(reader.demuxer.description.startTime, 5))
        let frames = try reader.frames(3)
        #expect(frames.map(\.number) == [70, 71, 72])
        #expect(Self.isAt(frames[0].time, 5) && Self.isAt(frames[2].time, 5.2))
    }

    @Test func `a playlist that lists nothing is loaded again later, and not at once`() throws {
        let server = try LiveServer([Self.clip(seconds: 20)])
        server.list(2..<10)
        let reader = try Reader(server)
        let monitor = try #require(reader.demuxer.liveMonitor)
        server.list(0..<0)
        // A slow machine may look when the next load is already due.
        try eventually("a later load") {
            monitor.setReload(after: 0)
            reader.demuxer.reloadPlaylist()
            return (monitor.reloadDelay ?? 0) > 0
        }
    }

    @Test(arguments: Form.allCases)
    func `seeks lead to any frame of the window, and times stay the same`(form: Form) throws {
        let server = try form.server(seconds: 20)
        server.list(2..<12)
        let reader = try Reader(server, form)
        for (target, segment) in [(0.0, 2), (4.55, 6), (9.9, 11), (3.0, 5), (0.999, 2)] {
            try reader.seek(to: Self.seconds(target))
            let frame = try #require(try reader.frames(1).first)
            #expect(frame.number == segment * 10, "\(target)")
            #expect(Self.isAt(frame.time, Double(segment - 2)), "\(target)")
        }
        // While the window moves, a time keeps its frame.
        server.list(4..<14)
        reader.demuxer.reloadPlaylist()
        #expect(try Self.isAt(reader.window.range.start, 2))
        #expect(try Self.isAt(reader.window.range.end, 12))
        try reader.seek(to: Self.seconds(4.55))
        let frames = try reader.frames(12)
        #expect(frames.map(\.number) == Self.numbers(60..<72))
        #expect(Self.isAt(frames[11].time, 5.1))
    }

    @Test(arguments: [0, 2])
    func `frames without a time at the beginning of segments are at their places`(
        bidirectionalFrames: Int
    ) throws {
        let clip = Self.clip(seconds: 20, bidirectionalFrames: bidirectionalFrames)
        let server = try LiveServer([clip], isUntimed: true)
        server.list(2..<12)
        let reader = try Reader(server)
        #expect(Self.isAt(reader.demuxer.description.startTime, 7))
        for (target, segment) in [(7, 9), (4.55, 6), (3, 5), (0, 2)] {
            if target < 7 { try reader.seek(to: Self.seconds(target)) }
            let frames = try reader.frames(15)
            #expect(frames.map(\.number) == Self.numbers(segment * 10..<segment * 10 + 15))
            let isAtPlace = frames.indices.map { index in
                Self.isAt(frames[index].time, Double(segment - 2) + Double(index) / 10)
            }
            #expect(isAtPlace.allSatisfy { $0 }, "\(frames.map(\.time.seconds))")
        }
        #expect(try Self.isAt(reader.window.range.start, 0))
        #expect(try Self.isAt(reader.window.range.end, 10))
    }

    @Test func `a target that has left the window is replaced by the oldest segment`() throws {
        let server = try LiveServer([Self.clip(seconds: 20)])
        server.list(2..<10)
        let reader = try Reader(server)
        server.list(8..<16)
        try reader.seek(to: Self.seconds(1.5))
        let frame = try #require(try reader.frames(1).first)
        #expect(frame.number == 80)
        #expect(Self.isAt(frame.time, 6))
        #expect(try Self.isAt(reader.window.range.start, 6))
    }

    @Test(arguments: Form.allCases)
    func `only the segments from the target on are requested`(form: Form) throws {
        let server = try form.server(seconds: 20)
        server.list(0..<20)
        let reader = try Reader(server, form)
        #expect(try #require(server.requestedSegments.min()) == 17)
        try reader.seek(to: Self.seconds(12.5))
        _ = try reader.frames(1)
        #expect(try #require(server.requestedSegments.min()) == 12)
    }

    // FFmpeg cannot read MP4 segments across a discontinuity.
    @Test func `times continue across a discontinuity, in order and after seeks`() throws {
        // Both clips begin with the same timestamps and the frame number 0.
        let server = try LiveServer([Self.clip(seconds: 6), Self.clip(seconds: 9)])
        server.list(0..<8)
        let reader = try Reader(server)
        // Segment 5 is the last one of the first clip.
        let frames = try reader.frames(20)
        #expect(frames.map(\.number) == Self.numbers(50..<60, 0..<10))
        #expect(
            zip(frames, frames.dropFirst()).allSatisfy {
                abs(($1.time - $0.time).seconds - 0.1) < 0.002
            })
        server.list(2..<12)
        for (target, number) in [(7.0, 10), (2.0, 20), (11.0, 50), (5.0, 50), (6.0, 0)] {
            try reader.seek(to: Self.seconds(target + 0.05))
            let frame = try #require(try reader.frames(1).first)
            #expect(frame.number == number, "\(target)")
            #expect(abs(frame.time.seconds - target) < 0.002, "\(target): \(frame.time.seconds)")
        }
    }

    @Test(arguments: Form.allCases)
    func `a second opening of a stream has the same times`(form: Form) throws {
        let server = try form.server(seconds: 20)
        server.list(2..<10)
        let opener = FFmpegOpener(AssetLocation(form.url(server)))
        _ = try Reader(opener).frames(1)
        server.list(6..<14)
        let second = try Reader(opener)
        #expect(try Self.isAt(second.window.range.start, 4))
        let frame = try #require(try second.frames(1).first)
        #expect(frame.number == 110)
        #expect(Self.isAt(frame.time, 9))
    }

    @Test(arguments: Form.allCases)
    func `a stream that ends has a duration, and its last frame is reached`(form: Form) throws {
        let server = try form.server(seconds: 12)
        server.list(2..<10)
        let reader = try Reader(server, form)
        _ = try reader.frames(1)
        server.list(4..<12, hasEnded: true)
        let rest = try reader.frames(1000)
        #expect(rest.map(\.number) == Self.numbers(71..<120))
        #expect(try reader.window.hasEnded)
        #expect(try Self.isAt(reader.window.range.start, 2))
        #expect(try Self.isAt(reader.window.range.end, 10))
        #expect(reader.demuxer.liveMonitor?.reloadDelay == nil)
        try reader.seek(to: Self.seconds(2))
        #expect(try reader.frames(1).first?.number == 40)
        try reader.seek(to: Self.seconds(9.5))
        #expect(try reader.frames(1000).map(\.number) == Self.numbers(110..<120))
    }

    @Test func `an event stream keeps its beginning`() throws {
        let server = try LiveServer([Self.clip(seconds: 12)])
        let tags = ["#EXT-X-PLAYLIST-TYPE:EVENT"]
        server.list(0..<5, tags: tags)
        let reader = try Reader(server)
        #expect(Self.isAt(reader.demuxer.description.startTime, 2))
        server.list(0..<9, tags: tags)
        reader.demuxer.reloadPlaylist()
        #expect(try Self.isAt(reader.window.range.start, 0))
        #expect(try Self.isAt(reader.window.range.end, 9))
        try reader.seek(to: .zero)
        #expect(try reader.frames(1).first?.number == 0)
    }

    @Test(arguments: [
        (["#EXT-X-START:TIME-OFFSET=3.5"], false, 3, 3.0),
        (["#EXT-X-START:TIME-OFFSET=-5.5,PRECISE=YES"], false, 4, 4.5),
        (["#EXT-X-START:TIME-OFFSET=3.5,PRECISE=YES"], true, 0, 3.5),
    ])
    func `a playlist states where playback begins`(
        tags: [String], hasEnded: Bool, firstSegment: Int, start: Double
    ) throws {
        let server = try LiveServer([Self.clip(seconds: 12)])
        server.list(0..<10, hasEnded: hasEnded, tags: tags)
        let reader = try Reader(server)
        let stated = try #require(reader.demuxer.description.preferredStartTime)
        #expect(Self.isAt(stated, start))
        #expect(try reader.frames(1).first?.number == firstSegment * 10)
        #expect((reader.demuxer.liveMonitor == nil) == hasEnded)
    }

    @Test(arguments: Form.allCases)
    func `a failed reload leaves the window as it is`(form: Form) throws {
        let server = try form.server(seconds: 12)
        server.list(0..<6)
        let reader = try Reader(server, form)
        server.setDown(true)
        server.list(1..<7)
        // A slow machine may look when the next load is already due.
        try eventually("a later load") {
            reader.demuxer.reloadPlaylist()
            #expect(try Self.isAt(reader.window.range.end, 6))
            return try #require(reader.demuxer.liveMonitor?.reloadDelay) > 0
        }
        server.setDown(false)
        reader.demuxer.reloadPlaylist()
        #expect(try Self.isAt(reader.window.range.end, 7))
    }

    @Test func `a read that waits for the next segment ends when a seek is due`() throws {
        let server = try LiveServer([Self.clip(seconds: 12)])
        server.list(0..<4)
        let reader = try Reader(server)
        let monitor = try #require(reader.demuxer.liveMonitor)
        let demuxer = reader.demuxer
        let hasFailed = Monitor<Bool?>(nil)
        // A reader that gives up has loaded the playlist before.
        let loads = server.loadCount
        let thread = WorkerThread(name: "test-read") {
            do {
                while try demuxer.readPacket() != nil {}
                hasFailed.change { $0 = false }
            } catch {
                hasFailed.change { $0 = true }
            }
        }
        // The playlist is loaded again and again.
        server.waitForLoads(moreThan: loads)
        monitor.interruptReading()
        #expect(hasFailed.wait { $0 })
        thread.join()
        // A seek that a newer one has replaced does not wait either.
        #expect(throws: MediaError.self) { try reader.seek(to: .zero) }
        monitor.resumeReading()
        try reader.seek(to: .zero)
        #expect(try reader.frames(1).first?.number == 0)
    }
}
