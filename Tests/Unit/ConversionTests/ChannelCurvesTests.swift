// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadConversion
import Testing

/// Curves that are applied to pixels.
@Suite struct ChannelCurvesTests {
    @Test(arguments: [true, false])
    func `each channel has its own curve, at any number of pixels`(usesKernels: Bool) {
        var random = SplitMix64(seed: 7)
        let values = (0..<768).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let curves = ChannelCurves(values)
        for count in Array(0...40) + [1000] {
            // What follows the pixels must not change.
            let before = (0..<(count + 4) * 4).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            var after = before
            after.withUnsafeMutableBytes { bytes in
                curves.apply(
                    to: UnsafeMutableRawBufferPointer(rebasing: bytes[..<(count * 4)]),
                    usesKernels: usesKernels)
            }
            let expected = before.enumerated().map { index, byte in
                if index >= count * 4 { return byte }
                return index % 4 == 3 ? 255 : values[index % 4 * 256 + Int(byte)]
            }
            #expect(after == expected, "\(count) pixels")
        }
    }
}
