// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadTextures

@Suite("Sample conversion for OpenGL ES")
struct SampleConverterTests {
    @Test func `a 16-bit float keeps every sample of 10 bits, and eleven bits of 16`() {
        for sample in 0...UInt16.max {
            let half = SampleConverter.half(sample)
            let exponent = Int(half >> 10)
            let fraction = Double(half & 0x3FF)
            let value =
                exponent == 0
                ? fraction * 0x1p-24
                : (1 + fraction / 1024) * (exponent >= 15 ? 1 : 1 / Double(1 << (15 - exponent)))
            let error = abs(value * 65536 - Double(sample))
            #expect(error <= (sample < 2048 ? 0 : Double(sample) / 2048))
        }
    }
}
