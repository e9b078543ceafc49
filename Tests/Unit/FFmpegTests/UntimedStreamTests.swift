// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// A stream without times: 50 frames of plain H.264, which are counted at 25 a second.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct UntimedStreamTests {
    private static let clip = Result {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1)), sounds: [])
        media.keyframeInterval = 10
        return try SyntheticClip(media, container: "h264").url()
    }

    private static func time(_ frame: Int) -> MediaTime {
        MediaTime(value: Int64(frame), timescale: 25)
    }

    @Test func `a frame at a time is the same at each request`() throws {
        let finder = try PictureFinder(asset: Opening.asset(Self.clip.get().path))
        for frame in [25, 5, 49, 0, 25] {
            let picture = try finder.picture(at: Self.time(frame))
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer) == frame)
            #expect(picture.presentationTime == Self.time(frame))
        }
    }

    @Test func `a new reader counts from the beginning again`() throws {
        let reader = try AssetReader(asset: Opening.asset(Self.clip.get().path))
        let pictures = try reader.addVideoOutput()
        func read() throws -> [Int?] {
            var numbers: [Int?] = []
            while let frame = try pictures.copyNextSampleBuffer() {
                let number = FrameNumberStrip.read(from: frame.pixelBuffer)
                #expect(frame.presentationTime == number.map(Self.time))
                numbers.append(number)
            }
            return numbers
        }
        #expect(try read() == Array(0..<50))
        reader.restart(timeRange: MediaTimeRange(start: Self.time(25), end: Self.time(30)))
        #expect(try read() == Array(25..<30))
        reader.restart(timeRange: nil)
        #expect(try read() == Array(0..<50))
    }
}
