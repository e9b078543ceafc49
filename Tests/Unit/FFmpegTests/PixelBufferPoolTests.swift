// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import Synchronization
import Testing

/// Decoding into memory that a consumer supplies.
@Suite(.enabled(if: Corpus.has("made-here/media"), Comment(rawValue: Corpus.absence)))
struct PixelBufferPoolTests {
    /// Codecs that use external memory and codecs that do not; threads, alpha, cropping, odd sizes,
    /// palettes, frames that the decoder keeps and changes, sizes that change.
    static let films =
        CorpusLawTests.isFull
        ? CorpusLawTests.films.filter { !CorpusLawTests.refused.contains($0.format ?? "") }
            .map(\.path)
        : [
            "made-here/media/vfr_h264.mp4", "made-here/media/vp9_alpha_ramp.webm",
            "made-here/media/size_17x13.webm", "made-here/media/ts_wrap33bit.ts",
            "torchcodec/test/resources/testsrc2_mpeg4.avi",
            "torchcodec/test/resources/sine_stereo_mp2.mpg",
            "imageio-binaries/images/newtonscradle.gif",
            "mathiasbynens-small/png-transparent.png",
        ].filter { Corpus.has($0) }

    /// Lends the buffers of another pool, up to a number of times, and counts.
    private final class CountingPool: PixelBufferPool {
        let pool = PlainPixelBufferPool(byteLimit: 1 << 30)
        let limit: Int
        let count = Atomic(0)
        private let sizes = Mutex<Set<Int>>([])

        init(limit: Int = .max) { self.limit = limit }

        func makeMemory(byteCount: Int) -> (any PixelBufferMemory)? {
            guard count.add(1, ordering: .relaxed).newValue <= limit else { return nil }
            sizes.withLock { _ = $0.insert(byteCount) }
            return pool.makeMemory(byteCount: byteCount)
        }

        var wasAskedFor: Set<Int> { sizes.withLock { $0 } }
    }

    private func pictures(
        _ film: String, pool: (any PixelBufferPool)? = nil,
        look: (PixelBuffer) throws -> Void = { _ in }
    ) throws -> [SeenPicture] {
        let reader = try AssetReader(asset: Opening.asset(try #require(Corpus.url(film)).path))
        let output = try reader.addVideoOutput(pool: pool)
        var pictures: [SeenPicture] = []
        while let frame = try output.copyNextSampleBuffer() {
            try look(frame.pixelBuffer)
            pictures.append(SeenPicture(frame))
        }
        return pictures
    }

    @Test(arguments: films)
    func `frames are the same with any pool, and all memory is returned`(film: String) throws {
        let pool = CountingPool()
        let plain = try pictures(film)
        let pooled = try pictures(film, pool: pool) { buffer in
            guard let memory = buffer.memory, let base = memory.bytes.baseAddress else { return }
            for plane in buffer.planes {
                let offset = plane.baseAddress - UnsafeRawPointer(base)
                #expect(offset >= 0)
                #expect(offset + plane.bytesPerRow * plane.height <= memory.bytes.count)
                #expect(plane.bytesPerRow % PixelBuffer.alignment == 0)
            }
        }
        #expect(CorpusLawTests.isFull || !plain.isEmpty)
        #expect(plain == pooled)
        #expect(pool.pool.byteCount.lent == 0)
    }

    @Test func `all frames come from the pool, and its memory is reused`() throws {
        let pool = CountingPool()
        var bytes = 0
        let seen = try pictures("made-here/media/vfr_h264.mp4", pool: pool) { buffer in
            #expect(buffer.memory != nil)
            bytes = max(bytes, buffer.byteCount)
        }
        #expect(pool.count.load(ordering: .relaxed) >= seen.count)
        #expect(pool.wasAskedFor.count == 1)
        // Frames in flight: references, threads, the reader's own.
        #expect(pool.pool.byteCount.all < bytes * 64)
    }

    @Test(arguments: [0, 1, 7])
    func `an exhausted pool loses no frames`(limit: Int) throws {
        let film = "made-here/media/vfr_h264.mp4"
        var lent = 0
        let pool = CountingPool(limit: limit)
        let seen = try pictures(film, pool: pool) { lent += $0.memory == nil ? 0 : 1 }
        #expect(seen == (try pictures(film)))
        #expect(lent <= limit)
        #expect(limit == 0 || lent > 0)
    }
}
