// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
import PlayheadCapturing
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadScreens

@Suite("Frames of a screen that the user has granted") struct PortalFramesTests {
    /// A stream of ten frames a second, and the frames that it has delivered.
    private final class Stream {
        let frames: PortalFrames
        let received: Received

        final class Received: Sendable {
            let frames = Mutex<[CaptureFrame]>([])
        }

        init(part: ScreenArea? = nil, patienceNanoseconds: Int64 = 120_000_000_000) throws {
            let received = Received()
            self.received = received
            let format = try #require(PortalSource(.screen).loadFormats().first)
            frames = PortalFrames(
                .screen, part: part,
                CaptureConfiguration(
                    format: format, frameDuration: MediaTime(value: 1, timescale: 10)),
                patienceNanoseconds: patienceNanoseconds
            ) { event in
                if case .frame(let frame) = event { received.frames.withLock { $0.append(frame) } }
            }
        }

        /// Passes a frame of 8 x 4 pixels with the given shade of grey and time.
        func show(_ shade: UInt8, at time: Int64?) {
            [UInt8](repeating: shade, count: 8 * 4 * 4).withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                frames.handle(
                    .frame(
                        PipeWireFrame(
                            pixels: start, bytesPerRow: 32, width: 8, height: 4, isRedFirst: false,
                            time: time)))
            }
        }

        var all: [CaptureFrame] { received.frames.withLock { $0 } }
        var shades: [UInt8] {
            all.map { $0.pixelBuffer.planes[0].baseAddress.load(as: UInt8.self) }
        }
        var times: [MediaTime] { all.map(\.hostTime) }
    }

    @Test func `a frame faster than the rate waits, unless a newer one replaces it`() throws {
        let stream = try Stream()
        let start = HostClock.nanoseconds
        stream.show(1, at: start)
        stream.show(2, at: start + 160_000)
        stream.show(3, at: start + 320_000)
        #expect(stream.shades == [1])
        try eventually("the frame that waits") {
            #expect(stream.frames.look() == nil)
            return stream.all.count == 2
        }
        #expect(stream.shades == [1, 3])
        #expect(
            stream.times == [start, start + 100_000_000].map { MediaTime(nanoseconds: $0) })
        #expect(stream.all.map(\.sequence) == [0, 1])
    }

    @Test func `frames at the rate keep their times, also if they arrive late and together`()
        throws
    {
        let stream = try Stream()
        let start = HostClock.nanoseconds - 1_000_000_000
        let times = (0..<5).map { start + $0 * 100_000_000 }
        for (index, time) in times.enumerated() { stream.show(UInt8(index), at: time) }
        #expect(stream.shades == [0, 1, 2, 3, 4])
        #expect(stream.times == times.map { MediaTime(nanoseconds: $0) })
    }

    @Test func `a frame that waits is delivered before a later one`() throws {
        let stream = try Stream()
        let start = HostClock.nanoseconds - 1_000_000_000
        for (shade, time) in [(1, 0), (2, 10), (3, 250)] as [(UInt8, Int64)] {
            stream.show(shade, at: start + time * 1_000_000)
        }
        #expect(stream.shades == [1, 2, 3])
        let places = [0, 100, 250].map { MediaTime(nanoseconds: start + $0 * 1_000_000) }
        #expect(stream.times == places)
    }

    @Test func `a time far ahead of the host clock is not used`() throws {
        let stream = try Stream()
        stream.show(1, at: HostClock.nanoseconds + 5_000_000_000)
        let time = try #require(stream.times.first)
        #expect(time <= MediaTime(nanoseconds: HostClock.nanoseconds))
    }

    @Test func `a stream without a frame ends after the limit`() throws {
        let stream = try Stream(patienceNanoseconds: 0)
        #expect(stream.frames.waitNanoseconds == 0)
        #expect(stream.frames.look()?.code == .stalled)
        #expect(try Stream().frames.look() == nil)
    }

    @Test func `a part that is not within the frames ends the stream`() throws {
        let stream = try Stream(part: ScreenArea(x: 4, y: 0, width: 8, height: 2))
        stream.show(1, at: nil)
        #expect(stream.frames.look()?.code == .unsupportedFormat)
        #expect(stream.all.isEmpty)
    }
}
