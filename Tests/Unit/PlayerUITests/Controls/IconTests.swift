// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Testing

@testable import PlayheadPlayerUI

@Suite struct IconTests {
    /// Returns the fraction of covered pixels in an image, and their distance from its edges, in
    /// pixels.
    private func coverage(_ picture: PixelBuffer) -> (share: Double, margin: Int) {
        let plane = picture.planes[0]
        var sum = 0
        var margin = Int.max
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let alpha = plane.baseAddress.load(
                    fromByteOffset: y * plane.bytesPerRow + x * 4 + 3, as: UInt8.self)
                sum += Int(alpha)
                if alpha > 0 {
                    margin = min(
                        margin, x, y, picture.width - 1 - x, picture.height - 1 - y)
                }
            }
        }
        return (Double(sum) / 255 / Double(picture.width * picture.height), margin)
    }

    @Test(arguments: Icon.allCases)
    func `an icon is neither empty nor cut off, and weighs the same at any size`(icon: Icon) {
        let (small, smallMargin) = coverage(IconPictures.draw(icon.shape, side: 24))
        let (large, _) = coverage(IconPictures.draw(icon.shape, side: 96))
        #expect(small > 0.08 && small < 0.6, "\(icon): \(small)")
        #expect(abs(small - large) < 0.01, "\(icon): \(small), \(large)")
        #expect(smallMargin >= 0)
    }

    @Test func `distances are those of geometry`() {
        let line = IconShape.line(SIMD2(0, 0), SIMD2(10, 0), width: 2)
        #expect(line.distance(SIMD2(5, 4)) == 3)
        #expect(line.distance(SIMD2(13, 4)) == 4)
        let square = IconShape.rectangle(SIMD2(5, 5), size: SIMD2(4, 4), radius: 0)
        #expect(square.distance(SIMD2(5, 5)) == -2)
        #expect(square.distance(SIMD2(10, 5)) == 3)
        let triangle = IconShape.polygon([SIMD2(0, 0), SIMD2(4, 0), SIMD2(0, 4)], radius: 0)
        #expect(triangle.distance(SIMD2(1, 1)) < 0)
        #expect(triangle.distance(SIMD2(3, 3)) > 0)
        #expect(IconShape.mirrored(triangle).distance(SIMD2(23, 1)) < 0)
        let arc = IconShape.arc(SIMD2(0, 0), radius: 5, width: 2, from: -45, to: 45)
        #expect(abs(arc.distance(SIMD2(5, 0)) + 1) < 1e-9)
        #expect(arc.distance(SIMD2(-5, 0)) > 5)
    }
}
