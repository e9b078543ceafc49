// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Adds up rows of one component's samples, in any storage format.
enum SampleRow {
    /// Computes `sums[i] += weight * sample[i]`. Samples have the values that a texture returns:
    /// integers become 0 to 1.
    static func add(
        _ row: UnsafeRawPointer, _ component: PixelFormat.Component, of format: PixelFormat,
        weight: Float, to sums: UnsafeMutablePointer<Float>, count: Int
    ) {
        let start = row + component.offset
        let step = component.step
        let bits = component.depth + component.shift
        if format.isFloat, component.depth == 16 {
            for index in 0..<count {
                let bytes = start.loadUnaligned(fromByteOffset: index &* step, as: UInt16.self)
                let value = Float(
                    Float16(
                        bitPattern: format.isBigEndian ? bytes.bigEndian : bytes.littleEndian))
                sums[index] += weight * (value.isFinite ? value : 0)
            }
        } else if format.isFloat {
            for index in 0..<count {
                let bytes = start.loadUnaligned(fromByteOffset: index &* step, as: UInt32.self)
                let value = Float(
                    bitPattern: format.isBigEndian ? bytes.bigEndian : bytes.littleEndian)
                sums[index] += weight * (value.isFinite ? value : 0)
            }
        } else if bits <= 8 {
            let scale = weight / 255
            if step == 1, bits == component.depth {
                for index in 0..<count {
                    sums[index] +=
                        scale
                        * Float(start.loadUnaligned(fromByteOffset: index, as: UInt8.self))
                }
            } else {
                let mask = UInt8(
                    truncatingIfNeeded: ((1 << component.depth) - 1) << component.shift)
                for index in 0..<count {
                    let byte = start.loadUnaligned(fromByteOffset: index &* step, as: UInt8.self)
                    sums[index] += scale * Float(byte & mask)
                }
            }
        } else {
            let scale = weight / 65535
            if step == 2, !format.isBigEndian, component.shift == 0 {
                for index in 0..<count {
                    let word = start.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self)
                    sums[index] += scale * Float(word)
                }
            } else {
                let mask = UInt16(
                    truncatingIfNeeded: ((1 << component.depth) - 1) << component.shift)
                for index in 0..<count {
                    let word = start.loadUnaligned(fromByteOffset: index &* step, as: UInt16.self)
                    let value = format.isBigEndian ? word.bigEndian : word.littleEndian
                    sums[index] += scale * Float(value & mask)
                }
            }
        }
    }
}
