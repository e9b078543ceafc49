// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

/// Frames by their times in files that make that hard.
struct PictureFinderTests {
    @Test func `the right frame is found thousands of packets after the only keyframe`() throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 100, duration: MediaTime(value: 42, timescale: 1)), sounds: [])
        media.keyframeInterval = 4200
        let finder = try PictureFinder(asset: SyntheticAsset(media))
        for frame in [4095, 4199, 4150] {
            let picture = try finder.picture(at: MediaTime(value: Int64(frame), timescale: 100))
            #expect(FrameNumberStrip.read(from: picture.pixelBuffer) == frame)
        }
    }
}
