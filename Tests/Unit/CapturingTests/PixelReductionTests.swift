// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadBuffers
import Testing

@testable import PlayheadCapturing

/// Pixels of screens in frames of another size.
@Suite struct PixelReductionTests {
    private func frame(
        _ width: Int, _ height: Int, _ value: (Int, Int) -> UInt8
    ) -> PixelBuffer {
        PixelBuffer(
            format: .bgra, width: width, height: height, attachments: PixelBufferAttachments()
        ) { _, bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    for component in 0..<4 {
                        bytes[y * bytesPerRow + x * 4 + component] = value(x, y)
                    }
                }
            }
        }
    }

    private func value(_ frame: PixelBuffer, _ x: Int, _ y: Int) -> UInt8 {
        let plane = frame.planes[0]
        return plane.baseAddress.load(fromByteOffset: y * plane.bytesPerRow + x * 4, as: UInt8.self)
    }

    @Test(arguments: [(13, 7), (20, 10), (33, 47), (40, 20), (41, 9), (1, 300), (300, 1)])
    func `frames of a recording keep the first size, and show all pixels`(
        width: Int, height: Int
    ) {
        var frames = RecordedFrames()
        _ = frames.frame(of: frame(20, 10) { _, _ in 0 })
        // A gradient, whose means are known.
        let source = frame(width, height) { x, y in UInt8((x + y) * 255 / (width + height)) }
        let result = frames.frame(of: source)
        #expect((result.width, result.height) == (20, 10))
        let size = PixelReduction((width, height), into: (20, 10)).size
        #expect(size.width <= 20 && size.height <= 10)
        for y in 0..<10 {
            for x in 0..<20 {
                guard x < size.width, y < size.height else {
                    #expect(value(result, x, y) == 0)
                    continue
                }
                let (left, right) = (x * width / size.width, (x + 1) * width / size.width)
                let (top, bottom) = (y * height / size.height, (y + 1) * height / size.height)
                var sum = 0
                for row in top..<bottom {
                    for column in left..<right { sum += Int(value(source, column, row)) }
                }
                let count = (right - left) * (bottom - top)
                #expect(Int(value(result, x, y)) == (sum + count / 2) / count)
            }
        }
    }
}
