// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Testing

@Suite("Alpha") struct AlphaTests {
    @Test func `unpremultiplying divides by alpha and keeps opaque and clear pixels`() {
        let image = RGBAImage(
            width: 4, height: 1,
            bytes: [10, 20, 30, 255, 64, 128, 0, 128, 0, 0, 0, 0, 200, 1, 2, 100])
        #expect(
            image.unpremultiplied().bytes
                == [10, 20, 30, 255, 128, 255, 0, 128, 0, 0, 0, 0, 255, 3, 5, 100])
    }

    @Test func `premultiplying and unpremultiplying keeps colours within the precision of alpha`() {
        for alpha in [32, 100, 200, 254] {
            for value in stride(from: 0, through: 255, by: 5) {
                let multiplied = UInt8((value * alpha + 127) / 255)
                let image = RGBAImage(
                    width: 1, height: 1, bytes: [multiplied, 0, 0, UInt8(alpha)])
                let error = abs(Int(image.unpremultiplied().bytes[0]) - value)
                #expect(error <= 128 / alpha + 1)
            }
        }
    }
}
