// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The samples of one component of a frame, as integers without padding.
struct SamplePlane {
    var width: Int
    var height: Int
    var samples: [UInt16]

    init(width: Int, height: Int, repeating value: UInt16 = 0) {
        self.width = width
        self.height = height
        samples = [UInt16](repeating: value, count: width * height)
    }

    /// Reads a component.
    init(_ component: Int, of buffer: PixelBuffer) {
        let format = buffer.format
        let place = format.components[component]
        let isChroma = format.model == .yCbCr && (component == 1 || component == 2)
        let width = isChroma ? Self.halved(buffer.width, format.log2ChromaWidth) : buffer.width
        let height = isChroma ? Self.halved(buffer.height, format.log2ChromaHeight) : buffer.height
        self.init(width: width, height: height)
        let plane = buffer.planes[place.plane]
        let mask = UInt16(truncatingIfNeeded: (1 << place.depth) - 1)
        samples.withUnsafeMutableBufferPointer { samples in
            for y in 0..<height {
                let row = plane.baseAddress + y * plane.bytesPerRow + place.offset
                for x in 0..<width {
                    let address = row + x * place.step
                    let value: UInt16
                    if place.depth + place.shift > 8 {
                        let stored = address.loadUnaligned(as: UInt16.self)
                        value = format.isBigEndian ? stored.bigEndian : stored.littleEndian
                    } else {
                        value = UInt16(address.load(as: UInt8.self))
                    }
                    samples[y * width + x] = (value >> UInt16(place.shift)) & mask
                }
            }
        }
    }

    private static func halved(_ size: Int, _ times: Int) -> Int {
        (size + (1 << times) - 1) >> times
    }

    /// Replaces each sample with its entry in a table.
    mutating func map(_ table: [UInt16]) {
        samples.withUnsafeMutableBufferPointer { samples in
            table.withUnsafeBufferPointer { table in
                for index in samples.indices { samples[index] = table[Int(samples[index])] }
            }
        }
    }

    /// Returns the plane with twice as many rows. The existing samples are between two rows (H.273,
    /// figure 1, left and centre).
    func withDoubledRows(_ newHeight: Int) -> SamplePlane {
        var result = SamplePlane(width: width, height: newHeight)
        for y in 0..<newHeight {
            let near = min(y / 2, height - 1)
            let far = min(max(y % 2 == 0 ? near - 1 : near + 1, 0), height - 1)
            for x in 0..<width {
                let sum = 3 * Int(samples[near * width + x]) + Int(samples[far * width + x])
                result.samples[y * width + x] = UInt16((sum + 2) / 4)
            }
        }
        return result
    }

    /// Returns the plane with twice as many columns. The existing samples are at the left of each
    /// pair.
    func withDoubledColumns(_ newWidth: Int) -> SamplePlane {
        var result = SamplePlane(width: newWidth, height: height)
        for y in 0..<height {
            for x in 0..<newWidth {
                let left = min(x / 2, width - 1)
                let right = x % 2 == 0 ? left : min(left + 1, width - 1)
                let sum = Int(samples[y * width + left]) + Int(samples[y * width + right])
                result.samples[y * newWidth + x] = UInt16((sum + 1) / 2)
            }
        }
        return result
    }

    /// Returns the plane with half as many rows. Each new row is the mean of two rows.
    func withHalvedRows() -> SamplePlane {
        var result = SamplePlane(width: width, height: Self.halved(height, 1))
        for y in 0..<result.height {
            let lower = min(2 * y + 1, height - 1)
            for x in 0..<width {
                let sum = Int(samples[2 * y * width + x]) + Int(samples[lower * width + x])
                result.samples[y * width + x] = UInt16((sum + 1) / 2)
            }
        }
        return result
    }

    /// Returns the plane with half as many columns. Each new column is the mean of three columns,
    /// with the weights 1, 2 and 1.
    func withHalvedColumns() -> SamplePlane {
        var result = SamplePlane(width: Self.halved(width, 1), height: height)
        for y in 0..<height {
            for x in 0..<result.width {
                let (left, right) = (max(2 * x - 1, 0), min(2 * x + 1, width - 1))
                let row = y * width
                let sum =
                    Int(samples[row + left]) + 2 * Int(samples[row + 2 * x])
                    + Int(samples[row + right])
                result.samples[y * result.width + x] = UInt16((sum + 2) / 4)
            }
        }
        return result
    }
}
