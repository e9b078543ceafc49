// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Testing

@Suite struct PixelFormatTests {
    static let formats: [PixelFormat] = [
        .yuv420p, .yuv420p10, .yuv422p, .yuv444p, .yuva420p, .nv12, .rgba, .bgra, .gray8,
    ]

    @Test(arguments: formats)
    func `planes are numbered without gaps, and each has a component`(format: PixelFormat) {
        #expect(Set(format.components.map(\.plane)) == Set(0..<format.planeCount))
        #expect(format.components.allSatisfy { $0.step > 0 && $0.offset < $0.step })
        #expect(format.components.allSatisfy { $0.depth > 0 && $0.shift >= 0 })
    }

    @Test(arguments: formats)
    func `components do not overlap within a plane`(format: PixelFormat) {
        for plane in 0..<format.planeCount {
            let components = format.components.filter { $0.plane == plane }
            #expect(Set(components.map(\.offset)).count == components.count)
            #expect(Set(components.map(\.step)).count == 1)
        }
    }

    @Test(arguments: formats)
    func `the number of components follows from model and alpha`(format: PixelFormat) {
        let colors = format.model == .gray ? 1 : 3
        #expect(format.components.count == colors + (format.hasAlpha ? 1 : 0))
        #expect(format.bitDepth == (format == .yuv420p10 ? 10 : 8))
    }

    @Test(arguments: formats)
    func `chroma planes have the smallest size that covers the frame`(format: PixelFormat) {
        for width in 1...9 {
            for height in 1...9 {
                for plane in 0..<format.planeCount {
                    let size = format.planeSize(plane, width: width, height: height)
                    guard format.isChroma(plane: plane) else {
                        #expect(size == (width, height))
                        continue
                    }
                    let (x, y) = (1 << format.log2ChromaWidth, 1 << format.log2ChromaHeight)
                    #expect(size.width * x >= width && (size.width - 1) * x < width)
                    #expect(size.height * y >= height && (size.height - 1) * y < height)
                }
            }
        }
    }

    @Test func `luma and alpha planes are not chroma, and interleaved chroma is one plane`() {
        #expect(
            (0..<4).map { PixelFormat.yuva420p.isChroma(plane: $0) } == [false, true, true, false])
        #expect((0..<2).map { PixelFormat.nv12.isChroma(plane: $0) } == [false, true])
        #expect(!PixelFormat.rgba.isChroma(plane: 0) && !PixelFormat.gray8.isChroma(plane: 0))
        #expect(PixelFormat.nv12.planeSize(1, width: 5, height: 3) == (3, 2))
        #expect(PixelFormat.yuv422p.planeSize(2, width: 5, height: 3) == (3, 3))
    }

    @Test func `a packed format with subsampled chroma has a single plane of full size`() {
        // yuyv422: Y at every other byte, Cb and Cr at every fourth.
        let yuyv = PixelFormat(
            name: "yuyv422", model: .yCbCr,
            components: [
                .init(plane: 0, step: 2, offset: 0, depth: 8),
                .init(plane: 0, step: 4, offset: 1, depth: 8),
                .init(plane: 0, step: 4, offset: 3, depth: 8),
            ], log2ChromaWidth: 1)
        #expect(yuyv.planeCount == 1 && !yuyv.isChroma(plane: 0))
        #expect(yuyv.planeSize(0, width: 6, height: 2) == (6, 2))
    }
}
