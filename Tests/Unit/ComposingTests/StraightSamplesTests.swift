// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import Testing

@testable import PlayheadComposing

/// The rounding of drawn pictures to 8 bits.
@Suite struct StraightSamplesTests {
    /// Returns the nearest level for a premultiplied sample.
    private static func level(_ sample: UInt16, alpha: UInt16) -> UInt8 {
        guard alpha > 0 else { return 0 }
        let (sample, alpha) = (UInt32(sample), UInt32(alpha))
        return UInt8(min((sample * 255 + alpha / 2) / alpha, 255))
    }

    private func check(_ samples: [UInt16]) {
        let count = samples.count / 4
        // The byte after the row must stay as it is.
        var bytes = [UInt8](repeating: 0xA5, count: count * 4 + 1)
        samples.withUnsafeBufferPointer { samples in
            bytes.withUnsafeMutableBytes { bytes in
                guard let samples = samples.baseAddress, let bytes = bytes.baseAddress else {
                    return
                }
                StraightSamples.round(samples, count: count, to: bytes)
            }
        }
        var expected = samples.indices.map { index in
            let alpha = samples[index | 3]
            return index & 3 == 3
                ? Self.level(alpha, alpha: .max) : Self.level(samples[index], alpha: alpha)
        }
        expected.append(0xA5)
        #expect(bytes == expected)
    }

    @Test func `opaque samples become the nearest of 256 levels`() {
        check((0...UInt16.max).flatMap { [$0, UInt16.max - $0, $0 / 2, .max] })
    }

    @Test func `colours of pixels with alpha are divided by it`() {
        var random = SplitMix64(seed: 16)
        for count in 0..<40 {
            check(
                (0..<count).flatMap { _ -> [UInt16] in
                    let alphas: [UInt16] = [0, 1, 0x7FFF, 0xFFFE, 0xFFFF, 0xFFFF]
                    let alpha = alphas.randomElement(using: &random) ?? 0
                    var pixel = (0..<3).map { _ in UInt16.random(in: 0...alpha, using: &random) }
                    pixel.append(alpha)
                    return pixel
                })
        }
    }
}
