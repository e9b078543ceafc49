// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadPlayback

@Suite struct ScrubCacheTests {
    private static func time(_ frame: Double) -> MediaTime {
        MediaTime(value: Int64(frame * 100), timescale: 3000)
    }

    private func cache(_ frames: [Int]) -> ScrubCache {
        let cache = ScrubCache()
        _ = cache.hit(at: .zero, byteLimit: 1 << 20)
        for frame in frames {
            let picture = SyntheticPicture(number: frame, width: 64, height: 32, isFlash: false)
            cache.keep(
                VideoFrame(
                    pixelBuffer: picture.pixelBuffer(), presentationTime: Self.time(Double(frame)),
                    duration: Self.time(1), isKeyframe: false))
        }
        return cache
    }

    @Test func `cached frames end at the first one that is missing`() {
        let cache = cache([14, 10, 11, 12, 20])
        #expect(cache.end(ofFramesFrom: Self.time(10)) == Self.time(13))
        #expect(cache.end(ofFramesFrom: Self.time(11.5)) == Self.time(13))
        #expect(cache.end(ofFramesFrom: Self.time(14)) == Self.time(15))
        #expect(cache.end(ofFramesFrom: Self.time(20.5)) == Self.time(21))
    }

    @Test(arguments: [9.5, 13.5, 15, 21, -1])
    func `there is no end if the frame at the time is not cached`(frame: Double) {
        let cache = cache([14, 10, 11, 12, 20])
        #expect(cache.end(ofFramesFrom: Self.time(frame)) == nil)
    }
}
